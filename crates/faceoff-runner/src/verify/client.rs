//! Sends one request at a time and reads the whole answer. It is no load generator: it may take
//! its time, and a library does the work.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use faceoff_record::{Answer, Body, Header, Request};
use ureq::Agent;
use ureq::http::{self, Uri};

/// The largest answer that is read.
const LARGEST_BODY: u64 = 64 * 1024 * 1024;

/// A client of one address; its connection is kept between requests where the server keeps it.
pub(crate) struct Client {
    agent: Agent,
    address: SocketAddr,
}

/// Why there was no complete answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// Nobody listens.
    #[error("connection refused")]
    Refused,
    /// The request cannot be sent by an HTTP client.
    #[error("the request is not valid: {0}")]
    BadRequest(#[from] http::Error),
    /// Something else.
    #[error("{0}")]
    Failed(#[source] ureq::Error),
}

impl Client {
    /// A client of `address` that waits for an answer no longer than `patience`.
    pub(crate) fn new(address: SocketAddr, patience: Duration) -> Self {
        let config = Agent::config_builder()
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
        Self {
            agent: config.new_agent(),
            address,
        }
    }

    /// Sends a request and reads its answer.
    pub(crate) fn send(&mut self, request: &Request) -> Result<Answer, ClientError> {
        let uri: Uri = format!("http://{}{}", self.address, request.path)
            .parse()
            .map_err(http::Error::from)?;
        let mut builder = http::Request::builder()
            .method(request.method.as_str())
            .uri(uri);
        for header in &request.headers {
            builder = builder.header(&header.name, &header.value);
        }
        let answered = match &request.body {
            Some(body) => self.agent.run(builder.body(body.0.as_slice())?),
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
        Ok(Answer {
            status: response.status().as_u16(),
            headers: headers.collect(),
            body: Body(body.map_err(classify)?),
        })
    }
}

fn classify(error: ureq::Error) -> ClientError {
    match error {
        ureq::Error::ConnectionFailed => ClientError::Refused,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            ClientError::Refused
        }
        other => ClientError::Failed(other),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::time::Duration;

    use faceoff_record::Request;

    use super::{Client, ClientError};

    #[test]
    fn a_request_carries_nothing_but_its_host() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut bytes = [0; 1024];
            let read = socket.read(&mut bytes).unwrap();
            socket
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: x\r\n\r\nhi")
                .unwrap();
            String::from_utf8(bytes[..read].to_vec()).unwrap()
        });
        let mut client = Client::new(address, Duration::from_secs(10));
        let answer = client.send(&Request::new("GET", "/a?b=c")).unwrap();
        assert_eq!(
            (answer.status, answer.body.to_string().as_str()),
            (200, "hi")
        );
        assert_eq!(answer.header("Date"), Some("x"));
        let sent = server.join().unwrap().to_ascii_lowercase();
        assert_eq!(
            sent,
            format!("get /a?b=c http/1.1\r\nhost: {address}\r\n\r\n")
        );
    }

    #[test]
    fn a_closed_port_is_told_from_a_bad_answer() {
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let mut client = Client::new(address, Duration::from_secs(10));
        let refused = client.send(&Request::new("GET", "/"));
        assert!(matches!(refused, Err(ClientError::Refused)), "{refused:?}");
    }
}
