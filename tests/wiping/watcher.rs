//! An allocator that looks for a mark, in the place of a secret, or for the secret itself, in all that is
//! freed and in all that is not.
#![allow(
    unsafe_code,
    reason = "an allocator cannot be written without, nor memory be read that is somebody else's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stands for a secret. Its lowest bit is 1, as that of a garbler's Delta is.
pub(crate) const MARK: [u8; 16] =
    *b"\xc7\x1f\xa2\x90\x5e\xe4\x3b\x86\x7d\x08\xb9\xf1\x42\xcd\x6a\x13";

/// The bytes that are looked for: as many of these as the number says.
static SOUGHT: Mutex<([u8; 52], usize)> = Mutex::new(([0; 52], 0));

/// Sees all memory of the program.
struct Watcher;

#[global_allocator]
static WATCHER: Watcher = Watcher;

/// How often the sought bytes have been in memory that was freed.
static FREED: AtomicUsize = AtomicUsize::new(0);

/// Address and size of what is allocated, each near the place that [`place`] gives it.
static ALLOCATED: Mutex<[(usize, usize); PLACES]> = Mutex::new([(0, 0); PLACES]);
const PLACES: usize = 1 << 13;

fn allocated() -> MutexGuard<'static, [(usize, usize); PLACES]> {
    ALLOCATED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next place with this address, 0 for a free one. There are enough for all but the trace of a
/// panic.
fn place(
    places: &mut [(usize, usize)],
    near: usize,
    address: usize,
) -> Option<&mut (usize, usize)> {
    let mut all = (0..PLACES).map(|step| (near / 16 + step) % PLACES);
    let found = all.find(|&place| places[place].0 == address)?;
    Some(&mut places[found])
}

/// How often the sought bytes stand in this memory, which must be allocated.
unsafe fn marks(address: usize, size: usize) -> usize {
    let (sought, length) = *SOUGHT.lock().unwrap_or_else(PoisonError::into_inner);
    // Byte by byte, as another thread may be writing there.
    let byte = |at| unsafe { ((address + at) as *const u8).read_volatile() };
    (0..(size + 1).saturating_sub(length))
        .filter(|start| length > 0 && (0..length).all(|i| byte(start + i) == sought[i]))
        .count()
}

unsafe impl GlobalAlloc for Watcher {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeros, or what somebody else has left behind would be found here.
        let new = unsafe { System.alloc_zeroed(layout) };
        if let Some(free) = place(&mut *allocated(), new as usize, 0) {
            *free = (new as usize, layout.size());
        }
        new
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        let found = unsafe { marks(old as usize, layout.size()) };
        FREED.fetch_add(found, Ordering::SeqCst);
        if let Some(gone) = place(&mut *allocated(), old as usize, old as usize) {
            *gone = (0, 0);
        }
        unsafe { System.dealloc(old, layout) };
    }
}

/// Runs one test at a time, from a memory without the mark to such a memory.
pub(crate) fn watch(test: impl FnOnce()) {
    watch_for(&MARK, test);
}

/// The same with other bytes than the mark.
pub(crate) fn watch_for(sought: &[u8], test: impl FnOnce()) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bytes = [0; 52];
    bytes[..sought.len()].copy_from_slice(sought);
    *SOUGHT.lock().unwrap_or_else(PoisonError::into_inner) = (bytes, sought.len());
    FREED.store(0, Ordering::SeqCst);
    assert_eq!(in_memory(), 0);
    test();
    assert_eq!(in_memory(), 0);
    assert_eq!(FREED.load(Ordering::SeqCst), 0, "freed, and not wiped");
}

/// How often the sought bytes are in memory that is not freed.
pub(crate) fn in_memory() -> usize {
    let places = allocated();
    let used = places.iter().filter(|(address, _)| *address != 0);
    used.map(|&(address, size)| unsafe { marks(address, size) })
        .sum()
}

#[test]
fn the_watcher_sees_what_is_not_wiped() {
    watch(|| {
        let plain = MARK.to_vec();
        assert_eq!(in_memory(), 1);
        drop(plain);
        assert_eq!(FREED.swap(0, Ordering::SeqCst), 1);
    });
}
