//! Options of sockets and of the process.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

/// The size of the buffers of a socket in the kernel. It bounds the memory that a client can fill
/// by not reading, and is enough for 10 Mbit/s over a round trip of 50 ms. Linux doubles it, for what
/// it stores beside the bytes.
const KERNEL_BUFFER: usize = 64 << 10;
/// The maximum number of bytes in the kernel that were not sent yet, up to one write. A client that
/// does not read keeps only these there, and those in flight do not count.
#[cfg(any(target_os = "android", target_os = "linux"))]
const NOT_SENT: u32 = 8 << 10;
/// The maximum number of connections that the kernel keeps until the relay accepts them.
const BACKLOG: i32 = 4096;

/// Listens on an address. `[::]` also accepts IPv4, and only IPv4 on a system without IPv6.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let is_any = address.ip() == Ipv6Addr::UNSPECIFIED;
    match listen_on(address) {
        Err(error) if is_any && error.kind() != ErrorKind::AddrInUse => {
            let any = (Ipv4Addr::UNSPECIFIED, address.port()).into();
            listen_on(any).map_err(|_| error)
        }
        done => done,
    }
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(!address.ip().is_unspecified())?;
    }
    // On Windows the option would let another program take the port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    // Accepted sockets inherit the sizes.
    socket.set_recv_buffer_size(KERNEL_BUFFER)?;
    socket.set_send_buffer_size(KERNEL_BUFFER)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// Sets the options of an accepted connection. It ends if its client takes nothing for the time
/// `unread` while bytes wait in the kernel, as far as the system has such a limit.
pub(crate) fn prepare(
    socket: &mio::net::TcpStream,
    #[cfg_attr(
        not(any(target_os = "android", target_os = "linux")),
        expect(unused_variables)
    )]
    unread: Duration,
) -> io::Result<()> {
    // Without this, the kernel holds back small messages for up to 40 ms.
    socket.set_nodelay(true)?;
    // The kernel probes a quiet connection after 30 s, then every 10 s, 4 times.
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10));
    #[cfg(not(windows))]
    let keepalive = keepalive.with_retries(4);
    let socket = SockRef::from(socket);
    #[cfg(any(target_os = "android", target_os = "linux"))]
    {
        socket.set_tcp_notsent_lowat(NOT_SENT)?;
        socket.set_tcp_user_timeout(Some(unread))?;
    }
    socket.set_tcp_keepalive(&keepalive)
}

/// Raises the limit of open files as far as `files` needs it and the system permits, and returns
/// the number that can be opened.
#[cfg(unix)]
pub(crate) fn allow_open_files(files: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = files as u64;
    let possible = limit.maximum.map_or(wanted, |most| most.min(wanted));
    if limit.current.is_some_and(|current| current < possible) {
        let before = limit.current;
        limit.current = Some(possible);
        if setrlimit(Resource::Nofile, limit).is_err() {
            limit.current = before;
        }
    }
    let current = limit.current.unwrap_or(wanted).min(wanted);
    usize::try_from(current).unwrap_or(files)
}

#[cfg(not(unix))]
pub(crate) fn allow_open_files(files: usize) -> usize {
    files
}
