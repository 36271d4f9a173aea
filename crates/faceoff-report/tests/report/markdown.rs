//! The text for a pull request.

use faceoff_report::{markdown, view};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::fixture::three;
use crate::formats;
use crate::runs::{HOSTILE, all, hostile};

#[test]
fn a_pull_request_gets_the_answer_the_table_and_how_to_repeat_it() {
    let (record, analysis) = three();
    let text = markdown(&view(&record, &analysis));
    let expected = "\
## Faceoff: iris-2017

### values

- **hyper is faster than net-http:** 1.23x (1.21 to 1.25)
- **hyper is faster than express:** 5.38x (5.31 to 5.46)
- **net-http is faster than express:** 4.37x (4.31 to 4.43)

| contender | rank | requests per second | interval, ± % | ratio to the first | errors | CPU per request, us | memory, MiB | peak memory, MiB | start-up, ms | bytes per answer | lines of code |
|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| hyper | 1 | 53,140 | 1.2 | 1.00 | 0 | 18.8 | 12.3 | 14.5 | 12.3 | 134 | 48 |
| net-http | 2 | 43,203 | 1.2 | 1.23 | 0 | 23.1 | 12.3 | 14.5 | 12.3 | 134 | 48 |
| express | 3 | 9,876 | 1.2 | 5.38 | 0 | 101 | 12.3 | 14.5 | 12.3 | 134 | 48 |

closed load, 64 connections kept alive; 18 blocks, 43.2 s measured; fresh launch per slice

<details><summary>Service time under closed load (not latency at a rate)</summary>

| contender | p50, ms | p90, ms | p99, ms | p99.9, ms | server load, % | generator load, % | megabytes per second | seconds for a million requests |
|:--|--:|--:|--:|--:|--:|--:|--:|--:|
| hyper | 1.17 | 1.42 | 2.31 | 9.87 | 98.7 | 62.4 | 7.12 | 18.8 |
| net-http | 1.17 | 1.42 | 2.31 | 9.87 | 98.7 | 62.4 | 5.79 | 23.1 |
| express | 1.17 | 1.42 | 2.31 | 9.87 | 98.7 | 62.4 | 1.32 | 101 |

</details>

- **left out** kestrel: needs dotnet 10, which is not installed

### How to repeat it

```sh
faceoff run
```

With --seed 42 the order of slices and the ids in requests are the same again.

<sub>run of 2026-03-01T10:00:00Z, seed 42, faceoff 0.1.0; AMD EPYC 7B13, contender on core 1, generator on core 0, Debian 13, kernel 6.12.0, io\\_uring</sub>
";
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, expected.lines().collect::<Vec<_>>(), "\n{text}");
}

/// Markup of ours, and nothing else that is not text.
#[test]
fn what_users_and_servers_wrote_is_text_and_nothing_else() {
    let ours = [
        "<details><summary>Service time under closed load (not latency at a rate)</summary>",
        "<details><summary>The other pairs</summary>",
        "</details>",
        "<!-- -->",
        "<sub>",
        "</sub>",
    ];
    for (name, (record, analysis)) in all() {
        let text = markdown(&view(&record, &analysis));
        assert!(!text.contains(['\u{202e}', '\u{1b}', '\r']));
        let mut is_code = false;
        for event in Parser::new_ext(&text, Options::all()) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(TagEnd::CodeBlock) => is_code = false,
                Event::Html(html) | Event::InlineHtml(html) => {
                    assert!(ours.contains(&html.trim()), "{name}: {html}");
                }
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Emphasis) => {
                    panic!("{name}: {event:?}");
                }
                Event::Text(text) => {
                    assert!(is_code || !text.contains("https://"), "{name}: {text}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn nobody_is_mentioned_and_commands_stay_as_they_are() {
    let (record, analysis) = hostile();
    let view = view(&record, &analysis);
    let text = markdown(&view);
    let read = formats::markdown(&text);
    let outside_code = text
        .lines()
        .filter(|line| !read.code.iter().any(|code| code.contains(line.trim())));
    for line in outside_code {
        assert!(
            !line.contains("@everyone") && !line.contains("#12"),
            "{line}"
        );
    }
    let command = read.code.last().unwrap();
    assert_eq!(shell_words::split(command).unwrap(), view.command);
    let log = read.code.first().unwrap();
    assert!(log.contains(HOSTILE[0]) && log.contains("```\n"), "{log}");
}
