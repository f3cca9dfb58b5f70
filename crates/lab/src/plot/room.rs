//! Placement of the names of single points.

/// A position in the picture, in pixels.
pub(super) type Pixel = (i32, i32);

/// The plot area of a chart, with its occupied pixels.
pub(super) struct Room {
    pub(super) from: Pixel,
    pub(super) to: Pixel,
    taken: Vec<Pixel>,
}

/// Distances of a name from its point, in pixels.
const DISTANCES: [i32; 5] = [10, 26, 50, 82, 122];

/// Directions of a name from its point, in order of preference.
const DIRECTIONS: [Pixel; 8] = [
    (0, -1),
    (0, 1),
    (1, 0),
    (-1, 0),
    (1, -1),
    (-1, -1),
    (1, 1),
    (-1, 1),
];

impl Room {
    pub(super) fn new(from: Pixel, to: Pixel) -> Self {
        Room {
            from,
            to,
            taken: Vec::new(),
        }
    }

    /// Marks the pixels of a straight line as occupied.
    pub(super) fn take_line(&mut self, from: Pixel, to: Pixel) {
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let steps = across.abs().max(down.abs()).max(1);
        self.taken.extend(
            (0..=steps).map(|step| (from.0 + across * step / steps, from.1 + down * step / steps)),
        );
    }

    /// Reserves room for a name as close to `point` as possible, and returns the centre of the
    /// name. `half` is half the width and height of the name. If there is no free room, the name
    /// covers as few occupied pixels as possible.
    pub(super) fn take_name(&mut self, point: Pixel, half: Pixel) -> Pixel {
        let places = DISTANCES.into_iter().flat_map(|distance| {
            DIRECTIONS.map(|(right, below)| {
                (
                    point.0 + right * (half.0 + distance + 6),
                    point.1 + below * (half.1 + distance),
                )
            })
        });
        let covers = |middle: Pixel, pixel: Pixel| {
            (pixel.0 - middle.0).abs() <= half.0 && (pixel.1 - middle.1).abs() <= half.1
        };
        // `min_by_key` returns the first minimum, which is the nearest place.
        let middle = places
            .min_by_key(|middle| {
                let outside = middle.0 - half.0 < self.from.0
                    || middle.0 + half.0 > self.to.0
                    || middle.1 - half.1 < self.from.1
                    || middle.1 + half.1 > self.to.1;
                let taken = self.taken.iter().filter(|pixel| covers(*middle, **pixel));
                (outside, taken.count())
            })
            .expect("there are distances and directions");
        for y in middle.1 - half.1..=middle.1 + half.1 {
            self.take_line((middle.0 - half.0, y), (middle.0 + half.0, y));
        }
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(lines: &[[Pixel; 2]]) -> Room {
        let mut room = Room::new((0, 0), (400, 300));
        for [from, to] in lines {
            room.take_line(*from, *to);
        }
        room
    }

    #[test]
    fn name_is_above_its_point_unless_that_room_is_occupied() {
        let (point, half) = ((200, 150), (40, 9));
        assert_eq!(room(&[]).take_name(point, half), (200, 131));
        // A line directly above, and a line further away.
        let line = [(0, 130), (400, 135)];
        assert_eq!(room(&[line]).take_name(point, half), (200, 169));
        let far = [(0, 100), (400, 100)];
        assert_eq!(room(&[far]).take_name(point, half), (200, 131));
        // At the top of the chart there is no room above.
        assert!(room(&[]).take_name((200, 10), half).1 > 10);
    }

    #[test]
    fn names_do_not_overlap() {
        let mut room = room(&[]);
        let names = [(200, 150), (210, 152), (190, 149)].map(|at| room.take_name(at, (60, 9)));
        for (i, name) in names.iter().enumerate() {
            assert!(
                names[..i]
                    .iter()
                    .all(|other| (name.0 - other.0).abs() > 120 || (name.1 - other.1).abs() > 18),
                "{i}"
            );
        }
    }
}
