//! The tags of the messages of a roll.

crate::net::tags! {
    /// The kind of a message of a roll.
    pub enum Tag {
        /// The commitment to what the sender has drawn.
        Commitment = 96, "commitment to dice";
        /// What the sender has drawn, and the nonce.
        Reveal = 97, "revealed dice";
    }
}
