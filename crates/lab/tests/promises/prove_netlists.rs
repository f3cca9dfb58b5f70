//! The promise to researchers: `circuit prove FILE` tells whether anybody's netlist shuffles
//! uniformly, and whose randomness suffices.
//!
//! The netlists are generated here, with conventions that our shuffles do not have.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::processes::{Finished, run, start};

/// A netlist under construction. Wires are numbered in creation order.
struct Net {
    inputs: Vec<usize>,
    wires: usize,
    gates: String,
    count: usize,
}

/// A number, least significant bit first.
type Word = Vec<usize>;

impl Net {
    fn new(inputs: &[usize]) -> Self {
        Net {
            inputs: inputs.to_vec(),
            wires: inputs.iter().sum(),
            gates: String::new(),
            count: 0,
        }
    }

    fn input(&self, value: usize) -> Word {
        let first: usize = self.inputs[..value].iter().sum();
        (first..first + self.inputs[value]).collect()
    }

    fn gate(&mut self, reads: &[usize], name: &str) -> usize {
        let reads_text: Vec<String> = reads.iter().map(usize::to_string).collect();
        let line = format!(
            "{} 1 {} {} {name}\n",
            reads.len(),
            reads_text.join(" "),
            self.wires
        );
        self.gates += &line;
        self.count += 1;
        self.wires += 1;
        self.wires - 1
    }

    fn xor(&mut self, a: usize, b: usize) -> usize {
        self.gate(&[a, b], "XOR")
    }

    fn and(&mut self, a: usize, b: usize) -> usize {
        self.gate(&[a, b], "AND")
    }

    fn not(&mut self, a: usize) -> usize {
        self.gate(&[a], "INV")
    }

    fn all(&mut self, bits: &[usize]) -> usize {
        bits[1..]
            .iter()
            .fold(bits[0], |all, &bit| self.and(all, bit))
    }

    /// The constant 0, from the only gates of the older format.
    fn zero(&mut self) -> usize {
        self.xor(0, 0)
    }

    fn number(&mut self, number: usize, bits: usize) -> Word {
        let zero = self.zero();
        let one = self.not(zero);
        (0..bits)
            .map(|bit| [zero, one][number >> bit & 1])
            .collect()
    }

    /// The first word if a bit is set, otherwise the second.
    fn select(&mut self, bit: usize, a: &[usize], b: &[usize]) -> Word {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        self.swap(bit, &mut a, &mut b);
        b
    }

    fn is(&mut self, word: &[usize], number: usize) -> usize {
        let bits: Vec<usize> = (0..word.len())
            .map(|bit| match number >> bit & 1 {
                1 => word[bit],
                _ => self.not(word[bit]),
            })
            .collect();
        self.all(&bits)
    }

    /// Exchanges two words if a bit is set.
    fn swap(&mut self, bit: usize, a: &mut Word, b: &mut Word) {
        for (a, b) in a.iter_mut().zip(b) {
            let differ = self.xor(*a, *b);
            let change = self.and(bit, differ);
            (*a, *b) = (self.xor(*a, change), self.xor(*b, change));
        }
    }

    /// Exchanges the cards at `place` and at `choices[r]`, where r is a number.
    fn choose(&mut self, deck: &mut [Word], place: usize, choices: &[usize], r: &[usize]) {
        for (number, &choice) in choices.iter().enumerate().filter(|(_, c)| **c != place) {
            let chosen = self.is(r, number);
            let (mut a, mut b) = (deck[place].clone(), deck[choice].clone());
            self.swap(chosen, &mut a, &mut b);
            (deck[place], deck[choice]) = (a, b);
        }
    }

    /// (a + b) mod n, for numbers below n, in as many bits as n - 1 has.
    fn sum_modulo(&mut self, a: &[usize], b: &[usize], n: usize) -> Word {
        let mut sums: Vec<Vec<usize>> = vec![Vec::new(); n];
        for x in 0..n {
            for y in 0..n {
                let (is_x, is_y) = (self.is(a, x), self.is(b, y));
                sums[(x + y) % n].push(self.and(is_x, is_y));
            }
        }
        let bits = (n - 1).ilog2() as usize + 1;
        (0..bits)
            .map(|bit| {
                let ones = (0..n)
                    .filter(|r| r >> bit & 1 == 1)
                    .flat_map(|r| sums[r].clone());
                let ones: Vec<usize> = ones.collect();
                let zero = self.zero();
                // At most one of them is set.
                ones.iter().fold(zero, |sum, &one| self.xor(sum, one))
            })
            .collect()
    }

    /// The text, with these output values.
    fn text(&mut self, outputs: &[Word]) -> String {
        let zero = self.zero();
        for bit in outputs.concat() {
            self.xor(bit, zero);
        }
        let widths = |widths: Vec<usize>| {
            let texts: Vec<String> = widths.iter().map(usize::to_string).collect();
            format!("{} {}", widths.len(), texts.join(" "))
        };
        format!(
            "{} {}\n{}\n{}\n\n{}",
            self.count,
            self.wires,
            widths(self.inputs.clone()),
            widths(outputs.iter().map(Vec::len).collect()),
            self.gates
        )
    }

    fn write(&mut self, folder: &Path, name: &str, outputs: &[Word]) -> String {
        let path = folder.join(name);
        fs::write(&path, self.text(outputs)).unwrap();
        path.display().to_string()
    }
}

/// The words on standard output, without line breaks.
fn words(finished: &Finished) -> String {
    finished
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn part(report: &Value, honest: &str) -> Value {
    let parts = report["parties"].as_array().unwrap();
    parts
        .iter()
        .find(|part| part["honest"] == honest)
        .unwrap()
        .clone()
}

/// A naive shuffle: each of four cards is exchanged with any of the four. The deck is an input, and
/// the choices are the XOR of bits of both parties. 4! does not divide 4^4.
#[test]
fn naive_shuffle_is_biased_even_if_both_parties_are_honest() {
    let folder = tempfile::tempdir().unwrap();
    let mut net = Net::new(&[8, 8, 8]);
    let [cards, a, b] = [0, 1, 2].map(|value| net.input(value));
    let mut deck: Vec<Word> = cards.chunks(2).map(<[usize]>::to_vec).collect();
    for place in 0..4 {
        let r: Word = (2 * place..2 * place + 2)
            .map(|bit| net.xor(a[bit], b[bit]))
            .collect();
        net.choose(&mut deck, place, &[0, 1, 2, 3], &r);
    }
    let file = net.write(folder.path(), "naive.txt", &deck);

    let mut counts: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
    for choices in 0..256usize {
        let mut deck: Vec<usize> = (0..4).collect();
        for place in 0..4 {
            deck.swap(place, choices >> (2 * place) & 3);
        }
        *counts.entry(deck).or_insert(0) += 1;
    }
    let (most, least) = (
        counts.values().max().unwrap(),
        counts.values().min().unwrap(),
    );
    let above: u64 = counts
        .values()
        .map(|&times| (24 * times).saturating_sub(256))
        .sum();

    let report = run(&format!(
        "circuit prove {file} --owner d,g,e --outputs 4*c2 --json"
    ))
    .exits(4)
    .json();
    assert_eq!(report["uniform"], false);
    assert_eq!((&report["cards"], &report["draw"]), (&json!(4), &json!(4)));
    assert_eq!(report["suffices"], json!([]));
    let owners: Vec<&Value> = report["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| &i["owner"])
        .collect();
    assert_eq!(owners, ["deck", "garbler", "evaluator"]);
    for honest in ["garbler", "evaluator"] {
        let found = &part(&report, honest)["counterexample"];
        assert_eq!(found["values"], 256);
        let times = |place: usize| &found["outcomes"][place]["times"];
        assert_eq!((times(0), times(1)), (&json!(most), &json!(least)));
        let distance = found["distance"]["value"].as_f64().unwrap();
        assert!((distance - above as f64 / (24.0 * 256.0)).abs() < 1e-12);
    }
    assert_eq!(report["together"]["uniform"], false);
    let text = run(&format!(
        "circuit prove {file} --owner d,g,e --outputs 4*c2"
    ))
    .exits(4);
    assert!(
        text.stdout.contains("even if both parties are honest"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains(&format!("({most}/256)")),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("256 inputs cannot lead to 24 draws"),
        "{}",
        text.stdout
    );
    // Without the owner of each value, there is no answer.
    run(&format!("circuit prove {file}"))
        .exits(1)
        .says("--owner");
}

/// A shuffle of three cards, numbered from 1, by rejection: the choice of 3 is invalid, and deals the
/// first card three times. Returns the cards, and whether the choice is invalid.
fn by_rejection(net: &mut Net, r: &[usize]) -> (Vec<Word>, usize) {
    let mut deck: Vec<Word> = (1..=3).map(|card| net.number(card, 2)).collect();
    net.choose(&mut deck, 0, &[0, 1, 2], &r[..2]);
    net.choose(&mut deck, 1, &[1, 2], &r[2..]);
    let invalid = net.is(&r[..2], 3);
    let first = deck[0].clone();
    for card in &mut deck[1..] {
        *card = net.select(invalid, &first, card);
    }
    (deck, invalid)
}

/// The only output value, in the older format, has a bit before or after the cards that says
/// whether the inputs are valid, or whether they are not.
#[test]
fn shuffle_by_rejection_is_uniform_over_its_valid_inputs() {
    let folder = tempfile::tempdir().unwrap();
    for (is_error, comes_first) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut net = Net::new(&[3, 3]);
        let r: Word = (0..3).map(|bit| net.xor(bit, 3 + bit)).collect();
        let (cards, invalid) = by_rejection(&mut net, &r);
        let flag = if is_error { invalid } else { net.not(invalid) };
        let cards = cards.concat();
        let output = if comes_first {
            [vec![flag], cards].concat()
        } else {
            [cards, vec![flag]].concat()
        };
        let text = net.text(&[output]);
        let gates = text.split_once("\n\n").unwrap().1;
        let size = text.lines().next().unwrap();
        let file = folder.path().join("old.txt");
        fs::write(&file, format!("{size}\n3 3 7\n\n{gates}")).unwrap();
        let file = file.display();
        // One value can be read in many ways, and the verdict must not choose.
        let letter = if is_error { "e" } else { "v" };
        let outputs = match comes_first {
            true => format!("{letter}1,3*c2"),
            false => format!("3*c2,{letter}1"),
        };
        run(&format!("circuit prove {file}"))
            .exits(1)
            .says("several ways")
            .says(&format!("--outputs {}", outputs.replace('e', "v")));
        let report = run(&format!("circuit prove {file} --outputs {outputs} --json"))
            .exits(0)
            .json();
        assert_eq!(report["outputs"]["reading"], outputs);
        assert_eq!(
            (&report["uniform"], &report["complete"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(
            (&report["deck"], &report["draw"]),
            (&json!([1, 2, 3]), &json!(3))
        );
        let bit = if comes_first { 0 } else { 6 };
        let validity = json!([{
            "bit": bit, "valid": !is_error, "depends_on": ["garbler", "evaluator"]
        }]);
        assert_eq!(report["outputs"]["validity"], validity);
        for honest in ["garbler", "evaluator"] {
            let part = part(&report, honest);
            assert_eq!((&part["valid"], &part["each"]), (&json!([6, 6]), &json!(1)));
            // 2 of 8 inputs, for each of the other party's 8 inputs.
            assert_eq!(part["invalid"], 16);
        }
        // With the bit ignored, there are outcomes that are not draws.
        let layout = if comes_first { "x1,3*c2" } else { "3*c2,x1" };
        let ignored = run(&format!("circuit prove {file} --outputs {layout} --json"))
            .exits(4)
            .json();
        assert_eq!(part(&ignored, "garbler")["counterexample"]["no_draw"], true);
    }
}

/// Each party's seeds are below 5, 4 and 3, in values of their own. The cards have eight bits.
#[test]
fn shuffle_by_seeds_is_uniform_for_the_ranges_of_its_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let mut net = Net::new(&[3, 2, 2, 3, 2, 2]);
    let mut deck: Vec<Word> = (0..5).map(|card| net.number(card, 8)).collect();
    for place in 0..3 {
        let (a, b) = (net.input(place), net.input(3 + place));
        let r = net.sum_modulo(&a, &b, 5 - place);
        let choices: Vec<usize> = (place..5).collect();
        net.choose(&mut deck, place, &choices, &r);
    }
    let file = net.write(folder.path(), "seeds.txt", &deck[..3]);
    let line = format!("circuit prove {file} --owner 3*g,3*e");
    let ranges = "--range g:5,4,3 --range e:5,4,3";
    let report = run(&format!("{line} {ranges} --json")).exits(0).json();
    assert_eq!(
        (&report["complete"], &report["draws"]),
        (&json!(true), &json!(60))
    );
    assert_eq!(report["suffices"], json!(["garbler", "evaluator"]));
    for honest in ["garbler", "evaluator"] {
        let part = part(&report, honest);
        assert_eq!(
            (&part["values"], &part["of"], &part["each"]),
            (&json!(60), &json!(60), &json!(1))
        );
    }
    // Other bits of a dishonest party are not checked.
    let arbitrary = run(&format!("{line} {ranges} --checked --json"))
        .exits(4)
        .json();
    assert_eq!(part(&arbitrary, "garbler")["of"], 128);
    // Without the ranges, the answer is about fair bits, and says so.
    let fair = run(&line).exits(4);
    assert!(
        fair.stdout.contains("name the bounds with --range"),
        "{}",
        fair.stdout
    );
    for (wrong, message) in [
        ("--range g:5,4", "do not fill the 7 input bits"),
        ("--range g:9,4,3", "does not fit"),
        ("--range g:5,4,3 --range g:5,4,3", "twice"),
        ("--range g:0", "is not a bound"),
    ] {
        run(&format!("{line} {wrong}")).exits(1).says(message);
    }
}

/// The garbler shuffles three cards; the evaluator only turns the cards around.
#[test]
fn randomness_of_one_party_can_suffice() {
    let folder = tempfile::tempdir().unwrap();
    let mut net = Net::new(&[3, 2]);
    let r = net.input(0);
    let (mut deck, invalid) = by_rejection(&mut net, &r);
    for (turns, bit) in [(1, 3), (2, 4)] {
        let turned = deck.clone();
        for (place, card) in deck.iter_mut().enumerate() {
            *card = net.select(bit, &turned[(place + turns) % 3], card);
        }
    }
    let valid = net.not(invalid);
    let file = net.write(
        folder.path(),
        "one.txt",
        &[vec![vec![valid]], deck].concat(),
    );
    let report = run(&format!("circuit prove {file} --json")).exits(4).json();
    assert_eq!(report["suffices"], json!(["garbler"]));
    let validity = json!([{"bit": 0, "valid": true, "depends_on": ["garbler"]}]);
    assert_eq!(report["outputs"]["validity"], validity);
    let evaluator = part(&report, "evaluator");
    // A turn by 0 and by 3 are the same.
    let outcomes = &evaluator["counterexample"]["outcomes"];
    assert_eq!(
        (&outcomes[0]["times"], &outcomes[1]["times"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(part(&report, "garbler")["uniform"], true);
    let text = words(&run(&format!("circuit prove {file}")).exits(4));
    assert!(
        text.contains("the randomness of the garbler suffices"),
        "{text}"
    );
    let asked = run(&format!("circuit prove {file} --honest g --json"))
        .exits(0)
        .json();
    assert_eq!(
        (&asked["uniform"], &asked["complete"]),
        (&json!(true), &json!(true))
    );
    run(&format!("circuit prove {file} --honest e")).exits(4);
}

/// One of two cards: the XOR of a bit of each party, except that it is flipped if the garbler's 20
/// bits are all 1. So of 2^20 inputs of the garbler, one leads to the other card.
fn biased_by_one_input(folder: &Path, evaluators_bits: usize) -> String {
    let mut net = Net::new(&[20, evaluators_bits]);
    let [a, b] = [0, 1].map(|value| net.input(value));
    let all = net.all(&a);
    let sum = net.xor(a[0], b[0]);
    let card = net.xor(sum, all);
    net.write(
        folder,
        &format!("biased-{evaluators_bits}.txt"),
        &[vec![card]],
    )
}

#[test]
fn bias_of_one_part_in_a_million_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = biased_by_one_input(folder.path(), 2);
    let report = run(&format!("circuit prove {file} --json")).exits(4).json();
    // Whatever the garbler enters, the evaluator's bit makes the card uniform.
    assert_eq!(
        (&report["suffices"], &report["draws"]),
        (&json!(["evaluator"]), &json!(2))
    );
    assert_eq!(part(&report, "evaluator")["fixed"], 1 << 20);
    let garbler = part(&report, "garbler");
    assert_eq!(
        (&garbler["values"], &garbler["fixed"]),
        (&json!(1 << 20), &json!(1))
    );
    let found = &garbler["counterexample"];
    let half = 1u64 << 19;
    assert_eq!(found["outcomes"][0]["times"], half + 1);
    assert_eq!(found["outcomes"][1]["times"], half - 1);
    assert_eq!(found["distance"]["fraction"], "1/1048576");

    // If the evaluator's inputs are too many, some are fixed at random. The bias is there for each.
    let large = biased_by_one_input(folder.path(), 64);
    let report = run(&format!("circuit prove {large} --seed 7 --json"))
        .exits(4)
        .json();
    let garbler = part(&report, "garbler");
    assert_eq!(
        (&garbler["uniform"], &garbler["of"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(
        garbler["counterexample"]["distance"]["fraction"],
        "1/1048576"
    );
    let evaluator = part(&report, "evaluator");
    assert_eq!(
        (&evaluator["uniform"], &evaluator["fixed"]),
        (&Value::Null, &json!(0))
    );
    assert!(
        evaluator["undecided"].as_str().unwrap().contains("64 bits"),
        "{evaluator}"
    );
    run(&format!("circuit prove {large} --honest e"))
        .exits(1)
        .says("not decided");
}

/// The card is the XOR of a bit of each party, unless the evaluator's 20 bits are all 1: then it is
/// its own bit.
#[test]
fn random_fixed_inputs_prove_nothing_about_the_others_and_the_report_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut net = Net::new(&[2, 20]);
    let [a, b] = [0, 1].map(|value| net.input(value));
    let all = net.all(&b);
    let sum = net.xor(a[0], b[0]);
    let card = net.select(all, &b[..1], &[sum]);
    let file = net.write(folder.path(), "rare.txt", &[card]);
    let line = format!("circuit prove {file} --honest g --seed 3");
    let found = run(&format!("{line} --json")).exits(4).json();
    assert_eq!(part(&found, "garbler")["fixed"], 1 << 20);
    assert_eq!(
        found["parties"][0]["counterexample"]["fixed_inputs"],
        json!(["1".repeat(20)])
    );
    let missed = run(&format!("{line} --limit 64000")).exits(0);
    let text = words(&missed);
    for part in [
        "for the fixed inputs",
        "1,000 inputs",
        "seed 3",
        "(1 - p)^1000",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let again = run(&format!("{line} --limit 64000 --json")).exits(0).json();
    assert_eq!(
        (&again["complete"], &again["seed"]),
        (&json!(false), &json!(3))
    );
    // One fixed input takes more than the limit.
    let none = run(&format!("{line} --limit 60")).exits(1);
    none.says("not decided");
}

#[test]
fn own_netlists_are_judged_as_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.txt").display().to_string();
    let ranges = "--outputs 2*c2 --range g:4,3 --range e:-4,-3";
    for (checked, ranges) in [("--checked", "--outputs 2*c2,v2"), ("", ranges)] {
        for algorithm in ["cut", "fisher-yates"] {
            run(&format!(
                "circuit export --algorithm {algorithm} --cards 4 --draw 2 {checked} -o {file}"
            ))
            .exits(0);
            let report = run(&format!("circuit prove {file} {ranges} --json"))
                .exits(0)
                .json();
            assert_eq!(
                (&report["complete"], &report["draws"]),
                (&json!(true), &json!(12))
            );
            let named = run(&format!(
                "circuit prove --algorithm {algorithm} --cards 4 --draw 2 {checked} --json"
            ));
            let named = named.exits(0).json();
            for honest in ["garbler", "evaluator"] {
                let (part, named) = (part(&report, honest), part(&named, honest));
                for field in ["of", "fixed", "refused", "each"] {
                    assert_eq!(part[field], named[field], "{algorithm} {honest} {field}");
                }
            }
        }
    }
    // Fair control bits of a network are not enough.
    run(&format!(
        "circuit export --algorithm waksman --cards 3 --draw 3 -o {file}"
    ))
    .exits(0);
    run(&format!("circuit prove {file} --outputs 3*c2")).exits(4);
}

#[test]
fn other_netlists_are_not_taken_for_shuffles() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| {
        let path = folder.path().join("other.txt");
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let refuse = |text: &str, more: &str, message: &str| {
        run(&format!("circuit prove {} {more}", write(text)))
            .exits(1)
            .says(message);
    };
    let wide = format!("0 70000\n1 70000\n1 70000\n{}", "\n".repeat(400_000));
    refuse(&wide, "", "at most 32 can be counted");
    refuse(&wide, "--outputs c64", "at most 32 can be counted");
    refuse(
        "0 70\n2 35 35\n2 35 35\n",
        "--outputs c64",
        "has 70 output bits",
    );
    refuse(
        "0 600\n2 200 400\n10 60 60 60 60 60 60 60 60 60 60\n",
        "",
        "not decided",
    );
    refuse("0 2\n2 1 1\n1 0\n", "", "no output bits");
    refuse("0 0\n0\n0\n", "", "no party enters random bits");
    refuse(
        "1 1\n2 0 0\n1 1\n1 1 1 0 EQ\n",
        "",
        "no party enters random bits",
    );
    refuse(
        "0 18\n2 9 9\n2 13 5\n",
        "",
        "(2 output values, with 13, 5 bits)",
    );
    refuse("0 15\n1 15\n1 15\n", "", "several ways");
    refuse(
        "0 15\n1 15\n1 15\n",
        "--outputs c15",
        "more than 4096 values",
    );
    refuse(
        "0 4\n2 2 2\n2 2 2\n",
        "--cards 5000",
        "a deck has 1 to 4096 cards",
    );
    refuse(
        "0 4\n2 2 2\n2 2 2\n",
        "--owner d,d",
        "no party enters random bits",
    );
    refuse("0 4\n2 2 2\n2 2 2\n", "--owner g,e,d", "names 3");
    refuse("0 40\n1 40\n8 5 5 5 5 5 5 5 5\n", "", "not decided");
    // The same card twice.
    let twice = write("2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 XOR\n");
    let report = run(&format!("circuit prove {twice} --outputs 2*c1 --json"))
        .exits(4)
        .json();
    let found = &part(&report, "garbler")["counterexample"];
    assert_eq!(
        (&found["no_draw"], &found["no_draws"]),
        (&json!(true), &json!(2))
    );
    // Always the same card.
    let text = "1 3\n2 1 1\n1 1\n\n2 1 0 0 2 XOR\n";
    refuse(text, "", "nothing is shuffled");
    // A card that is not in the deck.
    let one = write("1 5\n2 2 2\n1 1\n\n2 1 0 2 4 XOR\n");
    run(&format!("circuit prove {one}")).exits(0);
    run(&format!("circuit prove {one} --cards 2")).exits(0);
    run(&format!("circuit prove {one} --cards 3")).exits(4);
    run(&format!("circuit prove {one} --cards 1")).exits(4);
    run(&format!("circuit prove {one} --algorithm cut --cards 3")).exits(1);
    run(&format!("circuit prove {one} --draw 3")).exits(1);
}

/// Writes netlists to a folder, and asks about them.
struct Asked(tempfile::TempDir);

impl Asked {
    fn new() -> Self {
        Asked(tempfile::tempdir().unwrap())
    }

    fn about(&self, net: &mut Net, outputs: &[Word], options: &str) -> Finished {
        let file = net.write(self.0.path(), "asked.txt", outputs);
        run(&format!("circuit prove {file} {options}"))
    }
}

/// Two of four cards, drawn with replacement: each is the XOR of two bits of each party.
#[test]
fn draw_with_replacement_is_never_read_as_something_else() {
    let asked = Asked::new();
    let net = || {
        let mut net = Net::new(&[4, 4]);
        let bits: Word = (0..4).map(|bit| net.xor(bit, 4 + bit)).collect();
        let cards = [bits[..2].to_vec(), bits[2..].to_vec()];
        (net, cards)
    };
    let (mut two, cards) = net();
    let (mut one, _) = net();
    for refused in [
        asked.about(&mut two, &cards, ""),
        asked.about(&mut one, &[cards.concat()], ""),
    ] {
        refused.exits(1).says("several ways").says("--outputs 2*c2");
    }
    let (mut named, cards) = net();
    let found = asked.about(&mut named, &cards, "--outputs 2*c2").exits(4);
    let text = words(&found);
    assert!(text.contains("The outputs were read as 2*c2."), "{text}");
}

/// A card of three bits, and a bit of the garbler. If this bit is 1, the card is the XOR of bits of both
/// parties; otherwise it is their AND.
fn flagged() -> (Net, [Word; 2]) {
    let mut net = Net::new(&[4, 3]);
    let card = (0..3).map(|bit| {
        let (sum, both) = (net.xor(bit, 4 + bit), net.and(bit, 4 + bit));
        net.select(3, &[sum], &[both])[0]
    });
    let card = card.collect();
    (net, [card, vec![3]])
}

/// Each of eight cards is the XOR of bits of both parties, and the validity is its highest bit: it
/// rejects the cards 0 to 3, whatever the parties enter.
#[test]
fn validity_that_rejects_draws_must_be_named() {
    let asked = Asked::new();
    let net = || {
        let mut net = Net::new(&[3, 3]);
        let card: Word = (0..3).map(|bit| net.xor(bit, 3 + bit)).collect();
        let outputs = [card.clone(), vec![card[2]]];
        (net, outputs)
    };
    let (mut rejects, outputs) = net();
    asked
        .about(&mut rejects, &outputs, "")
        .exits(1)
        .says("does not check the input of each party separately")
        .says("--outputs c3,v1")
        .says("--outputs c3,x1");
    // The report says what is rejected.
    let (mut named, outputs) = net();
    let found = asked
        .about(&mut named, &outputs, "--outputs c3,v1")
        .exits(0);
    let text = words(&found);
    let counted = "The outputs were read as c3,v1: with the garbler honest, 32 of 64 inputs counted \
                   were rejected as invalid; with the evaluator honest, 32 of 64 were rejected";
    assert!(text.contains(counted), "{text}");
    let (mut ignored, outputs) = net();
    asked
        .about(&mut ignored, &outputs, "--outputs c3,x1")
        .exits(0);
    // Two cards of one bit, and two bits that could be their validity.
    let mut wide = Net::new(&[2, 2]);
    let bits: Word = (0..2).map(|bit| wide.xor(bit, 2 + bit)).collect();
    let outputs = [vec![bits[0]], vec![bits[1]], vec![0, 2]];
    asked
        .about(&mut wide, &outputs, "")
        .exits(1)
        .says("at least as many bits as a card")
        .says("--outputs 2*c1,v2");
    let (mut flag, outputs) = flagged();
    asked
        .about(&mut flag, &outputs, "")
        .exits(1)
        .says("rejects inputs that lead to draws like any other")
        .says("--outputs c3,e1");
    // Never valid, so that nothing can be said about the parties.
    let mut never = Net::new(&[3, 3]);
    let zero = never.zero();
    asked
        .about(&mut never, &[vec![0, 1, 2], vec![zero]], "")
        .exits(1)
        .says("none of 16384 random inputs is valid");
}

/// The card is the sum of two numbers below 5, in three bits, and 7 if one is not below 5. The validity
/// is computed from both checks in a way that no gate shows: not (a or b) = 1 + a + b + ab.
#[test]
fn validity_that_checks_both_parties_separately_is_inferred() {
    let asked = Asked::new();
    let mut net = Net::new(&[3, 3]);
    let numbers = [net.input(0), net.input(1)];
    let sum = net.sum_modulo(&numbers[0], &numbers[1], 5);
    let [a, b] = numbers.map(|number| {
        let bad: Vec<usize> = (5..8).map(|too_large| net.is(&number, too_large)).collect();
        let some = net.xor(bad[0], bad[1]);
        net.xor(some, bad[2])
    });
    let (both, differ) = (net.and(a, b), net.xor(a, b));
    let either = net.xor(both, differ);
    let valid = net.not(either);
    let card: Word = sum.iter().map(|&bit| net.xor(bit, either)).collect();
    let report = asked.about(&mut net, &[card, vec![valid]], "--json");
    let report = report.exits(0).json();
    assert_eq!(report["outputs"]["reading"], "c3,v1");
    assert_eq!(report["outputs"]["validity"][0]["valid"], true);
    for honest in ["garbler", "evaluator"] {
        let part = part(&report, honest);
        assert_eq!(
            (&part["refused"], &part["valid"]),
            (&json!(3), &json!([5, 5]))
        );
        assert_eq!(part["invalid"], 64 - 25);
    }
}

#[test]
fn validity_that_is_constant_or_inverted_is_explained() {
    let asked = Asked::new();
    let constant = asked.0.path().join("constant.txt");
    let gates = "2 1 0 3 6 XOR\n2 1 1 4 7 XOR\n2 1 2 5 8 XOR\n1 1 1 9 EQ\n";
    fs::write(&constant, format!("4 10\n2 3 3\n2 3 1\n\n{gates}")).unwrap();
    let found = run(&format!("circuit prove {}", constant.display())).exits(0);
    let text = words(&found);
    assert!(
        text.contains("1 if the inputs are valid; but it depends on no input."),
        "{text}"
    );
    let (mut inverted, outputs) = flagged();
    let found = asked.about(&mut inverted, &outputs, "--outputs c3,e1");
    let text = words(&found.exits(4));
    assert!(text.contains("use --outputs c3,v1."), "{text}");
}

/// A card of three bits that is 0, 1 or 3, and a validity that is always 1.
#[test]
fn gaps_between_the_numbers_of_cards_are_not_inferred() {
    let asked = Asked::new();
    let ranges = "--range g:3 --range e:3";
    let about = |options: &str| {
        let mut net = Net::new(&[2, 2]);
        let r = net.sum_modulo(&[0, 1], &[2, 3], 3);
        let zero = net.zero();
        let low = net.xor(r[0], r[1]);
        let valid = net.not(zero);
        let outputs = [vec![low, r[1], zero], vec![valid]];
        asked.about(&mut net, &outputs, &format!("{ranges} {options}"))
    };
    about("")
        .exits(1)
        .says("only 0, 1, 3 occur")
        .says("--outputs c3,v1");
    about("--outputs c3,v1").exits(0);
    // The card 2 is missing.
    about("--cards 4").exits(4);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_shows_what_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut net = Net::new(&[20, 20]);
    let card: Word = (0..2).map(|bit| net.xor(bit, 20 + bit)).collect();
    let file = net.write(folder.path(), "long.txt", &[card]);
    let named = "--algorithm lehmer --cards 52 --draw 3";
    for what in [format!("{file} --outputs c2"), named.to_owned()] {
        let line = format!("circuit prove {what} --limit 10000000000000 --json");
        let running = start(line.split_whitespace()).handles_interrupts();
        running.signal("INT");
        let ended = running.finish().exits(130).says("Ended by Ctrl-C");
        let report = ended.json();
        assert_eq!(
            (&report["uniform"], &report["complete"]),
            (&Value::Null, &json!(false))
        );
        let garbler = part(&report, "garbler");
        assert!(
            garbler["fixed"].as_u64() < garbler["of"].as_u64(),
            "{garbler}"
        );
    }
}
