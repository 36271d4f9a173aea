//! The one variable of start commands.

/// Fills `{port}` into a word of a command; `{{` and `}}` stand for braces.
///
/// The error says what is wrong with the word.
pub(crate) fn fill_port(word: &str, port: u16) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        filled.push_str(before);
        if let Some(after) = brace.strip_prefix("{port}") {
            filled.push_str(&port.to_string());
            rest = after;
        } else if brace.starts_with("{{") || brace.starts_with("}}") {
            filled.push_str(&brace[..1]);
            rest = &brace[2..];
        } else {
            return Err(format!(
                "`{word}`: only {{port}} is known; write {{{{ and }}}} for braces"
            ));
        }
    }
    filled.push_str(rest);
    Ok(filled)
}
