//! Measures a relay on this machine, as docs/measurements.md shows it: its memory, the time that it
//! adds to a round trip, and the round trips of a pair during attacks. `cargo run --release -p dealerless-relay --features internals --example
//! measure`; Linux only. It asserts no times.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dealerless_relay::internals::allow_open_files;
use dealerless_relay::{Relay, Settings};
use socket2::{Domain, Socket, Type};
use tungstenite::{Message, WebSocket};

type Outcome<T> = Result<T, Box<dyn Error>>;

const ROOMS: usize = 1000;
const SILENT: usize = 10_000;
const ROUND_TRIPS: usize = 20_000;

fn main() -> Outcome<()> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve();
    }
    allow_open_files(SILENT + 2 * ROOMS + 100);
    alone()?;
    rooms()?;
    blocked()?;
    silent()?;
    floods()
}

/// The process of the relay.
fn serve() -> Outcome<()> {
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let relay = Relay::listen(&[address], Settings::default())?;
    println!("{}", relay.addresses()[0]);
    Ok(relay.run()?)
}

struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start() -> Outcome<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let address = line.trim().parse()?;
        Ok(Server { child, address })
    }

    /// The present and the greatest memory of the process (resident set), in MB.
    fn memory(&self) -> Outcome<String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let mb = |field: &str| -> Outcome<f64> {
            let line = status.lines().find(|line| line.starts_with(field));
            let number = line.and_then(|line| line.split_whitespace().nth(1));
            Ok(number.ok_or("no such field")?.parse::<f64>()? * 1024.0 / 1e6)
        };
        let [now, most] = [mb("VmRSS:")?, mb("VmHWM:")?];
        Ok(format!("{now:.1} MB, at most {most:.1} MB"))
    }

    /// A connection from one of 127.0.0.1 to 127.0.0.100.
    fn connect(&self, number: usize) -> Outcome<TcpStream> {
        self.connect_from(u8::try_from(1 + number % 100)?)
    }

    fn connect_from(&self, last: u8) -> Outcome<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        let from = SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), 0));
        socket.bind(&from.into())?;
        socket.connect(&self.address.into())?;
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(stream)
    }

    fn pair(&self, room: usize) -> Outcome<[TcpStream; 2]> {
        self.joined(room, [self.connect(room)?, self.connect(room)?])
    }

    fn joined(&self, room: usize, mut pair: [TcpStream; 2]) -> Outcome<[TcpStream; 2]> {
        for (end, side) in pair.iter_mut().zip([1, 2]) {
            end.write_all(line(room, side).as_bytes())?;
        }
        for end in &mut pair {
            let mut answer = [0; 3];
            end.read_exact(&mut answer)?;
            assert_eq!(&answer, b"ok\n");
        }
        Ok(pair)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(room: usize, side: u8) -> String {
    format!("please relay {room:064x} for side {side:016x}\n")
}

/// Sends 64 bytes there and back [`ROUND_TRIPS`] times, and reports the times.
fn round_trips(name: &str, [here, there]: &mut [TcpStream; 2]) -> Outcome<()> {
    let mut times = Vec::new();
    thread::scope(|scope| -> Outcome<()> {
        scope.spawn(|| {
            let mut bytes = [0; 64];
            for _ in 0..ROUND_TRIPS {
                let answered = there.read_exact(&mut bytes);
                answered
                    .and_then(|()| there.write_all(&bytes))
                    .expect("a round trip");
            }
        });
        for _ in 0..ROUND_TRIPS {
            let begun = Instant::now();
            here.write_all(&[1; 64])?;
            here.read_exact(&mut [0; 64])?;
            times.push(begun.elapsed());
        }
        Ok(())
    })?;
    report(name, &mut times);
    Ok(())
}

fn report(name: &str, times: &mut [Duration]) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let (median, most) = (at(50), at(100));
    println!(
        "round trip, {name}: median {median:?}, 99 % {:?}, at most {most:?}",
        at(99)
    );
}

/// A pair without a relay, at a relay, and from a WebSocket.
fn alone() -> Outcome<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let here = TcpStream::connect(listener.local_addr()?)?;
    let there = listener.accept()?.0;
    here.set_nodelay(true)?;
    there.set_nodelay(true)?;
    round_trips("without a relay", &mut [here, there])?;
    let server = Server::start()?;
    println!("relay without connections: {}", server.memory()?);
    round_trips("relay", &mut server.pair(0)?)?;
    let mut page = page(&server, ROOMS, 1)?;
    let mut program = server.connect(0)?;
    program.write_all(line(ROOMS, 2).as_bytes())?;
    program.read_exact(&mut [0; 3])?;
    page.read()?;
    let mut times = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let begun = Instant::now();
        page.send(Message::binary(vec![1; 64]))?;
        program.read_exact(&mut [0; 64])?;
        program.write_all(&[1; 64])?;
        page.read()?;
        times.push(begun.elapsed());
    }
    report("relay, from a WebSocket", &mut times);
    Ok(())
}

fn page(server: &Server, room: usize, side: u8) -> Outcome<WebSocket<TcpStream>> {
    let url = format!("ws://{}/", server.address);
    let (mut page, _) = tungstenite::client(url, server.connect(room)?)?;
    page.send(Message::binary(line(room, side).into_bytes()))?;
    Ok(page)
}

/// A pair beside quiet rooms, and then beside busy ones.
fn rooms() -> Outcome<()> {
    let server = Server::start()?;
    let mut pairs = (0..ROOMS)
        .map(|room| server.pair(room))
        .collect::<Outcome<Vec<_>>>()?;
    println!("{ROOMS} rooms, quiet: {}", server.memory()?);
    let mut measured = server.pair(ROOMS)?;
    round_trips("beside quiet rooms", &mut measured)?;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| -> Outcome<()> {
        let traffic = scope.spawn(|| {
            let mut sent = 0_u64;
            while !is_over.load(Ordering::Relaxed) {
                for [one, other] in &mut pairs {
                    let sending = one.write_all(&[1; 4096]);
                    sending
                        .and_then(|()| other.write_all(&[2; 4096]))
                        .expect("sent");
                }
                for [one, other] in &mut pairs {
                    let reading = one.read_exact(&mut [0; 4096]);
                    reading
                        .and_then(|()| other.read_exact(&mut [0; 4096]))
                        .expect("received");
                    sent += 8192;
                }
            }
            sent
        });
        let begun = Instant::now();
        let measured = round_trips("beside 1000 busy rooms", &mut measured);
        thread::sleep(Duration::from_secs(5).saturating_sub(begun.elapsed()));
        is_over.store(true, Ordering::Relaxed);
        let sent = traffic.join().map_err(|_| "the traffic ended")?;
        let rate = sent as f64 / 1e6 / begun.elapsed().as_secs_f64();
        println!("{ROOMS} rooms, {rate:.0} MB/s: {}", server.memory()?);
        measured
    })
}

/// In all rooms, both sides send and do not read.
fn blocked() -> Outcome<()> {
    let server = Server::start()?;
    let mut pairs = (0..ROOMS)
        .map(|room| server.pair(room))
        .collect::<Outcome<Vec<_>>>()?;
    for end in pairs.iter_mut().flatten() {
        end.set_nonblocking(true)?;
    }
    for _ in 0..300 {
        for end in pairs.iter_mut().flatten() {
            // An error means that the socket takes no more.
            let _ = end.write(&[1; 65_536]);
        }
    }
    println!("{ROOMS} rooms, nobody reads: {}", server.memory()?);
    Ok(())
}

/// Silent connections of 100 addresses, and two clients that speak.
fn silent() -> Outcome<()> {
    let server = Server::start()?;
    let begun = Instant::now();
    let silent = (0..SILENT)
        .map(|number| server.connect(number))
        .collect::<Outcome<Vec<_>>>()?;
    let opened = begun.elapsed();
    let speaking = Instant::now();
    let mut pair = server.pair(0)?;
    let joined = speaking.elapsed();
    let mut open = 0;
    for connection in &silent {
        connection.set_nonblocking(true)?;
        open += usize::from(connection.peek(&mut [0]).is_err());
    }
    println!(
        "{open} of {SILENT} silent connections are open, which took {opened:?}: {}; two clients \
         are joined in {joined:?}",
        server.memory()?
    );
    round_trips("beside silent connections", &mut pair)
}

/// An honest pair, while attackers of other addresses do one thing as fast as one thread can.
fn floods() -> Outcome<()> {
    /// One step of an attack. `usize` counts the steps, `Vec` holds connections that stay open.
    type Attack = fn(&Server, usize, &mut Vec<TcpStream>) -> Outcome<()>;
    let attacks: [(&str, Attack); 7] = [
        ("nothing", |_, _, _| {
            thread::sleep(Duration::from_millis(1));
            Ok(())
        }),
        ("connections that open and close", |server, step, _| {
            server.connect(step).map(drop)
        }),
        ("silent connections", |server, step, open| {
            keep(open, server.connect(step)?, step)
        }),
        (
            "HTTP heads of 8 KiB without an end",
            |server, step, open| {
                let mut stream = server.connect(step)?;
                stream.write_all(b"GET / HTTP/1.1\r\nX: ")?;
                stream.write_all(&[b'x'; 8000])?;
                keep(open, stream, step)
            },
        ),
        ("codes", |server, step, open| {
            let mut stream = server.connect(step)?;
            stream.write_all(format!("please open a code as {step:032x}\n").as_bytes())?;
            keep(open, stream, step)
        }),
        (
            "unread data in the rooms of four addresses",
            |server, step, open| {
                // Two connections for each of 126 rooms, from four addresses.
                if open.len() < 4 * 2 * 126 {
                    let from = 1 + u8::try_from(step % 4)?;
                    let pair = [server.connect_from(from)?, server.connect_from(from)?];
                    let pair = server.joined(step, pair)?;
                    for end in &pair {
                        end.set_nonblocking(true)?;
                    }
                    open.extend(pair);
                }
                for end in open {
                    // An error means that the socket takes no more, or that the room has ended.
                    let _ = end.write(&[1; 65_536]);
                }
                Ok(())
            },
        ),
        ("WebSocket frames of one byte", |server, step, open| {
            if open.is_empty() {
                let page = page(server, step, 1)?;
                let mut reader = server.connect(step)?;
                reader.write_all(line(step, 2).as_bytes())?;
                let mut other = reader.try_clone()?;
                thread::spawn(move || io::copy(&mut other, &mut io::sink()));
                open.extend([page.get_ref().try_clone()?, reader]);
            }
            // A masked binary frame of one byte, with a mask of zeros.
            Ok(open[0].write_all(&[0x82, 0x81, 0, 0, 0, 0, 1].repeat(1000))?)
        }),
    ];
    for (name, attack) in attacks {
        let server = Server::start()?;
        let honest = [server.connect_from(200)?, server.connect_from(201)?];
        let mut honest = server.joined(usize::MAX, honest)?;
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| -> Outcome<()> {
            let attacker = scope.spawn(|| {
                let (mut open, mut refused) = (Vec::new(), 0);
                let steps = (0..).take_while(|_| !is_over.load(Ordering::Relaxed));
                let steps = steps.inspect(|step| {
                    refused += usize::from(attack(&server, *step, &mut open).is_err());
                });
                (steps.count(), refused)
            });
            thread::sleep(Duration::from_secs(2));
            let measured = round_trips(&format!("during {name}"), &mut honest);
            is_over.store(true, Ordering::Relaxed);
            let (steps, refused) = attacker.join().map_err(|_| "the attacker ended")?;
            println!(
                "  {steps} steps, {refused} with an error; {}",
                server.memory()?
            );
            measured
        })?;
    }
    Ok(())
}

/// The number of connections that an attack keeps open.
const KEPT: usize = 5000;

/// Keeps the newest connections.
fn keep(open: &mut Vec<TcpStream>, stream: TcpStream, step: usize) -> Outcome<()> {
    if open.len() < KEPT {
        open.push(stream);
    } else {
        open[step % KEPT] = stream;
    }
    Ok(())
}
