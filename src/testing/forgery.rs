//! An engine whose results are chosen by the peer.

use std::collections::VecDeque;

use crate::circuit::Party;
use crate::mpc::{self, Demand, Opened, Opening, Run, Security, TwoParty, Words};
use crate::net::Traffic;

/// An engine whose runs return words chosen by the peer, as those of a semi-honest engine may if
/// the peer cheats. Its shared bits are in the clear.
pub struct Forgery {
    runs: VecDeque<Vec<u64>>,
    pub aborted: bool,
}

impl Forgery {
    /// Creates an engine whose runs return the elements of `runs`, in order.
    pub fn of<const N: usize>(runs: [Vec<u64>; N]) -> Self {
        Forgery {
            runs: runs.into(),
            aborted: false,
        }
    }
}

impl TwoParty for Forgery {
    type Shared = bool;

    fn role(&self) -> Party {
        Party::Evaluator
    }

    fn security(&self) -> Security {
        Security::SemiHonest
    }

    fn prepare(&mut self, _: Demand) -> mpc::Result<()> {
        Ok(())
    }

    fn run(&mut self, run: Run<'_, bool>) -> mpc::Result<Words<bool>> {
        let words = self
            .runs
            .pop_front()
            .expect("no words are left for this run");
        let outputs = run.circuit().outputs().iter().zip(words);
        let bits = outputs
            .flat_map(|(output, word)| (0..output.len()).map(move |bit| word >> bit & 1 == 1));
        Ok(Words::of_outputs(run.circuit(), bits.collect()))
    }

    fn open(&mut self, openings: &[Opening<'_, bool>]) -> mpc::Result<Opened> {
        let mine = (openings.iter()).filter(|opening| opening.to.includes(self.role()));
        let values = mine.flat_map(|opening| opening.bits.iter().copied());
        Ok(Opened::new(openings, self.role(), values))
    }

    fn abort(&mut self) {
        self.aborted = true;
    }

    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
}
