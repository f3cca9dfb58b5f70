//! The shuffle algorithms, by name.

use serde::{Deserialize, Serialize};

/// Defines the enum of algorithms and the list of all of them from their names.
macro_rules! algorithms {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// An algorithm that turns the randomness of two parties into a shuffle.
        ///
        /// Its name on the command line and on the wire, which [`Display`](std::fmt::Display)
        /// writes, is the variant in kebab case: `fisher-yates`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
        #[serde(rename_all = "kebab-case")]
        #[strum(serialize_all = "kebab-case")]
        #[strum(parse_err_ty = UnknownAlgorithm, parse_err_fn = UnknownAlgorithm::named)]
        pub enum Algorithm {
            $($(#[$doc])* $name,)*
        }

        impl Algorithm {
            /// Every algorithm, in the order used by tables.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];
        }
    };
}

algorithms! {
    /// Draw i swaps the card at position i with a uniform card of positions i, i + 1, ….
    FisherYates,
    /// Draw i moves a uniform card of positions i, i + 1, … to position i by swaps of neighbours,
    /// so that the other cards keep their order.
    Bubble,
    /// The same draws as `Bubble`, computed only from the drawn positions, without a deck.
    Lehmer,
    /// Like `Lehmer`, but a draw from an even number of cards also cuts the rest of the deck, which
    /// is cheaper.
    Cut,
    /// The deck goes through two bitonic sorting networks, one set by each party.
    Bitonic,
    /// The deck goes through two odd-even merge sorting networks, one set by each party.
    OddEven,
    /// The deck goes through two Waksman networks, one set by each party.
    Waksman,
}

impl Algorithm {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The error for a name that is not an [`Algorithm`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm {0:?}; use one of {known}", known = Algorithm::ALL.map(Algorithm::name).join(", "))]
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
    fn algorithms_are_found_by_name() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            let json = serde_json::to_string(&algorithm).unwrap();
            assert_eq!(json, format!("\"{algorithm}\""));
        }
        let error = "riffle".parse::<Algorithm>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown algorithm \"riffle\"; use one of fisher-yates, bubble, lehmer, cut, bitonic, \
             odd-even, waksman"
        );
    }
}
