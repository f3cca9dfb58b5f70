//! Requests to valgrind's memcheck: marking bytes as undefined (secret) or defined (public), and
//! asking which bytes are undefined.
//!
//! A request is a sequence of instructions that has no effect on a processor (see "Client Requests"
//! in valgrind's `valgrind.h` and `memcheck.h`, which define these numbers).

use std::arch::asm;
use std::mem::size_of_val;

const RUNNING_ON_VALGRIND: usize = 0x1001;
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;
const GET_VBITS: usize = 0x4d43_0008;

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the requests to valgrind are written for x86-64");

/// Sends a request to valgrind. Without valgrind, the answer is 0.
///
/// # Safety
/// The arguments must be valid for the request.
unsafe fn request(request: usize, arguments: [usize; 3]) -> usize {
    let [first, second, third] = arguments;
    let question = [request, first, second, third, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to 128 bits and leave the register unchanged. Valgrind reads the
    // question, writes the answer, and does what the request defines.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &raw const question,
            inout("rdx") answer,
        );
    }
    answer
}

/// Whether the program runs under valgrind.
pub(crate) fn is_watching() -> bool {
    // SAFETY: the request has no arguments.
    unsafe { request(RUNNING_ON_VALGRIND, [0; 3]) != 0 }
}

/// Marks memory as secret: valgrind reports a branch or an address that depends on the memory.
pub(crate) fn make_secret<V: Copy>(values: &mut [V]) {
    let place = values.as_mut_ptr() as usize;
    // SAFETY: the bytes belong to the slice and are not changed.
    unsafe { request(MAKE_MEM_UNDEFINED, [place, size_of_val(values), 0]) };
}

/// Marks memory as public.
pub(crate) fn make_public<V: Copy>(values: &mut [V]) {
    let place = values.as_mut_ptr() as usize;
    // SAFETY: the bytes belong to the slice and are not changed.
    unsafe { request(MAKE_MEM_DEFINED, [place, size_of_val(values), 0]) };
}

/// Whether any bit of these values is secret.
pub(crate) fn is_secret<V: Copy>(values: &[V]) -> bool {
    let mut undefined = vec![0u8; size_of_val(values)];
    let places = [values.as_ptr() as usize, undefined.as_mut_ptr() as usize];
    // SAFETY: the request writes exactly `undefined.len()` bytes.
    unsafe { request(GET_VBITS, [places[0], places[1], undefined.len()]) };
    undefined.iter().any(|bits| *bits != 0)
}
