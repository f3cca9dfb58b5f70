//! A board: a deal with a board number, which determines the dealer and the vulnerability.

use super::{Compass, Deal};

/// A deal with its board number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// The board number, counted from 1.
    pub number: u32,
    /// The hands of the four seats.
    pub deal: Deal,
}

/// The vulnerable sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vulnerability {
    /// Neither side.
    None,
    /// North and South.
    NorthSouth,
    /// East and West.
    EastWest,
    /// Both sides.
    All,
}

impl Board {
    /// The dealer: North on board 1, East on board 2, and so on clockwise (Laws of Duplicate Bridge
    /// 2017, Law 2).
    pub fn dealer(&self) -> Compass {
        Compass::ALL[(self.number as usize + 3) % 4]
    }

    /// The vulnerability, which repeats after 16 boards (Laws of Duplicate Bridge 2017, Law 2).
    pub fn vulnerability(&self) -> Vulnerability {
        match self.number % 16 {
            1 | 8 | 11 | 14 => Vulnerability::None,
            2 | 5 | 12 | 15 => Vulnerability::NorthSouth,
            3 | 6 | 9 | 0 => Vulnerability::EastWest,
            _ => Vulnerability::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_determines_dealer_and_vulnerability() {
        let deal: Deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
            .parse()
            .unwrap();
        let of = |number| {
            let board = Board { number, deal };
            (board.dealer().letter(), board.vulnerability())
        };
        // Law 2 for boards 1 to 16: the dealer, and the vulnerable side (`-` for neither, `A` for
        // both).
        let table = "N- EN SE WA NN EE SA W- NE EA S- WN NA E- SN WE";
        for (number, entry) in (1..).zip(table.split(' ')) {
            let (dealer, vulnerable) = of(number);
            let sign = match vulnerable {
                Vulnerability::None => '-',
                Vulnerability::NorthSouth => 'N',
                Vulnerability::EastWest => 'E',
                Vulnerability::All => 'A',
            };
            assert_eq!(format!("{dealer}{sign}"), entry, "{number}");
        }
        assert_eq!(of(1), ('N', Vulnerability::None));
        assert_eq!(of(2), ('E', Vulnerability::NorthSouth));
        assert_eq!(of(7), ('S', Vulnerability::All));
        assert_eq!(of(16), ('W', Vulnerability::EastWest));
        assert_eq!(of(32), of(16));
        assert_eq!(of(u32::MAX).0, 'S');
    }
}
