//! The pauses between tries to reach another player, and between tries of a deal.

use std::time::Duration;

use rand::{Rng, RngExt};

/// The longest pause between two tries to reach the host.
pub const HOST_PAUSE: Duration = Duration::from_secs(15);

/// Returns the pause after `tries` failed tries: 0.2 s, doubled with each try up to `longest`. It is
/// reduced at random by up to a fifth, so that two players do not keep missing each other.
pub fn pause(tries: u32, longest: Duration, rng: &mut impl Rng) -> Duration {
    let full = Duration::from_millis(200 << tries.min(16)).min(longest);
    full.mul_f64(rng.random_range(0.8..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_from_a_fifth_of_a_second_to_fifteen() {
        for (tries, most) in [
            (0, 200),
            (1, 400),
            (3, 1600),
            (6, 12_800),
            (7, 15_000),
            (99, 15_000),
        ] {
            let pause = pause(tries, HOST_PAUSE, &mut rand::rng()).as_millis();
            assert!((most * 4 / 5..=most).contains(&pause), "{tries}: {pause}");
        }
    }
}
