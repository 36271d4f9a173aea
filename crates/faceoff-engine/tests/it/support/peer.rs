//! The server's end of a connection: plain, or TLS with a certificate that it signed itself.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{
    HandshakeKind, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion,
};

/// One end of a connection.
pub(crate) enum Peer {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, Pieces>>),
}

impl Peer {
    pub(crate) fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(stream) => &stream.sock.socket,
        }
    }

    /// Writes past the session, if there is one.
    pub(crate) fn write_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket().write_all(bytes)
    }

    /// Says that nothing follows, where there are words for that.
    pub(crate) fn take_leave(&mut self) -> io::Result<()> {
        if let Self::Tls(stream) = self {
            stream.conn.send_close_notify();
            stream.flush()?;
        }
        Ok(())
    }
}

impl Read for Peer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Peer {
    /// With TLS each write is a record of its own.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

/// A socket that writes at most so many bytes at a time.
pub(crate) struct Pieces {
    socket: TcpStream,
    longest: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.read(buffer)
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len().min(self.longest);
        self.socket.write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// How a server speaks TLS.
#[derive(Clone)]
pub(crate) struct Tls {
    config: Arc<ServerConfig>,
    longest: usize,
}

/// A session as the server saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) server_name: Option<String>,
    pub(crate) protocol: Option<String>,
    pub(crate) resumed: bool,
}

impl Tls {
    /// TLS 1.2 and 1.3.
    pub(crate) fn new() -> Self {
        Self::of(rustls::ALL_VERSIONS, &["http/1.1"])
    }

    /// In these versions, and for these protocols above it.
    pub(crate) fn of(versions: &[&'static SupportedProtocolVersion], protocols: &[&str]) -> Self {
        let (certificate, key) = identity();
        let mut config = ServerConfig::builder_with_provider(ring::default_provider().into())
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        config.alpn_protocols = protocols
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect();
        Self {
            config: Arc::new(config),
            longest: usize::MAX,
        }
    }

    /// Gives the network at most so many bytes at a time.
    pub(crate) fn in_pieces(mut self, longest: usize) -> Self {
        self.longest = longest;
        self
    }

    /// Shakes hands.
    pub(super) fn accept(&self, socket: TcpStream) -> io::Result<(Peer, Session)> {
        let longest = self.longest;
        let mut socket = Pieces { socket, longest };
        let config = Arc::clone(&self.config);
        let mut session = ServerConnection::new(config).map_err(io::Error::other)?;
        while session.is_handshaking() {
            if let Err(error) = session.complete_io(&mut socket) {
                // The alert that says what was wrong.
                while session.wants_write() {
                    session.write_tls(&mut socket)?;
                }
                return Err(error);
            }
        }
        let seen = Session {
            server_name: session.server_name().map(str::to_owned),
            protocol: session
                .alpn_protocol()
                .map(|name| String::from_utf8_lossy(name).into_owned()),
            resumed: session.handshake_kind() == Some(HandshakeKind::Resumed),
        };
        let peer = Peer::Tls(Box::new(StreamOwned::new(session, socket)));
        Ok((peer, seen))
    }
}

/// A certificate that nobody else has signed, the same one for all tests.
fn identity() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    static IDENTITY: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    let (certificate, key) = IDENTITY.get_or_init(|| {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        (
            signed.cert.der().to_vec(),
            signed.signing_key.serialize_der(),
        )
    });
    let key = PrivateKeyDer::try_from(key.clone()).unwrap();
    (certificate.clone().into(), key)
}
