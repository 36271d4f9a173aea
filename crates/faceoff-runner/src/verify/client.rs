//! Sends one request at a time and reads the whole answer. It is no load generator: it may take
//! its time, and a library does the work.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use faceoff_record::{Answer, Body, FirstAnswer, Header, Request, Target, Transport};
use rustls::InvalidMessage;
use rustls::crypto::ring;
use sha2::{Digest as _, Sha256};
use ureq::Agent;
use ureq::config::Config;
use ureq::http::{self, Uri, Version};
use ureq::tls::TlsConfig;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use super::rules::media_type;
use crate::contender::hexadecimal;

/// The largest answer that is read.
const LARGEST_BODY: u64 = 64 * 1024 * 1024;

/// A client of one address; its connection is kept between requests where the server keeps it.
pub(crate) struct Client {
    agent: Agent,
    /// What stands before the path.
    origin: String,
}

/// Why there was no complete answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// Nobody listens.
    #[error("connection refused")]
    Refused,
    /// The other side knows no TLS.
    #[error("what the server says is not TLS; does it speak plain HTTP there?")]
    NotTls,
    /// The request cannot be sent by an HTTP client.
    #[error("the request is not valid: {0}")]
    BadRequest(#[from] http::Error),
    /// Something else.
    #[error("{0}")]
    Failed(#[source] ureq::Error),
}

impl Client {
    /// A client of `address` that waits for an answer no longer than `patience`.
    pub(crate) fn new(address: SocketAddr, transport: &Transport, patience: Duration) -> Self {
        let host = Target::new(address, transport.clone()).host;
        let (origin, tls) = match transport {
            Transport::Tcp => (format!("http://{host}"), TlsConfig::default()),
            Transport::Tls { .. } => (format!("https://{host}"), any_certificate()),
        };
        let config = Agent::config_builder()
            .tls_config(tls)
            // What comes is judged here, not by the library.
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            // As bare as the generator's requests.
            .user_agent("")
            .accept("")
            .accept_encoding("")
            // Servers under test are never behind a proxy.
            .proxy(None)
            .timeout_global(Some(patience))
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), Only(address));
        Self { agent, origin }
    }

    /// Sends a request and reads its answer.
    pub(crate) fn send(&mut self, request: &Request) -> Result<Received, ClientError> {
        let uri: Uri = format!("{}{}", self.origin, request.path)
            .parse()
            .map_err(http::Error::from)?;
        let mut builder = http::Request::builder()
            .method(request.method.as_str())
            .uri(uri);
        for header in &request.headers {
            builder = builder.header(&header.name, &header.value);
        }
        let empty: &[u8] = &[];
        let answered = match &request.body {
            Some(body) => self.agent.run(builder.body(body.0.as_slice())?),
            // As the generator does it: without a length the library would begin a chunked body.
            None if matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") => {
                self.agent.run(builder.body(empty)?)
            }
            None => self.agent.run(builder.body(())?),
        };
        let mut response = answered.map_err(classify)?;
        let body = response
            .body_mut()
            .with_config()
            .limit(LARGEST_BODY)
            .read_to_vec();
        let headers = response.headers().iter().map(|(name, value)| {
            Header::new(name.as_str(), String::from_utf8_lossy(value.as_bytes()))
        });
        Ok(Received {
            answer: Answer {
                status: response.status().as_u16(),
                headers: headers.collect(),
                body: Body(body.map_err(classify)?),
            },
            version: response.version(),
        })
    }
}

/// An answer with the version of its status line.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) answer: Answer,
    pub(crate) version: Version,
}

impl Received {
    /// What the answer was like, for comparison with that of another contender.
    pub(crate) fn facts(&self) -> FirstAnswer {
        let answer = &self.answer;
        let connection = answer.header("connection").unwrap_or_default();
        let says = |token: &str| {
            let mut tokens = connection.split(',').map(str::trim);
            tokens.any(|found| found.eq_ignore_ascii_case(token))
        };
        FirstAnswer {
            protocol: format!("{:?}", self.version),
            keeps_connection: if self.version == Version::HTTP_10 {
                says("keep-alive")
            } else {
                !says("close")
            },
            status: answer.status,
            media_type: answer.header("content-type").map(media_type),
            body_bytes: answer.body.0.len() as u64,
            body_sha256: hexadecimal(&Sha256::digest(&answer.body.0)),
        }
    }
}

fn is_no_tls(error: &io::Error) -> bool {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
    let no_record = InvalidMessage::InvalidContentType;
    cause == Some(&rustls::Error::InvalidMessage(no_record))
}

/// TLS as the generator speaks it: whatever certificate there is will do.
fn any_certificate() -> TlsConfig {
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .disable_verification(true)
        .build()
}

/// Takes every name for this address.
#[derive(Debug)]
struct Only(SocketAddr);

impl Resolver for Only {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        addresses.push(self.0);
        Ok(addresses)
    }
}

fn classify(error: ureq::Error) -> ClientError {
    match error {
        ureq::Error::ConnectionFailed => ClientError::Refused,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            ClientError::Refused
        }
        ureq::Error::Io(error) if is_no_tls(&error) => ClientError::NotTls,
        other => ClientError::Failed(other),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};
    use std::time::Duration;

    use faceoff_record::{Answer, Header, Request, Transport};

    use super::{Client, ClientError};
    use crate::testing::serve_tls;

    /// What is sent for a request, in lower case, and the answer that it gets.
    fn exchange(request: &Request) -> (SocketAddr, String, Answer) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut bytes = [0; 1024];
            let read = socket.read(&mut bytes).unwrap();
            socket
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: x\r\n\r\nhi")
                .unwrap();
            // The client is gone when it has its answer; whatever it sends until then is seen.
            let mut sent = bytes[..read].to_vec();
            socket.read_to_end(&mut sent).unwrap();
            String::from_utf8(sent).unwrap().to_ascii_lowercase()
        });
        let mut client = Client::new(address, &Transport::Tcp, Duration::from_secs(10));
        let answer = client.send(request).unwrap().answer;
        drop(client);
        (address, server.join().unwrap(), answer)
    }

    #[test]
    fn a_request_carries_nothing_but_its_host_and_length() {
        // Method, body, and what is sent after the host.
        let cases = [
            ("GET", None, "\r\n"),
            ("DELETE", None, "\r\n"),
            ("OPTIONS", None, "\r\n"),
            ("POST", None, "content-length: 0\r\n\r\n"),
            ("PUT", None, "content-length: 0\r\n\r\n"),
            ("PATCH", None, "content-length: 0\r\n\r\n"),
            ("POST", Some("value"), "content-length: 5\r\n\r\nvalue"),
            ("DELETE", Some("value"), "content-length: 5\r\n\r\nvalue"),
            ("PURGE", None, "\r\n"),
        ];
        for (method, body, rest) in cases {
            let mut request = Request::new(method, "/a?b=c");
            request.body = body.map(Into::into);
            let (address, sent, answer) = exchange(&request);
            assert_eq!(
                (answer.status, answer.body.to_string().as_str()),
                (200, "hi")
            );
            assert_eq!(answer.header("Date"), Some("x"));
            let method = method.to_ascii_lowercase();
            // The order of fields is the library's.
            let host = format!("host: {address}\r\n");
            assert!(sent.contains(&host), "{sent}");
            let expected = format!("{method} /a?b=c http/1.1\r\n{rest}");
            assert_eq!(sent.replace(&host, ""), expected);
        }
    }

    #[test]
    fn header_fields_are_sent_as_they_were_written() {
        let mut request = Request::new("GET", "/");
        request.headers = vec![
            Header::new("X-One", "a b"),
            Header::new("Accept", "text/plain"),
        ];
        let (address, sent, _) = exchange(&request);
        let expected = format!(
            "get / http/1.1\r\nhost: {address}\r\nx-one: a b\r\naccept: text/plain\r\n\r\n"
        );
        assert_eq!(sent, expected);
    }

    #[test]
    fn by_tls_any_certificate_will_do_and_both_names_of_the_server_are_the_same() {
        let (address, seen) = serve_tls();
        let server_name = "localhost".to_owned();
        let transport = Transport::Tls { server_name };
        let mut client = Client::new(address, &transport, Duration::from_secs(10));
        let answer = client.send(&Request::new("GET", "/a?b=c")).unwrap();
        assert_eq!(
            (answer.answer.status, answer.answer.body),
            (200, "value".into())
        );
        let seen = seen.recv().unwrap();
        assert_eq!(seen.server_name.as_deref(), Some("localhost"));
        let host = format!("host: localhost:{}\r\n", address.port());
        let expected = format!("get /a?b=c http/1.1\r\n{host}\r\n");
        assert_eq!(seen.head.to_ascii_lowercase(), expected);
    }

    #[test]
    fn a_closed_port_is_told_from_a_bad_answer() {
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let mut client = Client::new(address, &Transport::Tcp, Duration::from_secs(10));
        let refused = client.send(&Request::new("GET", "/"));
        assert!(matches!(refused, Err(ClientError::Refused)), "{refused:?}");
    }
}
