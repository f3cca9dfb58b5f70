//! Room for the name of a point, where it hides no line and no line crosses it.

/// A place in the picture, in pixels.
pub(super) type Pixel = (i32, i32);

/// Pixels of the picture that something covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered {
    pub(super) from: Pixel,
    pub(super) to: Pixel,
}

impl Covered {
    /// What is so far around a pixel.
    pub(super) fn around((x, y): Pixel, (across, down): (i32, i32)) -> Self {
        Covered {
            from: (x - across, y - down),
            to: (x + across, y + down),
        }
    }

    fn holds(&self, (x, y): Pixel) -> bool {
        (self.from.0..=self.to.0).contains(&x) && (self.from.1..=self.to.1).contains(&y)
    }

    fn meets(&self, other: &Self) -> bool {
        let apart = |a: i32, b: i32| a < b;
        !(apart(self.to.0, other.from.0)
            || apart(other.to.0, self.from.0)
            || apart(self.to.1, other.from.1)
            || apart(other.to.1, self.from.1))
    }

    /// Whether a straight line passes through it.
    fn is_crossed(&self, [from, to]: [Pixel; 2]) -> bool {
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let steps = across.abs().max(down.abs()).max(1);
        (0..=steps)
            .any(|step| self.holds((from.0 + across * step / steps, from.1 + down * step / steps)))
    }

    /// The middle of it.
    pub(super) fn middle(&self) -> Pixel {
        (
            self.from.0.midpoint(self.to.0),
            self.from.1.midpoint(self.to.1),
        )
    }
}

/// What is in the chart already.
pub(super) struct Room {
    pub(super) chart: Covered,
    /// Straight pieces of lines.
    pub(super) pieces: Vec<[Pixel; 2]>,
    pub(super) taken: Vec<Covered>,
}

/// How far a name may be from its point, in pixels.
const DISTANCES: [i32; 5] = [16, 32, 56, 88, 128];

impl Room {
    /// Takes room for a name with half of these pixels across and down, as near to its point as there
    /// is any; or else where it meets the fewest lines and names.
    pub(super) fn take(&mut self, point: Pixel, (across, down): (i32, i32)) -> Covered {
        let places = DISTANCES.into_iter().flat_map(|distance| {
            [
                (0, -1),
                (0, 1),
                (1, 0),
                (-1, 0),
                (1, -1),
                (-1, -1),
                (1, 1),
                (-1, 1),
            ]
            .map(|(right, below)| {
                let x = point.0 + right * (across + distance);
                let y = point.1 + below * (down + distance - 6);
                Covered::around((x, y), (across, down))
            })
        });
        let met = |place: &Covered| {
            let inside = self.chart.holds(place.from) && self.chart.holds(place.to);
            let pieces = self.pieces.iter().filter(|piece| place.is_crossed(**piece));
            let taken = self.taken.iter().filter(|taken| place.meets(taken));
            (!inside, pieces.count() + taken.count())
        };
        // The first of equals, and so the nearest.
        let place = places.min_by_key(met);
        let place = place.expect("there are distances");
        self.taken.push(place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(pieces: &[[Pixel; 2]]) -> Room {
        Room {
            chart: Covered {
                from: (0, 0),
                to: (400, 300),
            },
            pieces: pieces.to_vec(),
            taken: Vec::new(),
        }
    }

    #[test]
    fn a_name_stands_above_its_point_unless_something_is_there() {
        let (point, size) = ((200, 150), (40, 9));
        let above = room(&[]).take(point, size);
        assert_eq!(above.middle(), (200, 131));
        // A line above, and one that only comes near.
        let line = [(0, 130), (400, 135)];
        let below = room(&[line]).take(point, size);
        assert_eq!(below.middle(), (200, 169));
        let far = [(0, 100), (400, 100)];
        assert_eq!(room(&[far]).take(point, size), above);
        // At the top of the chart there is no room above.
        let at_the_top = room(&[]).take((200, 10), size);
        assert!(at_the_top.middle().1 > 10);
    }

    #[test]
    fn two_names_do_not_meet() {
        let mut room = room(&[]);
        let names = [(200, 150), (210, 152), (190, 149)].map(|point| room.take(point, (60, 9)));
        for (i, name) in names.iter().enumerate() {
            assert!(names[..i].iter().all(|other| !name.meets(other)), "{i}");
        }
    }
}
