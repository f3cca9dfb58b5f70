//! What a party holds of a session gives it no bit that it must not know: no affine combination
//! over F2 of all bits that it sent, received, entered and learned, and of its shares of masks and
//! triples, over many runs, is a bit of the other party's inputs, of an output that is not opened
//! to it, of a wire between the gates, or a sum of such; nor is one a bit of the other's Delta.
//!
//! The *ledger* says who holds the masked value of a wire and the two shares of its mask, which
//! together are its value. Nobody keeps it by hand: a party holds a bit if it is a combination of
//! what it holds.
//!
//! Each test is also run on mutants that hold a little more, which must be found out. All this is
//! here, and not with the integration tests, because only here a party's shares can be seen.

use std::slice;

use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

use crate::circuit::{Builder, Circuit, Party};
use crate::crypto::Block;
use crate::mpc::malicious::share::Share;
use crate::mpc::malicious::{AuthenticatedBit, Malicious};
use crate::mpc::{Audience, Demand, Input, Opening, Run as CircuitRun, TwoParty};
use crate::testing::affine::{Span, Table};
use crate::testing::circuits::bits;
use crate::testing::line::End;
use crate::testing::session::system_rng;
use crate::testing::view::{bits_of_block, sessions_with_taps};

type Session = Malicious<End>;

const PARTIES: [Party; 2] = [Party::Garbler, Party::Evaluator];

/// The wires of the circuit: inputs of the garbler and of the evaluator, `P = A0 B0`,
/// `Q = A1 B1`, `R = Left Right` with `Left = A0 ^ B1`, `Right = P ^ B0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    A0,
    A1,
    B0,
    B1,
    P,
    Q,
    Left,
    Right,
    R,
}
use Wire::{A0, A1, B0, B1, Left, P, Q, R, Right};

const WIRES: [Wire; 9] = [A0, A1, B0, B1, P, Q, Left, Right, R];

/// The wires whose masks are not sums of others.
const MASKED: [Wire; 7] = [A0, A1, B0, B1, P, Q, R];

/// What the AND gates read.
const OPERANDS: [Wire; 6] = [A0, B0, A1, B1, Left, Right];

/// What honest parties open.
const DUE: [(Wire, Party); 2] = [(P, Party::Garbler), (Q, Party::Evaluator)];

/// Every wire is an output of one bit, so that the test gets at its share; an output that is
/// opened to nobody is like any wire between the gates.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[2, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let p = builder.and(a[0], b[0]);
    let q = builder.and(a[1], b[1]);
    let (left, right) = (builder.xor(a[0], b[1]), builder.xor(p, b[0]));
    let r = builder.and(left, right);
    let wires = [a[0], a[1], b[0], b[1], p, q, left, right, r];
    let circuit = builder.build(wires.map(|wire| vec![wire]).to_vec());
    assert_eq!(2 * circuit.ands(), OPERANDS.len());
    circuit
}

/// The party that enters a wire.
fn owner(wire: Wire) -> Option<Party> {
    match wire {
        A0 | A1 => Some(Party::Garbler),
        B0 | B1 => Some(Party::Evaluator),
        _ => None,
    }
}

/// Wires that a party must not know, none of which is a sum of others and of what it may know.
fn secrets_from(party: Party) -> [Wire; 4] {
    match party {
        Party::Garbler => [B0, B1, Q, R],
        Party::Evaluator => [A0, A1, P, R],
    }
}

pub(in crate::mpc::malicious) fn bits_of_share(share: Share) -> impl Iterator<Item = bool> {
    [share.mac.0, share.key.0]
        .into_iter()
        .flat_map(bits_of_block)
        .chain([share.bit.reveal()])
}

/// Of a run, besides what a party holds of it by its messages: bits of every one of [`WIRES`], and
/// of every one of [`OPERANDS`].
struct Run {
    values: [bool; WIRES.len()],
    masked: [bool; WIRES.len()],
    /// This party's shares of the masks.
    masks: [bool; WIRES.len()],
    /// This party's shares of what masks the operands: `x` and `y` of each triple.
    blinds: [bool; OPERANDS.len()],
}

/// The views of both parties, of many runs in one session.
struct Views {
    /// What each can compute of all that it holds.
    spans: [Span; 2],
    /// What each side has noted of them.
    runs: [Vec<Run>; 2],
}

/// The views of garbler and evaluator, if they open these wires.
fn views(opened: &[(Wire, Party)]) -> Views {
    const RUNS: usize = 6_500;
    let circuit = circuit();
    let seed: u64 = system_rng().random();
    let [garbler, evaluator] = sessions_with_taps(|session: &mut Session, tap| {
        let me = session.role();
        let ands = circuit.ands();
        session.prepare(Demand::of(&circuit).times(RUNS)).unwrap();
        tap.payloads();
        let mut coins = ChaCha20Rng::seed_from_u64(seed);
        let (mut held, mut runs) = (Table::default(), Vec::new());
        for _ in 0..RUNS {
            let entered = [bits(&mut coins, 2), bits(&mut coins, 2)];
            let pool = &session.live.secrets().unwrap().pool;
            let triples = pool.next_triples(ands).to_vec();
            let opened_ahead: Vec<bool> = (pool.next_inputs(me, 2).iter())
                .map(|mask| mask.theirs)
                .collect();
            let run = CircuitRun::new(&circuit, &Input::ONE_EACH, &entered[me as usize]);
            let shared: Vec<AuthenticatedBit> = session.run(run).unwrap().bits().to_vec();
            let openings: Vec<_> = (opened.iter())
                .map(|&(wire, learner)| Opening {
                    to: Audience::Only(learner),
                    bits: slice::from_ref(&shared[wire as usize]),
                })
                .collect();
            let learned = session.open(&openings).unwrap();

            let mut bits = entered[me as usize].clone();
            bits.extend(learned.iter().flatten().flatten());
            bits.extend(tap.bits());
            bits.extend(opened_ahead);
            for bit in MASKED.map(|wire| &shared[wire as usize]) {
                bits.extend(bits_of_share(bit.held.mask));
                bits.extend(bits_of_block(bit.held.label.block()));
            }
            let shares = triples
                .iter()
                .flat_map(|triple| [triple.x, triple.y, triple.z]);
            bits.extend(shares.flat_map(bits_of_share));
            held.add_run(bits);
            let values = circuit.evaluate(&entered).unwrap().concat();
            runs.push(Run {
                values: values.try_into().unwrap(),
                masked: WIRES.map(|wire| shared[wire as usize].held.masked),
                masks: WIRES.map(|wire| shared[wire as usize].held.mask.bit.reveal()),
                blinds: std::array::from_fn(|i| {
                    [triples[i / 2].x, triples[i / 2].y][i % 2].bit.reveal()
                }),
            });
        }
        (Span::of(&held), runs)
    });
    let [(span_a, runs_a), (span_b, runs_b)] = [garbler, evaluator];
    for (a, b) in runs_a.iter().zip(&runs_b) {
        for wire in WIRES.map(|wire| wire as usize) {
            let value = a.masked[wire] ^ a.masks[wire] ^ b.masks[wire];
            assert_eq!((a.masked[wire], a.values[wire]), (b.masked[wire], value));
        }
    }
    Views {
        spans: [span_a, span_b],
        runs: [runs_a, runs_b],
    }
}

impl Views {
    fn table<const N: usize>(&self, party: Party, of: impl Fn(&Run) -> [bool; N]) -> Table {
        let mut table = Table::default();
        for run in &self.runs[party as usize] {
            table.add_run(of(run));
        }
        table
    }

    /// The first wire that a party can compute and must not know.
    fn leak(&self, party: Party) -> Option<Wire> {
        self.leak_in(party, &self.spans[party as usize])
    }

    /// The same if the party holds one more bit of every run of the other party.
    fn leak_with(&self, party: Party, more: impl Fn(&Run) -> bool) -> Option<Wire> {
        let more = self.table(party.other(), |run| [more(run)]);
        self.leak_in(party, &self.spans[party as usize].clone().with(&more))
    }

    fn leak_in(&self, party: Party, span: &Span) -> Option<Wire> {
        let secrets = secrets_from(party);
        let values = |run: &Run| secrets.map(|wire| run.values[wire as usize]);
        span.leak(&self.table(party, values)).map(|i| secrets[i])
    }

    /// For every wire whether a party holds its masked value, its own share of the mask, the
    /// other's.
    fn ledger(&self, party: Party) -> Vec<(Wire, [bool; 3])> {
        let span = &self.spans[party as usize];
        let [masked, mine, theirs] = [
            self.table(party, |run| run.masked),
            self.table(party, |run| run.masks),
            self.table(party.other(), |run| run.masks),
        ]
        .map(|bits| span.knows(&bits));
        let entry = |wire| {
            let i = wire as usize;
            (wire, [masked[i], mine[i], theirs[i]])
        };
        WIRES.map(entry).to_vec()
    }
}

/// The ledger if a party holds the other's share of the masks of these wires only.
fn ledger_of(known: impl Fn(Wire) -> bool) -> Vec<(Wire, [bool; 3])> {
    WIRES.map(|wire| (wire, [true, true, known(wire)])).to_vec()
}

/// Whether a wire is an input of `party`, or opened to it.
fn is_due(wire: Wire, party: Party, opened: &[(Wire, Party)]) -> bool {
    owner(wire) == Some(party) || opened.contains(&(wire, party))
}

#[test]
fn nobody_can_compute_what_it_must_not_know_or_holds_all_of_a_wire_that_is_not_its_due() {
    let views = views(&DUE);
    for party in PARTIES {
        assert_eq!(views.leak(party), None);
        let due = |wire| is_due(wire, party, &DUE);
        assert_eq!(views.ledger(party), ledger_of(due));

        // With the other's share of a wire's mask, or of what masks an operand of an AND gate.
        for wire in WIRES {
            let leak = views.leak_with(party, |run| run.masks[wire as usize]);
            assert_eq!(leak.is_none(), due(wire), "{party}: the mask of {wire:?}");
        }
        for (i, wire) in OPERANDS.into_iter().enumerate() {
            let leak = views.leak_with(party, |run| run.blinds[i]);
            assert_eq!(leak.is_none(), due(wire), "{party}: the blind of {wire:?}");
        }
    }
}

#[test]
fn a_session_that_opens_the_sealed_output_is_found_out_in_the_view_of_who_learns_it() {
    for learner in PARTIES {
        let opened = [DUE[0], DUE[1], (R, learner)];
        let views = views(&opened);
        for party in PARTIES {
            assert_eq!(views.leak(party), (party == learner).then_some(R));
            let due = |wire| is_due(wire, party, &opened);
            assert_eq!(views.ledger(party), ledger_of(due));
        }
    }
}

/// Both shares of the mask of every input are opened to both, which show their owner nothing new:
/// a mistake that has been made.
#[test]
fn a_session_that_opens_the_masks_of_inputs_to_both_is_found_out_in_both_views() {
    let inputs = [A0, A1, B0, B1];
    let to_both = inputs.map(|wire| PARTIES.map(|party| (wire, party)));
    let views = views(&[&DUE, to_both.as_flattened()].concat());
    for (party, first, known) in [
        // Also what is opened to it, and sums of what it knows.
        (Party::Garbler, B0, &[P, Left, Right][..]),
        (Party::Evaluator, A0, &[Q, Left]),
    ] {
        assert_eq!(views.leak(party), Some(first));
        let known = |wire| inputs.contains(&wire) || known.contains(&wire);
        assert_eq!(views.ledger(party), ledger_of(known));
    }
}

/// Of a block, as many bits as a test over many sessions can take: what is done to a block is done
/// to each of its bits alike.
fn few_bits_of_block(block: Block) -> impl Iterator<Item = bool> {
    bits_of_block(block).take(8)
}

/// What a party holds of runs in many sessions, of every block a part; its Delta; and the MACs
/// that the other's share of a mask may have.
#[derive(Default)]
struct Sessions {
    held: Table,
    delta: Table,
    macs: Table,
}

fn many_sessions() -> [Sessions; 2] {
    const SESSIONS: usize = 100;
    const RUNS: usize = 4;
    let mut builder = Builder::new(&[1, 1]);
    let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
    let p = builder.and(a, b);
    let circuit = builder.build(vec![vec![a], vec![b], vec![p]]);
    let mut both = [Sessions::default(), Sessions::default()];
    for _ in 0..SESSIONS {
        let sides = sessions_with_taps(|session: &mut Session, tap| {
            session.prepare(Demand::of(&circuit).times(RUNS)).unwrap();
            tap.payloads();
            let run = |_| {
                let entered = bits(&mut system_rng(), 1);
                let secrets = session.live.secrets().unwrap();
                let (triple, delta) = (
                    secrets.pool.next_triples(1)[0],
                    secrets.pool.delta().block(),
                );
                let run = CircuitRun::new(&circuit, &Input::ONE_EACH, &entered);
                let shared = session.run(run).unwrap().bits().to_vec();
                let to = Audience::Only(Party::Garbler);
                let bits = &shared[2..];
                let learned = session.open(&[Opening { to, bits }]).unwrap();

                let mut held = entered;
                held.extend(learned.iter().flatten().flatten());
                // The bits of small messages are all in the first byte.
                for payload in tap.payloads() {
                    let first = |chunk: &[u8]| few_bits_of_block(Block::from([chunk[0]; 16]));
                    held.extend(payload.chunks(16).flat_map(first));
                }
                held.extend(few_bits_of_block(delta));
                let masks = shared.iter().map(|bit| bit.held.mask);
                for share in masks.chain([triple.x, triple.y, triple.z]) {
                    held.push(share.bit.reveal());
                    held.extend(
                        [share.mac.0, share.key.0]
                            .into_iter()
                            .flat_map(few_bits_of_block),
                    );
                }
                held.extend(
                    shared
                        .iter()
                        .flat_map(|bit| few_bits_of_block(bit.held.label.block())),
                );
                let key = shared[0].held.mask.key.0;
                (held, delta, [key, key ^ delta])
            };
            (0..RUNS).map(run).collect::<Vec<_>>()
        });
        for (party, runs) in both.iter_mut().zip(sides) {
            for (held, delta, macs) in runs {
                party.held.add_run(held);
                // The lowest bits of the Deltas are fixed.
                party.delta.add_run(few_bits_of_block(delta).skip(1));
                party
                    .macs
                    .add_run(macs.into_iter().flat_map(few_bits_of_block));
            }
        }
    }
    both
}

#[test]
fn nobody_can_compute_a_bit_of_the_others_delta_unless_it_gets_both_macs_of_a_bit() {
    let [garbler, evaluator] = many_sessions();
    for (me, other) in [(&garbler, &evaluator), (&evaluator, &garbler)] {
        let span = Span::of(&me.held);
        assert_eq!(span.leak(&other.delta), None);
        assert_eq!(span.with(&other.macs).leak(&other.delta), Some(0));
    }
}
