//! Pure judgement of one answer.

use std::fmt::Write as _;

use faceoff_record::{Answer, Expectation};

/// How much of a body is shown.
const SHOWN: usize = 500;

/// What is wrong with an answer, if anything is.
pub(super) fn judge(answer: &Answer, expect: &Expectation) -> Result<(), String> {
    if !expect.allows_status(answer.status) {
        return Err(format!(
            "status {}, expected {}",
            answer.status,
            allowed(expect)
        ));
    }
    if let Some(expected) = &expect.media_type {
        let found = answer.header("content-type").map(media_type);
        if found.as_deref() != Some(&expected.to_ascii_lowercase()) {
            let found = found.unwrap_or_else(|| "none".to_owned());
            return Err(format!("media type {found}, expected {expected}"));
        }
    }
    match &expect.body {
        Some(expected) if *expected != answer.body => Err(different(&answer.body.0, &expected.0)),
        _ => Ok(()),
    }
}

fn allowed(expect: &Expectation) -> String {
    if expect.status.is_empty() {
        return "200 to 299".to_owned();
    }
    let codes: Vec<_> = expect.status.iter().map(u16::to_string).collect();
    codes.join(" or ")
}

/// The media type without its parameters, in lower case.
pub(super) fn media_type(value: &str) -> String {
    let name = value.split(';').next().unwrap_or_default();
    name.trim().to_ascii_lowercase()
}

fn different(found: &[u8], expected: &[u8]) -> String {
    let at = found
        .iter()
        .zip(expected)
        .take_while(|(a, b)| a == b)
        .count();
    format!(
        "the body is {} ({} bytes), expected {} ({} bytes); they differ from byte {at} on",
        excerpt(found),
        found.len(),
        excerpt(expected),
        expected.len(),
    )
}

fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("{short:?}")
}

/// An answer as text: status line, headers, and the beginning of the body.
pub(super) fn show(answer: &Answer) -> String {
    let mut text = format!("HTTP {}\n", answer.status);
    for header in &answer.headers {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}", header.name, header.value);
    }
    let body = String::from_utf8_lossy(&answer.body.0);
    text.push('\n');
    text.extend(body.chars().take(SHOWN));
    if body.chars().count() > SHOWN {
        let _ = write!(text, "... ({} bytes in all)", answer.body.0.len());
    }
    text
}

/// What is unusual about an answer without being wrong.
pub(super) fn flags(answer: &Answer) -> Vec<String> {
    let mut flags = Vec::new();
    if answer.header("date").is_none() {
        flags.push("sends no Date header, which saves 37 bytes an answer".to_owned());
    }
    if !answer.body.0.is_empty() && answer.header("content-type").is_none() {
        flags.push("sends no Content-Type header".to_owned());
    }
    flags
}

#[cfg(test)]
mod tests {
    use faceoff_record::{Answer, Expectation, Header};

    use super::{SHOWN, flags, judge, show};

    fn answer(status: u16, media_type: &str, body: &str) -> Answer {
        Answer {
            status,
            headers: vec![Header::new("Content-Type", media_type)],
            body: body.into(),
        }
    }

    #[test]
    fn each_condition_of_an_expectation_is_judged() {
        let expect = Expectation {
            status: vec![200],
            media_type: Some("text/plain".to_owned()),
            body: Some("value".into()),
        };
        let cases = [
            (answer(200, "text/plain", "value"), None),
            (answer(200, "Text/Plain; charset=utf-8", "value"), None),
            (
                answer(404, "text/plain", "value"),
                Some("status 404, expected 200"),
            ),
            (
                answer(200, "text/html", "value"),
                Some("media type text/html"),
            ),
            (
                answer(200, "text/plain", "values"),
                Some("differ from byte 5 on"),
            ),
            (
                answer(200, "text/plain", "valve"),
                Some("differ from byte 3 on"),
            ),
            (
                answer(200, "text/plain", ""),
                Some("the body is \"\" (0 bytes)"),
            ),
        ];
        for (answer, problem) in cases {
            match (judge(&answer, &expect), problem) {
                (Ok(()), None) => {}
                (Err(found), Some(part)) => assert!(found.contains(part), "{found}"),
                (found, expected) => panic!("{answer:?}: {found:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn a_missing_date_is_a_flag_and_not_a_failure() {
        let found = flags(&answer(200, "text/plain", "value"));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("Date"), "{found:?}");
    }
    #[test]
    fn without_a_stated_condition_any_success_is_right() {
        let any = Expectation::default();
        assert_eq!(judge(&answer(204, "x/y", "whatever"), &any), Ok(()));
        let moved = judge(&answer(302, "x/y", ""), &any);
        assert_eq!(moved, Err("status 302, expected 200 to 299".to_owned()));
        let two = judge(&answer(200, "x/y", ""), &Expectation::status(&[400, 404]));
        assert_eq!(two, Err("status 200, expected 400 or 404".to_owned()));
        let typed = Expectation {
            media_type: Some("text/plain".to_owned()),
            ..Expectation::default()
        };
        let untyped = Answer {
            headers: Vec::new(),
            ..answer(200, "", "")
        };
        let problem = judge(&untyped, &typed).unwrap_err();
        assert_eq!(problem, "media type none, expected text/plain");
    }

    #[test]
    fn an_answer_is_shown_as_it_came_but_for_the_length_of_its_body() {
        let shown = show(&answer(200, "text/plain", "value"));
        assert_eq!(shown, "HTTP 200\nContent-Type: text/plain\n\nvalue");
        let long = "ä".repeat(SHOWN + 1);
        let shown = show(&answer(200, "text/plain", &long));
        assert!(shown.ends_with(&format!("ä... ({} bytes in all)", 2 * (SHOWN + 1))));
        assert_eq!(shown.matches('ä').count(), SHOWN);
        let mut binary = answer(200, "text/plain", "");
        binary.body.0 = vec![0xff, 0x41];
        assert!(show(&binary).ends_with("\n\n\u{fffd}A"));
    }
}
