//! A long malicious run needs memory for the circuit and for one slice of its ANDs, not for the
//! preprocessing of all ANDs. Each party runs in a process with a memory limit. A run of the whole
//! circuit in one slice exceeds this limit.
//!
//! The limit is set by `ulimit -v`, so these tests run only on Linux.

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

/// The environment variable with a party's arguments: the number of ANDs, the slicing, and for the
/// evaluator the address of the garbler.
const PART: &str = "DEALERLESS_BOUNDED_MEMORY";

/// The number of bits of the state of the [`circuit`]. Each party enters half of these bits.
const STATE: usize = 256;

/// A deadline that never expires in a passing test.
const PATIENCE: Duration = Duration::from_secs(600);

/// A circuit of at least `ands` ANDs, with one XOR for every four ANDs. The operands of nearly all
/// ANDs depend on both parties' inputs.
///
/// The circuit updates a state of [`STATE`] bits. Each step replaces one bit, in turn, with the XOR
/// of this bit and a product of five other bits. So the outputs depend on all gates and are not
/// constant.
fn circuit(ands: usize) -> Circuit {
    let mut builder = Builder::new(&[STATE / 2; 2]);
    let halves = [builder.input(0), builder.input(1)];
    // The bits of the two parties alternate.
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

/// Runs one party. Another test starts this test in a process of its own.
#[test]
#[ignore = "started by the other tests"]
fn party() {
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
    // Both parties draw the same values, so that each knows the expected outputs.
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

/// The peak sizes of the address space and of the resident memory of this process, as the system
/// reports them.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let lines = status.lines();
    let peaks = lines.filter(|line| line.starts_with("VmPeak") || line.starts_with("VmHWM"));
    peaks.collect::<Vec<_>>().join(", ")
}

/// The prefixes of the output lines that the parent process reads.
const AT: &str = "at ";
const DONE: &str = "done: ";

/// The slicing of a run: into slices of the default size, or into one slice.
const IN_SLICES: &str = "in-slices";
const IN_ONE: &str = "in-one";

/// The process of a party.
struct Started {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Started {
    /// Starts a party with the arguments `part` (see [`PART`]) and at most `limit` bytes of memory.
    fn new(part: &str, limit: usize) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
            .arg((limit / 1024).to_string())
            .arg(env::current_exe().unwrap())
            .args(["--exact", "--ignored", "--nocapture", "party"])
            .env(PART, part)
            // The GNU allocator reserves 64 MB for each thread.
            .env("MALLOC_ARENA_MAX", "2")
            // The stack of a thread uses address space too, and there may be many cores.
            .env("RAYON_NUM_THREADS", "2")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Started { child, output }
    }

    /// Waits for an output line that starts with `prefix`, and returns the text after the prefix.
    /// `None` if the process ends before such a line.
    fn line(&mut self, prefix: &str) -> Option<String> {
        let mut lines = self.output.by_ref().lines().map_while(Result::ok);
        lines.find_map(|line| line.strip_prefix(prefix).map(str::to_owned))
    }

    /// Waits until the process ends. Returns the text after [`DONE`] if the party has succeeded, or
    /// else the standard error of the process.
    fn finish(mut self) -> Result<String, String> {
        let done = self.line(DONE);
        let ended = self.child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&ended.stderr).into_owned();
        done.filter(|_| ended.status.success()).ok_or(error)
    }
}

/// Runs a circuit of `ands` ANDs between two parties, each with a limit of `limit` bytes of memory.
fn run(ands: usize, slices: &str, limit: usize) -> [Result<String, String>; 2] {
    let part = format!("{ands} {slices}");
    let mut garbler = Started::new(&part, limit);
    let Some(address) = garbler.line(AT) else {
        return [
            garbler.finish(),
            Err("the evaluator was not started".into()),
        ];
    };
    let evaluator = Started::new(&format!("{part} {address}"), limit);
    [garbler, evaluator].map(Started::finish)
}

/// The number of ANDs of a run, and each party's memory limit in bytes. A party needs about 70
/// bytes for each AND to build the circuit, and 100 MB for a slice and for memory that the system
/// reserves. A run in one slice needs another 300 bytes for each AND.
fn size() -> (usize, usize) {
    match soak() {
        None => (1_000_000, 256 << 20),
        Some(millions) => (millions * 1_000_000, millions * (1 << 30) / 10),
    }
}

/// Whether the memory of a process can be limited.
fn can_limit() -> bool {
    let can = cfg!(target_os = "linux");
    if !can {
        println!("not run: this test can limit the memory of a process only on Linux");
    }
    can
}

#[test]
fn long_run_fits_into_memory_for_one_slice() {
    if !can_limit() {
        return;
    }
    let (ands, limit) = size();
    for outcome in run(ands, IN_SLICES, limit) {
        let done = outcome.unwrap_or_else(|error| panic!("{error}"));
        println!("{done}");
    }
}

#[test]
fn same_run_in_one_slice_exceeds_the_limit() {
    if !can_limit() {
        return;
    }
    let (ands, limit) = size();
    let outcomes = run(ands, IN_ONE, limit);
    let no_memory = |outcome: &Result<String, String>| {
        (outcome.as_ref()).is_err_and(|error| error.contains("memory allocation of"))
    };
    assert!(outcomes.iter().any(no_memory), "{outcomes:?}");
}
