//! A server that speaks TLS by a certificate that it signed itself.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{self, Receiver};

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A request as such a server saw it.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The name that was asked for in the handshake.
    pub(crate) server_name: Option<String>,
    pub(crate) head: String,
}

/// A server in this process that answers every request with `value` and tells what it saw.
pub(crate) fn serve_tls() -> (SocketAddr, Receiver<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, seen) = mpsc::channel();
    let config = std::sync::Arc::new(config());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let session = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(session, socket.unwrap());
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                // Whoever asked may be no friend of TLS.
                if stream.read_exact(&mut byte).is_err() {
                    break;
                }
                head.extend(byte);
            }
            let _ = stream.write_all(b"HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\nvalue");
            // The test may have seen enough.
            let _ = tell.send(Seen {
                server_name: stream.conn.server_name().map(str::to_owned),
                head: String::from_utf8(head).unwrap(),
            });
        }
    });
    (address, seen)
}

fn config() -> ServerConfig {
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate: CertificateDer<'static> = signed.cert.into();
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap()
}
