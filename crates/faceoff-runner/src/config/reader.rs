//! Reads one table of a TOML file, remembering where everything stood.
//!
//! A reader never stops at the first mistake: each accessor notes what is wrong and answers
//! `None`, and [`Section::finish`] notes every key that nobody asked for.

use std::collections::BTreeMap;
use std::ops::Range;

use faceoff_record::Nanos;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problems, nearest};

/// One table of a file.
pub(super) struct Section<'t, 'p> {
    table: &'t DeTable<'t>,
    /// Where the table stands.
    pub(super) span: Range<usize>,
    /// How the table is called in messages, for example `contender[2]`; empty for the root.
    path: String,
    asked: Vec<&'static str>,
    problems: &'p mut Problems,
}

impl<'t, 'p> Section<'t, 'p> {
    pub(super) fn new(
        table: &'t DeTable<'t>,
        span: Range<usize>,
        path: impl Into<String>,
        problems: &'p mut Problems,
    ) -> Self {
        Self {
            table,
            span,
            path: path.into(),
            asked: Vec::new(),
            problems,
        }
    }

    /// Notes every key of the table that no accessor asked for.
    pub(super) fn finish(self) {
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let hint = match nearest(name, self.asked.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known keys here: {}", self.asked.join(", ")),
            };
            let path = join(&self.path, name);
            let message = format!("unknown key `{name}`");
            self.problems
                .add_with_hint(key.span(), &path, message, Some(hint));
        }
    }

    /// Notes a mistake at the value of `key`, or at the table where the key is missing.
    pub(super) fn problem(&mut self, key: &str, message: impl Into<String>, hint: Option<&str>) {
        let span = self.span_of(key);
        let path = join(&self.path, key);
        self.problems
            .add_with_hint(span, &path, message, hint.map(str::to_owned));
    }

    pub(super) fn string(&mut self, key: &'static str) -> Option<String> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(text.clone().into_owned()),
            _ => self.wrong_type(key, value, "a string in quotes"),
        }
    }

    /// A string that must be there and must not be blank.
    pub(super) fn required_string(&mut self, key: &'static str, hint: &str) -> Option<String> {
        if self.has(key) {
            let text = self.string(key)?;
            if text.trim().is_empty() {
                self.problem(key, format!("`{key}` is empty"), Some(hint));
                return None;
            }
            return Some(text);
        }
        self.asked.push(key);
        self.problem(key, format!("`{key}` is missing"), Some(hint));
        None
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => self.wrong_type(key, value, "true or false"),
        }
    }

    /// A whole number within `range`.
    pub(super) fn integer(
        &mut self,
        key: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = self.value(key)?;
        let DeValue::Integer(digits) = value.get_ref() else {
            return self.wrong_type(key, value, "a whole number");
        };
        match u64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(number) if range.contains(&number) => Some(number),
            _ => {
                let (low, high) = (range.start(), range.end());
                let message = format!("`{key}` must be a whole number from {low} to {high}");
                self.problem(key, message, None);
                None
            }
        }
    }

    /// A length of time such as `10s`, `500ms` or `1m30s`.
    pub(super) fn duration(&mut self, key: &'static str) -> Option<Nanos> {
        let text = self.string(key)?;
        let parsed = parse_duration(&text);
        if let Err(message) = &parsed {
            let hint = "write for example \"10s\", \"500ms\" or \"1m30s\"";
            self.problem(key, format!("`{key}`: {message}"), Some(hint));
        }
        parsed.ok()
    }

    /// A list of strings; a single string counts as a list of one.
    pub(super) fn strings(&mut self, key: &'static str) -> Option<Vec<String>> {
        let value = self.value(key)?;
        if let DeValue::String(text) = value.get_ref() {
            return Some(vec![text.clone().into_owned()]);
        }
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_type(key, value, "a list of strings");
        };
        let mut strings = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(text) => strings.push(text.clone().into_owned()),
                _ => self.wrong_type(key, item, "a list of strings")?,
            }
        }
        Some(strings)
    }

    /// A list of status codes; a single one counts as a list of one.
    pub(super) fn status_codes(&mut self, key: &'static str) -> Option<Vec<u16>> {
        let value = self.value(key)?;
        let items: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        let mut codes = Vec::new();
        for item in items {
            let code = match item.get_ref() {
                DeValue::Integer(digits) => digits.as_str().parse().ok(),
                _ => None,
            };
            match code.filter(|code| (200..=599).contains(code)) {
                Some(code) => codes.push(code),
                None => self.wrong_type(key, item, "status codes from 200 to 599")?,
            }
        }
        Some(codes)
    }

    /// A table whose values are all strings.
    pub(super) fn string_map(&mut self, key: &'static str) -> Option<BTreeMap<String, String>> {
        let value = self.value(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong_type(key, value, "a table of strings, { NAME = \"value\" }");
        };
        let mut map = BTreeMap::new();
        for (name, item) in table.iter() {
            match item.get_ref() {
                DeValue::String(text) => {
                    map.insert(name.get_ref().to_string(), text.clone().into_owned());
                }
                _ => self.wrong_type(key, item, "a table of strings, { NAME = \"value\" }")?,
            }
        }
        Some(map)
    }

    /// The table at `key`, read by `read`.
    pub(super) fn table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Section<'t, '_>) -> T,
    ) -> Option<T> {
        let value = self.value(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong_type(key, value, &format!("a table, [{key}]"));
        };
        let path = join(&self.path, key);
        let mut section = Section::new(table, value.span(), path, self.problems);
        let result = read(&mut section);
        section.finish();
        Some(result)
    }

    /// The tables at `key`, written `[[key]]`, each read by `read`.
    pub(super) fn tables<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Section<'t, '_>) -> T,
    ) -> Vec<T> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let items = match value.get_ref() {
            DeValue::Array(items) if !items.is_empty() => items,
            _ => {
                let _: Option<()> = self.wrong_type(key, value, &format!("tables, [[{key}]]"));
                return Vec::new();
            }
        };
        let mut results = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let DeValue::Table(table) = item.get_ref() else {
                let _: Option<()> = self.wrong_type(key, item, &format!("a table, [[{key}]]"));
                continue;
            };
            let path = format!("{}[{}]", join(&self.path, key), index + 1);
            let mut section = Section::new(table, item.span(), path, self.problems);
            results.push(read(&mut section));
            section.finish();
        }
        results
    }

    /// Names keys that belong here even if nobody asks for their values.
    pub(super) fn know(&mut self, keys: &[&'static str]) {
        self.asked.extend(keys);
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Where the value of `key` stands, or the table where it has none.
    pub(super) fn span_of(&self, key: &str) -> Range<usize> {
        self.table
            .get(key)
            .map_or_else(|| self.span.clone(), Spanned::span)
    }

    fn value(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.table.get(key)
    }

    fn wrong_type<T>(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
    ) -> Option<T> {
        let path = join(&self.path, key);
        let message = format!("`{key}` must be {expected}");
        self.problems.add(value.span(), &path, message);
        None
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Reads a length of time such as `10s`, `500ms` or `1m30s`.
///
/// # Errors
///
/// What is wrong with the text, as a sentence.
pub fn parse_duration(text: &str) -> Result<Nanos, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("a length of time is missing".to_owned());
    }
    if rest.chars().all(|c| c.is_ascii_digit()) {
        return Err(format!("`{rest}` has no unit; did you mean `{rest}s`?"));
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let seconds = match unit {
            "ns" => 1e-9,
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(format!("`{text}` is not a length of time")),
        };
        let value: f64 = number
            .parse()
            .map_err(|_| format!("`{text}` is not a length of time"))?;
        total += value * seconds;
        rest = after;
    }
    if total > 1e6 {
        return Err(format!("`{text}` is longer than any run"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "non-negative and below 1e15 by the lines above"
    )]
    Ok(Nanos((total * 1e9).round() as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Nanos, parse_duration};

    #[test]
    fn lengths_of_time_have_units_and_add_up() {
        let cases = [
            ("10s", Some(Nanos::from_secs(10))),
            ("500ms", Some(Nanos::from_millis(500))),
            ("1m30s", Some(Nanos::from_secs(90))),
            ("1.5s", Some(Nanos::from_millis(1500))),
            ("2h", Some(Nanos::from_secs(7200))),
            ("10", None),
            ("", None),
            ("s", None),
            ("-1s", None),
            ("1.2.3s", None),
            ("1e3s", None),
            ("1s30", None),
            ("1m 30s", None),
            ("٣s", None),
            (" 5s ", Some(Nanos::from_secs(5))),
            ("2min", Some(Nanos::from_secs(120))),
            ("7us3ns", Some(Nanos(7_003))),
            ("0s", Some(Nanos::ZERO)),
            ("5 parsecs", None),
            ("99999999h", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_duration(text).ok(), expected, "{text:?}");
        }
    }
    proptest! {
        #[test]
        fn no_text_makes_the_reader_of_lengths_panic(text in "\\PC*|[0-9a-z. ]{0,12}|[0-9]{1,400}h") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn a_length_is_the_sum_of_its_parts(minutes in 0..600_u64, seconds in 0..60_u64, millis in 0..1_000_u64) {
            let expected = Nanos::from_secs(60 * minutes + seconds) + Nanos::from_millis(millis);
            let text = format!("{minutes}m{seconds}s{millis}ms");
            prop_assert_eq!(parse_duration(&text), Ok(expected));
            let text = format!("{minutes}m{seconds}.{millis:03}s");
            prop_assert_eq!(parse_duration(&text), Ok(expected));
        }
    }
}
