//! Variables in paths and bodies: `{id}` or `{id:1..500}`, `{{` for a brace.
//!
//! A variable is drawn anew for each request; the same name stands for the same number in path,
//! body and expected body of one request, so that a server that ignores its input is found out.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// The range of a variable that states none, that of the ids in the workload `values`.
const DEFAULT_RANGE: (u64, u64) = (1, 1_000_000);

/// A text with variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Variable { name: String, low: u64, high: u64 },
}

/// The values drawn for one request.
pub(crate) type Drawn = BTreeMap<String, u64>;

impl Template {
    /// Reads a text; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            plain.push_str(before);
            if brace.starts_with("{{") || brace.starts_with("}}") {
                plain.push_str(&brace[..1]);
                rest = &brace[2..];
                continue;
            }
            let Some(name_and_rest) = brace.strip_prefix('{') else {
                return Err("a `}` without its `{`; write `}}` for a brace".to_owned());
            };
            let Some((inside, after)) = name_and_rest.split_once('}') else {
                return Err("a `{` without its `}`; write `{{` for a brace".to_owned());
            };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(variable(inside)?);
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self(parts))
    }

    /// The text with its variables filled in; those not in `drawn` yet are drawn and added.
    pub(crate) fn fill(&self, drawn: &mut Drawn, rng: &mut ChaCha8Rng) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Variable { name, low, high } => {
                    let value = *drawn
                        .entry(name.clone())
                        .or_insert_with(|| rng.random_range(*low..=*high));
                    text.push_str(&value.to_string());
                }
            }
        }
        text
    }

    /// Whether the text is the same for each request.
    pub(crate) fn is_fixed(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Text(_)))
    }
}

fn variable(inside: &str) -> Result<Part, String> {
    let (name, range) = match inside.split_once(':') {
        Some((name, range)) => (name, Some(range)),
        None => (inside, None),
    };
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!(
            "`{{{inside}}}` is not a variable such as {{id}} or {{id:1..500}}; write `{{{{` for a brace"
        ));
    }
    let (low, high) = match range {
        None => DEFAULT_RANGE,
        Some(range) => range
            .split_once("..")
            .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)))
            .filter(|(low, high)| low <= high)
            .ok_or_else(|| format!("`{range}` is not a range such as 1..500"))?,
    };
    Ok(Part::Variable {
        name: name.to_owned(),
        low,
        high,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::{Drawn, Template};

    #[test]
    fn variables_are_filled_alike_within_one_request() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut drawn = Drawn::new();
        let path = Template::parse("/a/{id:7..7}/b?x={other}").unwrap();
        let body = Template::parse("{{\"id\": {id}, \"other\": {other}}}").unwrap();
        let path = path.fill(&mut drawn, &mut rng);
        let other = drawn["other"];
        assert_eq!(path, format!("/a/7/b?x={other}"));
        let expected = format!("{{\"id\": 7, \"other\": {other}}}");
        assert_eq!(body.fill(&mut drawn, &mut rng), expected);
    }

    #[test]
    fn mistakes_in_a_template_are_named() {
        for text in ["{", "}", "{}", "{a b}", "{id:5}", "{id:9..1}", "{id:a..b}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
        assert!(Template::parse("/plain").unwrap().is_fixed());
        assert!(!Template::parse("/{id}").unwrap().is_fixed());
    }
    proptest! {
        #[test]
        fn reading_a_template_never_panics(text in "[a-z{}:.0-9é ]{0,16}|\\PC*") {
            let _ = Template::parse(&text);
        }

        #[test]
        fn escaped_text_is_filled_as_it_was_written(text in "[a-z{}é:/.]{0,16}", seed: u64) {
            let escaped = text.replace('{', "{{").replace('}', "}}");
            let template = Template::parse(&escaped).unwrap();
            prop_assert!(template.is_fixed());
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            prop_assert_eq!(template.fill(&mut Drawn::new(), &mut rng), text);
        }

        #[test]
        fn a_number_is_drawn_from_its_range_ends_included(low: u64, size in 0..4_u64, seed: u64) {
            let high = low.saturating_add(size);
            let template = Template::parse(&format!("{{n:{low}..{high}}}")).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // A hundred draws of five numbers miss one of them once in a thousand million times.
            let drawn: std::collections::BTreeSet<u64> = (0..100)
                .map(|_| template.fill(&mut Drawn::new(), &mut rng).parse().unwrap())
                .collect();
            prop_assert!(drawn.into_iter().eq(low..=high));
        }
    }
}
