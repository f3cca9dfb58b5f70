//! Boolean functions of five variables, up to affine functions.

use dealerless::circuit::bristol::COUNTING;

/// The number of variables.
pub(crate) const VARIABLES: usize = 5;

/// The values of a variable on all inputs, in counting order: bit `i` of word `w` is bit `variable`
/// of `64 * w + i`.
pub(crate) fn counting<const WORDS: usize>(variable: usize) -> [u64; WORDS] {
    std::array::from_fn(|word| match COUNTING.get(variable) {
        Some(&bits) => bits,
        None => (word as u64 >> (variable - COUNTING.len()) & 1).wrapping_neg(),
    })
}

/// For each variable, the monomials of an algebraic normal form that contain it, and also the
/// inputs on which it is 1.
const CONTAINS: [u32; VARIABLES] = [
    COUNTING[0] as u32,
    COUNTING[1] as u32,
    COUNTING[2] as u32,
    COUNTING[3] as u32,
    COUNTING[4] as u32,
];

/// The constant monomial and the variables.
const AFFINE: u32 = 1 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16;

/// A Boolean function of five variables: bit `i` is the value on the input whose bits are those of
/// `i`, the first variable lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function(pub u32);

/// A function up to the addition of affine functions: bit `i` is the coefficient of the monomial of
/// the variables in `i`, for monomials of degree two or more. Two functions that differ by an
/// affine function have the same multiplicative complexity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Coset(u32);

impl Function {
    /// The constant 0.
    pub const ZERO: Function = Function(0);
    /// The constant 1.
    pub(crate) const ONE: Function = Function(u32::MAX);

    /// The variable with this number, from 0.
    pub const fn variable(number: usize) -> Self {
        Function(CONTAINS[number])
    }

    /// The sum of the variables in `mask`, where bit 0 is the first.
    pub(crate) fn linear(mask: u32) -> Self {
        let variables = (0..VARIABLES).filter(|&number| mask >> number & 1 == 1);
        variables.fold(Self::ZERO, |sum, number| sum.xor(Self::variable(number)))
    }

    /// The sum of two functions.
    pub const fn xor(self, other: Self) -> Self {
        Function(self.0 ^ other.0)
    }

    /// The product of two functions.
    pub const fn and(self, other: Self) -> Self {
        Function(self.0 & other.0)
    }

    /// The coefficients of the algebraic normal form, by the Möbius transform.
    pub(crate) fn monomials(self) -> u32 {
        let mut word = self.0;
        for (number, contains) in CONTAINS.into_iter().enumerate() {
            word ^= (word << (1 << number)) & contains;
        }
        word
    }

    /// The function up to affine functions.
    pub fn coset(self) -> Coset {
        Coset(self.monomials() & !AFFINE)
    }

    /// The constant and the mask of the variables of an affine function.
    pub(crate) fn affine(self) -> Option<(bool, u32)> {
        let monomials = self.monomials();
        let mask = (0..VARIABLES).fold(0, |mask, number| {
            mask | (monomials >> (1 << number) & 1) << number
        });
        (monomials & !AFFINE == 0).then_some((monomials & 1 == 1, mask))
    }
}

/// The number of [`Coset`]s.
pub const COSETS: usize = 1 << 26;

impl Coset {
    /// The monomials of degree two or more; bit `i` is the product of the variables in `i`.
    pub(crate) fn monomials(self) -> u32 {
        self.0
    }

    /// The number of the coset, below [`COSETS`].
    pub const fn number(self) -> usize {
        let word = self.0;
        ((word >> 3 & 1) | (word >> 5 & 7) << 1 | (word >> 9 & 0x7f) << 4 | (word >> 17) << 11)
            as usize
    }

    /// The coset with this [`number`](Self::number).
    pub const fn of_number(number: usize) -> Self {
        let word = number as u32;
        Coset((word & 1) << 3 | (word >> 1 & 7) << 5 | (word >> 4 & 0x7f) << 9 | (word >> 11) << 17)
    }

    /// A function of this coset.
    pub(crate) fn function(self) -> Function {
        // The Möbius transform is its own inverse.
        Function(Function(self.0).monomials())
    }

    /// The cosets into which generators of the group of affine maps take this coset: the first
    /// variable negated, the second variable added to the first, and neighbours swapped.
    pub fn neighbours(self) -> impl Iterator<Item = Coset> {
        let word = self.0;
        let without_first = (word & CONTAINS[0]) >> 1;
        let times_second = (without_first & CONTAINS[1]) ^ (without_first & !CONTAINS[1]) << 2;
        let swapped = (0..VARIABLES - 1).map(move |number| {
            let (low, high) = (CONTAINS[number], CONTAINS[number + 1]);
            let distance = 1 << number;
            let stay = word & !(low ^ high);
            stay | (word & low & !high) << distance | (word & high & !low) >> distance
        });
        [word ^ without_first, word ^ times_second]
            .into_iter()
            .chain(swapped)
            .map(|word| Coset(word & !AFFINE))
    }
}
