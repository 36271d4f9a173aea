//! What `faceoff list` shows.

use faceoff_record::Class;
use faceoff_report::{
    ListedContender, ListedSuite, ListedWorkload, Listing, listing_json, listing_terminal,
};

fn contender(name: &str, language: &str, cannot_run: Option<&str>) -> ListedContender {
    ListedContender {
        name: name.into(),
        language: language.into(),
        framework: (language != "Go").then(|| name.into()),
        version: (language != "Go").then(|| "1.2".into()),
        class: if language == "Go" {
            Class::Bare
        } else {
            Class::Standard
        },
        workloads: ["values", "plaintext", "json", "fortunes"]
            .map(String::from)
            .to_vec(),
        cannot_run: cannot_run.map(String::from),
    }
}

fn listing() -> Listing {
    let suite = |path: &str, name: &str, problem: Option<&str>| ListedSuite {
        path: path.into(),
        name: name.into(),
        workloads: vec!["values".into()],
        contenders: vec!["axum".into(), "net-http".into()],
        problem: problem.map(String::from),
    };
    let workload = |name: &str, description: &str| ListedWorkload {
        name: name.into(),
        description: description.into(),
    };
    Listing {
        suites: vec![
            suite("suites/iris-2017.toml", "iris-2017", None),
            suite(
                "suites/broken.toml",
                "broken",
                Some("line 3: unknown key `conections`"),
            ),
        ],
        contenders: vec![
            contender("axum", "Rust", None),
            contender("net-http", "Go", None),
            contender(
                "aspnet",
                "C#",
                Some("needs dotnet 10, which is not installed"),
            ),
        ],
        workloads: vec![
            workload(
                "values",
                "GET /api/values/N, answered with the text `value`.",
            ),
            workload(
                "plaintext",
                "GET /plaintext, answered with a short text that never changes.",
            ),
        ],
    }
}

#[test]
fn a_listing_shows_what_can_run_here_and_why_not() {
    let text = listing_terminal(&listing(), 76);
    let expected = "\
Suites: 2

suite      file                   workloads  contenders
───────────────────────────────────────────────────────
iris-2017  suites/iris-2017.toml          1           2
broken     suites/broken.toml             1           2

Cannot be run:
  broken: line 3: unknown key `conections`

Contenders: 3

contender  language  framework   class     runs here  workloads
────────────────────────────────────────────────────────────────────────
axum       Rust      axum 1.2    standard  yes        values, plaintext,
                                                      json, fortunes
net-http   Go                    bare      yes        values, plaintext,
                                                      json, fortunes
aspnet     C#        aspnet 1.2  standard  no         values, plaintext,
                                                      json, fortunes

Cannot run here:
  aspnet: needs dotnet 10, which is not installed

Workloads: 2

values     GET /api/values/N, answered with the text `value`.
plaintext  GET /plaintext, answered with a short text that never changes.
";
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, expected.lines().collect::<Vec<_>>(), "\n{text}");
}

#[test]
fn an_empty_listing_says_so() {
    let text = listing_terminal(&Listing::default(), 80);
    assert_eq!(
        text,
        "Suites: none\n\nContenders: none\n\nWorkloads: none\n"
    );
}

#[test]
fn the_json_of_a_listing_is_versioned() {
    let json: serde_json::Value = serde_json::from_str(&listing_json(&listing())).unwrap();
    assert_eq!(json["format"], 1);
    assert_eq!(
        json["suites"][1]["problem"],
        "line 3: unknown key `conections`"
    );
    assert_eq!(json["contenders"][1]["class"], "bare");
    assert_eq!(
        json["contenders"][2]["cannot_run"],
        "needs dotnet 10, which is not installed"
    );
    assert_eq!(json["workloads"][0]["name"], "values");
}
