//! Text for a terminal of a given width: wrapping, figures, colour.

use faceoff_record::{Class, Severity};

/// Narrower terminals get lines of this width, which they break as they like.
pub(crate) const NARROWEST: usize = 40;

/// Stands where a figure is missing.
pub(crate) const MISSING: &str = "–";

/// Output under construction: no line is longer than the width.
pub(crate) struct Page {
    pub(crate) width: usize,
    colour: bool,
    text: String,
    /// Whether an empty line comes before the next one.
    gap: bool,
}

/// How a line stands out, where colour is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Ink {
    Plain,
    Bold,
    Green,
    Yellow,
    Red,
}

impl Page {
    pub(crate) fn new(width: usize, colour: bool) -> Self {
        Self {
            width: width.max(NARROWEST),
            colour,
            text: String::new(),
            gap: false,
        }
    }

    /// An empty line between what is there and what comes, if there is both.
    pub(crate) fn gap(&mut self) {
        self.gap = !self.text.is_empty();
    }

    /// Lines that are known to fit.
    pub(crate) fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(Ink::Plain, line);
        }
    }

    /// `lead`, then the text beside it, wrapped.
    pub(crate) fn paragraph(&mut self, ink: Ink, lead: &str, text: &str) {
        let indent = columns(lead);
        let wrapped = wrap(text, self.width.saturating_sub(indent));
        for (index, line) in wrapped.iter().enumerate() {
            let start = if index == 0 {
                lead.to_owned()
            } else {
                " ".repeat(indent)
            };
            self.line(ink, &format!("{start}{line}"));
        }
    }

    /// `lead`, then the text beside it with its own line breaks, cut where it is too long.
    pub(crate) fn verbatim(&mut self, lead: &str, text: &str) {
        let indent = columns(lead);
        let mut start = lead.to_owned();
        for line in text.lines() {
            let line = clean(line).replace('\t', " ");
            for piece in pieces(&line, self.width.saturating_sub(indent)) {
                self.line(Ink::Plain, &format!("{start}{piece}"));
                start = " ".repeat(indent);
            }
        }
    }

    fn line(&mut self, ink: Ink, line: &str) {
        if std::mem::take(&mut self.gap) {
            self.text.push('\n');
        }
        let line = line.trim_end();
        match ink {
            _ if !self.colour || line.is_empty() => self.text.push_str(line),
            Ink::Plain => self.text.push_str(line),
            Ink::Bold => self.coloured("1", line),
            Ink::Green => self.coloured("32", line),
            Ink::Yellow => self.coloured("33", line),
            Ink::Red => self.coloured("31", line),
        }
        self.text.push('\n');
    }

    fn coloured(&mut self, code: &str, line: &str) {
        self.text.push_str(&format!("\x1b[{code}m{line}\x1b[0m"));
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The word for a severity.
pub(crate) const fn severity(severity: Severity) -> (&'static str, Ink) {
    match severity {
        Severity::Note => ("note", Ink::Plain),
        Severity::Warning => ("warning", Ink::Yellow),
        Severity::Void => ("void", Ink::Red),
    }
}

/// The word for a class.
pub(crate) const fn class_name(class: Class) -> &'static str {
    match class {
        Class::Standard => "standard",
        Class::Tuned => "tuned",
        Class::Bare => "bare",
    }
}

/// How many columns a terminal needs for the text. Wide scripts count double and so does whatever
/// may be wide, so that a line is rather broken early than too long.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

const fn char_columns(character: char) -> usize {
    match character {
        '\u{1100}'..='\u{115f}' | '\u{2e80}'.. => 2,
        _ => 1,
    }
}

/// Breaks text into lines between words, and within words that are longer than a line; its own
/// line breaks are kept.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let text = clean(text);
    let lines = text.trim_end().split('\n');
    lines
        .flat_map(|line| wrap_line(line, width.max(2)))
        .collect()
}

fn wrap_line(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        for (index, piece) in pieces(word, width).into_iter().enumerate() {
            let Some(line) = lines.last_mut() else { break };
            if line.is_empty() {
                *line = piece;
            } else if index == 0 && columns(line) + 1 + columns(&piece) <= width {
                line.push(' ');
                line.push_str(&piece);
            } else {
                lines.push(piece);
            }
        }
    }
    lines
}

/// Cuts text into pieces of the given width, spaces included.
pub(crate) fn pieces(text: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for character in text.chars() {
        let needed = char_columns(character);
        if used + needed > width {
            pieces.push(String::new());
            used = 0;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
        used += needed;
    }
    pieces
}

/// The text with control characters spelled out: what a server answered must not steer the
/// terminal. White space remains.
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => character.to_string(),
            // They reorder what surrounds them.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                character.escape_unicode().to_string()
            }
            _ if character.is_control() => character.escape_default().to_string(),
            _ => character.to_string(),
        })
        .collect()
}

/// The text in at most `width` columns. The middle is left out, since names often differ at
/// either end.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    let text = clean(text).replace(['\n', '\t'], " ");
    if columns(&text) <= width {
        return text;
    }
    let room = width.saturating_sub(1);
    let tail = take(text.chars().rev(), room / 2);
    let head = take(text.chars(), room - columns(&tail));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

fn take(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    characters
        .take_while(|&character| {
            used += char_columns(character);
            used <= width
        })
        .collect()
}

/// A figure with that many significant digits; digits before the decimal point are never rounded
/// away: `0.0123`, `1.23`, `12.3`, `123`, `12,346`.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    let mut decimals = decimals(value, digits);
    // 9.999 with three digits is 10.0, not 10.00: rounding can add a digit in front.
    if decimals > 0 {
        let rounded = format!("{value:.decimals$}");
        decimals = self::decimals(rounded.parse().unwrap_or(value), digits);
    }
    fixed(value, decimals)
}

/// A figure with that many decimals and with thousands separators.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let fixed = format!("{value:.decimals$}");
    let (whole, fraction) = match fixed.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (fixed.as_str(), None),
    };
    let whole = grouped(whole);
    fraction.map_or_else(|| whole.clone(), |fraction| format!("{whole}.{fraction}"))
}

/// A ratio with its interval: `1.23x (1.19 to 1.27)`, with the digits that sentences give it: two
/// decimals; three for a narrow interval; and more where an end that is not 1 would read as 1.
pub(crate) fn ratio(value: f64, interval: Option<(f64, f64)>) -> String {
    let figure = |value: f64, decimals: usize| match value {
        1e6.. => "over a million".to_owned(),
        100.0.. => format!("{value:.0}"),
        _ => format!("{value:.decimals$}"),
    };
    let Some((low, high)) = interval else {
        return format!("{}x", figure(value, 2));
    };
    let fewest = if high - low < 0.01 { 3 } else { 2 };
    let reads_as_one =
        |end: f64, decimals| end != 1.0 && figure(end, decimals) == figure(1.0, decimals);
    let decimals = (fewest..=4)
        .find(|&decimals| !reads_as_one(low, decimals) && !reads_as_one(high, decimals))
        .unwrap_or(fewest);
    let [value, low, high] = [value, low, high].map(|value| figure(value, decimals));
    format!("{value}x ({low} to {high})")
}

/// A share in percent: `2 %`, `2.5 %`.
pub(crate) fn percent(share: f64) -> String {
    let hundredths = (share * 10_000.0).round();
    format!("{} %", hundredths / 100.0)
}

/// A count with thousands separators.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// Bytes in MiB.
#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
pub(crate) fn mebibytes(bytes: u64) -> String {
    significant(bytes as f64 / f64::from(1 << 20), 3)
}

fn decimals(value: f64, digits: usize) -> usize {
    let magnitude = value.abs();
    if magnitude == 0.0 || !magnitude.is_finite() {
        return 0;
    }
    let mut decimals = digits.saturating_sub(1);
    let mut scale = 10.0;
    while magnitude >= scale && decimals > 0 {
        decimals -= 1;
        scale *= 10.0;
    }
    scale = 1.0;
    // Nothing shown here needs more than nine decimals.
    while magnitude < scale && decimals < 9 {
        decimals += 1;
        scale /= 10.0;
    }
    decimals
}

fn grouped(digits: &str) -> String {
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |digits| ("-", digits));
    let mut text = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `one thing`, `2 things`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", count(number))
}

#[cfg(test)]
mod tests {
    use super::{clean, columns, count, mebibytes, shorten, significant, wrap};

    #[test]
    fn figures_keep_their_significant_digits_and_all_digits_before_the_point() {
        let cases = [
            (0.0, "0"),
            (0.012_34, "0.0123"),
            (0.1, "0.100"),
            (0.999_9, "1.00"),
            (1.0, "1.00"),
            (9.994, "9.99"),
            (9.996, "10.0"),
            (99.96, "100"),
            (123.4, "123"),
            (999.6, "1,000"),
            (53_140.7, "53,141"),
            (1_234_567.0, "1,234,567"),
            (-1.234, "-1.23"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value, 3), text, "{value}");
        }
        assert_eq!(significant(1.44, 2), "1.4");
        assert_eq!(count(1_000_000), "1,000,000");
        assert_eq!(mebibytes(12_897_485), "12.3");
    }

    #[test]
    fn text_wraps_between_words_and_long_words_are_cut() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("a log:\none  two\n", 10), ["a log:", "one two"]);
        for width in 2..20 {
            let text = "a somewhat longer sentence, 測試測試 included";
            assert!(wrap(text, width).iter().all(|line| columns(line) <= width));
        }
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        assert_eq!(shorten("actix-web", 9), "actix-web");
        assert_eq!(shorten("aspnet-core-minimal-api", 12), "aspnet…l-api");
    }

    #[test]
    fn an_answer_cannot_steer_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\u{202e}c\n"), "a\\u{1b}[2Jb\\u{202e}c\n");
    }
}
