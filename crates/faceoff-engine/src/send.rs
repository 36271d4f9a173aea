//! The bytes of the requests, made before the load begins.

use faceoff_record::{ConnectionUse, Expectation, LoadOrder, Request};

use crate::http1::Asked;

/// A request ready to be sent.
#[derive(Debug)]
pub(crate) struct Prepared<'o> {
    /// The whole request, so that it goes out in one write.
    pub(crate) bytes: Vec<u8>,
    pub(crate) asked: Asked,
    pub(crate) request: &'o Request,
    pub(crate) expect: &'o Expectation,
}

/// What makes a request impossible to send.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    /// The method is not a token.
    #[error("`{0}` is not a method")]
    Method(String),
    /// The path does not begin with a slash, or holds blanks or control characters.
    #[error(
        "`{0}` is not a path: it must begin with `/` and hold neither blanks nor control characters"
    )]
    Path(String),
    /// A header field's name is not a token.
    #[error("`{0}` is not the name of a header field")]
    FieldName(String),
    /// A header field's value holds control characters.
    #[error("the value of `{0}` holds control characters")]
    FieldValue(String),
    /// A header field that only the engine may set.
    #[error("`{0}` is set by the load generator and cannot be given")]
    OwnField(String),
}

/// The requests of an order, or the number (from 0) and the fault of the first impossible one.
pub(crate) fn prepare(order: &LoadOrder) -> Result<Vec<Prepared<'_>>, (usize, RequestFault)> {
    order
        .requests
        .iter()
        .enumerate()
        .map(|(number, planned)| {
            let request = &planned.request;
            check(request).map_err(|fault| (number, fault))?;
            Ok(Prepared {
                bytes: encode(request, &order.target.host, order.connection_use),
                asked: Asked::by(&request.method),
                request,
                expect: &planned.expect,
            })
        })
        .collect()
}

/// Whether this can be the value of a `Host` field.
pub(crate) fn is_host(host: &str) -> bool {
    !host.is_empty() && !host.bytes().any(is_blank_or_control)
}

fn check(request: &Request) -> Result<(), RequestFault> {
    if !is_token(&request.method) {
        return Err(RequestFault::Method(request.method.clone()));
    }
    if !request.path.starts_with('/') || request.path.bytes().any(is_blank_or_control) {
        return Err(RequestFault::Path(request.path.clone()));
    }
    for header in &request.headers {
        let name = header.name.as_str();
        if !is_token(name) {
            return Err(RequestFault::FieldName(name.to_owned()));
        }
        // A second length or an encoding would let two servers see two different requests.
        let own = ["host", "content-length", "transfer-encoding"];
        if own.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            return Err(RequestFault::OwnField(name.to_owned()));
        }
        let is_control = |byte: u8| byte.is_ascii_control() && byte != b'\t';
        if header.value.bytes().any(is_control) {
            return Err(RequestFault::FieldValue(name.to_owned()));
        }
    }
    Ok(())
}

fn encode(request: &Request, host: &str, connection_use: ConnectionUse) -> Vec<u8> {
    let mut head = format!(
        "{} {} HTTP/1.1\r\nHost: {host}\r\n",
        request.method, request.path
    );
    let mut add = |name: &str, value: &str| {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    };
    for header in &request.headers {
        add(&header.name, &header.value);
    }
    if let Some(length) = length_to_state(request) {
        add("Content-Length", &length.to_string());
    }
    if connection_use == ConnectionUse::OneRequest {
        add("Connection", "close");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    if let Some(body) = &request.body {
        bytes.extend_from_slice(&body.0);
    }
    bytes
}

/// A body's length; for methods that usually have a body, also that there is none (RFC 9110,
/// section 8.6).
fn length_to_state(request: &Request) -> Option<usize> {
    match &request.body {
        Some(body) => Some(body.0.len()),
        None if matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") => Some(0),
        None => None,
    }
}

fn is_token(text: &str) -> bool {
    let is_token_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_byte)
}

const fn is_blank_or_control(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

#[cfg(test)]
mod tests {
    use faceoff_record::{Body, ConnectionUse, Header, Request};

    use super::{RequestFault, check, encode, is_host};

    fn encoded(request: &Request, connection_use: ConnectionUse) -> String {
        String::from_utf8(encode(request, "[::1]:8080", connection_use)).unwrap()
    }

    #[test]
    fn a_request_is_its_method_path_host_and_fields() {
        let mut request = Request::new("GET", "/api/values/5?q=1");
        request.headers.push(Header::new("Accept", "text/plain"));
        assert_eq!(
            encoded(&request, ConnectionUse::KeepAlive),
            "GET /api/values/5?q=1 HTTP/1.1\r\nHost: [::1]:8080\r\nAccept: text/plain\r\n\r\n"
        );
    }

    #[test]
    fn a_body_is_sent_with_its_length_and_a_missing_one_is_stated_where_one_is_usual() {
        let mut put = Request::new("PUT", "/a");
        assert!(encoded(&put, ConnectionUse::KeepAlive).contains("\r\nContent-Length: 0\r\n"));
        put.body = Some(Body::from("value"));
        let text = encoded(&put, ConnectionUse::KeepAlive);
        assert!(
            text.ends_with("\r\nContent-Length: 5\r\n\r\nvalue"),
            "{text}"
        );
        let get = Request::new("DELETE", "/a");
        assert!(!encoded(&get, ConnectionUse::KeepAlive).contains("Content-Length"));
    }

    #[test]
    fn a_connection_for_one_request_says_so() {
        let text = encoded(&Request::new("GET", "/"), ConnectionUse::OneRequest);
        assert!(text.ends_with("\r\nConnection: close\r\n\r\n"), "{text}");
    }

    #[test]
    fn requests_that_would_break_the_framing_are_refused() {
        let with = |name: &str, value: &str| {
            let mut request = Request::new("GET", "/");
            request.headers.push(Header::new(name, value));
            check(&request)
        };
        assert!(matches!(
            check(&Request::new("GET\r\n", "/")),
            Err(RequestFault::Method(_))
        ));
        for path in ["", "a", "/a b", "/a\r\nX: y"] {
            let fault = check(&Request::new("GET", path));
            assert!(matches!(fault, Err(RequestFault::Path(_))), "{path:?}");
        }
        assert!(matches!(with("X y", "1"), Err(RequestFault::FieldName(_))));
        assert!(matches!(
            with("X", "1\r\nY: 2"),
            Err(RequestFault::FieldValue(_))
        ));
        for own in ["Host", "content-length", "Transfer-Encoding"] {
            assert!(
                matches!(with(own, "1"), Err(RequestFault::OwnField(_))),
                "{own}"
            );
        }
        assert_eq!(with("X", "a\tb \u{e9}"), Ok(()));
        assert!(!is_host("") && !is_host("a\r\nb") && is_host("localhost:80"));
    }
}
