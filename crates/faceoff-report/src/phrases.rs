//! What is said in words about a run, the same in the terminal, the page and the pull request.

use faceoff_record::{Class, ConnectionUse, Depth, Ending, Launches, Load};
use faceoff_stats::Qualifier;

use crate::text::{self, class_name, count, counted, significant};
use crate::view::{
    ContenderView, PairView, Standing, VerdictView, View, WarningView, WorkloadView,
};

/// With more contenders than this, not every pair gets its sentence: twelve have 66 pairs.
const ALL_PAIRS_UP_TO: usize = 3;

/// When and by what the run was made.
pub(crate) fn run(view: &View) -> String {
    let depth = match view.depth {
        Depth::Standard => "",
        Depth::Quick => ", quick",
    };
    format!(
        "run of {}{depth}, seed {}, faceoff {}",
        view.started, view.seed, view.faceoff
    )
}

/// The machine, and who had which part of it.
pub(crate) fn machine(view: &View) -> String {
    let environment = &view.environment;
    let machine = &environment.machine;
    let mut parts = vec![
        machine.processor.clone(),
        format!(
            "contender on {}, generator on {}",
            cores(&environment.contender_cores),
            cores(&environment.generator_cores)
        ),
        machine.system.clone(),
        format!("kernel {}", machine.kernel),
    ];
    if !environment.generator_backends.is_empty() {
        parts.push(environment.generator_backends.join(" and "));
    }
    parts.join(", ")
}

/// `core 1`, `cores 2+3`.
pub(crate) fn cores(cores: &[u32]) -> String {
    let list: Vec<String> = cores.iter().map(u32::to_string).collect();
    let word = if cores.len() == 1 { "core" } else { "cores" };
    format!("{word} {}", list.join("+"))
}

/// How the run ended, as a word and what it means; nothing where it is complete.
pub(crate) fn ending(view: &View) -> Option<(&'static str, &str)> {
    match &view.ending {
        Ending::Complete => None,
        Ending::Unfinished => Some(("unfinished", "this is what was measured until now")),
        Ending::Interrupted => Some(("interrupted", "this is what was measured until then")),
        Ending::Failed { reason } => Some(("failed", reason)),
    }
}

/// That a verdict is withheld.
pub(crate) fn void(view: &View) -> Option<(&'static str, &'static str)> {
    let text = "a verdict is withheld; the reason is with the figures";
    view.void.then_some(("void", text))
}

/// How the workload was loaded, and how much of it there is.
pub(crate) fn setting(workload: &WorkloadView) -> String {
    let Load::Closed { connections } = workload.load;
    let connections = counted(u64::from(connections), "connection");
    let connections = match workload.connection_use {
        ConnectionUse::KeepAlive => format!("{connections} kept alive"),
        ConnectionUse::OneRequest => format!("{connections}, a new one for each request"),
    };
    let mut text = format!("closed load, {connections}; ");
    let (blocks, planned) = (workload.blocks, workload.blocks_planned);
    if planned == 0 {
        text.push_str("no block was planned");
        return text;
    }
    if blocks != planned {
        text.push_str(&format!("{} of ", count(u64::from(blocks))));
    }
    text.push_str(&counted(u64::from(planned), "block"));
    let seconds = significant(workload.measured_seconds, 3);
    text.push_str(&format!(", {seconds} s measured"));
    text.push_str(match workload.launches {
        Some(Launches::Fresh) => "; fresh launch per slice",
        Some(Launches::Shared) => "; one launch for all slices",
        None => "",
    });
    if workload.slices_failed > 0 {
        let failed = counted(u64::from(workload.slices_failed), "slice");
        text.push_str(&format!("; {failed} gave no sample"));
    }
    text
}

/// Said where a workload has no figures.
pub(crate) const NOTHING_MEASURED: &str = "Nothing was measured.";

/// Said above service times, which are easily taken for something else.
pub(crate) const SERVICE_TIME: &str = "Service time under closed load (not latency at a rate)";

/// Those with figures, best first.
pub(crate) fn measured(workload: &WorkloadView) -> Vec<&ContenderView> {
    let contenders = workload.contenders.iter();
    contenders
        .filter(|contender| contender.throughput.is_some())
        .collect()
}

/// The comparisons of a workload, by how much the reader needs them.
pub(crate) struct Comparisons<'a> {
    /// All of them; with many contenders those of the best with each other one.
    pub(crate) first: Vec<&'a PairView>,
    /// Those of the others with their neighbours in the ranking.
    pub(crate) neighbours: Vec<&'a PairView>,
    /// The rest.
    pub(crate) others: Vec<&'a PairView>,
}

/// Sorts the comparisons of contenders that are given in the order of their ranking.
pub(crate) fn comparisons<'a>(
    ranking: &[&ContenderView],
    pairs: &'a [PairView],
) -> Comparisons<'a> {
    let (best, rest) = match ranking.split_first() {
        Some((best, rest)) if ranking.len() > ALL_PAIRS_UP_TO => (best, rest),
        _ => {
            return Comparisons {
                first: pairs.iter().collect(),
                neighbours: Vec::new(),
                others: Vec::new(),
            };
        }
    };
    let of = |one: &ContenderView, other: &ContenderView| {
        let mut pairs = pairs.iter();
        pairs.find(|pair| {
            (&pair.a, &pair.b) == (&one.name, &other.name)
                || (&pair.a, &pair.b) == (&other.name, &one.name)
        })
    };
    let first: Vec<&PairView> = rest.iter().filter_map(|other| of(best, other)).collect();
    let neighbours = rest.iter().zip(rest.iter().skip(1));
    let neighbours: Vec<&PairView> = neighbours
        .filter_map(|(one, other)| of(one, other))
        .collect();
    let is_shown = |pair: &PairView| {
        let mut shown = first.iter().chain(&neighbours);
        shown.any(|other| (&other.a, &other.b) == (&pair.a, &pair.b))
    };
    let others = pairs.iter().filter(|pair| !is_shown(pair)).collect();
    Comparisons {
        first,
        neighbours,
        others,
    }
}

/// The word for where a contender stands.
pub(crate) const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Measured => "measured",
        Standing::NotMeasured => "no sample",
        Standing::NotChecked => "not checked",
        Standing::Refused => "refused",
        Standing::NotOffered => "not offered",
        Standing::LeftOut => "left out",
    }
}

/// Contenders without figures for one reason.
pub(crate) struct Without<'a> {
    pub(crate) standing: Standing,
    pub(crate) names: Vec<&'a str>,
    pub(crate) reason: &'a str,
}

impl Without<'_> {
    /// `koa, express: needs node 24`; the reason may have several lines.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.names.join(", "), self.reason)
    }
}

/// Those without figures, the most surprising first. Many with one reason stand together.
pub(crate) fn without_figures(workload: &WorkloadView) -> Vec<Without<'_>> {
    let kinds = [
        Standing::Refused,
        Standing::NotMeasured,
        Standing::NotChecked,
        Standing::LeftOut,
        Standing::NotOffered,
    ];
    let mut all: Vec<Without<'_>> = Vec::new();
    for standing in kinds {
        let contenders = workload.contenders.iter();
        for contender in contenders.filter(|contender| contender.standing == standing) {
            let name = contender.name.as_str();
            let reason = contender.reason.as_deref().unwrap_or_default();
            let mut groups = all.iter_mut();
            match groups.find(|group| group.standing == standing && group.reason == reason) {
                Some(group) => group.names.push(name),
                None => all.push(Without {
                    standing,
                    names: vec![name],
                    reason,
                }),
            }
        }
    }
    all
}

/// Which contender is of which class, where that differs: a server below its framework is not the
/// same effort as what a framework's documentation shows.
pub(crate) fn classes(measured: &[&ContenderView]) -> Option<String> {
    let of = |wanted| {
        let members = measured.iter().filter(|c| c.class == Some(wanted));
        let members: Vec<&str> = members.map(|c| c.name.as_str()).collect();
        let class = format!("{} {}", class_name(wanted), members.join(", "));
        (!members.is_empty()).then_some(class)
    };
    let classes = [Class::Standard, Class::Tuned, Class::Bare];
    let classes: Vec<String> = classes.into_iter().filter_map(of).collect();
    (classes.len() > 1).then(|| format!("Classes: {}.", classes.join("; ")))
}

/// A doubt with whom it concerns.
pub(crate) fn warning(view: &View, warning: &WarningView) -> String {
    let workload = warning.workload.as_ref().map(|name| name.as_str());
    let contender = warning.contender.as_ref().map(|name| name.as_str());
    // The text mostly names its contender itself.
    let subject: Vec<&str> = [
        workload.filter(|_| view.workloads.len() > 1),
        contender.filter(|name| !warning.text.contains(name)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if subject.is_empty() {
        warning.text.clone()
    } else {
        format!("{}: {}", subject.join(", "), warning.text)
    }
}

/// The word for a verdict.
pub(crate) const fn verdict(verdict: VerdictView) -> &'static str {
    match verdict {
        VerdictView::Faster => "faster",
        VerdictView::Slower => "slower",
        VerdictView::Equal => "equal",
        VerdictView::Undecided => "undecided",
        VerdictView::Void => "void",
    }
}

/// The word for a restriction of a verdict.
pub(crate) const fn qualifier(qualifier: Qualifier) -> &'static str {
    match qualifier {
        Qualifier::LowerBound => "at least",
        Qualifier::Fragile => "fragile",
        Qualifier::Negligible => "negligible",
        Qualifier::TheseProcessesOnly => "for these processes only",
        Qualifier::Exploratory => "exploratory",
    }
}

/// The ratio of a pair with its interval.
pub(crate) fn ratio(pair: &PairView) -> Option<String> {
    let interval = pair.low.zip(pair.high);
    pair.ratio.map(|value| text::ratio(value, interval))
}

/// The command that made the run, as one would type it.
pub(crate) fn command(view: &View) -> String {
    shell_words::join(&view.command)
}

/// What has to be added to the command so that chance falls the same way again.
pub(crate) fn seed(view: &View) -> Option<String> {
    let given = |argument: &String| argument == "--seed" || argument.starts_with("--seed=");
    let seed = view.seed;
    (!view.command.iter().any(given)).then(|| {
        format!(
            "With --seed {seed} the order of slices and the ids in requests are the same again."
        )
    })
}

/// The words of a report that are not plain.
pub(crate) const WORDS: [(&str, &str); 9] = [
    (
        "ratio",
        "1.23x (1.19 to 1.27): the first answered 1.23 times as many requests per second as the \
         other. All intervals of a table together miss a true ratio in at most one run of twenty.",
    ),
    ("faster", "The whole interval lies above 1."),
    (
        "equal",
        "The whole interval lies so near to 1 that a difference does not matter.",
    ),
    (
        "undecided",
        "The run cannot tell; the sentence says how small a difference it could have seen.",
    ),
    (
        "void",
        "Something limited what was measured, for example the generator itself: the numbers are \
         shown, and no verdict is given.",
    ),
    (
        "exploratory",
        "Too few or too short slices for a firm conclusion.",
    ),
    ("fragile", "A few blocks drive the result."),
    (
        "for these processes only",
        "A contender starts so slowly that all its slices shared one launch.",
    ),
    ("rank 1-2", "First and second place are both possible."),
];
