//! What a method, a path and a header field may look like, wherever they are written.

use faceoff_record::Header;

/// Fields that whoever sends the request writes itself; a second one would break the message.
const WRITTEN_BY_US: &[&str] = &["host", "content-length", "transfer-encoding"];

/// What is wrong with a method, if anything is.
pub(super) fn method(text: &str) -> Result<(), &'static str> {
    if !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase()) {
        Ok(())
    } else {
        Err("a method is written in capitals")
    }
}

/// What is wrong with a path, if anything is.
pub(super) fn path(text: &str) -> Result<(), &'static str> {
    if text.starts_with('/') && !text.contains(|c: char| c.is_ascii_whitespace()) {
        Ok(())
    } else {
        Err("a path starts with / and has no spaces")
    }
}

/// A header field, or what is wrong with it.
pub(super) fn header(name: &str, value: &str) -> Result<Header, String> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) || value.contains(['\r', '\n', '\0']) {
        return Err(format!("`{name}` is not a header field"));
    }
    if WRITTEN_BY_US.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(format!("`{name}` is written by Faceoff itself"));
    }
    Ok(Header::new(name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn fields_that_would_break_a_message_are_refused() {
        let cases = [
            ("accept", " text/plain ", true),
            ("x-y", "", true),
            ("", "x", false),
            ("a b", "x", false),
            ("a", "x\r\ny: z", false),
            ("Host", "x", false),
            ("content-LENGTH", "1", false),
        ];
        for (name, value, good) in cases {
            assert_eq!(header(name, value).is_ok(), good, "{name}: {value:?}");
        }
    }
}
