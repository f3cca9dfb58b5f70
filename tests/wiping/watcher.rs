//! An allocator that searches all freed and all allocated memory for a secret, or for a mark that
//! stands for a secret.
#![allow(
    unsafe_code,
    reason = "an allocator and reads of foreign memory need unsafe code"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The mark, which stands for a secret. Its lowest bit is 1, like that of a garbler's Delta.
pub(crate) const MARK: [u8; 16] =
    *b"\xc7\x1f\xa2\x90\x5e\xe4\x3b\x86\x7d\x08\xb9\xf1\x42\xcd\x6a\x13";

/// An array that begins with the sought bytes, and the number of the sought bytes.
static SOUGHT: Mutex<([u8; 52], usize)> = Mutex::new(([0; 52], 0));

/// The global allocator of the test program.
struct Watcher;

#[global_allocator]
static WATCHER: Watcher = Watcher;

/// The number of occurrences of the sought bytes in freed memory.
static FREED: AtomicUsize = AtomicUsize::new(0);

/// The addresses and sizes of all allocations, in a hash table with open addressing; see [`place`].
static ALLOCATED: Mutex<[(usize, usize); PLACES]> = Mutex::new([(0, 0); PLACES]);
const PLACES: usize = 1 << 13;

fn allocated() -> MutexGuard<'static, [(usize, usize); PLACES]> {
    ALLOCATED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the first place of the table with `address`, searching from the hash of the address
/// `near`. Address 0 marks a free place. There are enough places for all allocations except those
/// for the backtrace of a panic.
fn place(
    places: &mut [(usize, usize)],
    near: usize,
    address: usize,
) -> Option<&mut (usize, usize)> {
    let mut all = (0..PLACES).map(|step| (near / 16 + step) % PLACES);
    let found = all.find(|&place| places[place].0 == address)?;
    Some(&mut places[found])
}

/// Counts the occurrences of the sought bytes in this memory, which must be allocated.
unsafe fn marks(address: usize, size: usize) -> usize {
    let (sought, length) = *SOUGHT.lock().unwrap_or_else(PoisonError::into_inner);
    // The bytes are read one by one, because another thread may be writing to this memory.
    let byte = |at| unsafe { ((address + at) as *const u8).read_volatile() };
    (0..(size + 1).saturating_sub(length))
        .filter(|start| length > 0 && (0..length).all(|i| byte(start + i) == sought[i]))
        .count()
}

unsafe impl GlobalAlloc for Watcher {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that bytes of an earlier allocation are not found here.
        let new = unsafe { System.alloc_zeroed(layout) };
        if let Some(free) = place(&mut *allocated(), new as usize, 0) {
            *free = (new as usize, layout.size());
        }
        new
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        let found = unsafe { marks(old as usize, layout.size()) };
        FREED.fetch_add(found, Ordering::SeqCst);
        if let Some(freed) = place(&mut *allocated(), old as usize, old as usize) {
            *freed = (0, 0);
        }
        unsafe { System.dealloc(old, layout) };
    }
}

/// Overwrites the stack below the caller. Stacks are not wiped, the system gives those of ended
/// threads to new ones, and padding in new allocations can be a copy of bytes of a stack.
#[inline(never)]
pub(crate) fn overwrite_stack() {
    std::hint::black_box([0_u8; 1 << 20]);
}

/// Waits until no other test runs. No test may start threads while another test is watched: the
/// system reuses the stacks of ended threads, and padding in new allocations copies bytes of a stack.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a test while no other test runs. Checks that the mark is not in memory before and after the
/// test, and not in the memory that the test frees.
pub(crate) fn watch(test: impl FnOnce()) {
    watch_for(&MARK, test);
}

/// Does the same as [`watch`] for the bytes `sought` instead of the mark.
pub(crate) fn watch_for(sought: &[u8], test: impl FnOnce()) {
    let _alone = alone();
    watch_alone(sought, test);
    overwrite_stack();
}

#[inline(never)]
fn watch_alone(sought: &[u8], test: impl FnOnce()) {
    let mut bytes = [0; 52];
    bytes[..sought.len()].copy_from_slice(sought);
    *SOUGHT.lock().unwrap_or_else(PoisonError::into_inner) = (bytes, sought.len());
    FREED.store(0, Ordering::SeqCst);
    assert_eq!(in_memory(), 0);
    test();
    assert_eq!(in_memory(), 0);
    assert_eq!(FREED.load(Ordering::SeqCst), 0, "freed but not wiped");
}

/// Counts the occurrences of the sought bytes in allocated memory.
pub(crate) fn in_memory() -> usize {
    let places = allocated();
    let used = places.iter().filter(|(address, _)| *address != 0);
    used.map(|&(address, size)| unsafe { marks(address, size) })
        .sum()
}

#[test]
fn watcher_finds_unwiped_bytes() {
    watch(|| {
        let plain = MARK.to_vec();
        assert_eq!(in_memory(), 1);
        drop(plain);
        assert_eq!(FREED.swap(0, Ordering::SeqCst), 1);
    });
}
