//! A long malicious run takes memory for one slice and for the circuit, and not for all that its ANDs use
//! up: each party is a process with a limit of memory, which a run in one slice exceeds.
//!
//! Limits are set by `ulimit -v`, so elsewhere than on Linux these tests run nothing.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use dealerless::circuit::{Bit, Builder, Circuit, Party};
use dealerless::mpc::{Demand, Input, Malicious, Run, TwoParty};
use dealerless::net::{Channel, Deadlines, TcpTransport};
use dealerless::testing::circuits::bits;
use dealerless::testing::line::End;
use dealerless::testing::session::{reveal, system_rng};
use dealerless::testing::soak::soak;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

/// What a party is told: the ANDs, the slices, and for the evaluator where the garbler is.
const PART: &str = "DEALERLESS_BOUNDED_MEMORY";

/// Bits that are held from one gate to the next, half of them each party's.
const STATE: usize = 256;

const PATIENCE: Duration = Duration::from_secs(600);

/// So many ANDs at least, nearly all of them of what both parties know, and a quarter as many XORs.
///
/// Each bit of the state in turn becomes the XOR of itself and a product of five others, so that the
/// outputs depend on all gates and are no constants.
fn circuit(ands: usize) -> Circuit {
    let mut builder = Builder::new(&[STATE / 2; 2]);
    let halves = [builder.input(0), builder.input(1)];
    // The two parties' bits by turns.
    let mut state: Vec<Bit> = (0..STATE).map(|i| halves[i % 2][i / 2]).collect();
    const FACTORS: [usize; 5] = [1, 30, 77, 142, 201];
    for step in 0..ands.div_ceil(FACTORS.len() - 1) {
        let factors = FACTORS.map(|distance| state[(step + distance) % STATE]);
        let product = (factors.into_iter()).reduce(|product, bit| builder.and(product, bit));
        let own = &mut state[step % STATE];
        *own = builder.xor(*own, product.expect("there are factors"));
    }
    builder.build(vec![state])
}

/// One party, in a process of its own.
#[test]
#[ignore = "the other tests start it"]
fn a_party() {
    let Ok(part) = env::var(PART) else {
        return;
    };
    let mut words = part.split(' ');
    let ands = words.next().unwrap().parse().unwrap();
    let in_one = words.next() == Some(IN_ONE);
    let circuit = circuit(ands);
    let (party, transport): (_, End) = match words.next() {
        None => {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            println!("\n{AT}{}", listener.local_addr().unwrap());
            let accepted = TcpTransport::accept(&listener, PATIENCE);
            (Party::Garbler, Box::new(accepted.unwrap()))
        }
        Some(address) => {
            let connected = TcpTransport::connect(address, PATIENCE);
            (Party::Evaluator, Box::new(connected.unwrap()))
        }
    };
    let deadlines = Deadlines {
        message: PATIENCE,
        phase: PATIENCE,
    };
    let channel = Channel::new(transport, deadlines);
    let mut session = Malicious::new(channel, party, &mut system_rng()).unwrap();
    if in_one {
        session.run_in_slices_of(Demand::of(&circuit).ands);
    }
    // The same at both, so that each knows what comes out.
    let mut coins = ChaCha20Rng::seed_from_u64(7);
    let values = [(); 2].map(|()| bits(&mut coins, STATE / 2));
    let run = Run::new(&circuit, &Input::ONE_EACH, &values[party as usize]);
    let shared = session.run(run).unwrap();
    let outputs = reveal(&mut session, shared.bits()).unwrap();
    assert_eq!(outputs, circuit.evaluate(&values).unwrap().concat());
    let ands = circuit.ands();
    let bytes = session.traffic().bytes_sent;
    println!(
        "\n{DONE}the {party}: {ands} ANDs, {bytes} bytes sent, {}",
        memory()
    );
}

/// The most memory that this process has taken, as the system says it: addresses, and pages.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let lines = status.lines();
    let peaks = lines.filter(|line| line.starts_with("VmPeak") || line.starts_with("VmHWM"));
    peaks.collect::<Vec<_>>().join(", ")
}

/// How a party's lines begin that the other process reads.
const AT: &str = "at ";
const DONE: &str = "done: ";

/// How a run is cut.
const IN_SLICES: &str = "in-slices";
const IN_ONE: &str = "in-one";

/// A party that was started.
struct Started {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Started {
    /// Starts a party with so many bytes of memory.
    fn new(part: &str, limit: usize) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
            .arg((limit / 1024).to_string())
            .arg(env::current_exe().unwrap())
            .args(["--exact", "--ignored", "--nocapture", "a_party"])
            .env(PART, part)
            // The GNU allocator lays aside 64 MB for each thread.
            .env("MALLOC_ARENA_MAX", "2")
            // A thread's stack takes addresses too, and there may be many cores.
            .env("RAYON_NUM_THREADS", "2")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        Started { child, said }
    }

    /// What follows on a line that begins so, or nothing if the party ends without one.
    fn line(&mut self, begins: &str) -> Option<String> {
        let mut lines = self.said.by_ref().lines().map_while(Result::ok);
        lines.find_map(|line| line.strip_prefix(begins).map(str::to_owned))
    }

    /// What it has done, or what it complained of.
    fn ends(mut self) -> Result<String, String> {
        let done = self.line(DONE);
        let output = self.child.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        done.filter(|_| output.status.success()).ok_or(complaint)
    }
}

/// Runs so many ANDs between two parties, each with so many bytes of memory.
fn run(ands: usize, slices: &str, limit: usize) -> [Result<String, String>; 2] {
    let part = format!("{ands} {slices}");
    let mut garbler = Started::new(&part, limit);
    let Some(address) = garbler.line(AT) else {
        return [garbler.ends(), Err("it was not started".into())];
    };
    let evaluator = Started::new(&format!("{part} {address}"), limit);
    [garbler, evaluator].map(Started::ends)
}

/// The ANDs of a run, and how many bytes of memory each party has for it. It needs about 70 bytes for an
/// AND to build the circuit, and 100 MB for a slice and for what the system lays aside; in one slice, 300
/// bytes more for an AND.
fn size() -> (usize, usize) {
    match soak() {
        None => (1_000_000, 256 << 20),
        Some(millions) => (millions * 1_000_000, millions * (1 << 30) / 10),
    }
}

/// Whether a process can be given a limit.
fn can_limit() -> bool {
    let can = cfg!(target_os = "linux");
    if !can {
        println!("not run: only on Linux is the memory of a process limited as this test does it");
    }
    can
}

#[test]
fn a_long_run_takes_memory_for_one_slice_of_it() {
    if !can_limit() {
        return;
    }
    let (ands, limit) = size();
    for outcome in run(ands, IN_SLICES, limit) {
        let done = outcome.unwrap_or_else(|complaint| panic!("{complaint}"));
        println!("{done}");
    }
}

#[test]
fn the_same_run_in_one_slice_takes_more() {
    if !can_limit() {
        return;
    }
    let (ands, limit) = size();
    let outcomes = run(ands, IN_ONE, limit);
    let no_memory = |outcome: &Result<String, String>| {
        (outcome.as_ref()).is_err_and(|complaint| complaint.contains("memory allocation of"))
    };
    assert!(outcomes.iter().any(no_memory), "{outcomes:?}");
}
