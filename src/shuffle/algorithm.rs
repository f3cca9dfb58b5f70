//! The algorithms, by name.

use serde::{Deserialize, Serialize};

/// Makes the enum of algorithms, and the list of all, from their names.
macro_rules! algorithms {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A way to turn the randomness of two parties into a shuffle.
        ///
        /// Its name on the command line and on the wire, which [`Display`](std::fmt::Display)
        /// writes, is that of the variant in lower case: `fisher-yates`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
        #[serde(rename_all = "kebab-case")]
        #[strum(serialize_all = "kebab-case")]
        #[strum(parse_err_ty = UnknownAlgorithm, parse_err_fn = UnknownAlgorithm::named)]
        pub enum Algorithm {
            $($(#[$doc])* $name,)*
        }

        impl Algorithm {
            /// Every algorithm, in the order in which tables list them.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];
        }
    };
}

algorithms! {
    /// Draw i swaps the card at place i with a uniform one of those at places i, i + 1, ….
    FisherYates,
    /// Draw i carries a uniform one of the cards at places i, i + 1, … to place i by swaps of
    /// neighbours, so that the others keep their order.
    Bubble,
    /// The same draws as `Bubble`, computed from the places drawn alone, without a deck.
    Lehmer,
    /// As `Lehmer`, but a draw from an even number of cards also cuts the rest of the deck, which
    /// is cheaper.
    Cut,
    /// The deck goes through two bitonic sorting networks, of which each party sets one.
    Bitonic,
    /// The deck goes through two odd-even merge sorting networks, of which each party sets one.
    OddEven,
    /// The deck goes through two Waksman networks, of which each party sets one.
    Waksman,
}

impl Algorithm {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A name that belongs to no [`Algorithm`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no algorithm {0:?}; there are {known}", known = Algorithm::ALL.map(Algorithm::name).join(", "))]
pub struct UnknownAlgorithm(String);

impl UnknownAlgorithm {
    fn named(name: &str) -> Self {
        Self(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_found_by_its_name() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            let json = serde_json::to_string(&algorithm).unwrap();
            assert_eq!(json, format!("\"{algorithm}\""));
        }
        let error = "riffle".parse::<Algorithm>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no algorithm \"riffle\"; there are fisher-yates, bubble, lehmer, cut, bitonic, \
             odd-even, waksman"
        );
    }
}
