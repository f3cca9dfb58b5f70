//! `circuit run`: evaluates a netlist or a shuffle between two parties.

mod own_shuffle;
mod report;

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless::circuit::{Circuit, Party};
use dealerless::deck;
use dealerless::mpc::{self, Audience, Input, Opening, Run, TwoParty};
use dealerless::net::TcpTransport;
use dealerless_command_line::arguments::address;
use dealerless_command_line::failure::OtherTerms;
use dealerless_command_line::output::say;
use zeroize::Zeroizing;

use self::own_shuffle::{OwnShuffle, ShuffleArgs};
use self::report::RandomInputs;
use super::netlist_file::{self, FormatArgs};
use super::owners::{Owner, Owners};
use super::values::{self, Value, ValueArgs};
use crate::cost::TrafficCost;
use crate::loopback;
use crate::session::{
    Evaluates, FIRST_BYTE, Greeting, PLAIN_TCP_WARNING, SessionArgs, is_of_a_stranger, listen,
};

/// Evaluates a netlist, or a shuffle, between two parties.
///
/// Both parties learn the outputs.
///
/// Both parties run in this process, unless --listen or --connect is given.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:\n  \
    dealerless circuit run adder.txt --garbler 6 --evaluator 0x3\n  \
    dealerless circuit run adder.txt --listen 127.0.0.1:5252 --garbler 0110\n  \
    dealerless circuit run adder.txt --connect 127.0.0.1:5252 --evaluator @secret\n  \
    dealerless circuit run --algorithm waksman --cards 5 --draw 3 \\\n      \
    --garbler-permutation 3,1,2,5,4 --evaluator random\n\n\
    {}\n\
    Separate several values of a party with commas, or join them as bits or hex:.\n\n\
    With one input value, the garbler enters it. With two, the first is the garbler's\n\
    and the second the evaluator's. With more, --owner is required. (The AES and SHA-256\n\
    netlists of the Bristol collection take the bytes of a block last byte first.)\n\n\
    Cards and seeds count from 0. If a permutation has no 0, it counts from 1, and so\n\
    do the drawn cards. random is a uniform permutation, or uniform seeds.\n\n\
    With --checked, --garbler and --evaluator can enter seeds out of range as bits. Both\n\
    parties then learn only whose seeds are out of range.\n\n\
    The listening party garbles and the connecting party evaluates, unless the options\n\
    give the input of the other role.\n\n\
    Exit codes: 0 success, 1 wrong usage or a local error, 2 the peer failed a check,\n\
    broke the protocol or disagreed, 3 the connection was lost.", values::HELP))]
pub struct Args {
    /// Netlist in Bristol Fashion, the older Bristol format, AIGER or BLIF, plain or gzip; - is
    /// standard input.
    #[arg(
        value_name = "FILE",
        required_unless_present = "algorithm",
        conflicts_with = "algorithm"
    )]
    netlist: Option<PathBuf>,
    /// Garbler's input.
    #[arg(long, value_name = "VALUES")]
    garbler: Option<String>,
    /// Evaluator's input.
    #[arg(long, value_name = "VALUES")]
    evaluator: Option<String>,
    /// Owner of each input value, for example g,e,g.
    #[arg(
        long,
        value_name = "OWNERS",
        value_delimiter = ',',
        conflicts_with = "algorithm"
    )]
    owner: Vec<Owner>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    shuffle: ShuffleArgs,
    #[command(flatten)]
    values: ValueArgs,
    /// Wait for the other party at this address, and run one side.
    #[arg(long, value_name = "ADDRESS", value_parser = address, conflicts_with = "connect")]
    listen: Option<String>,
    /// Connect to the other party at this address, and run one side.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    connect: Option<String>,
    #[command(flatten)]
    session: SessionArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let job = Job::new(args)?;
    say(args.session.notice(job.what.evaluates()));
    let (outcome, random_inputs) = match (&args.listen, &args.connect) {
        (Some(address), _) => {
            let side = job.side(args.own_role(Party::Garbler)?, args)?;
            say(PLAIN_TCP_WARNING);
            let (listener, address) = listen(address)?;
            say(&format!("Listening on {address}."));
            (
                side.run(side.wait(&listener)?)?,
                RandomInputs::by([&side], args),
            )
        }
        (None, Some(address)) => {
            let side = job.side(args.own_role(Party::Evaluator)?, args)?;
            say(PLAIN_TCP_WARNING);
            let transport = TcpTransport::connect(address.as_str(), args.session.message())?;
            let outcome = side.run(side.greet(transport)?)?;
            (outcome, RandomInputs::by([&side], args))
        }
        (None, None) => {
            let sides = [
                job.side(Party::Garbler, args)?,
                job.side(Party::Evaluator, args)?,
            ];
            let run_both = loopback::run_both(
                |transport| sides[0].run(sides[0].greet(transport)?),
                |transport| sides[1].run(sides[1].greet(transport)?),
            );
            let (garbler, evaluator) = run_both?;
            ensure!(
                garbler.outputs == evaluator.outputs,
                "the parties got different outputs: this is a bug"
            );
            // The evaluator finishes last, so its outcome has the time of the whole run.
            (evaluator, RandomInputs::by(&sides, args))
        }
    };
    outcome.show(args, &job, random_inputs)
}

impl Args {
    /// The role of this side, which connects or listens: the role whose input is given, or
    /// `default`.
    fn own_role(&self, default: Party) -> anyhow::Result<Party> {
        match Party::BOTH.map(|party| self.given(party).is_some()) {
            [true, false] => Ok(Party::Garbler),
            [false, true] => Ok(Party::Evaluator),
            [false, false] => Ok(default),
            [true, true] => {
                bail!(
                    "--listen and --connect run only one side: give --garbler or --evaluator, not both"
                )
            }
        }
    }

    /// A party's input in any form, as typed.
    fn given(&self, party: Party) -> Option<&String> {
        self.values_text(party).or(self.shuffle.given(party))
    }

    /// The text of `--garbler` or `--evaluator`.
    fn values_text(&self, party: Party) -> Option<&String> {
        match party {
            Party::Garbler => self.garbler.as_ref(),
            Party::Evaluator => self.evaluator.as_ref(),
        }
    }

    /// The number of parties that run in this process.
    fn parties(&self) -> u64 {
        if self.listen.is_some() || self.connect.is_some() {
            1
        } else {
            2
        }
    }
}

/// The circuit to evaluate, and the owners of its inputs; the same for both parties.
struct Job {
    what: What,
    owners: Owners,
}

enum What {
    Netlist(Circuit),
    Shuffle(Box<OwnShuffle>),
}

impl Job {
    fn new(args: &Args) -> anyhow::Result<Self> {
        let engine = args.session.engine;
        let what = match (
            OwnShuffle::of(&args.shuffle, engine, args.parties())?,
            &args.netlist,
        ) {
            (Some(shuffle), _) => What::Shuffle(Box::new(shuffle)),
            (None, Some(path)) => What::Netlist(args.format.read_circuit(path)?),
            (None, None) => bail!("give a netlist or --algorithm"),
        };
        let values = what.circuit().inputs().len();
        let owners = Owners::of(values, &args.owner)?;
        Ok(Job { what, owners })
    }

    fn circuit(&self) -> &Circuit {
        self.what.circuit()
    }

    fn side<'a>(&'a self, party: Party, args: &'a Args) -> anyhow::Result<Side<'a>> {
        Ok(Side {
            job: self,
            party,
            inputs: self.inputs(party, args)?,
            session: &args.session,
        })
    }

    /// The input values of a party.
    fn inputs(&self, party: Party, args: &Args) -> anyhow::Result<Vec<Value>> {
        let text = args.values_text(party);
        let widths = self.owners.widths(self.circuit().inputs(), party);
        if let What::Shuffle(shuffle) = &self.what {
            let drawn = text.is_some_and(|text| text == "random");
            if let Some(input) = shuffle.input(party, drawn)? {
                let bits = Zeroizing::new(input.bits().to_vec());
                return Ok(Value { bits, drawn }.split(&widths));
            }
        }
        let bits: usize = widths.iter().sum();
        let text = match text {
            Some(text) => text,
            None if bits == 0 => "",
            None => bail!("the {party}'s input of {bits} bits is missing: use --{party} VALUES"),
        };
        let who = format!("the {party}'s input");
        args.values.read_all(text, &widths, &who)
    }

    /// The terms in the hello. They differ if the parties have different netlists or owners, and
    /// the session is then refused before the setup.
    fn terms(&self) -> Vec<u8> {
        let digest = netlist_file::digest(self.circuit());
        // The digest covers the number of values, but not their owners. The list of owners can be
        // long, so it is hashed.
        let owners = blake3::hash(self.owners.letters().as_bytes());
        format!("circuit {digest} {owners}").into_bytes()
    }
}

impl What {
    fn evaluates(&self) -> Evaluates {
        match self {
            What::Netlist(_) => Evaluates::Circuit,
            What::Shuffle(_) => Evaluates::Deck,
        }
    }

    fn circuit(&self) -> &Circuit {
        match self {
            What::Netlist(circuit) => circuit,
            What::Shuffle(shuffle) => shuffle.circuit.circuit(),
        }
    }
}

/// Describes how the peer's [terms](Job::terms) differ from ours. Both sides report the difference.
fn difference(ours: &[u8], theirs: &[u8]) -> String {
    let parts = |terms| -> Option<[&str; 3]> {
        let words: Vec<&str> = str::from_utf8(terms).ok()?.split(' ').collect();
        words.try_into().ok()
    };
    let well_formed = |word: &str| word.len() == 64 && word.bytes().all(|c| c.is_ascii_hexdigit());
    match (parts(ours), parts(theirs)) {
        (Some([_, ours, _]), Some(["circuit", theirs, _])) if well_formed(theirs) => {
            if ours == theirs {
                "the peer has different owners of the inputs (--owner)".into()
            } else {
                format!(
                    "the peer has a different netlist, with digest {}…; ours has digest {}…",
                    &theirs[..16],
                    &ours[..16]
                )
            }
        }
        _ => "the peer does not run a netlist".into(),
    }
}

/// One party of a run, with its inputs.
struct Side<'a> {
    job: &'a Job,
    party: Party,
    inputs: Vec<Value>,
    session: &'a SessionArgs,
}

/// The outputs that a party learned, with the cost of the run.
struct Outcome {
    outputs: Vec<Vec<bool>>,
    setup: Duration,
    run: Duration,
    traffic: TrafficCost,
}

impl Side<'_> {
    /// Waits for a connection with a valid hello. Other connections are dropped.
    fn wait(&self, listener: &TcpListener) -> anyhow::Result<Greeting> {
        let (begun, patience) = (Instant::now(), self.session.patience());
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            let transport = TcpTransport::accept(listener, left)?;
            let speaks = transport.await_byte(FIRST_BYTE.min(self.session.message()));
            match speaks
                .map_err(mpc::Error::from)
                .and_then(|()| self.greet(transport))
            {
                Err(mpc::Error::Channel(error))
                    if is_of_a_stranger(&error) && begun.elapsed() < patience =>
                {
                    say(&format!(
                        "Dropped a connection: {error}. Waiting for the other party."
                    ));
                }
                greeted => return Ok(greeted?),
            }
        }
    }

    fn greet(&self, transport: TcpTransport) -> mpc::Result<Greeting> {
        Greeting::exchange(transport, self.party, self.session, &self.job.terms())
    }

    fn run(&self, greeting: Greeting) -> anyhow::Result<Outcome> {
        let terms = self.job.terms();
        if greeting.peer_terms() != terms {
            let differs = difference(&terms, greeting.peer_terms());
            greeting.refuse();
            return Err(OtherTerms(differs).into());
        }
        let mut session = greeting.set_up()?;
        let party = &mut session.party;
        let begun = Instant::now();
        let owners = self.job.owners.parties().iter();
        let inputs: Vec<_> = owners.map(|&owner| Input::By(owner)).collect();
        let mine: Vec<&[bool]> = self.inputs.iter().map(|value| &value.bits[..]).collect();
        let mine = Zeroizing::new(mine.concat());
        let shared = party.run(Run::new(self.job.circuit(), &inputs, &mine))?;
        if let What::Shuffle(shuffle) = &self.job.what {
            deck::check_seeds(party, &shuffle.circuit, &shared)?;
        }
        let to = Audience::Both;
        let openings: Vec<_> = shared.iter().map(|bits| Opening { to, bits }).collect();
        let opened = party.open(&openings)?;
        let outputs = opened.iter().map(|bits| bits.map(<[bool]>::to_vec));
        Ok(Outcome {
            outputs: outputs
                .collect::<Option<_>>()
                .context("an output was not opened: this is a bug")?,
            setup: session.setup,
            run: begun.elapsed(),
            traffic: TrafficCost::seen_by(self.party, party.traffic()),
        })
    }
}
