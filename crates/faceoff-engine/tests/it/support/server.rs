//! A server that follows a script and remembers what it saw.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};

use super::peer::{Peer, Session, Tls};

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The connection, counted from 0 in the order of accepting.
    pub(crate) connection: u32,
    /// Which request of its connection, from 0.
    pub(crate) number: u32,
    /// Request line and header fields.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn method(&self) -> &str {
        self.head.split(' ').next().unwrap()
    }

    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (field, value) = line.split_once(": ")?;
            field.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// What the server does with a connection after its script has dealt with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Reads the next request.
    GoOn,
    /// Closes it, with TLS after saying so.
    Close,
    /// Closes it without saying so.
    Cut,
    /// Resets it.
    Reset,
    /// Says nothing more and waits until the other side closes.
    StaySilent,
    /// Closes everything, the listening socket first.
    Die,
}

type Script = dyn Fn(&Seen, &mut Peer) -> io::Result<Then> + Send + Sync;

pub(crate) struct Server {
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    address: SocketAddr,
    script: Box<Script>,
    /// Whether the script wants the body to be read first.
    reads_bodies: bool,
    tls: Option<Tls>,
    over: AtomicBool,
    accepted: AtomicU32,
    seen: Mutex<Vec<Seen>>,
    sessions: Mutex<Vec<Session>>,
    farewells: AtomicU32,
}

impl Server {
    /// A server that calls `script` for each whole request.
    pub(crate) fn start(
        script: impl Fn(&Seen, &mut Peer) -> io::Result<Then> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Box::new(script), true, None)
    }

    /// A server that calls `script` for each head and leaves the body unread.
    pub(crate) fn start_hasty(
        script: impl Fn(&Seen, &mut Peer) -> io::Result<Then> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Box::new(script), false, None)
    }

    /// A server that speaks TLS and calls `script` for each whole request.
    pub(crate) fn start_tls(
        tls: Tls,
        script: impl Fn(&Seen, &mut Peer) -> io::Result<Then> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Box::new(script), true, Some(tls))
    }

    /// A server that speaks TLS, always gives the same bytes, and then does the same.
    pub(crate) fn saying_by_tls(tls: Tls, bytes: impl Into<Vec<u8>>, then: Then) -> Self {
        let bytes = bytes.into();
        Self::start_tls(tls, move |_, stream| {
            stream.write_all(&bytes)?;
            Ok(then)
        })
    }

    /// A server that always gives the same bytes and goes on.
    pub(crate) fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        Self::saying_then(bytes, Then::GoOn)
    }

    /// A server that always gives the same bytes, and then does the same.
    pub(crate) fn saying_then(bytes: impl Into<Vec<u8>>, then: Then) -> Self {
        let bytes = bytes.into();
        Self::start(move |_, stream| {
            stream.write_all(&bytes)?;
            Ok(then)
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// How many connections were made to it.
    pub(crate) fn accepted(&self) -> u32 {
        self.shared.accepted.load(Ordering::SeqCst)
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// All TLS sessions whose handshake was completed so far.
    pub(crate) fn sessions(&self) -> Vec<Session> {
        self.shared.sessions.lock().unwrap().clone()
    }

    /// How often the other side has closed a connection, with TLS after saying so.
    pub(crate) fn farewells(&self) -> u32 {
        self.shared.farewells.load(Ordering::SeqCst)
    }

    fn listen(script: Box<Script>, reads_bodies: bool, tls: Option<Tls>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let shared = Arc::new(Shared {
            address: listener.local_addr().unwrap(),
            script,
            reads_bodies,
            tls,
            over: AtomicBool::new(false),
            accepted: AtomicU32::new(0),
            seen: Mutex::new(Vec::new()),
            sessions: Mutex::new(Vec::new()),
            farewells: AtomicU32::new(0),
        });
        let acceptor = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self {
            shared,
            acceptor: Some(acceptor),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.end();
        if let Some(acceptor) = self.acceptor.take() {
            let outcome = acceptor.join();
            assert!(
                outcome.is_ok() || thread::panicking(),
                "the server panicked"
            );
        }
    }
}

impl Shared {
    fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the acceptor; nobody is there if it has gone already.
        let _ = TcpStream::connect(self.address);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads = Vec::new();
    for stream in listener.incoming() {
        if shared.is_over() {
            break;
        }
        let connection = shared.accepted.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            // An error here is the other side having gone, which is its right.
            let _ = stream.and_then(|stream| serve(stream, connection, &shared));
        }));
    }
    for thread in threads {
        assert!(thread.join().is_ok() || thread::panicking());
    }
}

fn serve(stream: TcpStream, connection: u32, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = match &shared.tls {
        None => Peer::Plain(stream),
        Some(tls) => {
            let (peer, session) = tls.accept(stream)?;
            shared.sessions.lock().unwrap().push(session);
            peer
        }
    };
    let mut unread = Vec::new();
    for number in 0.. {
        let Some(seen) = read_request(
            &mut stream,
            &mut unread,
            connection,
            number,
            shared.reads_bodies,
        )?
        else {
            shared.farewells.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        };
        if shared.is_over() {
            return Ok(());
        }
        shared.seen.lock().unwrap().push(seen.clone());
        match (shared.script)(&seen, &mut stream)? {
            Then::GoOn => {}
            Then::Close => return stream.take_leave(),
            Then::Cut => return Ok(()),
            Then::Reset => {
                set_socket_linger(stream.socket(), Some(Duration::ZERO))?;
                return Ok(());
            }
            Then::StaySilent => {
                io::copy(&mut stream, &mut io::sink())?;
                return Ok(());
            }
            Then::Die => {
                shared.end();
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The next request, or nothing when the other side has closed.
fn read_request(
    stream: &mut Peer,
    unread: &mut Vec<u8>,
    connection: u32,
    number: u32,
    whole: bool,
) -> io::Result<Option<Seen>> {
    let head_length = loop {
        if let Some(at) = unread.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at + 4;
        }
        if !read_more(stream, unread)? {
            return Ok(None);
        }
    };
    let head = String::from_utf8(unread.drain(..head_length).collect()).unwrap();
    let mut seen = Seen {
        connection,
        number,
        head,
        body: Vec::new(),
    };
    if whole {
        let length = seen
            .field("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while unread.len() < length {
            if !read_more(stream, unread)? {
                return Ok(None);
            }
        }
        seen.body = unread.drain(..length).collect();
    }
    Ok(Some(seen))
}

fn read_more(stream: &mut Peer, unread: &mut Vec<u8>) -> io::Result<bool> {
    let mut bytes = [0; 16 * 1024];
    let length = stream.read(&mut bytes)?;
    unread.extend(&bytes[..length]);
    Ok(length > 0)
}

/// A keep-alive answer with this body.
pub(crate) fn answer(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// An address on which nobody listens, and which nobody else gets while the socket lives.
pub(crate) fn unheard_port() -> (OwnedFd, SocketAddr) {
    let bound = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&bound, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = getsockname(&bound).unwrap().try_into().unwrap();
    (bound, address)
}
