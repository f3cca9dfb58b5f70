//! A proxy that reads a connection message by message, and can change messages or cut the
//! connection.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::identity::Address;
use dealerless::testing::table_frame::frame;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Guest,
    Host,
}

/// The treatment of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    /// Forwards the message, and then cuts the connection.
    Last,
    /// Drops the message and all later ones in this direction.
    Hole,
}

/// Decides the fate of a message, and can change its bytes. The parameters are its sender, its
/// number and its bytes. Each sender's messages are numbered from 0; its prelude and first Noise
/// message count as one.
pub type Judge = Arc<Mutex<dyn FnMut(From, usize, &mut Vec<u8>) -> Fate + Send>>;

pub fn judge(judge: impl FnMut(From, usize, &mut Vec<u8>) -> Fate + Send + 'static) -> Judge {
    Arc::new(Mutex::new(judge))
}

/// Starts a proxy to `target` for one connection. Returns the proxy's address.
pub fn proxy(target: SocketAddr, judge: Judge) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let guest = listener.accept().unwrap().0;
        drop(listener);
        let host = TcpStream::connect(target).unwrap();
        for stream in [&guest, &host] {
            stream.set_nodelay(true).unwrap();
        }
        let [guest_too, host_too] = [&guest, &host].map(|stream| stream.try_clone().unwrap());
        let judge_too = Arc::clone(&judge);
        let back = thread::spawn(move || carry(From::Host, host_too, guest_too, &judge_too));
        carry(From::Guest, guest, host, &judge);
        back.join().unwrap();
    });
    address.into()
}

fn carry(from: From, mut source: TcpStream, mut sink: TcpStream, judge: &Judge) {
    let mut hole = false;
    for number in 0.. {
        let Some(mut message) = frame(&mut source, from == From::Guest && number == 0) else {
            break;
        };
        let fate = (judge.lock().unwrap())(from, number, &mut message);
        hole |= fate == Fate::Hole;
        if !hole && sink.write_all(&message).is_err() || fate == Fate::Last {
            break;
        }
    }
    // Gives the receiver time to read the forwarded data.
    thread::sleep(Duration::from_millis(20));
    for stream in [source, sink] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
