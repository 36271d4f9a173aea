//! The chunked transfer coding (RFC 9112, section 7.1), byte for byte.
//!
//! Extensions and trailers are passed over; nothing depends on them.

use super::{FramingError, Sink, split};

/// Limits the lines around the chunks: the extensions of one chunk, and all trailers together.
const LINES_LIMIT: u32 = 16 * 1024;

/// Where in the coding the next byte falls.
#[derive(Debug)]
pub(super) struct Chunks {
    at: At,
    /// Bytes of extensions of this chunk, or of trailers.
    passed_over: u32,
}

#[derive(Clone, Copy, Debug)]
enum At {
    /// A chunk's size, of which `digits` are read.
    Size { size: u64, digits: u8 },
    /// Between size and line end: blanks, extensions.
    Extensions { size: u64, in_one: bool },
    /// The line feed after a size.
    SizeEnd { size: u64 },
    /// A chunk's bytes.
    Data { left: u64 },
    /// The line end after a chunk's bytes.
    DataEnd { after_cr: bool },
    /// The beginning of a trailer line, or of the line end that ends the answer.
    LineStart,
    /// Within a trailer line.
    Trailer,
    /// The line feed after a trailer.
    TrailerEnd,
    /// The very last line feed.
    LastEnd,
}

impl Chunks {
    pub(super) const fn new() -> Self {
        Self {
            at: At::Size { size: 0, digits: 0 },
            passed_over: 0,
        }
    }

    /// Takes bytes; when the coding ends among them, says how many belong to it.
    pub(super) fn feed(
        &mut self,
        input: &[u8],
        sink: &mut impl Sink,
    ) -> Result<Option<usize>, FramingError> {
        let mut rest = input;
        loop {
            if let At::Data { left } = &mut self.at {
                let (data, after) = split(rest, *left);
                rest = after;
                *left -= data.len() as u64;
                if !data.is_empty() {
                    sink.body(data);
                }
                if *left > 0 {
                    return Ok(None);
                }
                self.at = At::DataEnd { after_cr: false };
            }
            let Some((byte, after)) = rest.split_first() else {
                return Ok(None);
            };
            rest = after;
            match self.step(*byte)? {
                Some(next) => self.at = next,
                None => return Ok(Some(input.len() - rest.len())),
            }
        }
    }

    /// Where the coding is after one byte outside of the chunks; nothing when it has ended.
    fn step(&mut self, byte: u8) -> Result<Option<At>, FramingError> {
        let next = match (self.at, byte) {
            (At::Size { size, digits }, _) if byte.is_ascii_hexdigit() => At::Size {
                size: append_digit(size, byte).ok_or(FramingError::BadChunkSize)?,
                // The digits are limited by the size, except for leading zeros.
                digits: digits.checked_add(1).ok_or(FramingError::BadChunkSize)?,
            },
            (At::Size { digits: 0, .. }, _) => return Err(FramingError::BadChunkSize),
            (At::Size { size, .. } | At::Extensions { size, .. }, b'\r') => At::SizeEnd { size },
            (At::Size { size, .. }, b' ' | b'\t' | b';')
            | (
                At::Extensions {
                    size,
                    in_one: false,
                },
                b' ' | b'\t' | b';',
            ) => {
                self.pass_over()?;
                At::Extensions {
                    size,
                    in_one: byte == b';',
                }
            }
            (At::Extensions { size, in_one: true }, _) if byte != b'\n' => {
                self.pass_over()?;
                At::Extensions { size, in_one: true }
            }
            (At::Size { .. } | At::Extensions { .. }, _) => {
                return Err(FramingError::BadChunkSize);
            }
            (At::SizeEnd { size }, b'\n') => {
                self.passed_over = 0;
                if size == 0 {
                    At::LineStart
                } else {
                    At::Data { left: size }
                }
            }
            (At::SizeEnd { .. }, _) => return Err(FramingError::BadChunkSize),
            (At::DataEnd { after_cr: false }, b'\r') => At::DataEnd { after_cr: true },
            (At::DataEnd { after_cr: true }, b'\n') => At::Size { size: 0, digits: 0 },
            (At::Data { .. } | At::DataEnd { .. }, _) => return Err(FramingError::BadChunkEnd),
            (At::LineStart, b'\r') => At::LastEnd,
            (At::Trailer, b'\r') => At::TrailerEnd,
            (At::LineStart | At::Trailer, _) if byte != b'\n' => {
                self.pass_over()?;
                At::Trailer
            }
            (At::TrailerEnd, b'\n') => At::LineStart,
            (At::LastEnd, b'\n') => return Ok(None),
            (At::LineStart | At::Trailer | At::TrailerEnd | At::LastEnd, _) => {
                return Err(FramingError::BadTrailer);
            }
        };
        Ok(Some(next))
    }

    fn pass_over(&mut self) -> Result<(), FramingError> {
        self.passed_over += 1;
        if self.passed_over > LINES_LIMIT {
            return Err(FramingError::ChunkLinesTooLong);
        }
        Ok(())
    }
}

fn append_digit(size: u64, digit: u8) -> Option<u64> {
    let digit = char::from(digit).to_digit(16)?;
    size.checked_mul(16)?.checked_add(u64::from(digit))
}
