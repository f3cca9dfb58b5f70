//! The tags of the messages of a roll.

crate::net::tags! {
    /// The kind of a message of a roll.
    pub enum Tag {
        /// The commitment to the values that the sender has drawn.
        Commitment = 96, "commitment to dice";
        /// The values that the sender has drawn, and the nonce.
        Reveal = 97, "revealed dice";
    }
}
