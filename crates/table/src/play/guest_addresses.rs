//! The addresses at which the guests of a match reach each other.

use dealerless_connection::identity::Address;
use dealerless_connection::wire::{Malformed, Reader, Writer};

/// The addresses at which the other guests of a match may reach a guest, the preferred ones first.
/// Nobody has verified that they belong to the guest: a false address only leads to a failed
/// handshake. They are IP addresses, so nobody makes another player look up a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuestAddresses(Vec<Address>);

impl GuestAddresses {
    /// The maximum number of addresses of a guest.
    pub const MAX: usize = 8;

    /// The first [`MAX`](Self::MAX) of these addresses. Names are left out.
    pub fn new(addresses: impl IntoIterator<Item = Address>) -> Self {
        let addresses = addresses.into_iter().filter(Address::is_ip);
        GuestAddresses(addresses.take(Self::MAX).collect())
    }

    /// The addresses.
    pub fn as_slice(&self) -> &[Address] {
        &self.0
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u8(self.0.len() as u8);
        self.0.iter().for_each(|address| address.write(writer));
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let count = usize::from(reader.u8()?);
        if count > Self::MAX {
            return Err(Malformed);
        }
        let addresses = (0..count).map(|_| Address::read(reader));
        let addresses = addresses.collect::<Result<Vec<_>, _>>()?;
        match addresses.iter().all(Address::is_ip) {
            true => Ok(GuestAddresses(addresses)),
            false => Err(Malformed),
        }
    }
}
