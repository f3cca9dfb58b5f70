//! `circuit compare` and `circuit evaluate` at their limits.

use crate::common::processes::run;
use crate::common::write;

#[test]
fn up_to_24_input_bits_are_tried_exhaustively() {
    let folder = tempfile::tempdir().unwrap();
    let report = |bits: usize| {
        let text = format!("1 {}\n1 {bits}\n1 1\n2 1 0 1 {bits} AND\n", bits + 1);
        let netlist = write(folder.path(), "wide.txt", &text);
        let line = format!("circuit compare {netlist} {netlist} --seconds 0 --accept-random");
        let report = run(&format!("{line} --json")).exits(0).json();
        (report, run(&line).exits(0).stdout)
    };
    let (all, output) = report(24);
    assert_eq!(
        (&all["exhaustive"], &all["seed"]),
        (&true.into(), &().into())
    );
    assert_eq!(all["inputs_tried"], 1 << 24);
    assert_eq!(all["proof"], "exhaustive");
    assert!(
        output.contains("all 16,777,216 inputs of 24 bits"),
        "{output}"
    );
    let (some, output) = report(25);
    assert_eq!(
        (&some["exhaustive"], &some["trials"]),
        (&false.into(), &65_536.into())
    );
    // The 64 other inputs have no bit set, all bits set, or one of 25 bits set, and are filled up
    // to a multiple of 64.
    assert_eq!(some["inputs_tried"], 65_536 + 64);
    assert_eq!((&some["equal"], &some["proof"]), (&().into(), &().into()));
    assert_eq!(
        (&all["verdict"], &some["verdict"]),
        (&"equal".into(), &"undecided".into())
    );
    // ln(1000) / 65,536 is one in 9,487. The program rounds to the safe side.
    let output = output.replace('\n', " ");
    assert!(
        output.contains("differ on one input in 9,484 would have been distinguished"),
        "{output}"
    );
}

/// A netlist of one input value of `bits` bits, that computes the AND of all bits, some negated.
fn and_of_all(bits: usize, negated: &[usize]) -> String {
    let mut gates = Vec::new();
    let mut wires: Vec<usize> = (0..bits).collect();
    for &bit in negated {
        let next = bits + gates.len();
        gates.push(format!("1 1 {bit} {next} INV"));
        wires[bit] = next;
    }
    let mut last = wires[0];
    for wire in &wires[1..] {
        let next = bits + gates.len();
        gates.push(format!("2 1 {last} {wire} {next} AND"));
        last = next;
    }
    let count = gates.len();
    format!(
        "{count} {}\n1 {bits}\n1 1\n{}\n",
        bits + count,
        gates.join("\n")
    )
}

#[test]
fn sat_solver_proves_equality_or_finds_a_rare_difference() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, text: &str| write(folder.path(), name, text);
    // Both are 1 on one input of 2^64, and the ANDs have another order.
    let a = written("a.txt", &and_of_all(64, &[3, 20, 41]));
    let b = written("b.txt", &and_of_all(64, &[41, 20, 3]));
    let equal = run(&format!("circuit compare {a} {b}")).exits(0);
    let text = equal.stdout.replace('\n', " ");
    assert!(
        text.starts_with("equal (proved): all inputs of 64 bits give the same outputs."),
        "{text}"
    );
    let report = run(&format!("circuit compare {a} {b} --json"));
    let report = report.exits(0).json();
    assert_eq!(
        (&report["equal"], &report["exhaustive"], &report["proof"]),
        (&true.into(), &false.into(), &"sat".into())
    );
    assert!(report["undecided"].is_null());
    let never = written("never.txt", "1 65\n1 64\n1 1\n1 1 0 64 EQ\n");
    let line = format!("circuit compare {a} {never}");
    // The inputs that are tried show no difference, but that proves nothing.
    let undecided = run(&format!("{line} --seconds 0")).exits(4);
    undecided.says("it is not proved that the netlists are equal");
    run(&format!("{line} --seconds 0 --accept-random")).exits(0);
    let report = run(&format!("{line} --json")).exits(4).json();
    let ones: Vec<char> = (0..64)
        .map(|bit| if [3, 20, 41].contains(&bit) { '0' } else { '1' })
        .collect();
    let input: String = ones.into_iter().collect();
    let difference = &report["difference"];
    assert_eq!(difference["inputs"][0], input.as_str());
    assert_eq!(difference["first"][0], "1");
    assert_eq!(difference["second"][0], "0");
    assert_eq!(
        (&report["equal"], &report["proof"]),
        (&false.into(), &().into())
    );
    assert_eq!(report["verdict"], "different");
    run(&format!("{line} --accept-random")).exits(4);
    let shown = run(&line).exits(4).stdout.replace('\n', " ");
    assert!(
        shown.starts_with("different: on an input that a SAT solver found, after 65,"),
        "{shown}"
    );
}

/// A netlist that multiplies two words of 32 bits, the rows of the product in this order of words.
fn multiplier(first: usize, second: usize) -> String {
    let mut gates: Vec<String> = Vec::new();
    let mut gate = |operation: &str, a: usize, b: usize| {
        let next = 64 + gates.len();
        gates.push(format!("2 1 {a} {b} {next} {operation}"));
        next
    };
    let zero = gate("XOR", 0, 0);
    let mut sum = vec![zero; 64];
    for place in 0..32 {
        let mut carry = zero;
        for bit in 0..32 {
            let product = gate("AND", 32 * first + bit, 32 * second + place);
            let [x, y] = [sum[place + bit], product].map(|wire| gate("XOR", wire, carry));
            sum[place + bit] = gate("XOR", x, product);
            let both = gate("AND", x, y);
            carry = gate("XOR", both, carry);
        }
        sum[place + 32] = carry;
    }
    for wire in sum {
        gate("XOR", wire, zero);
    }
    let count = gates.len();
    format!(
        "{count} {}\n2 32 32\n1 64\n{}\n",
        64 + count,
        gates.join("\n")
    )
}

#[test]
fn undecided_comparison_says_how_far_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let a = write(folder.path(), "a.txt", &multiplier(0, 1));
    let b = write(folder.path(), "b.txt", &multiplier(1, 0));
    let line = format!("circuit compare {a} {b} --trials 64 --seconds 1");
    let shown = run(&line).exits(4).stdout.replace('\n', " ");
    assert!(
        shown.starts_with("undecided: no difference on ")
            && shown.contains("Equality was not decided in 1 second of CPU time: ")
            && shown.contains(" of 64 output bits are proved equal."),
        "{shown}"
    );
    let report = run(&format!("{line} --json")).exits(4).json();
    assert_eq!(
        (&report["verdict"], &report["equal"], &report["proof"]),
        (&"undecided".into(), &().into(), &().into())
    );
    let undecided = &report["undecided"];
    assert_eq!(
        (&undecided["seconds"], &undecided["of"]),
        (&1.into(), &64.into())
    );
    assert!(undecided["proved"].as_u64().unwrap() < 64);
}

#[test]
fn value_without_bits_may_be_omitted_or_empty() {
    let folder = tempfile::tempdir().unwrap();
    let text = "1 3\n3 1 0 1\n1 1\n2 1 0 1 2 AND\n";
    let netlist = write(folder.path(), "gap.txt", text);
    for (input, output) in [("1,1", 1), ("1,,1", 1), ("1,0", 0), ("0,,1", 0)] {
        let line = format!("circuit evaluate {netlist} --input {input}");
        assert_eq!(
            run(&line).exits(0).stdout,
            format!("output 1: {output}\n"),
            "{line}"
        );
    }
    run(&format!("circuit evaluate {netlist} --input 1,1,1"))
        .exits(1)
        .says("input value 2 has 0 bits, but 1 were given");
}
