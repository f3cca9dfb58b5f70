//! One player of a session between two machines.

use dealerless::mpc::TwoParty;
use dealerless_lab::session::Session;

use crate::console::Console;
use crate::cost::{DealCost, LineCost};
use crate::play::{Table, play};

/// Plays all hands and shows them.
///
/// # Errors
/// Those of the session, and of the screen.
pub(crate) fn take_seat(
    mut session: Session,
    table: &Table,
    console: &Console,
) -> anyhow::Result<()> {
    let party = &mut session.party;
    let shuffles = play(party, table, |moment| console.moment(table, &moment))?;
    let line = LineCost::seen_by(party.role(), party.traffic());
    console.done(&DealCost::new(session.setup, &shuffles, line))
}
