//! The sources of secrets, and the point where data becomes public.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use dealerless::net::{MemoryTransport, Transport};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use rand::{Rng, TryCryptoRng, TryRng};

use crate::memcheck::{make_public, make_secret};

/// The random generator of the operating system.
pub(crate) fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// The random generator of the operating system, with every bit marked as secret. All secrets of a
/// party are derived from the output of this generator.
pub(crate) struct SecretRng;

impl TryRng for SecretRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut word = [system_rng().next_u32()];
        make_secret(&mut word);
        Ok(word[0])
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut word = [system_rng().next_u64()];
        make_secret(&mut word);
        Ok(word[0])
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        system_rng().fill_bytes(bytes);
        make_secret(bytes);
        Ok(())
    }
}

impl TryCryptoRng for SecretRng {}

/// A connection that marks everything sent over it as public.
pub(crate) struct PublicConnection(pub(crate) MemoryTransport);

impl Transport for PublicConnection {
    fn send(&mut self, mut bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        make_public(&mut bytes);
        self.0.send(bytes, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.0.drain(max_unsent, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        self.0.recv(buf, within)
    }

    fn close(&mut self, within: Duration) {
        self.0.close(within);
    }
}
