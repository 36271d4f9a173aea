//! HTTP/1 answers from bytes.
//!
//! This module decides where an answer ends and whether its connection can carry another one, by
//! RFC 9112. It is fed with bytes and reads nothing itself; whether the answer is a right one is
//! the business of whoever listens to its parts. How the bytes were split on their way makes no
//! difference to what it reports.
//!
//! It is strict where two readers could disagree about the end of an answer (two lengths, a
//! length and an encoding, a malformed chunk): such an answer is an error, never a guess.

mod chunked;
mod framing;
#[cfg(test)]
mod tests;

use std::mem::{self, MaybeUninit};

use chunked::Chunks;
use framing::{Framing, Said};

/// A head longer than this is refused; common servers and clients allow 8 to 64 KiB.
const HEAD_LIMIT: usize = 64 * 1024;

/// An answer with more header fields than this is refused.
const FIELD_LIMIT: usize = 128;

/// What the parser must know of the request whose answer it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Only the head (`HEAD`): the answer has no body, whatever its head says.
    Head,
    /// Anything else.
    Whole,
}

impl Asked {
    /// By the request's method.
    pub(crate) fn by(method: &str) -> Self {
        match method {
            "HEAD" => Self::Head,
            _ => Self::Whole,
        }
    }
}

/// Listens to the parts of one answer, in their order: the head, then pieces of the body.
pub(crate) trait Sink {
    /// The head of the final answer; those of interim answers (1xx) are passed over.
    fn head(&mut self, status: u16, raw: &[u8]);
    /// The next bytes of the body, free of their framing. Never empty.
    fn body(&mut self, bytes: &[u8]);
}

/// How far the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All bytes are used and the answer is not complete.
    More,
    /// The answer is complete.
    Complete {
        /// How many of the given bytes belong to it.
        used: usize,
        /// Whether the connection can carry another request.
        reusable: bool,
    },
}

/// Why bytes are not an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FramingError {
    #[error("the head is not HTTP/1: {0}")]
    Head(httparse::Error),
    #[error("the head is longer than {} KiB", HEAD_LIMIT / 1024)]
    HeadTooLong,
    #[error("the head has more than {FIELD_LIMIT} fields")]
    TooManyFields,
    #[error("the connection was switched to another protocol, which nobody asked for")]
    Switched,
    #[error("Content-Length is not a number")]
    BadLength,
    #[error("there are two different Content-Lengths")]
    TwoLengths,
    #[error("there are a Content-Length and a Transfer-Encoding")]
    LengthAndEncoding,
    #[error("HTTP/1.0 has no Transfer-Encoding")]
    EncodingBeforeItsTime,
    #[error("the Transfer-Encoding is not just `chunked`")]
    UnknownEncoding,
    #[error("a chunk's size is not a hexadecimal number")]
    BadChunkSize,
    #[error("a chunk does not end where its size says")]
    BadChunkEnd,
    #[error("a chunk's extensions or the trailers are too long")]
    ChunkLinesTooLong,
    #[error("a trailer line is malformed")]
    BadTrailer,
}

/// Reads the answers of one connection, one at a time.
#[derive(Debug)]
pub(crate) struct Parser {
    asked: Asked,
    state: State,
    reusable: bool,
    /// The head so far, when it did not arrive in one piece.
    head: Vec<u8>,
}

#[derive(Debug)]
enum State {
    Head,
    Length(u64),
    Chunked(Chunks),
    UntilClosed,
}

impl Parser {
    pub(crate) const fn new() -> Self {
        Self {
            asked: Asked::Whole,
            state: State::Head,
            reusable: false,
            head: Vec::new(),
        }
    }

    /// Begins the answer to the next request.
    pub(crate) fn expect(&mut self, asked: Asked) {
        self.asked = asked;
        self.state = State::Head;
        self.reusable = false;
        self.head.clear();
    }

    /// Takes the next bytes of the connection.
    pub(crate) fn feed(
        &mut self,
        input: &[u8],
        sink: &mut impl Sink,
    ) -> Result<Progress, FramingError> {
        let mut rest = input;
        loop {
            match &mut self.state {
                State::Head => match self.feed_head(rest, sink)? {
                    Some(used) => rest = rest.get(used..).unwrap_or_default(),
                    None => return Ok(Progress::More),
                },
                State::Length(left) => {
                    let (body, after) = split(rest, *left);
                    rest = after;
                    *left -= body.len() as u64;
                    if !body.is_empty() {
                        sink.body(body);
                    }
                    if *left > 0 {
                        return Ok(Progress::More);
                    }
                    return Ok(self.complete(input.len() - rest.len()));
                }
                State::Chunked(chunks) => {
                    return Ok(match chunks.feed(rest, sink)? {
                        Some(used) => self.complete(input.len() - rest.len() + used),
                        None => Progress::More,
                    });
                }
                State::UntilClosed => {
                    if !rest.is_empty() {
                        sink.body(rest);
                    }
                    return Ok(Progress::More);
                }
            }
        }
    }

    /// The peer sends no more: whether that completes the answer.
    pub(crate) const fn ends(&self) -> bool {
        matches!(self.state, State::UntilClosed)
    }

    const fn complete(&self, used: usize) -> Progress {
        Progress::Complete {
            used,
            reusable: self.reusable,
        }
    }

    /// Takes the bytes of a head and says how many those were, or nothing while it is incomplete.
    fn feed_head(
        &mut self,
        input: &[u8],
        sink: &mut impl Sink,
    ) -> Result<Option<usize>, FramingError> {
        if self.head.is_empty() {
            // The usual case: the whole head is here, and nothing is copied.
            let used = self.read_head(input, sink)?;
            if used.is_none() {
                self.head.extend_from_slice(input);
            }
            return Ok(used);
        }
        let earlier = self.head.len();
        let (more, _) = split(input, (HEAD_LIMIT - earlier) as u64);
        self.head.extend_from_slice(more);
        let mut head = mem::take(&mut self.head);
        let used = self.read_head(&head, sink)?;
        if used.is_some() {
            head.clear();
        }
        self.head = head;
        // It was incomplete without these bytes, so its end lies among them.
        Ok(used.map(|used| used.saturating_sub(earlier)))
    }

    fn read_head(
        &mut self,
        input: &[u8],
        sink: &mut impl Sink,
    ) -> Result<Option<usize>, FramingError> {
        // Only within the limit, so that the same head fails in the same way however it arrives.
        let (input, _) = split(input, HEAD_LIMIT as u64);
        let mut fields = [const { MaybeUninit::uninit() }; FIELD_LIMIT];
        let mut answer = httparse::Response::new(&mut []);
        let length = match httparse::ParserConfig::default().parse_response_with_uninit_headers(
            &mut answer,
            input,
            &mut fields,
        ) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if input.len() < HEAD_LIMIT => return Ok(None),
            Ok(httparse::Status::Partial) => return Err(FramingError::HeadTooLong),
            Err(httparse::Error::TooManyHeaders) => return Err(FramingError::TooManyFields),
            Err(error) => return Err(FramingError::Head(error)),
        };
        // Both are set in every complete head.
        let version = answer.version.unwrap_or_default();
        let status = answer.code.unwrap_or_default();
        let said = Said::by(answer.headers);
        match said.framing(version, status, self.asked)? {
            // The head of the next answer follows, and the state stays as it is.
            Framing::Interim => return Ok(Some(length)),
            Framing::Length(length) => self.state = State::Length(length),
            Framing::Chunked => self.state = State::Chunked(Chunks::new()),
            Framing::UntilClosed => self.state = State::UntilClosed,
        }
        self.reusable = said.reusable(version) && !self.ends();
        sink.head(status, split(input, length as u64).0);
        Ok(Some(length))
    }
}

/// The header fields of a head that was parsed before, as text.
pub(crate) fn fields_of(raw: &[u8]) -> Vec<(String, String)> {
    let mut fields = [httparse::EMPTY_HEADER; FIELD_LIMIT];
    let mut answer = httparse::Response::new(&mut fields);
    match answer.parse(raw) {
        Ok(_) => answer
            .headers
            .iter()
            .map(|field| {
                let value = String::from_utf8_lossy(field.value.trim_ascii());
                (field.name.to_owned(), value.into_owned())
            })
            .collect(),
        Err(_) => Vec::new(),
    }
}

/// The first `length` bytes, or all where there are fewer, and the others.
fn split(bytes: &[u8], length: u64) -> (&[u8], &[u8]) {
    let length = usize::try_from(length).map_or(bytes.len(), |length| length.min(bytes.len()));
    bytes.split_at(length)
}
