//! What a head says about the end of its answer and about its connection.

use super::{Asked, FramingError};

/// Where the answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// With its head, and the final answer is still to come.
    Interim,
    /// After so many bytes.
    Length(u64),
    /// With the last chunk.
    Chunked,
    /// With the connection.
    UntilClosed,
}

/// What the fields of a head say, gathered in one pass.
#[derive(Debug)]
pub(super) struct Said {
    /// A wrong length is an error only where lengths matter.
    length: Result<Option<u64>, FramingError>,
    encoding: Encoding,
    close: bool,
    keep_alive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    None,
    Chunked,
    Other,
}

impl Said {
    /// By these fields.
    pub(super) fn by(fields: &[httparse::Header<'_>]) -> Self {
        let mut said = Self {
            length: Ok(None),
            encoding: Encoding::None,
            close: false,
            keep_alive: false,
        };
        for field in fields {
            // Lengths settle nearly all fields at once.
            match field.name.len() {
                14 if field.name.eq_ignore_ascii_case("content-length") => {
                    said.add_length(field.value);
                }
                17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                    said.add_encoding(field.value);
                }
                10 if field.name.eq_ignore_ascii_case("connection") => {
                    for option in list(field.value) {
                        said.close |= option.eq_ignore_ascii_case(b"close");
                        said.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                _ => {}
            }
        }
        said
    }

    /// Where the answer ends (RFC 9112, section 6.3, in its order). `version` is the minor one.
    pub(super) const fn framing(
        &self,
        version: u8,
        status: u16,
        asked: Asked,
    ) -> Result<Framing, FramingError> {
        match status {
            101 => return Err(FramingError::Switched),
            100..=199 => return Ok(Framing::Interim),
            204 | 304 => return Ok(Framing::Length(0)),
            _ if matches!(asked, Asked::Head) => return Ok(Framing::Length(0)),
            _ => {}
        }
        match (self.length, self.encoding) {
            (Err(error), _) => Err(error),
            (Ok(Some(length)), Encoding::None) => Ok(Framing::Length(length)),
            (Ok(None), Encoding::None) => Ok(Framing::UntilClosed),
            (Ok(Some(_)), _) => Err(FramingError::LengthAndEncoding),
            (Ok(None), _) if version == 0 => Err(FramingError::EncodingBeforeItsTime),
            (Ok(None), Encoding::Chunked) => Ok(Framing::Chunked),
            (Ok(None), Encoding::Other) => Err(FramingError::UnknownEncoding),
        }
    }

    /// Whether the connection can carry another request after this answer (RFC 9112, section
    /// 9.3).
    pub(super) const fn reusable(&self, version: u8) -> bool {
        !self.close && (version > 0 || self.keep_alive)
    }

    /// Repetitions of one and the same length count as one.
    fn add_length(&mut self, value: &[u8]) {
        for member in list(value) {
            self.length = match (self.length, decimal(member)) {
                (Err(error), _) => Err(error),
                (Ok(_), None) => Err(FramingError::BadLength),
                (Ok(Some(known)), Some(length)) if known != length => Err(FramingError::TwoLengths),
                (Ok(_), Some(length)) => Ok(Some(length)),
            };
        }
    }

    /// No coding but `chunked` was asked for (there is no `TE` in our requests), and that one must
    /// not be applied twice.
    fn add_encoding(&mut self, value: &[u8]) {
        for member in list(value) {
            self.encoding = match self.encoding {
                Encoding::None if member.eq_ignore_ascii_case(b"chunked") => Encoding::Chunked,
                _ => Encoding::Other,
            };
        }
    }
}

/// Digits only: a sign, a blank or nothing at all is no number here.
fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}
