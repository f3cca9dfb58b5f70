//! Labels along a line, moved apart until none covers another.

/// Moves places, which are in ascending order, so that neighbours are at least `gap` apart, and
/// all are between `low` and `high` if there is room for them. Where they are crowded, each goes
/// about as far as the others.
pub(super) fn spread(places: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    // Runs of labels that touch: the number of labels, and where the first would be best.
    let mut runs: Vec<(usize, f64)> = Vec::new();
    for &place in places {
        let mut run = (1, place);
        while let Some(&(count, first)) = runs.last()
            && first + count as f64 * gap > run.1
        {
            runs.pop();
            // The mean of the best places of the joint run's first label, by either part.
            let of_second = run.1 - count as f64 * gap;
            let joint = count + run.0;
            let sum = first * count as f64 + of_second * run.0 as f64;
            run = (joint, sum / joint as f64);
        }
        runs.push(run);
    }
    let mut spread = Vec::with_capacity(places.len());
    let mut free = low;
    for (count, first) in runs {
        for i in 0..count {
            let place = (first + i as f64 * gap).max(free);
            spread.push(place);
            free = place + gap;
        }
    }
    let mut free = high;
    for place in spread.iter_mut().rev() {
        *place = place.min(free);
        free = *place - gap;
    }
    spread
}

#[cfg(test)]
mod tests {
    #[test]
    fn labels_with_room_stay_and_crowded_ones_share_the_way() {
        let spread = |places: &[f64]| super::spread(places, 10.0, 0.0, 100.0);
        assert!(spread(&[]).is_empty());
        assert_eq!(spread(&[5.0, 40.0, 50.0]), [5.0, 40.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0]), [45.0, 55.0]);
        assert_eq!(spread(&[48.0, 50.0, 52.0]), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[20.0, 50.0, 50.0, 53.0]), [20.0, 41.0, 51.0, 61.0]);
    }

    #[test]
    fn labels_stay_between_the_ends() {
        assert_eq!(super::spread(&[0.0, 1.0], 10.0, 0.0, 100.0), [0.0, 10.0]);
        assert_eq!(
            super::spread(&[99.0, 100.0], 10.0, 0.0, 100.0),
            [90.0, 100.0]
        );
    }
}
