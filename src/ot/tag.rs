//! The frames of oblivious transfer.

crate::net::tags! {
    /// The type of a frame of oblivious transfer.
    pub enum Tag {
        /// Base OT: the points of the receiver.
        BaseOtPoints = 16, "base OT points";
        /// Base OT: the answer of the receiver.
        BaseOtAnswer = 17, "base OT answer";
        /// Base OT: the pads of the sender.
        BaseOtPads = 18, "base OT pads";
        /// All-but-one OT: the sums over the levels of the punctured trees.
        TreeSums = 32, "tree sums";
        /// Correlated OT: the correction matrix.
        CotCorrection = 33, "COT correction";
        /// Correlated OT: the consistency check.
        CotCheck = 34, "COT check";
    }
}
