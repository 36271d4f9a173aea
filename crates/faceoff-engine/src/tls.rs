//! TLS sessions: encrypted bytes in, plain bytes out, and the other way round.
//!
//! This module decides what a session is made of: TLS 1.2 or 1.3 by `rustls`, HTTP/1.1 as the only
//! protocol that is offered, and a certificate that is looked at by nobody, since the load goes to
//! this machine and most servers here signed theirs themselves. It touches no socket and reads no
//! clock: what has to be sent is left in a buffer, and when it is sent is for others to say.
//!
//! A connection that is opened again resumes an earlier session where the server offers that, as
//! the clients of that server would. Each worker remembers sessions of its own.
//!
//! `rustls` allocates for each record that it encrypts or decrypts.

use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, InvalidMessage, SignatureScheme,
};

/// How many servers' sessions a worker remembers. It speaks to one.
const SERVERS: usize = 1;

/// What all sessions of a load have in common.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    config: ClientConfig,
    server_name: ServerName<'static>,
}

/// Why there can be no sessions.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    /// The name to ask for is none.
    #[error("`{name}` cannot be the name of a server")]
    ServerName {
        /// The name.
        name: String,
        /// Why.
        source: InvalidDnsNameError,
    },
    /// The library refuses its own defaults.
    #[error("no version of TLS can be spoken")]
    Versions(#[source] Error),
}

impl Setup {
    /// Sessions that ask for this server.
    pub(crate) fn new(server_name: &str) -> Result<Self, TlsFault> {
        let asked = ServerName::try_from(server_name.to_owned());
        let server_name = asked.map_err(|source| TlsFault::ServerName {
            name: server_name.to_owned(),
            source,
        })?;
        let provider = Arc::new(ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(TlsFault::Versions)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            config,
            server_name,
        })
    }

    /// The sessions of one worker's connections, none of them begun.
    pub(crate) fn sessions(&self, connections: u32) -> Sessions {
        let mut config = self.config.clone();
        config.resumption = Resumption::in_memory_sessions(SERVERS);
        Sessions {
            config: Arc::new(config),
            server_name: self.server_name.clone(),
            sessions: (0..connections).map(|_| None).collect(),
            outgoing: Vec::new(),
        }
    }
}

/// The sessions of one worker, by the numbers of their connections.
#[derive(Debug)]
pub(crate) struct Sessions {
    config: Arc<ClientConfig>,
    server_name: ServerName<'static>,
    sessions: Vec<Option<ClientConnection>>,
    /// Encrypted bytes on their way out, of one session at a time.
    outgoing: Vec<u8>,
}

/// How a session goes on after what was read.
#[derive(Debug)]
pub(crate) enum Standing {
    /// Requests cannot be sent yet.
    InHandshake,
    /// Requests can be sent.
    Open,
    /// The other side has said that it says no more.
    Closed,
    /// The other side broke the protocol or said that this side did.
    Broken(io::Error),
}

impl Sessions {
    /// Begins a session over a new connection; there is something to send then.
    pub(crate) fn begin(&mut self, connection: u32) -> Result<(), Error> {
        let mut session =
            ClientConnection::new(Arc::clone(&self.config), self.server_name.clone())?;
        // A request is encrypted as a whole, however long its body.
        session.set_buffer_limit(None);
        if let Some(place) = self.sessions.get_mut(connection as usize) {
            *place = Some(session);
        }
        Ok(())
    }

    /// The connection is no more, and its session with it.
    pub(crate) fn end(&mut self, connection: u32) {
        if let Some(place) = self.sessions.get_mut(connection as usize) {
            *place = None;
        }
    }

    /// Whether there is a session over this connection.
    pub(crate) fn has(&self, connection: u32) -> bool {
        matches!(self.sessions.get(connection as usize), Some(Some(_)))
    }

    /// Takes the next bytes of the connection and puts what they say behind `plain`. There may be
    /// something to send then, whatever came of it.
    pub(crate) fn read(
        &mut self,
        connection: u32,
        mut encrypted: &[u8],
        plain: &mut Vec<u8>,
    ) -> Standing {
        let Some(session) = self.session_mut(connection) else {
            return Standing::Closed;
        };
        while !encrypted.is_empty() {
            // It takes a few kilobytes at a time, and nothing only if it cannot make sense of them.
            match session.read_tls(&mut encrypted) {
                Ok(0) => return Standing::Broken(io::ErrorKind::InvalidData.into()),
                Ok(_) => {}
                Err(error) => return Standing::Broken(error),
            }
            let outcome = session.process_new_packets();
            let mut reader = session.reader();
            // Without plain bytes there is none or an error that says why.
            while let Ok(bytes @ [_, ..]) = reader.fill_buf() {
                plain.extend_from_slice(bytes);
                let length = bytes.len();
                reader.consume(length);
            }
            match outcome {
                Ok(state) if state.peer_has_closed() && session.is_handshaking() => {
                    return Standing::Broken(io::Error::other("the server ended the session"));
                }
                Ok(state) if state.peer_has_closed() => return Standing::Closed,
                Ok(_) => {}
                Err(error) => return Standing::Broken(explain(error)),
            }
        }
        if session.is_handshaking() {
            Standing::InHandshake
        } else {
            Standing::Open
        }
    }

    /// Encrypts a request and gives all that is to be sent now.
    pub(crate) fn encrypt(&mut self, connection: u32, plain: &[u8]) -> &[u8] {
        if let Some(session) = self.session_mut(connection) {
            // Only a broken session refuses, and that has been ended.
            let written = session.writer().write_all(plain);
            debug_assert!(written.is_ok(), "{written:?}");
        }
        self.due(connection)
    }

    /// Says goodbye; there is something to send then.
    pub(crate) fn take_leave(&mut self, connection: u32) {
        if let Some(session) = self.session_mut(connection) {
            session.send_close_notify();
        }
    }

    /// What is to be sent now, often nothing.
    pub(crate) fn due(&mut self, connection: u32) -> &[u8] {
        self.outgoing.clear();
        if let Some(Some(session)) = self.sessions.get_mut(connection as usize) {
            // Writing to memory does not fail.
            while session.wants_write() && session.write_tls(&mut self.outgoing).is_ok() {}
        }
        &self.outgoing
    }

    fn session_mut(&mut self, connection: u32) -> Option<&mut ClientConnection> {
        self.sessions.get_mut(connection as usize)?.as_mut()
    }
}

/// The usual mistake in words that say what to do about it.
fn explain(error: Error) -> io::Error {
    match error {
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            io::Error::other("what the server says is not TLS; does it speak plain HTTP there?")
        }
        other => io::Error::other(other),
    }
}

/// Takes any certificate for granted, and whatever it signs.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
