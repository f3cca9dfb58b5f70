//! `circuit run`: a netlist, evaluated by two parties.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless::circuit::{Circuit, Party};
use dealerless::mpc::{Audience, Input, Opening, Run, TwoParty};
use dealerless::net::TcpTransport;
use serde::Serialize;
use zeroize::Zeroizing;

use super::owners::{Owner, Owners};
use super::{bits, netlist_file};
use crate::cost::{LineCost, line};
use crate::failure::OtherTerms;
use crate::loopback;
use crate::output::{count, milliseconds, say, show, show_json};
use crate::session::{Greeting, PLAIN_LINE, SessionArgs, address, listen};

/// Evaluates a Bristol Fashion netlist between two parties.
///
/// Both learn the outputs.
///
/// Both run in this process, unless --listen or --connect is given.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit run adder.txt --garbler 0110 --evaluator hex:03\n  \
    dealerless circuit run adder.txt --listen 127.0.0.1:5252 --garbler 0110\n  \
    dealerless circuit run adder.txt --connect 127.0.0.1:5252 --evaluator hex:03\n\n\
    BITS is 0s and 1s, first wire first; or hex: and the hexadecimal digits of\n\
    bytes, where bit i is bit i mod 8 of byte i / 8, counted from the least\n\
    significant. A party's BITS are its input values one after the other. (The\n\
    AES and SHA-256 netlists of the Bristol collection take the bytes of a block\n\
    last byte first.) Other users of a machine can see command lines.\n\n\
    A netlist with one input value takes it from the garbler; with two, the first\n\
    is the garbler's and the second the evaluator's; with more, --owner must say.\n\n\
    Who listens garbles and who connects evaluates, unless --garbler or\n\
    --evaluator says otherwise.")]
pub(crate) struct Args {
    /// The netlist.
    #[arg(value_name = "FILE")]
    netlist: PathBuf,
    /// The garbler's input.
    #[arg(long, value_name = "BITS")]
    garbler: Option<String>,
    /// The evaluator's input.
    #[arg(long, value_name = "BITS")]
    evaluator: Option<String>,
    /// Whose each input value is, for example g,e,g.
    #[arg(long, value_name = "OWNERS", value_delimiter = ',')]
    owner: Vec<Owner>,
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
    say(args.session.notice());
    let outcome = match (&args.listen, &args.connect) {
        (Some(address), _) => {
            let side = job.side(args.own_role(Party::Garbler)?, args)?;
            say(PLAIN_LINE);
            let (listener, address) = listen(address)?;
            say(&format!("Listening on {address}."));
            side.run(TcpTransport::accept(&listener, args.session.patience())?)?
        }
        (None, Some(address)) => {
            let side = job.side(args.own_role(Party::Evaluator)?, args)?;
            say(PLAIN_LINE);
            side.run(TcpTransport::connect(
                address.as_str(),
                args.session.message(),
            )?)?
        }
        (None, None) => {
            let garbler = job.side(Party::Garbler, args)?;
            let evaluator = job.side(Party::Evaluator, args)?;
            let run_both = loopback::run_both(
                |transport| garbler.run(transport),
                |transport| evaluator.run(transport),
            );
            let (garbler, evaluator) = run_both?;
            ensure!(
                garbler.outputs == evaluator.outputs,
                "the parties have seen different outputs: this is a bug"
            );
            // The evaluator finishes last.
            evaluator
        }
    };
    outcome.show(args, &job)
}

impl Args {
    /// The role of this side, which connects or listens.
    fn own_role(&self, default: Party) -> anyhow::Result<Party> {
        match (&self.garbler, &self.evaluator) {
            (Some(_), None) => Ok(Party::Garbler),
            (None, Some(_)) => Ok(Party::Evaluator),
            (None, None) => Ok(default),
            (Some(_), Some(_)) => {
                bail!(
                    "--listen and --connect run one side: give --garbler or --evaluator, not both"
                )
            }
        }
    }
}

/// What is evaluated, the same for both parties.
struct Job {
    circuit: Circuit,
    owners: Owners,
}

impl Job {
    fn new(args: &Args) -> anyhow::Result<Self> {
        let circuit = netlist_file::read(&args.netlist)?;
        let owners = Owners::of(&circuit, &args.owner)?;
        Ok(Job { circuit, owners })
    }

    fn side<'a>(&'a self, party: Party, args: &'a Args) -> anyhow::Result<Side<'a>> {
        let text = match party {
            Party::Garbler => &args.garbler,
            Party::Evaluator => &args.evaluator,
        };
        let bits = self.owners.bits(&self.circuit, party);
        let text = match text {
            Some(text) => text,
            None if bits == 0 => "",
            None => bail!("the {party}'s input of {bits} bits is missing: give --{party} BITS"),
        };
        Ok(Side {
            job: self,
            party,
            input: bits::parse(text, bits, party)?,
            session: &args.session,
        })
    }

    /// What the hellos say: anybody with another netlist or other owners is sent away at once.
    fn terms(&self) -> Vec<u8> {
        let digest: String = (self.circuit.digest().iter())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        // The digest covers the number of values, but not whose they are, which can be long.
        let owners = blake3::hash(self.owners.letters().as_bytes());
        format!("circuit {digest} {owners}").into_bytes()
    }
}

/// What the peer's [terms](Job::terms) say that these do not. Both sides compare, so both know.
fn difference(ours: &[u8], theirs: &[u8]) -> String {
    let parts = |terms| -> Option<[&str; 3]> {
        let words: Vec<&str> = str::from_utf8(terms).ok()?.split(' ').collect();
        words.try_into().ok()
    };
    let well_formed = |word: &str| word.len() == 64 && word.bytes().all(|c| c.is_ascii_hexdigit());
    match (parts(ours), parts(theirs)) {
        (Some([_, ours, _]), Some(["circuit", theirs, _])) if well_formed(theirs) => {
            match ours == theirs {
                true => "it sees other owners of the inputs (--owner)".into(),
                false => format!(
                    "it brings another netlist, of digest {}…; that of this side is {}…",
                    &theirs[..16],
                    &ours[..16]
                ),
            }
        }
        _ => "it did not come to run a netlist".into(),
    }
}

/// One party, ready to run.
struct Side<'a> {
    job: &'a Job,
    party: Party,
    input: Zeroizing<Vec<bool>>,
    session: &'a SessionArgs,
}

/// What a party learned, and what it cost.
struct Outcome {
    outputs: Vec<Vec<bool>>,
    setup: Duration,
    run: Duration,
    line: LineCost,
}

impl Side<'_> {
    fn run(&self, transport: TcpTransport) -> anyhow::Result<Outcome> {
        let terms = self.job.terms();
        let greeting = Greeting::exchange(transport, self.party, self.session, &terms)?;
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
        let shared = party.run(Run::new(&self.job.circuit, &inputs, &self.input))?;
        let to = Audience::Both;
        let openings: Vec<_> = shared.iter().map(|bits| Opening { to, bits }).collect();
        let opened = party.open(&openings)?;
        let outputs = opened.iter().map(|bits| bits.map(<[bool]>::to_vec));
        Ok(Outcome {
            outputs: outputs
                .collect::<Option<_>>()
                .context("an output was not opened")?,
            setup: session.setup,
            run: begun.elapsed(),
            line: LineCost::seen_by(self.party, party.traffic()),
        })
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    outputs: Vec<String>,
    and: usize,
    security: String,
    cost: Cost<'a>,
}

#[derive(Serialize)]
struct Cost<'a> {
    /// Hello and base OTs.
    setup_ms: f64,
    /// From the inputs to the opened outputs.
    run_ms: f64,
    #[serde(flatten)]
    line: &'a LineCost,
}

impl Outcome {
    fn show(&self, args: &Args, job: &Job) -> anyhow::Result<()> {
        let outputs: Vec<String> = self.outputs.iter().map(|bits| bits::format(bits)).collect();
        let and = job.circuit.ands();
        let (setup_ms, run_ms) = (milliseconds(self.setup), milliseconds(self.run));
        if args.json {
            return show_json(
                "circuit run",
                &Report {
                    outputs,
                    and,
                    security: args.session.security.to_string(),
                    cost: Cost {
                        setup_ms,
                        run_ms,
                        line: &self.line,
                    },
                },
            );
        }
        for (number, bits) in outputs.iter().enumerate() {
            show(&format!("output {}: {bits}", number + 1))?;
        }
        say(&format!(
            "\nWhat it cost:\n{}\n{}\n{}\n{}",
            line("AND gates", &count(and as u64)),
            line("setup", &format!("{setup_ms:.1} ms")),
            line("run", &format!("{run_ms:.1} ms")),
            self.line.describe("garbler", "evaluator"),
        ));
        Ok(())
    }
}
