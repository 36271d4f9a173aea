//! Reads the formats back, as a program would that has nothing else.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use scraper::{ElementRef, Html, Selector};

/// Figures of a contender: key or heading, and the text; nothing where it is absent.
pub(crate) type Shown = BTreeMap<String, Option<String>>;

/// What stands for a figure that is absent.
const MISSING: &str = "–";

pub(crate) fn select<'a>(
    page: &'a Html,
    selector: &str,
) -> impl Iterator<Item = ElementRef<'a>> + use<'a> {
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector).collect::<Vec<_>>().into_iter()
}

/// The text of an element, white space as a reader sees it.
pub(crate) fn text(element: ElementRef<'_>) -> String {
    let text: String = element.text().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The figures of a page under the name of workload and contender.
pub(crate) fn html_figures(page: &Html) -> BTreeMap<(String, String), Shown> {
    let row = Selector::parse("tr[data-contender]").unwrap();
    let cell = Selector::parse("td[data-figure]").unwrap();
    let absent = Selector::parse("[data-absent]").unwrap();
    let mut all: BTreeMap<(String, String), Shown> = BTreeMap::new();
    for section in select(page, "section[data-workload]") {
        let workload = section.attr("data-workload").unwrap();
        for row in section.select(&row) {
            let contender = row.attr("data-contender").unwrap();
            let figures = all.entry((workload.into(), contender.into())).or_default();
            for cell in row.select(&cell) {
                let key = cell.attr("data-figure").unwrap().to_owned();
                let shown = cell.select(&absent).next().is_none().then(|| text(cell));
                assert!(
                    figures.insert(key, shown).is_none(),
                    "a figure stands twice"
                );
            }
        }
    }
    all
}

/// A table of Markdown, headings first, as plain text.
pub(crate) type Table = Vec<Vec<String>>;

/// The tables under each heading of the third level, and the items of lists anywhere.
#[derive(Default)]
pub(crate) struct Markdown {
    pub(crate) tables: BTreeMap<String, Vec<Table>>,
    pub(crate) items: Vec<String>,
    pub(crate) code: Vec<String>,
}

pub(crate) fn markdown(text: &str) -> Markdown {
    let mut read = Markdown::default();
    let (mut heading, mut plain) = (String::new(), String::new());
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::TableCell | Tag::Item | Tag::CodeBlock(_)) => {
                plain.clear()
            }
            Event::Start(Tag::Table(_)) => {
                read.tables
                    .entry(heading.clone())
                    .or_default()
                    .push(Vec::new());
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                let table = read.tables.get_mut(&heading).unwrap().last_mut().unwrap();
                table.push(Vec::new());
            }
            Event::End(TagEnd::TableCell) => {
                let table = read.tables.get_mut(&heading).unwrap().last_mut().unwrap();
                table.last_mut().unwrap().push(plain.clone());
            }
            Event::End(TagEnd::Heading(_)) => heading.clone_from(&plain),
            Event::End(TagEnd::Item) => read.items.push(plain.clone()),
            Event::End(TagEnd::CodeBlock) => read.code.push(plain.clone()),
            Event::Text(text) | Event::Code(text) => plain.push_str(&text),
            Event::SoftBreak | Event::HardBreak => plain.push(' '),
            _ => {}
        }
    }
    read
}

/// The figures of a Markdown text under the name of workload and contender.
pub(crate) fn markdown_figures(text: &str) -> BTreeMap<(String, String), Shown> {
    let mut all: BTreeMap<(String, String), Shown> = BTreeMap::new();
    for (workload, tables) in markdown(text).tables {
        for table in tables {
            let (headings, rows) = table.split_first().unwrap();
            for row in rows {
                assert_eq!(row.len(), headings.len(), "{row:?}");
                let figures = all.entry((workload.clone(), row[0].clone())).or_default();
                for (heading, cell) in headings.iter().zip(row).skip(1) {
                    let shown = (cell != MISSING).then(|| cell.clone());
                    assert!(figures.insert(heading.clone(), shown).is_none());
                }
            }
        }
    }
    all
}

/// The figures of a terminal text: the cells of the rows of each contender after its name, table
/// after table, under its place in the text.
pub(crate) fn terminal_rows(text: &str, contender: &str) -> Vec<Vec<Option<String>>> {
    let rows = text.lines().map(|line| line.split_whitespace());
    let rows = rows.filter_map(|cells| {
        let cells: Vec<&str> = cells.collect();
        let place = cells.iter().take(2).position(|cell| *cell == contender)?;
        let is_figure =
            |cell: &&str| *cell == MISSING || cell.starts_with(|c: char| c.is_ascii_digit());
        let cells = cells.get(place + 1..)?;
        let shown = |cell: &&str| (*cell != MISSING).then(|| (*cell).to_owned());
        (!cells.is_empty() && cells.iter().all(is_figure))
            .then(|| cells.iter().map(shown).collect())
    });
    rows.collect()
}
