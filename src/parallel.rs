//! Work on several cores, if the feature `parallel` is on and there are some.

/// How many pieces of work are done at once.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// What `work` makes of each piece. A single piece, or a single core, costs no change of thread.
pub(crate) fn map<P: Send, R: Send>(
    pieces: impl ExactSizeIterator<Item = P>,
    work: impl Fn(P) -> R + Send + Sync,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if pieces.len() > 1 && threads() > 1 {
        use rayon::prelude::*;
        let pieces: Vec<P> = pieces.collect();
        return pieces.into_par_iter().map(work).collect();
    }
    pieces.map(work).collect()
}
