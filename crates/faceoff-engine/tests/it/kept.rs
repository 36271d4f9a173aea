//! Whole exchanges kept for checking.

use std::io::Write as _;

use faceoff_record::{Body, Header};

use crate::support::order::cores;
use crate::support::{Server, Then, get, load, order};

#[test]
fn kept_exchanges_are_whole_and_belong_together() {
    let server = Server::start(|seen, stream| {
        let body = format!("{}{}", seen.path(), "x".repeat(100_000));
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nDate: today\r\nX-Path: {}\r\nContent-Length: {}\r\n\r\n",
            seen.path(),
            body.len()
        )?;
        stream.write_all(body.as_bytes())?;
        Ok(Then::GoOn)
    });
    for threads in [1, 2] {
        let mut order = order(server.address());
        order.cores = cores(threads);
        order.keep_exchanges = 5;
        order.requests = (0..7)
            .map(|id| {
                let path = format!("/{id}");
                get(&path, &format!("{path}{}", "x".repeat(100_000)))
            })
            .collect();
        let outcome = load(&order);
        assert!(
            (1..=5).contains(&outcome.kept.len()),
            "{}",
            outcome.kept.len()
        );
        for kept in &outcome.kept {
            let planned = order
                .requests
                .iter()
                .find(|planned| planned.request == kept.request)
                .unwrap();
            assert_eq!(kept.answer.status, 200);
            assert_eq!(Some(&kept.answer.body), planned.expect.body.as_ref());
            assert_eq!(
                kept.answer.headers,
                [
                    Header::new("Date", "today"),
                    Header::new("X-Path", kept.request.path.as_str()),
                    Header::new("Content-Length", "100002"),
                ]
            );
        }
    }
}

#[test]
fn a_kept_body_is_free_of_its_framing() {
    let server = Server::saying(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
         HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nva\r\n3\r\nlue\r\n0\r\n\r\n",
    );
    let mut order = order(server.address());
    order.keep_exchanges = 1;
    let outcome = load(&order);
    let kept = &outcome.kept[0].answer;
    assert_eq!(kept.body, Body::from("value"));
    assert_eq!(kept.headers, [Header::new("Transfer-Encoding", "chunked")]);
}

#[test]
fn a_wrong_answer_is_kept_as_it_was() {
    let server = Server::saying("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno");
    let mut order = order(server.address());
    order.keep_exchanges = 1;
    let kept = &load(&order).kept[0].answer;
    assert_eq!((kept.status, &kept.body), (500, &Body::from("no")));
}
