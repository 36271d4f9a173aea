//! Whether an answer is the right one, judged while it arrives.

use faceoff_record::{Body, Expectation, Failure};

/// The judgement of one answer so far. The first thing that is wrong decides.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    wrong: Option<Failure>,
    /// How many bytes of the right body have arrived.
    matched: usize,
    /// What was wrong, in words. Only filled in where somebody wants to know.
    detail: String,
}

/// How much of an answer is quoted.
const QUOTED: usize = 160;

impl Verdict {
    /// Begins anew.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.wrong = None;
        self.matched = 0;
        if !self.detail.is_empty() {
            self.detail.clear();
        }
    }

    /// Judges the status. `wanted` says whether the words are wanted for a class of failure.
    #[inline]
    pub(crate) fn head(
        &mut self,
        expect: &Expectation,
        status: u16,
        raw: &[u8],
        wanted: impl Fn(Failure) -> bool,
    ) {
        if !expect.allows_status(status) {
            self.wrong = Some(Failure::WrongStatus);
            if wanted(Failure::WrongStatus) {
                self.detail = format!("status {status}; the answer begins {}", quote(raw));
            }
        }
    }

    /// Judges the next bytes of the body.
    #[inline]
    pub(crate) fn body(
        &mut self,
        expect: &Expectation,
        bytes: &[u8],
        wanted: impl Fn(Failure) -> bool,
    ) {
        let Some(Body(right)) = &expect.body else {
            return;
        };
        if self.wrong.is_some() {
            return;
        }
        let rest = right.get(self.matched..).unwrap_or_default();
        if rest.starts_with(bytes) {
            self.matched += bytes.len();
            return;
        }
        self.wrong = Some(Failure::WrongBody);
        if wanted(Failure::WrongBody) {
            let same = rest.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            let at = self.matched + same;
            self.detail = format!(
                "the body differs from byte {at} on: {} instead of {}",
                quote(bytes.get(same..).unwrap_or_default()),
                quote(rest.get(same..).unwrap_or_default()),
            );
        }
    }

    /// The answer is complete: what is wrong with it, if anything.
    #[inline]
    pub(crate) fn end(
        &mut self,
        expect: &Expectation,
        wanted: impl Fn(Failure) -> bool,
    ) -> Option<Failure> {
        if let Some(Body(right)) = &expect.body
            && self.wrong.is_none()
            && self.matched < right.len()
        {
            self.wrong = Some(Failure::WrongBody);
            if wanted(Failure::WrongBody) {
                self.detail = format!(
                    "the body ends after {} of {} bytes",
                    self.matched,
                    right.len()
                );
            }
        }
        self.wrong
    }

    /// What was wrong, in words.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

/// The beginning of some bytes, readable whatever they are.
fn quote(bytes: &[u8]) -> String {
    let quoted = bytes.get(..QUOTED).unwrap_or(bytes);
    let more = if quoted.len() < bytes.len() {
        "…"
    } else {
        ""
    };
    format!("\"{}{more}\"", quoted.escape_ascii())
}

#[cfg(test)]
mod tests {
    use faceoff_record::{Body, Expectation, Failure};

    use super::Verdict;

    fn expecting(body: &str) -> Expectation {
        Expectation {
            body: Some(Body::from(body)),
            ..Expectation::status(&[200])
        }
    }

    fn judge(expect: &Expectation, status: u16, body: &[&str]) -> (Option<Failure>, String) {
        let mut verdict = Verdict::default();
        let wanted = |_| true;
        verdict.head(expect, status, b"HTTP/1.1 404 Not Found\r\n\r\n", wanted);
        for piece in body {
            verdict.body(expect, piece.as_bytes(), wanted);
        }
        let wrong = verdict.end(expect, wanted);
        (wrong, verdict.detail().to_owned())
    }

    #[test]
    fn the_right_body_is_right_however_it_is_split() {
        let expect = expecting("value");
        for pieces in [&["value"][..], &["v", "alue"], &["va", "l", "ue"]] {
            assert_eq!(judge(&expect, 200, pieces).0, None, "{pieces:?}");
        }
    }

    #[test]
    fn a_different_a_longer_and_a_shorter_body_are_wrong_and_say_where() {
        let expect = expecting("value");
        for (pieces, detail) in [
            (
                &["va", "xue"][..],
                "the body differs from byte 2 on: \"xue\" instead of \"lue\"",
            ),
            (
                &["value", "!"],
                "the body differs from byte 5 on: \"!\" instead of \"\"",
            ),
            (&["val"], "the body ends after 3 of 5 bytes"),
            (&[], "the body ends after 0 of 5 bytes"),
        ] {
            let (wrong, said) = judge(&expect, 200, pieces);
            assert_eq!(wrong, Some(Failure::WrongBody), "{pieces:?}");
            assert_eq!(said, detail);
        }
    }

    #[test]
    fn a_wrong_status_outweighs_a_wrong_body() {
        let (wrong, said) = judge(&expecting("value"), 404, &["no"]);
        assert_eq!(wrong, Some(Failure::WrongStatus));
        assert_eq!(
            said,
            "status 404; the answer begins \"HTTP/1.1 404 Not Found\\r\\n\\r\\n\""
        );
    }

    #[test]
    fn without_an_expected_body_any_will_do() {
        assert_eq!(judge(&Expectation::default(), 204, &["x"]).0, None);
    }
}
