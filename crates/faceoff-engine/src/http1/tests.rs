//! Answers as bytes, and what must be made of them, however they are split.

use proptest::prelude::*;

use super::{Asked, FIELD_LIMIT, FramingError, HEAD_LIMIT, Parser, Progress, Sink, fields_of};

/// What a parser made of some bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    status: Option<u16>,
    head: Vec<u8>,
    body: Vec<u8>,
    end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete {
        used: usize,
        reusable: bool,
    },
    Wrong(FramingError),
    /// Only the end of the connection completes it.
    WithConnection,
}

impl Sink for Seen {
    fn head(&mut self, status: u16, raw: &[u8]) {
        assert_eq!(self.status, None, "one head for each answer");
        self.status = Some(status);
        self.head.extend_from_slice(raw);
    }

    fn body(&mut self, bytes: &[u8]) {
        assert!(self.status.is_some(), "the head comes first");
        assert!(!bytes.is_empty(), "there are no empty pieces");
        self.body.extend_from_slice(bytes);
    }
}

/// What a parser makes of an answer that arrives in these pieces.
fn parse<'a>(asked: Asked, pieces: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut parser = Parser::new();
    parser.expect(asked);
    let mut seen = Seen::default();
    let mut earlier = 0;
    for piece in pieces {
        match parser.feed(piece, &mut seen) {
            Ok(Progress::More) => earlier += piece.len(),
            Ok(Progress::Complete { used, reusable }) => {
                let used = earlier + used;
                seen.end = Some(End::Complete { used, reusable });
                return seen;
            }
            Err(error) => {
                seen.end = Some(End::Wrong(error));
                return seen;
            }
        }
    }
    if parser.ends() {
        seen.end = Some(End::WithConnection);
    }
    seen
}

fn whole(bytes: &[u8]) -> Seen {
    parse(Asked::Whole, [bytes])
}

fn end_of(answer: &str) -> Option<End> {
    whole(answer.as_bytes()).end
}

fn error_of(answer: &str) -> FramingError {
    match end_of(answer) {
        Some(End::Wrong(error)) => error,
        other => panic!("{answer:?} gives {other:?}"),
    }
}

/// An answer, bytes that follow it, the body that must come out, and how it must end.
#[derive(Debug)]
struct Case(&'static str, &'static str, &'static str, Ends);

#[derive(Clone, Copy, Debug)]
enum Ends {
    Reusable,
    NotReusable,
    WithConnection,
    Wrong(FramingError),
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        [self.0, self.1].concat().into_bytes()
    }

    fn end(&self) -> End {
        let used = self.0.len();
        match self.3 {
            Ends::Reusable => End::Complete {
                used,
                reusable: true,
            },
            Ends::NotReusable => End::Complete {
                used,
                reusable: false,
            },
            Ends::WithConnection => End::WithConnection,
            Ends::Wrong(error) => End::Wrong(error),
        }
    }
}

const CORPUS: &[Case] = &[
    Case(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue",
        "",
        "value",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP",
        "",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nvalue",
        "!",
        "value",
        Ends::NotReusable,
    ),
    Case(
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nvalue",
        "",
        "value",
        Ends::NotReusable,
    ),
    Case(
        "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nvalue",
        "",
        "value",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nva\r\n3\r\nlue\r\n0\r\n\r\n",
        "",
        "value",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n\
         0005;a=b;c=\"d e\"\r\nvalue\r\n00 \r\nX-Sum: 1\r\nY: 2\r\n\r\n",
        "more",
        "value",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 200 OK\r\nServer: x\r\n\r\nall that comes",
        "",
        "all that comes",
        Ends::WithConnection,
    ),
    Case(
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP",
        "",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        "",
        "",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 100 Continue\r\n\r\n\
         HTTP/1.1 103 Early Hints\r\nLink: <a>\r\nContent-Length: 9\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "",
        "ok",
        Ends::Reusable,
    ),
    Case(
        "\r\nHTTP/1.1 404\r\nContent-Length: 2, 2\r\ncontent-length: 2\r\n\r\nno",
        "",
        "no",
        Ends::Reusable,
    ),
    Case(
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "",
        "",
        Ends::Wrong(FramingError::TwoLengths),
    ),
    Case(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "",
        "",
        Ends::Wrong(FramingError::LengthAndEncoding),
    ),
    Case(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nvalue\r\n",
        "",
        "va",
        Ends::Wrong(FramingError::BadChunkEnd),
    ),
    Case(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nva\r\nx\r\n",
        "",
        "va",
        Ends::Wrong(FramingError::BadChunkSize),
    ),
    Case(
        "HTTP/2 200 OK\r\n\r\n",
        "",
        "",
        Ends::Wrong(FramingError::Head(httparse::Error::Version)),
    ),
];

#[test]
fn answers_end_where_the_law_says_and_their_bodies_are_free_of_framing() {
    for case in CORPUS {
        let seen = whole(&case.bytes());
        assert_eq!(seen.end, Some(case.end()), "{case:?}");
        assert_eq!(seen.body, case.2.as_bytes(), "{case:?}");
    }
}

#[test]
fn every_split_into_two_and_into_single_bytes_gives_the_same() {
    for case in CORPUS {
        let bytes = case.bytes();
        let expected = whole(&bytes);
        for at in 0..=bytes.len() {
            let (first, second) = bytes.split_at(at);
            let seen = parse(Asked::Whole, [first, second]);
            assert_eq!(seen, expected, "{case:?} split at {at}");
        }
        assert_eq!(parse(Asked::Whole, bytes.chunks(1)), expected, "{case:?}");
    }
}

#[test]
fn every_split_into_three_gives_the_same() {
    for case in CORPUS {
        let bytes = case.bytes();
        let expected = whole(&bytes);
        for at in 0..=bytes.len() {
            let (first, rest) = bytes.split_at(at);
            for then in 0..=rest.len() {
                let (second, third) = rest.split_at(then);
                let seen = parse(Asked::Whole, [first, second, third]);
                assert_eq!(seen, expected, "{case:?} split at {at} and {then} later");
            }
        }
    }
}

#[test]
fn an_answer_to_head_has_no_body_whatever_it_says() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
    ] {
        let seen = parse(Asked::by("HEAD"), [answer.as_bytes()]);
        let used = answer.len();
        assert_eq!(
            seen.end,
            Some(End::Complete {
                used,
                reusable: true
            }),
            "{answer:?}"
        );
    }
}

#[test]
fn one_connection_carries_one_answer_after_the_other() {
    let mut parser = Parser::new();
    for case in CORPUS {
        if let End::Complete { used, reusable } = case.end() {
            let mut seen = Seen::default();
            parser.expect(Asked::Whole);
            let progress = parser.feed(&case.bytes(), &mut seen);
            assert_eq!(progress, Ok(Progress::Complete { used, reusable }));
            assert_eq!(seen.body, case.2.as_bytes());
        }
    }
}

#[test]
fn whatever_could_be_read_in_two_ways_is_an_error() {
    let with = |fields: &str| error_of(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n"));
    for length in [
        "-1",
        "+5",
        "5 5",
        "0x5",
        "",
        "5,",
        "18446744073709551616",
        "5;q=1",
    ] {
        assert_eq!(
            with(&format!("Content-Length: {length}")),
            FramingError::BadLength,
            "{length}"
        );
    }
    for encoding in [
        "gzip",
        "gzip, chunked",
        "chunked, chunked",
        "",
        "chunked,",
        "xchunked",
    ] {
        let error = with(&format!("Transfer-Encoding: {encoding}"));
        assert_eq!(error, FramingError::UnknownEncoding, "{encoding}");
    }
    let old = "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(error_of(old), FramingError::EncodingBeforeItsTime);
    assert_eq!(
        error_of("HTTP/1.1 101 Switching\r\n\r\n"),
        FramingError::Switched
    );
    assert!(matches!(error_of("SSH-2.0-x\r\n"), FramingError::Head(_)));
    assert!(matches!(with("Content-Length : 5"), FramingError::Head(_)));
}

#[test]
fn malformed_chunks_and_trailers_are_errors() {
    let chunks = |chunks: &str| {
        error_of(&format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"
        ))
    };
    for size in [
        "\r\n",
        "g\r\n",
        "-1\r\n",
        "5\n",
        "5\rx",
        "5 6\r\n",
        ";a\r\n",
        "10000000000000000\r\n",
    ] {
        assert_eq!(chunks(size), FramingError::BadChunkSize, "{size:?}");
    }
    for end in ["1\r\nab", "1\r\na\n", "1\r\na\rb"] {
        assert_eq!(chunks(end), FramingError::BadChunkEnd, "{end:?}");
    }
    for trailer in ["0\r\n\n", "0\r\nX: 1\n", "0\r\nX: 1\rY", "0\r\n\rx"] {
        assert_eq!(chunks(trailer), FramingError::BadTrailer, "{trailer:?}");
    }
    let long = "x".repeat(20_000);
    for endless in [
        format!("5;{long}"),
        format!("0\r\n{long}"),
        format!("0\r\n{}", "X: 1\r\n".repeat(5_000)),
    ] {
        assert_eq!(chunks(&endless), FramingError::ChunkLinesTooLong);
    }
}

#[test]
fn a_head_may_be_long_but_not_endless_however_it_arrives() {
    let head = |length: usize| {
        let frame = "HTTP/1.1 204 OK\r\nX: \r\n\r\n".len();
        format!(
            "HTTP/1.1 204 OK\r\nX: {}\r\n\r\n",
            "x".repeat(length - frame)
        )
        .into_bytes()
    };
    let longest = head(HEAD_LIMIT);
    let too_long = head(HEAD_LIMIT + 1);
    let complete = Some(End::Complete {
        used: HEAD_LIMIT,
        reusable: true,
    });
    let refused = Some(End::Wrong(FramingError::HeadTooLong));
    for step in [HEAD_LIMIT + 1, 50_000, 1_000] {
        assert_eq!(
            parse(Asked::Whole, longest.chunks(step)).end,
            complete,
            "{step}"
        );
        assert_eq!(
            parse(Asked::Whole, too_long.chunks(step)).end,
            refused,
            "{step}"
        );
    }
}

#[test]
fn a_head_with_too_many_fields_is_refused() {
    let head = |fields| format!("HTTP/1.1 204 OK\r\n{}\r\n", "X: 1\r\n".repeat(fields));
    assert!(matches!(
        end_of(&head(FIELD_LIMIT)),
        Some(End::Complete { .. })
    ));
    assert_eq!(
        error_of(&head(FIELD_LIMIT + 1)),
        FramingError::TooManyFields
    );
}

#[test]
fn an_incomplete_answer_is_neither_complete_nor_wrong() {
    for case in CORPUS {
        if let End::Complete { used, .. } = case.end() {
            for length in 0..used {
                let seen = whole(&case.bytes()[..length]);
                assert_eq!(seen.end, None, "the first {length} bytes of {case:?}");
            }
        }
    }
}

#[test]
fn connection_options_are_found_in_any_list_and_case() {
    let reusable = |version: &str, fields: &str| {
        let answer = format!("HTTP/{version} 204 OK\r\n{fields}\r\n");
        matches!(end_of(&answer), Some(End::Complete { reusable: true, .. }))
    };
    assert!(reusable("1.1", ""));
    assert!(reusable("1.1", "Connection: upgrade-not-close\r\n"));
    assert!(!reusable("1.1", "connection: Upgrade , CLOSE\r\n"));
    assert!(!reusable(
        "1.1",
        "Connection: keep-alive\r\nConnection: close\r\n"
    ));
    assert!(!reusable("1.0", ""));
    assert!(reusable("1.0", "Connection: x, keep-alive\r\n"));
    assert!(!reusable("1.0", "Connection: keep-alive, close\r\n"));
}

#[test]
fn the_fields_of_a_kept_head_are_those_that_were_sent() {
    let head = b"HTTP/1.1 200 OK\r\nDate:  now \r\nX-Empty:\r\nX-Bytes: \xff\r\n\r\n";
    let fields = fields_of(head);
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert_eq!(
        fields,
        [("Date", "now"), ("X-Empty", ""), ("X-Bytes", "\u{fffd}")]
    );
}

proptest! {
    #[test]
    fn any_split_of_any_answer_gives_the_same(
        case in prop::sample::select((0..CORPUS.len()).collect::<Vec<_>>()),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = CORPUS[case].bytes();
        prop_assert_eq!(parse(Asked::Whole, pieces(&bytes, &cuts)), whole(&bytes));
    }

    #[test]
    fn any_bytes_give_the_same_however_they_are_split(
        // Mostly what occurs in answers, so that the parser gets somewhere.
        parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = parts.concat().into_bytes();
        let expected = whole(&bytes);
        prop_assert_eq!(parse(Asked::Whole, pieces(&bytes, &cuts)), expected.clone());
        prop_assert_eq!(parse(Asked::Whole, bytes.chunks(1)), expected);
    }

    #[test]
    fn a_chunked_body_comes_out_as_it_went_in(
        body in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..6),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in &body {
            bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            bytes.extend(chunk);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        let seen = parse(Asked::Whole, pieces(&bytes, &cuts));
        prop_assert_eq!(seen.body, body.concat());
        prop_assert_eq!(seen.end, Some(End::Complete { used: bytes.len(), reusable: true }));
    }
}

const FRAGMENTS: &[&str] = &[
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 200 OK\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 204\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 6\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "\r\n",
    "\n",
    "\r",
    "5\r\n",
    "value",
    "0\r\n",
    ";a=b",
    " ",
    "X:",
    "\u{0}",
    "HTTP",
];

/// The bytes cut at these places.
fn pieces<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for place in places.into_iter().chain([bytes.len()]) {
        pieces.push(&bytes[from..place]);
        from = place;
    }
    pieces
}
