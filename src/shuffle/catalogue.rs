//! The construction of each algorithm.

use super::algorithm::Algorithm;
use super::construction::Construction;
use super::network::{bitonic, odd_even, waksman};
use super::{bubble, cut, fisher_yates, lehmer};

impl Algorithm {
    /// The construction of this algorithm.
    pub(super) fn construction(self) -> &'static Construction {
        match self {
            Algorithm::FisherYates => &fisher_yates::CONSTRUCTION,
            Algorithm::Bubble => &bubble::CONSTRUCTION,
            Algorithm::Lehmer => &lehmer::CONSTRUCTION,
            Algorithm::Cut => &cut::CONSTRUCTION,
            Algorithm::Bitonic => &Construction::Routed(bitonic::COPIES),
            Algorithm::OddEven => &Construction::Routed(odd_even::COPIES),
            Algorithm::Waksman => &Construction::Routed(waksman::COPIES),
        }
    }
}
