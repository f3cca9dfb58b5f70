//! Where secrets come from, and where they become public.

use std::convert::Infallible;
use std::time::Duration;

use dealerless::net::{MemoryTransport, Result, Transport};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use rand::{Rng, TryCryptoRng, TryRng};

use crate::memcheck::{make_public, make_secret};

/// The operating system's generator.
pub(crate) fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// The operating system's generator, of which every bit is secret. All secrets of a party are made
/// from what it draws.
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

/// A line on which everything is public.
pub(crate) struct PublicLine(pub(crate) MemoryTransport);

impl Transport for PublicLine {
    fn send(&mut self, mut bytes: Vec<u8>) -> Result<()> {
        make_public(&mut bytes);
        self.0.send(bytes)
    }

    fn drain(&mut self, max_unsent: usize) -> Result<()> {
        self.0.drain(max_unsent)
    }

    fn recv(&mut self, buf: &mut [u8]) -> Result<usize> {
        self.0.recv(buf)
    }

    fn begin_phase(&mut self, name: &'static str, limit: Duration) {
        self.0.begin_phase(name, limit);
    }

    fn begin_message(&mut self, limit: Duration) {
        self.0.begin_message(limit);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
