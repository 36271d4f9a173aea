//! Requests, answers, and what a right answer is.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bytes of a request's or an answer's body.
///
/// Stored as text where it is text, so that a record can be read by eye, else in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "StoredBody", into = "StoredBody")]
#[schemars(with = "StoredBody")]
pub struct Body(pub Vec<u8>);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum StoredBody {
    Text(String),
    Binary { base64: String },
}

impl From<StoredBody> for Body {
    fn from(stored: StoredBody) -> Self {
        match stored {
            StoredBody::Text(text) => Self(text.into_bytes()),
            // A record edited by hand into bad base64 yields an empty body, never a crash.
            StoredBody::Binary { base64 } => Self(BASE64.decode(base64).unwrap_or_default()),
        }
    }
}

impl From<Body> for StoredBody {
    fn from(body: Body) -> Self {
        match String::from_utf8(body.0) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Binary {
                base64: BASE64.encode(error.as_bytes()),
            },
        }
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// One header field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// The field's name, as written.
    pub name: String,
    /// The field's value, without surrounding white space.
    pub value: String,
}

impl Header {
    /// A header field of this name and value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// One request, apart from the address it goes to. `Host` and `Content-Length` are added by
/// whoever sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The method, in capitals.
    pub method: String,
    /// Path and query, beginning with a slash.
    pub path: String,
    /// Header fields beyond `Host` and `Content-Length`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Header>,
    /// The body, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

impl Request {
    /// A request without headers or body.
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// One complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// All header fields, in the order of the answer.
    pub headers: Vec<Header>,
    /// The body, decoded from its framing.
    pub body: Body,
}

impl Answer {
    /// The first value of the header field `name`, whose case does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value.as_str())
    }
}

/// A request and the answer it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// Its answer.
    pub answer: Answer,
}

/// What a right answer to one request is. A condition that is not set is not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The allowed status codes; when empty, any of 200 to 299.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// The media type without parameters, for example `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The body, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

impl Expectation {
    /// One of these status codes, whatever the body.
    #[must_use]
    pub fn status(allowed: &[u16]) -> Self {
        Self {
            status: allowed.to_vec(),
            ..Self::default()
        }
    }

    /// Whether this status code is an allowed one.
    #[must_use]
    pub fn allows_status(&self, status: u16) -> bool {
        if self.status.is_empty() {
            (200..300).contains(&status)
        } else {
            self.status.contains(&status)
        }
    }
}

/// A request to be sent under load, and its right answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedRequest {
    /// The request.
    pub request: Request,
    /// The right answer.
    pub expect: Expectation,
}

#[cfg(test)]
mod tests {
    use super::{Body, Expectation};

    #[test]
    fn bodies_are_stored_as_text_or_as_base64_and_read_back() {
        for (bytes, stored) in [
            (&b"value"[..], "\"value\""),
            (&[0xff, 0x00, 0x41][..], "{\"base64\":\"/wBB\"}"),
        ] {
            let body = Body(bytes.to_vec());
            let text = serde_json::to_string(&body).unwrap();
            assert_eq!(text, stored);
            assert_eq!(serde_json::from_str::<Body>(&text).unwrap(), body);
        }
    }

    #[test]
    fn without_a_stated_status_any_success_is_right() {
        let any = Expectation::default();
        assert!(any.allows_status(200) && any.allows_status(204) && !any.allows_status(302));
        let listed = Expectation::status(&[404]);
        assert!(listed.allows_status(404) && !listed.allows_status(200));
    }
}
