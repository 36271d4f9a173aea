//! A run as GitHub-flavoured Markdown, for a pull request: the answer, tables, doubts, and how to
//! repeat it.

use std::fmt::Write as _;

use crate::figures::{COSTS, Figure, LOAD, RANK, SERVICE, SPEED, missing_figures};
use crate::phrases::{self, NOTHING_MEASURED, SERVICE_TIME};
use crate::text::{MISSING, clean, severity};
use crate::view::{ContenderView, PairView, View, WorkloadView};

/// The text of a run for a pull request.
#[must_use]
pub fn markdown(view: &View) -> String {
    let mut page = Page::default();
    page.block(&format!("## Faceoff: {}", escape(&view.suite)));
    if let Some((word, text)) = phrases::ending(view) {
        page.block(&format!("**{word}**: {}", escape(text)));
    }
    if let Some((word, text)) = phrases::void(view) {
        page.block(&format!("**{word}**: {}", escape(text)));
    }
    for workload in &view.workloads {
        section(&mut page, workload);
    }
    doubts(&mut page, view);
    repeat(&mut page, view);
    page.text
}

/// Blocks with an empty line between them.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn block(&mut self, block: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(block.trim_end());
        self.text.push('\n');
    }

    fn list(&mut self, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.map(|item| format!("- {item}")).collect();
        if !items.is_empty() {
            self.block(&items.join("\n"));
        }
    }

    /// Behind a click, since a pull request is read for its answer.
    fn details(&mut self, summary: &'static str, body: impl FnOnce(&mut Self)) {
        self.block(&format!("<details><summary>{summary}</summary>"));
        body(self);
        self.block("</details>");
    }
}

fn section(page: &mut Page, workload: &WorkloadView) {
    page.block(&format!("### {}", escape(workload.name.as_str())));
    let measured = phrases::measured(workload);
    if measured.is_empty() {
        page.block(NOTHING_MEASURED);
    } else {
        sentences(page, &measured, &workload.pairs);
        table(
            page,
            &measured,
            [&RANK].into_iter().chain(&SPEED).chain(&COSTS),
        );
    }
    page.block(&escape(&phrases::setting(workload)));
    if !measured.is_empty() {
        page.details(SERVICE_TIME, |page| {
            table(page, &measured, SERVICE.iter().chain(&LOAD));
        });
        let missing = missing_figures(&measured, &[]);
        let classes = phrases::classes(&measured);
        page.list(missing.into_iter().chain(classes).map(|text| escape(&text)));
    }
    let without = phrases::without_figures(workload);
    page.list(without.iter().map(|group| {
        let (reason, log) = group.reason.split_once('\n').unwrap_or((group.reason, ""));
        let names = escape(&group.names.join(", "));
        format!(
            "**{}** {names}: {}{}",
            phrases::standing(group.standing),
            escape(reason),
            lines(log)
        )
    }));
}

/// The end of a log inside of a list item.
fn lines(log: &str) -> String {
    if log.trim().is_empty() {
        return String::new();
    }
    fenced(log, "")
        .lines()
        .fold(String::new(), |text, line| format!("{text}\n  {line}"))
}

fn sentences(page: &mut Page, measured: &[&ContenderView], pairs: &[PairView]) {
    let comparisons = phrases::comparisons(measured, pairs);
    let sentence = |pair: &&PairView| match pair.sentence.split_once(": ") {
        Some((claim, figures)) => format!("**{}:** {}", escape(claim), escape(figures)),
        None => format!("**{}**", escape(&pair.sentence)),
    };
    page.list(comparisons.first.iter().map(sentence));
    if !comparisons.neighbours.is_empty() {
        let others = comparisons.neighbours.iter().chain(&comparisons.others);
        page.details("The other pairs", |page| page.list(others.map(sentence)));
    }
}

/// A row for each contender and a column for each figure that any of them has.
fn table<'a>(
    page: &mut Page,
    contenders: &[&ContenderView],
    figures: impl Iterator<Item = &'a Figure>,
) {
    let known: Vec<&Figure> = figures
        .filter(|figure| figure.is_known(contenders))
        .collect();
    let mut table = String::from("| contender |");
    for figure in &known {
        let _ = write!(table, " {} |", figure.title());
    }
    table.push_str("\n|:--|");
    table.push_str(&"--:|".repeat(known.len()));
    for contender in contenders {
        let _ = write!(table, "\n| {} |", escape(contender.name.as_str()));
        for figure in &known {
            let text = figure.text(contender);
            let _ = write!(table, " {} |", text.as_deref().unwrap_or(MISSING));
        }
    }
    page.block(&table);
}

fn doubts(page: &mut Page, view: &View) {
    if view.warnings.is_empty() {
        return;
    }
    page.block("### Doubts");
    page.list(view.warnings.iter().map(|warning| {
        let (word, _) = severity(warning.severity);
        format!("**{word}** {}", escape(&phrases::warning(view, warning)))
    }));
}

fn repeat(page: &mut Page, view: &View) {
    page.block("### How to repeat it");
    page.block(&fenced(&phrases::command(view), "sh"));
    if let Some(text) = phrases::seed(view) {
        page.block(&escape(&text));
    }
    let run = format!("{}; {}", phrases::run(view), phrases::machine(view));
    page.block(&format!("<sub>{}</sub>", escape(&run)));
}

/// Text that stands as it is, between fences longer than any inside it.
fn fenced(text: &str, language: &str) -> String {
    let mut fence = String::from("```");
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", clean(text).trim_end())
}

/// The text on one line, with nothing in it that means something in Markdown or HTML. A comment
/// splits what GitHub would make a mention, a reference or a link of.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in clean(text).chars() {
        match character {
            '\n' | '\t' => escaped.push(' '),
            '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '<' | '>' | '|' | '&' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '@' | '#' => {
                escaped.push('\\');
                escaped.push(character);
                escaped.push_str("<!-- -->");
            }
            _ => escaped.push(character),
        }
    }
    escaped
        .replace("://", ":<!-- -->//")
        .replace("www.", "www<!-- -->.")
}
