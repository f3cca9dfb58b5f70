//! A port of the router that leads to this machine, by the protocol of UPnP routers (Internet Gateway
//! Device, service WANIPConnection).
//!
//! Any machine in the local network can answer in place of the router. The worst result is an
//! invite with a wrong address. Nobody at that address has the host's key.

use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless_connection::identity::Address;
use igd_next::{Gateway, PortMappingProtocol, SearchOptions, search_gateway};

/// The lease of the port in seconds. It limits how long the port stays open after this program is killed.
const LEASE: u32 = 3600;
const RENEWAL: Duration = Duration::from_secs(LEASE as u64 / 2);
/// Timeout for a router to answer the search.
const SEARCH: Duration = Duration::from_secs(3);
/// Timeout for all answers of the router.
const ALL: Duration = Duration::from_secs(10);
/// Timeout for the router to release the port at the end.
const RELEASE: Duration = Duration::from_secs(2);
/// Description of the mapping, which the router shows.
const PURPOSE: &str = "dealerless";
const TCP: PortMappingProtocol = PortMappingProtocol::TCP;

/// A port of the router, released when dropped.
pub(super) struct PortMapping {
    external: SocketAddr,
    /// Dropped to release the port.
    renewing: Option<Sender<()>>,
    released: Receiver<()>,
}

impl PortMapping {
    /// Makes the router forward a port to `listener`, the same port if it is free.
    ///
    /// # Errors
    /// If nobody outside this machine can connect to `listener`, no router answers, it refuses, or it is
    /// behind another router.
    pub(super) fn open(listener: SocketAddr) -> anyhow::Result<Self> {
        let mut options = SearchOptions::default();
        options.timeout = Some(SEARCH);
        let (sender, opened) = channel();
        // If the router is too slow, the port is released in this thread, because nobody receives it.
        let open = move || _ = sender.send(Self::open_with(listener, options));
        thread::Builder::new()
            .name("port-mapping".into())
            .spawn(open)?;
        opened.recv_timeout(ALL).context("the router is too slow")?
    }

    fn open_with(listener: SocketAddr, options: SearchOptions) -> anyhow::Result<Self> {
        let gateway = search_gateway(options).context("no router answers (UPnP)")?;
        let local = if listener.ip().is_unspecified() {
            let socket = UdpSocket::bind("0.0.0.0:0")?;
            // On a UDP socket, `connect` sends nothing and selects the source address.
            socket.connect(gateway.addr)?;
            SocketAddr::new(socket.local_addr()?.ip(), listener.port())
        } else {
            listener
        };
        let ip = gateway
            .get_external_ip()
            .context("the router answers without its address")?;
        let is_public = !Address::from(SocketAddr::new(ip, 0)).is_private();
        ensure!(
            is_public && !ip.is_unspecified() && !ip.is_multicast(),
            "the router has the address {ip}: it is behind another router, or not connected"
        );
        let same = gateway.add_port(TCP, local.port(), local, LEASE, PURPOSE);
        let port = match same {
            Ok(()) => local.port(),
            Err(_) => gateway
                .add_any_port(TCP, local, LEASE, PURPOSE)
                .context("the router refuses to forward a port")?,
        };
        let external = SocketAddr::new(ip, port);
        let (renewing, end) = channel();
        let (release, released) = channel();
        let renew = move || {
            renew(&gateway, port, local, &end);
            drop(release);
        };
        thread::Builder::new()
            .name("port-mapping".into())
            .spawn(renew)?;
        Ok(PortMapping {
            external,
            renewing: Some(renewing),
            released,
        })
    }

    /// The address of the port for players outside the network.
    pub(super) fn address(&self) -> Address {
        self.external.into()
    }
}

/// Renews the port until `end` is closed, then releases it.
fn renew(gateway: &Gateway, port: u16, local: SocketAddr, end: &Receiver<()>) {
    while end.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
        // A router that fails now may answer the next time.
        let _ = gateway.add_port(TCP, port, local, LEASE, PURPOSE);
    }
    // If this fails, the lease ends the forwarding.
    let _ = gateway.remove_port(TCP, port);
}

impl Drop for PortMapping {
    fn drop(&mut self) {
        self.renewing = None;
        // An error means that the port is released.
        let _ = self.released.recv_timeout(RELEASE);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const SERVICE: &str = "urn:schemas-upnp-org:service:WANIPConnection:1";

    /// Starts a router with this external address. It refuses a mapping if `refuses` returns true for the
    /// body of the request. Reports each action and the body of its request.
    fn router(
        external: &'static str,
        refuses: fn(&str) -> bool,
    ) -> (SearchOptions, Receiver<(String, String)>) {
        let search = UdpSocket::bind("127.0.0.1:0").unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut options = SearchOptions::default();
        options.bind_addr = "127.0.0.1:0".parse().unwrap();
        options.broadcast_address = search.local_addr().unwrap();
        options.timeout = Some(SEARCH);
        options.allowed_gateway_ips = vec![[127, 0, 0, 1].into()];
        let root = format!("http://{}/root.xml", server.local_addr().unwrap());
        thread::spawn(move || {
            let mut bytes = [0; 1500];
            while let Ok((_, from)) = search.recv_from(&mut bytes) {
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nST: {SERVICE}\r\nUSN: uuid:1\r\nLOCATION: {root}\r\n\r\n"
                );
                let _ = search.send_to(answer.as_bytes(), from);
            }
        });
        let (actions, done) = channel();
        thread::spawn(move || {
            for stream in server.incoming() {
                let Some(report) = serve(stream.unwrap(), external, refuses) else {
                    continue;
                };
                if actions.send(report).is_err() {
                    return;
                }
            }
        });
        (options, done)
    }

    /// Answers one request. Returns the action and the body.
    fn serve(
        mut stream: TcpStream,
        external: &str,
        refuses: fn(&str) -> bool,
    ) -> Option<(String, String)> {
        let mut request = String::new();
        let head = loop {
            let mut bytes = [0; 4096];
            let len = stream.read(&mut bytes).ok().filter(|len| *len > 0)?;
            request.push_str(std::str::from_utf8(&bytes[..len]).ok()?);
            if let Some((head, body)) = request.split_once("\r\n\r\n") {
                let lower = head.to_lowercase();
                let length = lower.split("content-length: ").nth(1);
                let length = length.and_then(|rest| rest.lines().next()?.trim().parse().ok());
                if body.len() >= length.unwrap_or(0) {
                    break head.to_owned();
                }
            }
        };
        let body = request.split_once("\r\n\r\n")?.1.to_owned();
        let action = head
            .split_once('#')
            .map(|(_, rest)| rest.split('"').next().unwrap_or(""));
        let argument = |name: &str| {
            format!("<argument><name>{name}</name><direction>in</direction></argument>")
        };
        let (status, answer) = match action {
            None if head.starts_with("GET /root.xml") => (200, format!(
                "<root><device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType>\
                 <deviceList><device><deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType>\
                 <deviceList><device><deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType>\
                 <serviceList><service><serviceType>{SERVICE}</serviceType><controlURL>/control</controlURL>\
                 <SCPDURL>/service.xml</SCPDURL></service></serviceList></device></deviceList></device>\
                 </deviceList></device></root>"
            )),
            None => {
                let add: String = [
                    "NewRemoteHost", "NewExternalPort", "NewProtocol", "NewInternalPort",
                    "NewInternalClient", "NewEnabled", "NewPortMappingDescription", "NewLeaseDuration",
                ].map(argument).concat();
                let delete = ["NewRemoteHost", "NewExternalPort", "NewProtocol"].map(argument).concat();
                (200, format!(
                    "<scpd><actionList><action><name>AddPortMapping</name><argumentList>{add}</argumentList></action>\
                     <action><name>DeletePortMapping</name><argumentList>{delete}</argumentList></action>\
                     <action><name>GetExternalIPAddress</name><argumentList></argumentList></action></actionList></scpd>"
                ))
            }
            Some("AddPortMapping") if refuses(&body) => (500, "<s:Envelope><s:Body><s:Fault><detail><UPnPError>\
                 <errorCode>718</errorCode><errorDescription>ConflictInMappingEntry</errorDescription></UPnPError>\
                 </detail></s:Fault></s:Body></s:Envelope>".into()),
            Some(action) => (200, format!(
                "<s:Envelope><s:Body><u:{action}Response xmlns:u=\"{SERVICE}\"><NewExternalIPAddress>{external}\
                 </NewExternalIPAddress></u:{action}Response></s:Body></s:Envelope>"
            )),
        };
        let answer = answer.replace(
            "<s:Envelope>",
            "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">",
        );
        let head = format!(
            "HTTP/1.1 {status} OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).ok()?;
        action.map(|action| (action.to_owned(), body))
    }

    fn listener() -> SocketAddr {
        "127.0.0.1:5252".parse().unwrap()
    }

    /// The next action of this name.
    fn next(done: &Receiver<(String, String)>, name: &str) -> String {
        loop {
            let (action, body) = done.recv_timeout(Duration::from_secs(60)).unwrap();
            if action == name {
                return body;
            }
        }
    }

    #[test]
    fn the_same_port_is_forwarded_for_an_hour_and_released_at_the_end() {
        let (options, done) = router("198.51.100.7", |_| false);
        let mapping = PortMapping::open_with(listener(), options).unwrap();
        assert_eq!(mapping.address().to_string(), "198.51.100.7:5252");
        let body = next(&done, "AddPortMapping");
        for field in [
            "<NewExternalPort>5252<",
            "<NewInternalClient>127.0.0.1<",
            "<NewInternalPort>5252<",
            "<NewProtocol>TCP<",
            "<NewLeaseDuration>3600<",
        ] {
            assert!(body.contains(field), "{body}");
        }
        drop(mapping);
        assert!(next(&done, "DeletePortMapping").contains("<NewExternalPort>5252<"));
    }

    #[test]
    fn another_port_is_forwarded_if_the_same_is_not_free() {
        let refuses = |body: &str| body.contains("<NewExternalPort>5252<");
        let (options, done) = router("198.51.100.7", refuses);
        let mapping = PortMapping::open_with(listener(), options).unwrap();
        let address = mapping.address().to_string();
        assert!(
            address.starts_with("198.51.100.7:") && !address.ends_with(":5252"),
            "{address}"
        );
        drop(mapping);
        let port = address.split(':').next_back().unwrap();
        let released = next(&done, "DeletePortMapping");
        assert!(
            released.contains(&format!("<NewExternalPort>{port}<")),
            "{released}"
        );
    }

    #[test]
    fn router_behind_another_router_a_refusal_and_silence_are_errors() {
        let error = |options| {
            format!(
                "{:#}",
                PortMapping::open_with(listener(), options).err().unwrap()
            )
        };
        for external in ["192.168.1.9", "100.64.0.1", "0.0.0.0"] {
            let (options, done) = router(external, |_| false);
            assert!(error(options).contains("behind another router"));
            let (asked, _) = done.recv_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(asked, "GetExternalIPAddress");
            assert!(done.try_recv().is_err());
        }
        let (options, _done) = router("198.51.100.7", |_| true);
        assert!(error(options).contains("refuses"));
        let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut options = SearchOptions::default();
        options.bind_addr = "127.0.0.1:0".parse().unwrap();
        options.broadcast_address = silent.local_addr().unwrap();
        options.timeout = Some(Duration::from_millis(50));
        assert!(error(options).contains("no router answers"));
    }
}
