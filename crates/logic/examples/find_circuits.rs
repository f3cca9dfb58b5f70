//! Finds the affine classes of the Boolean functions of five variables, and a circuit with the
//! fewest ANDs for each. The output is the file `src/classes.txt`.
//!
//! ```console
//! $ cargo run --release -p dealerless-logic --example find_circuits > crates/logic/src/classes.txt
//! ```
//!
//! Two functions are in the same class if one becomes the other by an affine map of the inputs and
//! the addition of an affine function. There are 48 classes (Berlekamp and Welch, "Weight
//! distributions of the cosets of the (32, 6) Reed-Muller code", 1972), and every function of five
//! variables needs at most four ANDs (Sönmez Turan and Peralta, "The multiplicative complexity of
//! Boolean functions on four and five variables", 2014).
//!
//! The classes are found by flooding all 2^26 cosets of the affine functions. The circuits with up
//! to three ANDs are enumerated completely, up to affine maps, so the numbers of ANDs are minimal.
//! Of the circuits with the fewest ANDs, the one with the fewest XORs is kept, among those whose
//! operands are sums of at most two terms. If a class has none, sums of any length are allowed.

use dealerless_logic::classes::Class;
use dealerless_logic::function::{COSETS, Coset, Function};

const UNKNOWN: u8 = u8::MAX;

fn main() {
    let class_of = flood();
    let classes = 1 + usize::from(*class_of.iter().max().expect("not empty"));
    eprintln!("{classes} classes");
    let mut search = Search {
        class_of,
        best: vec![None; classes],
    };
    // The affine functions.
    search.best[0] = Some((
        0,
        Class {
            ands: Vec::new(),
            output: 0,
        },
    ));
    for ands in 1..=3 {
        search.circuits(ands, usize::MAX);
        search.report(ands);
    }
    search.circuits(4, 2);
    search.report(4);
    let mut found: Vec<_> = (search.best.into_iter())
        .map(|best| best.expect("four ANDs suffice").1)
        .collect();
    found.sort_by_key(|class| class.ands.len());
    for class in found {
        println!("{class}");
    }
}

/// The class of each coset, by number. Class 0 has the affine functions.
fn flood() -> Vec<u8> {
    let mut class_of = vec![UNKNOWN; COSETS];
    let mut classes = 0;
    let mut pending = Vec::new();
    for number in 0..COSETS {
        if class_of[number] != UNKNOWN {
            continue;
        }
        class_of[number] = classes;
        pending.push(number);
        while let Some(number) = pending.pop() {
            for neighbour in Coset::of_number(number).neighbours() {
                let place = &mut class_of[neighbour.number()];
                if *place == UNKNOWN {
                    *place = classes;
                    pending.push(neighbour.number());
                }
            }
        }
        classes += 1;
    }
    class_of
}

struct Search {
    class_of: Vec<u8>,
    /// For each class, the best circuit with its number of XORs.
    best: Vec<Option<(u32, Class)>>,
}

impl Search {
    /// Enumerates the circuits with this many ANDs, whose operands are sums of at most `terms`
    /// terms. The first AND is the product of the first two variables, up to an affine map.
    fn circuits(&mut self, ands: usize, terms: usize) {
        let first = Function::variable(0).and(Function::variable(1));
        let known = (0..5).map(Function::variable).chain([first]).collect();
        let solved: Vec<bool> = self.best.iter().map(Option::is_some).collect();
        self.extend(ands, terms, &solved, known, vec![[1, 2]]);
    }

    fn extend(
        &mut self,
        ands: usize,
        terms: usize,
        solved: &[bool],
        known: Vec<Function>,
        circuit: Vec<[u32; 2]>,
    ) {
        if circuit.len() == ands {
            self.outputs(solved, &known, &circuit);
            return;
        }
        let mut sums: Vec<(u32, Function)> = vec![(0, Function::ZERO)];
        for (place, &function) in known.iter().enumerate() {
            let with = sums
                .iter()
                .map(|&(mask, sum)| (mask | 1 << place, sum.xor(function)));
            let with: Vec<_> = with
                .filter(|(mask, _)| mask.count_ones() as usize <= terms)
                .collect();
            sums.extend(with);
        }
        for (place, &(a, f)) in sums.iter().enumerate().skip(1) {
            for &(b, g) in &sums[place + 1..] {
                // One pair of each span {a, b, a ^ b}: the pair with the fewest terms.
                let heaviest = |mask: u32| (mask.count_ones(), mask);
                if terms == usize::MAX && heaviest(a ^ b) < heaviest(a).max(heaviest(b)) {
                    continue;
                }
                let mut known = known.clone();
                known.push(f.and(g));
                let mut circuit = circuit.clone();
                circuit.push([a, b]);
                self.extend(ands, terms, solved, known, circuit);
            }
        }
    }

    /// Compares the circuit, with every output that needs its last AND, with the best circuits.
    fn outputs(&mut self, solved: &[bool], known: &[Function], circuit: &[[u32; 2]]) {
        let (last, earlier) = known[5..].split_last().expect("a circuit has an AND");
        let operands = circuit
            .iter()
            .map(|[a, b]| a.count_ones() + b.count_ones() - 2);
        let operands: u32 = operands.sum();
        for subset in 0..1u32 << earlier.len() {
            let chosen = (earlier.iter().enumerate()).filter(|(place, _)| subset >> place & 1 == 1);
            let function = chosen.fold(*last, |sum, (_, &f)| sum.xor(f));
            let class = usize::from(self.class_of[function.coset().number()]);
            let xors = operands + subset.count_ones();
            let better = (self.best[class].as_ref()).is_none_or(|&(best, _)| xors < best);
            if !solved[class] && better {
                let class_circuit = Class {
                    ands: circuit.to_vec(),
                    output: subset | 1 << earlier.len(),
                };
                self.best[class] = Some((xors, class_circuit));
            }
        }
    }

    fn report(&self, ands: usize) {
        let solved = self.best.iter().flatten();
        let exactly = solved.clone().filter(|(_, class)| class.ands.len() == ands);
        eprintln!(
            "{ands} ANDs: {} classes, {} in all",
            exactly.count(),
            solved.count()
        );
    }
}
