//! Runs work on several cores, if the feature `parallel` is on and several cores are available.

/// The number of pieces that are processed at the same time.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Applies `work` to each piece. If there is only one piece or one core, `work` runs on the calling
/// thread.
pub(crate) fn map<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Send + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if pieces.len() > 1 && threads() > 1 {
        use rayon::prelude::*;
        return pieces.into_par_iter().map(work).collect();
    }
    pieces.into_iter().map(work).collect()
}

#[cfg(all(test, feature = "parallel"))]
pub(crate) mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    /// Runs `work` with `count` threads.
    pub(crate) fn with_threads<R: Send>(count: usize, work: impl FnOnce() -> R + Send) -> R {
        let pool = ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(work)
    }

    #[test]
    fn pieces_stay_in_order_and_use_all_threads() {
        assert_eq!(with_threads(3, threads), 3);
        let doubled = with_threads(3, || map((0..100).collect(), |piece: usize| 2 * piece));
        assert_eq!(doubled, (0..100).map(|piece| 2 * piece).collect::<Vec<_>>());
    }
}
