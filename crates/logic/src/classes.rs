//! The affine classes of Boolean functions of five variables, and circuits with the fewest ANDs.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::function::{COSETS, Coset, Function, VARIABLES};

/// The circuits that the example `find_circuits` has found, one line for each class.
const CIRCUITS: &str = include_str!("classes.txt");

/// A circuit for one function of an affine class.
///
/// As text, the operands of each AND are binary masks with a `*` between them, and the output is a
/// mask at the end. Bit 0 of an operand is the first variable, and bit 5 is the first AND. Bit 0 of
/// the output is the first AND. A mask stands for the sum of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The operands of each AND.
    pub ands: Vec<[u32; 2]>,
    /// The sum of ANDs that is the output.
    pub output: u32,
}

impl Class {
    /// The function that the circuit computes from `variables`.
    pub fn function(&self, variables: [Function; VARIABLES]) -> Function {
        let mut known = variables.to_vec();
        for operands in &self.ands {
            let [a, b] = operands.map(|mask| sum(&known, mask));
            known.push(a.and(b));
        }
        sum(&known[VARIABLES..], self.output)
    }
}

/// The sum of the functions in `mask`.
fn sum(functions: &[Function], mask: u32) -> Function {
    let chosen = (functions.iter().enumerate()).filter(|(place, _)| mask >> place & 1 == 1);
    chosen.fold(Function::ZERO, |sum, (_, &function)| sum.xor(function))
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for [a, b] in &self.ands {
            write!(f, "{a:b}*{b:b} ")?;
        }
        write!(f, "{:b}", self.output)
    }
}

/// The error for a text that is not a [`Class`].
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected products of binary masks, and a mask")]
pub struct NotAClass;

impl FromStr for Class {
    type Err = NotAClass;

    fn from_str(text: &str) -> Result<Self, NotAClass> {
        let mask = |text: &str| u32::from_str_radix(text, 2).map_err(|_| NotAClass);
        let mut parts: Vec<&str> = text.split(' ').collect();
        let output = mask(parts.pop().ok_or(NotAClass)?)?;
        let ands = parts.into_iter().map(|product| {
            let (a, b) = product.split_once('*').ok_or(NotAClass)?;
            Ok([mask(a)?, mask(b)?])
        });
        Ok(Class {
            ands: ands.collect::<Result<_, _>>()?,
            output,
        })
    }
}

/// All classes, by number of ANDs.
pub(crate) static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let classes = CIRCUITS.lines().map(|line| {
        let class: Class = line.parse().expect("a tested file");
        let function = class.function(std::array::from_fn(Function::variable));
        (class, function.coset(), Invariant::of(function))
    });
    Classes {
        classes: classes.collect(),
        known: (0..COSETS).map(|_| AtomicU8::new(UNKNOWN)).collect(),
    }
});

/// The affine classes.
pub(crate) struct Classes {
    /// The circuit of each class, the coset of the function that it computes, and its invariant.
    classes: Vec<(Class, Coset, Invariant)>,
    /// The class of each coset that was classified before.
    known: Vec<AtomicU8>,
}

const UNKNOWN: u8 = 0;

/// Two numbers that affine maps of the inputs and the addition of affine functions do not change:
/// how often each absolute value occurs in the Walsh spectrum, and in the autocorrelation. No two
/// classes of functions of five variables have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Invariant([u128; 2]);

impl Invariant {
    fn of(function: Function) -> Self {
        let signs = |input: usize| 1 - 2 * (function.0 >> input & 1) as i16;
        let mut spectrum: [i16; 32] = std::array::from_fn(signs);
        transform(&mut spectrum);
        let mut correlation = spectrum.map(|value| value * value / 32);
        transform(&mut correlation);
        Invariant([spectrum, correlation].map(|values| {
            let counts = values.map(|value| 1 << (6 * (value.unsigned_abs() / 2)));
            counts.into_iter().fold(0u128, u128::wrapping_add)
        }))
    }
}

/// The Walsh-Hadamard transform.
fn transform(values: &mut [i16; 32]) {
    for distance in [1, 2, 4, 8, 16] {
        for place in (0..32).filter(|place| place & distance == 0) {
            let (a, b) = (values[place], values[place | distance]);
            (values[place], values[place | distance]) = (a + b, a - b);
        }
    }
}

/// A circuit for a function of five variables: the circuit of its class, on affine functions of the
/// variables, plus an affine function.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) class: Class,
    /// For each variable of the class, a constant and a mask of the variables of the function.
    pub(crate) inputs: [(bool, u32); VARIABLES],
    /// The constant and the mask that are added to the output.
    pub(crate) rest: (bool, u32),
}

impl Classes {
    fn number(&self, coset: Coset) -> usize {
        let known = &self.known[coset.number()];
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                let invariant = Invariant::of(coset.function());
                let found = self.classes.iter().position(|class| class.2 == invariant);
                let number = found.expect("every function has a class");
                known.store(number as u8 + 1, Ordering::Relaxed);
                number
            }
            number => usize::from(number) - 1,
        }
    }

    /// The multiplicative complexity of a function: the smallest number of ANDs of a circuit.
    pub(crate) fn complexity(&self, function: Function) -> usize {
        self.classes[self.number(function.coset())].0.ands.len()
    }

    /// A circuit with the fewest ANDs. Of the circuits that come from the first affine maps found,
    /// the one with the fewest XORs.
    pub(crate) fn solve(&self, function: Function) -> Solution {
        let (class, coset, _) = &self.classes[self.number(function.coset())];
        let mut search = Search {
            function,
            wanted: coset.monomials(),
            class,
            columns: Vec::new(),
            steps: 0,
            best: None,
        };
        for shift in 0..32 {
            search.extend(shift, &mut [0; 32]);
            if search.best.is_some() {
                break;
            }
        }
        search.best.expect("functions of a class are equivalent").1
    }
}

/// A search for affine maps that send the function of a class to a given function.
struct Search<'a> {
    function: Function,
    /// The monomials of the function of the class, of degree two or more.
    wanted: u32,
    class: &'a Class,
    /// The images of the first variables of the class, as inputs of the function.
    columns: Vec<u32>,
    /// The number of images tried.
    steps: usize,
    /// The best solution with its number of XORs.
    best: Option<(u32, Solution)>,
}

/// The number of images tried, after which the best map found is taken.
const STEPS: usize = 1 << 14;

impl Search<'_> {
    /// Tries all images of the next variable. `shift` is the image of 0, and `inputs` begins with
    /// the images of all inputs of the variables before it, without `shift`.
    fn extend(&mut self, shift: u32, inputs: &mut [u32; 32]) {
        if self.columns.len() == VARIABLES {
            self.keep(shift);
            return;
        }
        let count = 1 << self.columns.len();
        for column in 1..32 {
            if inputs[..count].contains(&column) {
                continue;
            }
            if self.best.is_some() && self.steps > STEPS {
                return;
            }
            self.steps += 1;
            for place in 0..count {
                inputs[count + place] = inputs[place] ^ column;
            }
            if self.agrees(shift, &inputs[..2 * count]) {
                self.columns.push(column);
                self.extend(shift, inputs);
                self.columns.pop();
            }
        }
    }

    /// Whether the function on the affine space of some inputs is that of the class, up to an affine
    /// function.
    fn agrees(&self, shift: u32, inputs: &[u32]) -> bool {
        let bits = (inputs.iter().enumerate())
            .map(|(place, &input)| (self.function.0 >> (input ^ shift) & 1) << place);
        let restricted = Function(bits.fold(0, |word, bit| word | bit));
        let inside = ((1u64 << inputs.len()) - 1) as u32;
        (restricted.coset().monomials() ^ self.wanted) & inside == 0
    }

    /// Compares the solution of the complete map with the best one.
    fn keep(&mut self, shift: u32) {
        let inverse = invert(&self.columns);
        let inputs = inverse.map(|mask| ((mask & shift).count_ones() & 1 == 1, mask));
        let variables = inputs.map(|(constant, mask)| {
            let linear = Function::linear(mask);
            if constant {
                linear.xor(Function::ONE)
            } else {
                linear
            }
        });
        let rest = self.class.function(variables).xor(self.function).affine();
        let solution = Solution {
            class: self.class.clone(),
            inputs,
            rest: rest.expect("the functions agree up to an affine function"),
        };
        let xors = solution.xors();
        if self.best.as_ref().is_none_or(|&(best, _)| xors < best) {
            self.best = Some((xors, solution));
        }
    }
}

/// The inverse of the matrix with the given columns, as masks of its rows.
fn invert(columns: &[u32]) -> [u32; VARIABLES] {
    // Bit i of row j is bit j of column i; the identity is in the bits above.
    let mut rows: [u32; VARIABLES] = std::array::from_fn(|row| {
        let bits = (columns.iter().enumerate()).map(|(place, column)| (column >> row & 1) << place);
        bits.fold(1 << (VARIABLES + row), |mask, bit| mask | bit)
    });
    for column in 0..VARIABLES {
        let pivot = (column..VARIABLES).find(|&row| rows[row] >> column & 1 == 1);
        rows.swap(column, pivot.expect("the columns are independent"));
        let pivot = rows[column];
        for (place, row) in rows.iter_mut().enumerate() {
            if place != column && *row >> column & 1 == 1 {
                *row ^= pivot;
            }
        }
    }
    rows.map(|row| row >> VARIABLES)
}

impl Solution {
    /// The constant and the masks of variables and ANDs of an operand of the circuit: the bits from
    /// [`VARIABLES`] on are ANDs.
    pub(crate) fn operand(&self, mask: u32) -> (bool, u32) {
        let variables = (0..VARIABLES).filter(|place| mask >> place & 1 == 1);
        let ands = mask >> VARIABLES << VARIABLES;
        variables.fold((false, ands), |(constant, sum), place| {
            let (added, with) = self.inputs[place];
            (constant ^ added, sum ^ with)
        })
    }

    /// The number of XORs and NOTs of the circuit, if none is shared.
    fn xors(&self) -> u32 {
        let operands = self.class.ands.iter().flatten();
        let operands = operands.map(|&mask| {
            let (constant, mask) = self.operand(mask);
            u32::from(constant) + mask.count_ones() - 1
        });
        let (constant, mask) = self.rest;
        let output = self.class.output.count_ones() + mask.count_ones() + u32::from(constant);
        operands.sum::<u32>() + output.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn classes_have_the_published_numbers_of_ands_and_different_invariants() {
        let mut counts = [0; 5];
        for (place, (class, ..)) in CLASSES.classes.iter().enumerate() {
            counts[class.ands.len()] += 1;
            let same = CLASSES.classes[..place].iter();
            assert!(
                same.clone()
                    .all(|other| other.2 != CLASSES.classes[place].2)
            );
        }
        // Sönmez Turan and Peralta 2014, for five variables.
        assert_eq!(counts, [1, 1, 3, 17, 26]);
    }

    #[test]
    fn every_function_gets_a_circuit_that_computes_it() {
        let rng = &mut StdRng::seed_from_u64(5);
        for _ in 0..60 {
            let function = Function(rng.random());
            let solution = CLASSES.solve(function);
            let variables = solution.inputs.map(|(constant, mask)| {
                let linear = Function::linear(mask);
                if constant {
                    linear.xor(Function::ONE)
                } else {
                    linear
                }
            });
            let (constant, mask) = solution.rest;
            let mut value = solution
                .class
                .function(variables)
                .xor(Function::linear(mask));
            if constant {
                value = value.xor(Function::ONE);
            }
            assert_eq!(value, function);
        }
    }
}
