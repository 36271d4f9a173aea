//! The comparison of two contenders.

use faceoff_record::{Depth, Launches, Nanos, Record, WorkloadSchedule};

use crate::sign_flip::smallest_p;
use crate::standing::Standing;
use crate::verdict::{Evidence, Names, Reading, restrictions};
use crate::{Interval, LogSample, MedianRatio, PairAnalysis, Qualifier, Verdict, sign_flip_p};

/// All claims on one workload hold together with this error.
const FAMILY_ALPHA: f64 = 0.05;

/// What all pairs of one workload have in common.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The error that each pair may have, so that all together stay within 5 % (Bonferroni).
    alpha: f64,
    /// Ratios nearer to 1 than this do not matter.
    zone: f64,
    /// How long a block takes, where that is known.
    block_time: Option<Nanos>,
    /// What restricts every verdict of the workload.
    restricted: Vec<Qualifier>,
}

impl Rules {
    /// The rules for a workload on which this many contenders are compared.
    pub(crate) fn of(
        record: &Record,
        schedule: Option<&WorkloadSchedule>,
        contenders: usize,
        block_time: Option<Nanos>,
    ) -> Self {
        let shared = schedule.is_some_and(|schedule| schedule.launches == Launches::Shared);
        let short = record.plan.depth == Depth::Quick
            || schedule.is_some_and(|schedule| schedule.exploratory);
        let restricted = [
            shared.then_some(Qualifier::TheseProcessesOnly),
            short.then_some(Qualifier::Exploratory),
        ];
        let pairs = contenders * contenders.saturating_sub(1) / 2;
        Self {
            alpha: FAMILY_ALPHA / pairs.max(1) as f64,
            zone: record.plan.zone,
            block_time,
            restricted: restricted.into_iter().flatten().collect(),
        }
    }
}

/// Compares two contenders by throughput over the blocks that both completed.
pub(crate) fn compare(x: &Standing<'_>, y: &Standing<'_>, rules: &Rules) -> PairAnalysis {
    let common = x.course.in_common(&y.course);
    // The one with the higher estimate comes first; the sum of logarithms has its sign.
    let lead: f64 = common.iter().map(|(_, x, y)| x.ln() - y.ln()).sum();
    let (a, b) = if lead < 0.0 { (y, x) } else { (x, y) };
    let common = a.course.in_common(&b.course);
    let names = Names {
        a: a.course.contender,
        b: b.course.contender,
    };

    let sample = LogSample::paired(common.iter().map(|&(_, a, b)| (a, b))).ok();
    let found = sample
        .as_ref()
        .map(|sample| Found::in_sample(sample, rules.alpha));
    let evidence = sample.as_ref().zip(found).map(|(sample, found)| Evidence {
        sample,
        ratio: found.ratio,
        alpha: rules.alpha,
        zone: rules.zone,
        block_time: rules.block_time,
    });

    let mut qualifiers = rules.restricted.clone();
    let (verdict, sentence) = if let Some(withheld) = withheld(a, b, names, found) {
        qualifiers.extend(withheld.lower_bound.then_some(Qualifier::LowerBound));
        let sentence = names.withheld(&withheld.reason);
        (
            Verdict::Void {
                reason: withheld.reason,
            },
            sentence,
        )
    } else if let Some((evidence, found)) = evidence.zip(found) {
        let reading = Reading::of(evidence.ratio, rules.zone);
        let negligible = matches!(
            reading,
            Reading::FasterPerhapsTooLittle | Reading::EqualThoughNotSame
        );
        qualifiers.extend(negligible.then_some(Qualifier::Negligible));
        qualifiers.extend(found.fragile.then_some(Qualifier::Fragile));
        let too_few_to_check = !found.checkable && reading != Reading::Undecided;
        qualifiers.extend(too_few_to_check.then_some(Qualifier::Exploratory));
        (verdict(reading), names.sentence(reading, &evidence))
    } else {
        (Verdict::Undecided, names.too_few_blocks(common.len()))
    };
    qualifiers.sort_unstable();
    qualifiers.dedup();

    PairAnalysis {
        a: names.a.clone(),
        b: names.b.clone(),
        blocks: u32::try_from(common.len()).unwrap_or(u32::MAX),
        ratio: found.map(|found| found.ratio),
        median: found.map(|found| found.median),
        sign_flip_p: found.map(|found| found.sign_flip_p),
        ratios: common.iter().map(|&(block, a, b)| (block, a / b)).collect(),
        verdict,
        sentence: sentence + &restrictions(&qualifiers),
        qualifiers,
    }
}

const fn verdict(reading: Reading) -> Verdict {
    match reading {
        Reading::Faster | Reading::FasterPerhapsTooLittle => Verdict::Faster,
        Reading::Equal | Reading::EqualThoughNotSame => Verdict::Equal,
        Reading::Undecided => Verdict::Undecided,
    }
}

/// What the blocks of a pair show.
#[derive(Clone, Copy, Debug)]
struct Found {
    ratio: Interval,
    median: MedianRatio,
    sign_flip_p: f64,
    /// Whether there are enough blocks for the sign-flip test to contradict the interval.
    checkable: bool,
    /// Whether the interval has a contradiction from the sign-flip test or from the median.
    fragile: bool,
}

impl Found {
    fn in_sample(sample: &LogSample, alpha: f64) -> Self {
        let ratio = sample.t_interval(alpha);
        let median = sample.median(alpha);
        let p = sign_flip_p(sample);
        let checkable = smallest_p(sample.len()) <= alpha;
        let differs = ratio.low > 1.0 || ratio.high < 1.0;
        let signs_disagree = checkable && (p <= alpha) != differs;
        let holds_one = |(low, high): (f64, f64)| low <= 1.0 && high >= 1.0;
        let median_disagrees = differs && median.interval.is_some_and(holds_one);
        Self {
            ratio,
            median,
            sign_flip_p: p,
            checkable,
            fragile: signs_disagree || median_disagrees,
        }
    }
}

/// Why a verdict is withheld.
struct Withheld {
    reason: String,
    /// Whether the ratio found still holds as a lower bound.
    lower_bound: bool,
}

/// Whether anything forbids a verdict on `a`, which has the higher estimate, and `b`.
fn withheld(
    a: &Standing<'_>,
    b: &Standing<'_>,
    names: Names<'_>,
    found: Option<Found>,
) -> Option<Withheld> {
    let mut reasons = a.disqualified();
    reasons.extend(b.disqualified());
    let sound = reasons.is_empty();
    let limited = |loaded: String| {
        format!(
            "the generator was the limit while {loaded} loaded, so nothing follows on their order"
        )
    };
    let mut lower_bound = false;
    match (a.load.generator_limited(), b.load.generator_limited()) {
        (false, false) => {}
        (true, true) => reasons.push(limited("both were".to_owned())),
        (false, true) => reasons.push(limited(format!("{}, the slower one, was", names.b))),
        // Without the limit `a` would only be faster still. Where even its order to `b` is open,
        // there is nothing that could be a bound.
        (true, false) => match found.filter(|found| sound && found.ratio.low > 1.0) {
            Some(found) => {
                lower_bound = true;
                reasons.push(names.at_least(found.ratio));
            }
            None => reasons.push(limited(format!("{} was", names.a))),
        },
    }
    (!reasons.is_empty()).then(|| Withheld {
        reason: reasons.join("; "),
        lower_bound,
    })
}
