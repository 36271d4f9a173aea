//! The page: valid, alone, readable by everyone, and not to be misused.

use std::collections::BTreeSet;

use faceoff_report::{html, view};
use scraper::{Html, Selector};

use crate::fixture::{left_out, three};
use crate::formats::{select, text};
use crate::runs::{HOSTILE, all, hostile, nothing, void};

fn pages() -> Vec<(&'static str, Html)> {
    let runs = all().into_iter();
    runs.map(|(name, (record, analysis))| {
        (name, Html::parse_document(&html(&view(&record, &analysis))))
    })
    .collect()
}

#[test]
fn pages_are_valid_html() {
    for (name, page) in pages() {
        assert_eq!(page.errors, Vec::<String>::new(), "{name}");
        assert_eq!(
            page.quirks_mode,
            scraper::Html::parse_document("<!DOCTYPE html>").quirks_mode
        );
        let ids: Vec<&str> = select(&page, "[id]").filter_map(|e| e.attr("id")).collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{name}");
        for element in select(&page, "[aria-labelledby]") {
            assert!(unique.contains(element.attr("aria-labelledby").unwrap()));
        }
        for link in select(&page, "a") {
            assert!(unique.contains(link.attr("href").unwrap().strip_prefix('#').unwrap()));
        }
    }
}

#[test]
fn pages_load_nothing_and_run_nothing() {
    for (name, page) in pages() {
        let forbidden =
            "script, link, img, iframe, object, embed, form, base, foreignObject, image";
        assert_eq!(select(&page, forbidden).count(), 0, "{name}");
        for element in select(&page, "*") {
            for (attribute, value) in element.value().attrs() {
                let loads = ["src", "srcset", "data", "action", "xlink:href", "poster"];
                assert!(!loads.contains(&attribute), "{name}: {attribute}");
                assert!(!attribute.starts_with("on"), "{name}: {attribute}");
                let is_local = attribute != "href" || value.starts_with('#');
                assert!(is_local, "{name}: {value}");
                let of_bar = |style: &str| {
                    let share = style.strip_prefix("--share:");
                    share.is_some_and(|share| share.parse::<f64>().is_ok())
                };
                assert!(attribute != "style" || of_bar(value), "{name}: {value}");
            }
        }
        let style = text(select(&page, "style").next().unwrap());
        for reference in ["url(", "@import", "http", "//"] {
            assert!(!style.contains(reference), "{name}: {reference}");
        }
        let policy = select(&page, "meta[http-equiv=Content-Security-Policy]").next();
        assert!(
            policy
                .unwrap()
                .attr("content")
                .unwrap()
                .starts_with("default-src 'none';")
        );
    }
}

#[test]
fn pages_can_be_read_without_eyes_and_without_a_mouse() {
    for (name, page) in pages() {
        assert_eq!(page.root_element().attr("lang"), Some("en"));
        for landmark in ["header", "nav", "main", "footer", "h1"] {
            assert_eq!(select(&page, landmark).count(), 1, "{name}: {landmark}");
        }
        let mut level = 0;
        for heading in select(&page, "h1, h2, h3, h4, h5, h6") {
            let next: usize = heading.value().name()[1..].parse().unwrap();
            assert!(next <= level + 1, "{name}: {}", text(heading));
            level = next;
        }
        let caption = Selector::parse("caption").unwrap();
        for table in select(&page, "table") {
            assert!(!text(table.select(&caption).next().unwrap()).is_empty());
        }
        assert!(select(&page, "th").all(|th| th.attr("scope").is_some()));
        assert!(
            select(&page, ".scroll, pre").all(|region| region.attr("tabindex") == Some("0")
                && region.attr("role") == Some("region"))
        );
        let title = Selector::parse("title").unwrap();
        for drawing in select(&page, "div > svg, li > svg") {
            let is_named = drawing.attr("role") == Some("img")
                && drawing
                    .select(&title)
                    .next()
                    .is_some_and(|title| !text(title).is_empty());
            let is_hidden = drawing
                .ancestors()
                .filter_map(scraper::ElementRef::wrap)
                .chain([drawing])
                .any(|element| element.attr("aria-hidden") == Some("true"));
            assert!(is_named || is_hidden, "{name}: {}", drawing.html());
        }
    }
}

#[test]
fn what_users_and_servers_wrote_is_text_and_nothing_else() {
    let (record, analysis) = hostile();
    let page = html(&view(&record, &analysis));
    assert!(!page.contains(['\u{202e}', '\u{1b}', '\r']));
    let page = Html::parse_document(&page);
    assert_eq!(
        select(&page, "body script, body img, body b, body a[onload]").count(),
        0
    );
    let all = text(page.root_element());
    for name in &HOSTILE[..4] {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(&name), "{name}");
    }
    assert!(all.contains("\\u{202e}esrever\\u{1b}[31m\\r"));
    let title = text(select(&page, "head > title").next().unwrap());
    assert_eq!(title, format!("{} – Faceoff", HOSTILE[0]));
}

#[test]
fn the_answer_comes_first_and_in_words() {
    let (record, analysis) = three();
    let view = view(&record, &analysis);
    let page = Html::parse_document(&html(&view));
    let first = select(&page, "main > section").next().unwrap();
    assert_eq!(first.attr("id"), Some("answer"));
    let sentences: Vec<String> = select(&page, "#answer [data-sentence]").map(text).collect();
    let expected = view.workloads[0]
        .pairs
        .iter()
        .map(|pair| pair.sentence.clone());
    assert_eq!(sentences, expected.collect::<Vec<_>>());
}

#[test]
fn a_page_says_how_the_run_ended_and_who_has_no_figures() {
    let state = |(record, analysis)| {
        let page = Html::parse_document(&html(&view(&record, &analysis)));
        select(&page, ".state").map(text).collect::<Vec<_>>()
    };
    assert_eq!(state(three()), Vec::<String>::new());
    let expected = ["interrupted: this is what was measured until then"];
    assert_eq!(state(nothing()), expected);
    let expected = ["void: a verdict is withheld; the reason is with the figures"];
    assert_eq!(state(void()), expected);

    let (mut record, analysis) = three();
    record.plan.left_out = vec![left_out("kestrel", "the build failed:\nerror 1\n  at x")];
    let page = Html::parse_document(&html(&view(&record, &analysis)));
    let who = text(select(&page, ".without dt").next().unwrap());
    let why = text(select(&page, ".without dd").next().unwrap());
    assert_eq!(who, "kestrel left out");
    assert!(why.starts_with("the build failed:"), "{why}");
    let log: String = select(&page, ".without pre")
        .next()
        .unwrap()
        .text()
        .collect();
    assert_eq!(log, "error 1\n  at x");
}

/// What is drawn lies where the figures are.
#[test]
fn drawings_are_to_scale() {
    let (record, analysis) = three();
    let view = view(&record, &analysis);
    let page = Html::parse_document(&html(&view));
    let percent = |text: &str| text.strip_suffix('%').unwrap().parse::<f64>().unwrap();
    let bars: Vec<f64> = select(&page, "rect.bar")
        .map(|bar| percent(bar.attr("width").unwrap()))
        .collect();
    let contenders = view.workloads[0].contenders.iter();
    let speeds: Vec<f64> = contenders
        .filter_map(|contender| Some(contender.throughput?.value))
        .collect();
    for (bar, speed) in bars.iter().zip(&speeds) {
        assert!(
            (bar / bars[0] - speed / speeds[0]).abs() < 0.001,
            "{bars:?} {speeds:?}"
        );
    }
    // On a log axis, the distance of each estimate from 1 is as its logarithm.
    let ones = select(&page, ".rows line.one").map(|line| percent(line.attr("x1").unwrap()));
    let marks = select(&page, ".row.faster .plot > svg > svg:last-child");
    let marks = marks.map(|mark| percent(mark.attr("x").unwrap()));
    let places: Vec<f64> = marks.zip(ones).map(|(mark, one)| mark - one).collect();
    let logs: Vec<f64> = view.workloads[0]
        .pairs
        .iter()
        .map(|pair| pair.ratio.unwrap().ln())
        .collect();
    for (place, log) in places.iter().zip(&logs) {
        assert!(
            (place / places[0] - log / logs[0]).abs() < 0.01,
            "{places:?} {logs:?}"
        );
    }
    assert_eq!((bars.len(), places.len()), (3, 3));
}
