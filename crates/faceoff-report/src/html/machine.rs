//! Where it was measured, what was compared, and how to do it again.

use maud::{Markup, html};

use super::table::{absent, scrolling};
use crate::phrases::{self, cores};
use crate::text::{class_name, mebibytes};
use crate::view::{ContenderView, LaunchView, Standing, View};

/// The machine and the contenders.
pub(super) fn machine(view: &View) -> Markup {
    let environment = &view.environment;
    let machine = &environment.machine;
    let toolchains = machine.toolchains.iter();
    let toolchains =
        toolchains.map(|toolchain| format!("{} {}", toolchain.name, toolchain.version));
    let toolchains: Vec<String> = toolchains.collect();
    let some = |list: &[u32]| (!list.is_empty()).then(|| cores(list));
    let facts: [(&str, Option<String>); 11] = [
        ("processor", Some(machine.processor.clone())),
        ("contender under load", some(&environment.contender_cores)),
        ("generator", some(&environment.generator_cores)),
        (
            "runner and services",
            Some(some(&environment.rest_cores).unwrap_or_else(|| "with the generator".into())),
        ),
        (
            "memory",
            Some(format!("{} MiB", mebibytes(machine.memory_bytes))),
        ),
        ("system", Some(machine.system.clone())),
        ("kernel", Some(machine.kernel.clone())),
        ("frequency governor", machine.governor.clone()),
        ("clock source", machine.clock_source.clone()),
        (
            "generator's way to the kernel",
            (!environment.generator_backends.is_empty())
                .then(|| environment.generator_backends.join(" and ")),
        ),
        (
            "toolchains",
            (!toolchains.is_empty()).then(|| toolchains.join(", ")),
        ),
    ];
    html! {
        section #machine aria-labelledby="machine-heading" {
            h2 #machine-heading { "Machine and contenders" }
            dl.facts {
                @for (name, fact) in facts {
                    div {
                        dt { (name) }
                        dd { @match fact { Some(fact) => (fact), None => (absent()) } }
                    }
                }
            }
            (contenders(view))
        }
    }
}

/// Every contender is on every workload, if only with the reason why it was not measured.
fn contenders(view: &View) -> Markup {
    let contenders = view.workloads.first();
    let contenders = contenders
        .into_iter()
        .flat_map(|workload| &workload.contenders);
    let head = html! {
        tr {
            @for heading in ["contender", "language", "framework", "class", "start command"] {
                th scope="col" { (heading) }
            }
        }
    };
    let body = html! {
        @for contender in contenders {
            tr {
                th scope="row" { bdi { (contender.name) } }
                td { (contender.language) }
                td { (framework(contender)) }
                td { @match contender.class { Some(class) => (class_name(class)), None => (absent()) } }
                td { @match &contender.launch { Some(launch) => code { (command(launch)) }, None => (absent()) } }
            }
        }
    };
    scrolling("contenders", "The contenders", &head, &body)
}

fn framework(contender: &ContenderView) -> Markup {
    html! {
        @match &contender.framework {
            Some(framework) => { (framework) " " (contender.version.as_deref().unwrap_or_default()) },
            None if contender.standing == Standing::LeftOut => (absent()),
            None => "none",
        }
    }
}

fn command(launch: &LaunchView) -> String {
    match launch {
        LaunchView::Command(command) => shell_words::join(command),
        LaunchView::Url(url) => url.clone(),
    }
}

/// The command, and what the words on the page mean.
pub(super) fn repeat(view: &View) -> Markup {
    html! {
        section #repeat aria-labelledby="repeat-heading" {
            h2 #repeat-heading { "How to repeat it" }
            p { "With faceoff " (view.faceoff) ", in the same folder:" }
            pre.command tabindex="0" role="region" aria-label="Command" {
                code data-command { (phrases::command(view)) }
            }
            @if let Some(text) = phrases::seed(view) { p { (text) } }
            details {
                summary { "How to read this page" }
                dl.facts {
                    @for (word, meaning) in phrases::WORDS {
                        div { dt { (word) } dd { (meaning) } }
                    }
                }
            }
        }
    }
}
