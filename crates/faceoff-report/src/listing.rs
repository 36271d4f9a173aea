//! What `faceoff list` shows: suites, workloads, contenders, and what can run here.

use faceoff_record::Class;
use serde::Serialize;

use crate::grid::{Column, Fit, grid};
use crate::text::{Ink, Page, class_name, columns, shorten};

/// Texts longer than this are shortened even where there is room.
const LONGEST: usize = 40;

/// The version of the JSON of a listing.
pub const LISTING_FORMAT: u32 = 1;

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The suites that were found.
    pub suites: Vec<ListedSuite>,
    /// The contenders that were found.
    pub contenders: Vec<ListedContender>,
    /// The workloads that are known.
    pub workloads: Vec<ListedWorkload>,
}

/// A suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedSuite {
    /// Where its file is, as one would write it behind `faceoff run`.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The names of its workloads.
    pub workloads: Vec<String>,
    /// The names of its contenders.
    pub contenders: Vec<String>,
    /// Why it cannot be run, if it cannot.
    pub problem: Option<String>,
}

/// A contender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedContender {
    /// Its name.
    pub name: String,
    /// The language it is written in.
    pub language: String,
    /// The framework, if it uses one.
    pub framework: Option<String>,
    /// The framework's version.
    pub version: Option<String>,
    /// Its class.
    pub class: Class,
    /// The workloads it offers; empty means any.
    pub workloads: Vec<String>,
    /// Why it cannot run here, if it cannot.
    pub cannot_run: Option<String>,
}

/// A workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedWorkload {
    /// Its name.
    pub name: String,
    /// What it asks for, in a sentence.
    pub description: String,
}

/// The public JSON of a listing.
#[must_use]
pub fn listing_json(listing: &Listing) -> String {
    #[derive(Serialize)]
    struct Versioned<'a> {
        format: u32,
        #[serde(flatten)]
        listing: &'a Listing,
    }
    crate::pretty(&Versioned {
        format: LISTING_FORMAT,
        listing,
    })
}

/// The text of a listing for a terminal of `width` columns.
#[must_use]
pub fn listing_terminal(listing: &Listing, width: usize) -> String {
    let mut page = Page::new(width, false);
    suites(&mut page, &listing.suites);
    contenders(&mut page, &listing.contenders);
    workloads(&mut page, &listing.workloads);
    page.finish()
}

fn suites(page: &mut Page, suites: &[ListedSuite]) {
    title(page, "Suites", suites.len());
    if suites.is_empty() {
        return;
    }
    let number = |count_of: fn(&ListedSuite) -> usize| {
        let numbers = suites.iter().map(count_of);
        numbers.map(|number| number.to_string()).collect()
    };
    let table = vec![
        text("suite", Fit::Shorten, suites, |suite| suite.name.clone()),
        text("file", Fit::Shorten, suites, |suite| suite.path.clone()),
        column(
            "workloads",
            Fit::Drop(2),
            number(|suite| suite.workloads.len()),
        ),
        column(
            "contenders",
            Fit::Drop(1),
            number(|suite| suite.contenders.len()),
        ),
    ];
    page.lines(&grid(table, page.width).lines);
    let problems = suites.iter();
    let problems = problems.filter_map(|suite| Some((&suite.name, suite.problem.as_ref()?)));
    reasons(page, "Cannot be run:", problems);
}

fn contenders(page: &mut Page, contenders: &[ListedContender]) {
    title(page, "Contenders", contenders.len());
    if contenders.is_empty() {
        return;
    }
    let mark = |contender: &ListedContender| match contender.cannot_run {
        Some(_) => "no".to_owned(),
        None => "yes".to_owned(),
    };
    let table = vec![
        text("contender", Fit::Shorten, contenders, |contender| {
            contender.name.clone()
        }),
        text("language", Fit::DropText(3), contenders, |contender| {
            contender.language.clone()
        }),
        text("framework", Fit::DropText(2), contenders, framework),
        text("class", Fit::DropText(1), contenders, class),
        text("runs here", Fit::Text, contenders, mark),
        text("workloads", Fit::Wrap, contenders, offered),
    ];
    page.lines(&grid(table, page.width).lines);
    let reasons_here = contenders.iter();
    let reasons_here = reasons_here.filter_map(|contender| {
        let reason = contender.cannot_run.as_ref()?;
        Some((&contender.name, reason))
    });
    reasons(page, "Cannot run here:", reasons_here);
}

fn framework(contender: &ListedContender) -> String {
    let parts = [&contender.framework, &contender.version];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    parts.join(" ")
}

fn class(contender: &ListedContender) -> String {
    class_name(contender.class).to_owned()
}

fn offered(contender: &ListedContender) -> String {
    if contender.workloads.is_empty() {
        "any".to_owned()
    } else {
        contender.workloads.join(", ")
    }
}

fn workloads(page: &mut Page, workloads: &[ListedWorkload]) {
    title(page, "Workloads", workloads.len());
    let names = workloads
        .iter()
        .map(|workload| shorten(&workload.name, LONGEST));
    let names: Vec<String> = names.collect();
    let widest = names.iter().map(|name| columns(name)).max().unwrap_or(0);
    for (name, workload) in names.iter().zip(workloads) {
        let padding = " ".repeat(widest - columns(name) + 2);
        page.paragraph(
            Ink::Plain,
            &format!("{name}{padding}"),
            &workload.description,
        );
    }
}

fn title(page: &mut Page, of: &str, number: usize) {
    page.gap();
    let number = if number == 0 {
        "none".to_owned()
    } else {
        number.to_string()
    };
    page.paragraph(Ink::Bold, "", &format!("{of}: {number}"));
    page.gap();
}

fn reasons<'a>(
    page: &mut Page,
    title: &str,
    reasons: impl Iterator<Item = (&'a String, &'a String)>,
) {
    let mut reasons = reasons.peekable();
    if reasons.peek().is_some() {
        page.gap();
        page.paragraph(Ink::Plain, "", title);
    }
    for (name, reason) in reasons {
        page.paragraph(Ink::Plain, "  ", &format!("{name}: {reason}"));
    }
}

fn text<T>(heading: &str, fit: Fit, rows: &[T], cell: fn(&T) -> String) -> Column {
    column(
        heading,
        fit,
        rows.iter()
            .map(|row| shorten(&cell(row), LONGEST))
            .collect(),
    )
}

fn column(heading: &str, fit: Fit, cells: Vec<String>) -> Column {
    Column {
        name: "",
        heading: heading.to_owned(),
        fit,
        cells,
    }
}
