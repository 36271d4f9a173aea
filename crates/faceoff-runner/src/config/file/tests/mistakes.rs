//! What is wrong with a suite, told all at once, in terms of the file.

use super::{CONTENDER, GOOD, WORKLOAD, mistakes};
use crate::config::read_suite;
use crate::testing::Scene;

/// Whether the mistakes are exactly these, each given by its beginning.
fn assert_mistakes(suite: &str, expected: &[&str]) {
    let found = mistakes(&Scene::new(), suite);
    let same = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.starts_with(expected));
    assert!(same, "{suite}\nfound {found:#?}\nexpected {expected:#?}");
}

#[test]
fn a_suite_without_its_main_parts_says_what_to_add() {
    let no_contender = "1 contender: the suite has no contender [add [[contender]] with `folder`";
    let no_workload = "1 workload: the suite has no workload [add [[workload]] with a known `name`";
    assert_mistakes("", &[no_contender, no_workload]);
    assert_mistakes(CONTENDER, &[no_workload]);
    assert_mistakes(WORKLOAD, &[no_contender]);
    let cases = [
        (
            format!("contender = []\n{WORKLOAD}"),
            "1 contender: `contender` must be tables, [[contender]]",
        ),
        (
            format!("contender = 5\n{WORKLOAD}"),
            "1 contender: `contender` must be tables, [[contender]]",
        ),
        (
            format!("contender = [5]\n{WORKLOAD}"),
            "1 contender: `contender` must be a table",
        ),
        (
            format!("[contender]\nname = 'a'\n{WORKLOAD}"),
            "1 contender: `contender` must be tables",
        ),
        (
            format!("workload = []\n{CONTENDER}"),
            "1 workload: `workload` must be tables, [[workload]]",
        ),
        (
            format!("load = 5\n{GOOD}"),
            "1 load: `load` must be a table, [load]",
        ),
        (
            format!("name = 5\n{GOOD}"),
            "1 name: `name` must be a string in quotes",
        ),
    ];
    for (suite, expected) in cases {
        assert_mistakes(&suite, &[expected]);
    }
}

#[test]
fn what_is_not_toml_is_told_without_follow_up_mistakes() {
    assert_mistakes("x = [", &["1 : unclosed array"]);
    assert_mistakes("a = 1\na = 2\nb = \n", &["2 : duplicate key", "3 : "]);
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_or_all_known_ones() {
    assert_mistakes(
        &format!("nmae = 'x'\nzebra = 1\n{GOOD}"),
        &[
            "1 nmae: unknown key `nmae` [did you mean `name`?]",
            "2 zebra: unknown key `zebra` [known keys here: name, load, contender, service, workload]",
        ],
    );
}

#[test]
fn every_mistake_of_the_load_is_told_at_its_line() {
    assert_mistakes(
        &format!(
            "[load]
            conections = 5
            connections = 0
            time = '10'
            window = '0s'
            warm-up = 'abc'
            timeout = 5
            one-request-per-connection = 'yes'
            equal-within-percent = 1.5\n{GOOD}"
        ),
        &[
            "2 load.conections: unknown key `conections` [did you mean `connections`?]",
            "3 load.connections: `connections` must be a whole number from 1 to 100000",
            "4 load.time: `time`: `10` has no unit; did you mean `10s`? [write for example \"10s\"",
            "5 load.window: `window` must be longer than nothing",
            "6 load.warm-up: `warm-up`: `abc` is not a length of time [write for example",
            "7 load.timeout: `timeout` must be a string in quotes",
            "8 load.one-request-per-connection: `one-request-per-connection` must be true or false",
            "9 load.equal-within-percent: `equal-within-percent` must be a whole number",
        ],
    );
    for (value, good) in [
        ("50", true),
        ("0x1f", true),
        ("1_0", true),
        ("51", false),
        ("-1", false),
    ] {
        let suite = format!("[load]\nequal-within-percent = {value}\n{GOOD}");
        let expected = [
            "2 load.equal-within-percent: `equal-within-percent` must be a whole \
                         number from 0 to 50",
        ];
        assert_mistakes(&suite, if good { &[] } else { &expected });
    }
}

#[test]
fn every_mistake_of_a_contender_is_told_at_its_line() {
    assert_mistakes(
        &format!(
            "[[contender]]
            name = 'a/b'
            command = 'a \"b'
            build = ''
            port = 0
            class = 'fast'
            ready-within = '0s'
            needs = ['go']
            env = {{ A = 1 }}
            source = 5
            inputs = [5]
            shell = 'yes'
            cwd = 5
            workloads = 5
            language = 1
            scheme = 'ftp'
            comand = 'x'\n{WORKLOAD}"
        ),
        &[
            "2 contender[1].name: a name has at most 40 bytes and no slash [the name is also that",
            "3 contender[1].command: `command` has a quotation mark without its partner",
            "4 contender[1].build: `build` is empty",
            "5 contender[1].port: `port` must be a whole number from 1 to 65535",
            "6 contender[1].class: unknown class [the classes are \"standard\"",
            "7 contender[1].ready-within: `ready-within` must be longer than nothing",
            "8 contender[1].needs: `needs` must be a table of strings",
            "9 contender[1].env: `env` must be a table of strings",
            "10 contender[1].source: `source` must be a list of strings",
            "11 contender[1].inputs: `inputs` must be a list of strings",
            "12 contender[1].shell: `shell` must be true or false",
            "13 contender[1].cwd: `cwd` must be a string in quotes",
            "14 contender[1].workloads: `workloads` must be a list of strings",
            "15 contender[1].language: `language` must be a string in quotes",
            "16 contender[1].scheme: unknown scheme [the schemes are \"http\" and \"https\"",
            "17 contender[1].comand: unknown key `comand` [did you mean `command`?]",
        ],
    );
    let empty = "[[contender]]\n[[contender]]\nname = ' '\ncommand = ''\n";
    assert_mistakes(
        &format!("{empty}{WORKLOAD}"),
        &[
            "1 contender[1].name: `name` is missing [every contender needs a name of its own]",
            "1 contender[1].command: `command` is missing [the command that starts the server",
            "3 contender[2].name: `name` is empty",
            "4 contender[2].command: `command` is empty",
        ],
    );
}

#[test]
fn a_name_that_cannot_name_a_log_file_is_refused() {
    let long = "x".repeat(41);
    for name in ["a/b", "a\\\\b", ".a", "a\\u0000b", long.as_str()] {
        let suite = format!("[[contender]]\nname = \"{name}\"\ncommand = 'a'\n{WORKLOAD}");
        assert_mistakes(
            &suite,
            &["2 contender[1].name: a name has at most 40 bytes"],
        );
    }
    let suite = format!("[[contender]]\nname = 'Größe 1.2 (a)'\ncommand = 'a'\n{WORKLOAD}");
    assert_mistakes(&suite, &[]);
}

#[test]
fn the_address_of_a_running_contender_has_a_host_and_a_port_and_nothing_else() {
    let refused = "3 contender[1].url: `url` must be http://host:port or https://host:port \
                   [write for";
    let cases: [(&str, &[&str]); 9] = [
        ("url = 'http://127.0.0.1:80'", &[]),
        ("url = 'http://localhost/'", &[]),
        ("url = 'https://127.0.0.1:443'", &[]),
        ("url = 'ftp://127.0.0.1:80'", &[refused]),
        ("url = '127.0.0.1:80'", &[refused]),
        ("url = 'http://127.0.0.1:80/path'", &[refused]),
        (
            "url = 'http://127.0.0.1'\ncommand = 'x'",
            &["3 contender[1].url: `url` and `command` exclude each other [keep `url` for"],
        ),
        (
            "url = 'http://127.0.0.1'\nscheme = 'https'",
            &["4 contender[1].scheme: the scheme stands in the `url` [write for example"],
        ),
        (
            "url = 'http://127.0.0.1'\nport = 5",
            &["4 contender[1].port: unknown key `port` [known keys here: "],
        ),
    ];
    for (line, expected) in cases {
        assert_mistakes(
            &format!("[[contender]]\nname = 'a'\n{line}\n{WORKLOAD}"),
            expected,
        );
    }
}

#[test]
fn every_mistake_of_a_service_is_told_at_its_line() {
    assert_mistakes(
        &format!(
            "[[service]]
            name = 'db'
            [[service]]
            name = 'x'
            command = 'x'
            adress-in = 'X'\n{GOOD}"
        ),
        &[
            "1 service[1].command: `command` is missing",
            "6 service[2].adress-in: unknown key `adress-in` [did you mean `address-in`?]",
        ],
    );
    // A contender is no service.
    assert_mistakes(
        &format!("[[contender]]\nname = 'a'\ncommand = 'a'\nready = '/'\n{WORKLOAD}"),
        &["4 contender[1].ready: unknown key `ready`"],
    );
}

#[test]
fn every_mistake_of_a_workload_is_told_at_its_line() {
    assert_mistakes(
        &format!(
            "{CONTENDER}
            [[workload]]
            name = 'a'
            path = 'users'
            [[workload]]
            name = 'b'
            path = '/a b'
            [[workload]]
            name = 'c'
            method = 'get'
            path = '/'
            [[workload]]
            body = ''
            [[workload]]
            name = 'd'
            path = '/'
            headers = {{ 'a b' = 'c', 'd' = \"e\\n\" }}
            [[workload]]
            name = 'e'
            path = '/'
            [workload.expect]
            status = [200, 99]
            type = 5
            bdy = 'x'
            [[workload.probe]]
            rule = 'x'
            [[workload.probe]]
            path = '/'
            expect.status = '200'
            [[workload]]
            name = 'values'
            [[workload]]
            name = 'values'
            "
        ),
        &[
            "7 workload[1].path: a path starts with / and has no spaces [write it as it stands",
            "10 workload[2].path: a path starts with / and has no spaces",
            "13 workload[3].method: a method is written in capitals",
            "15 workload[4].name: `name` is missing [every workload needs a name]",
            "15 workload[4].path: `path` is missing [the path to ask for, for example",
            "20 workload[5].headers: `a b` is not a header field",
            "20 workload[5].headers: `d` is not a header field",
            "25 workload[6].expect.status: `status` must be status codes from 200 to 599",
            "26 workload[6].expect.type: `type` must be a string in quotes",
            "27 workload[6].expect.bdy: unknown key `bdy` [did you mean `body`?]",
            "28 workload[6].probe[1].path: `path` is missing",
            "32 workload[6].probe[2].expect.status: `status` must be status codes",
            "36 workload[8].name: the workload `values` stands here twice [give each workload its own name]",
        ],
    );
}

#[test]
fn mistakes_of_a_contender_s_own_file_name_that_file_beside_those_of_the_suite() {
    let scene = Scene::new();
    scene.write(
        "one/contender.toml",
        "name = 'one'\ncommand = 'x'\nnope = 1\n",
    );
    scene.write("two/contender.toml", "name = 'two'\n\ncommand = \n");
    let suite = "nmae = 'x'
[[contender]]
folder = 'one'
[[contender]]
folder = 'two'
[[contender]]
folder = 'three'
[[contender]]
folder = 5
[[contender]]
folder = 'one'
name = 'not here'
";
    let found = mistakes(&scene, &format!("{suite}{WORKLOAD}"));
    let nowhere = scene.folder().join("three");
    let expected = [
        "1 nmae: unknown key `nmae`".to_owned(),
        format!(
            "7 contender[3].folder: there is no contender.toml in {} [name a",
            nowhere.display()
        ),
        "9 contender[4].folder: `folder` must be a string in quotes".to_owned(),
        "12 contender[5].name: unknown key `name` [known keys here: folder]".to_owned(),
        "one/contender.toml 3 nope: unknown key `nope`".to_owned(),
        "two/contender.toml 3 : ".to_owned(),
        "one/contender.toml 3 nope: unknown key `nope`".to_owned(),
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(&expected), "{found}, expected {expected}");
    }
    let error = read_suite(&scene.folder().join("suite.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("7 mistakes in ") && error.contains("two/contender.toml"),
        "{error}"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_the_reader_of_suites_panic(
        lines in proptest::collection::vec(
            "(name|command|url|path|port|env|status|x) = ('a'|5|-1|\\{ a = 'b' \\}|\\[1\\]|'/\\{')|\
             \\[\\[(contender|workload|service|workload.probe)\\]\\]|\\[(load|workload.expect)\\]|\\PC{0,8}",
            0..12,
        )
    ) {
        mistakes(&Scene::new(), &lines.join("\n"));
    }
}
