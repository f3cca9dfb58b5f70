//! The door and the table of a host: who waits for an answer, and who has a seat.

use serde_json::{Value, json};

use super::side::Side;

/// The next list of players at the door.
pub fn at_door(host: &mut Side) -> Vec<Value> {
    let event = host.until("at-door");
    event["players"].as_array().expect("players").clone()
}

/// The player at the door of the next list, which has no other player.
pub fn only_one_at_door(host: &mut Side) -> Value {
    let players = at_door(host);
    assert_eq!(players.len(), 1, "{players:?}");
    players[0].clone()
}

/// Answers about a player at the door.
pub fn decide(host: &mut Side, player: &Value, agree: bool) {
    let command = if agree { "accept" } else { "decline" };
    host.say(&json!({"do": command, "fingerprint": player["fingerprint"]}));
}

/// Waits until these players have the seats after the host's. The name of a player who is away ends with a `?`.
pub fn are_here(side: &mut Side, guests: &[&str]) {
    let shown = |player: &Value| {
        let is_away = player["away"] == json!(true);
        let name = player["name"].as_str().expect("a name");
        name.to_owned() + if is_away { "?" } else { "" }
    };
    loop {
        let event = side.until("table");
        let players = event["players"].as_array().expect("players");
        if players[1..].iter().map(shown).eq(guests.iter().copied()) {
            return;
        }
    }
}
