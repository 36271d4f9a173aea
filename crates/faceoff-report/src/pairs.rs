//! The comparisons of a workload.

use faceoff_record::ContenderName;
use faceoff_stats::{Interval, PairAnalysis, Verdict, WorkloadAnalysis};

use crate::text::counted;
use crate::view::{Absent, BlockRatio, Metric, PairView, RatioView, VerdictView};

/// Throughput of the best contender over that of this one, by their paired ratios.
pub(crate) fn first_over(analysed: &WorkloadAnalysis, this: &ContenderName) -> Option<RatioView> {
    let first = &analysed.contenders.first()?.contender;
    if first == this {
        return Some(RatioView {
            value: 1.0,
            low: Some(1.0),
            high: Some(1.0),
        });
    }
    let mut pairs = analysed.pairs.iter();
    let pair = pairs
        .find(|pair| (&pair.a, &pair.b) == (first, this) || (&pair.a, &pair.b) == (this, first))?;
    let ratio = pair.ratio?;
    let ratio = if pair.a == *first {
        ratio
    } else {
        // The means over all samples and over common blocks can disagree on who is ahead.
        Interval {
            value: ratio.value.recip(),
            low: ratio.high.recip(),
            high: ratio.low.recip(),
        }
    };
    Some(RatioView {
        value: ratio.value,
        low: Some(ratio.low),
        high: Some(ratio.high),
    })
}

/// The presentable form of a comparison.
pub(crate) fn pair(pair: &PairAnalysis) -> PairView {
    let median = pair.median.map(|median| RatioView {
        value: median.value,
        low: median.interval.map(|(low, _)| low),
        high: median.interval.map(|(_, high)| high),
    });
    let (verdict, verdict_reason) = match &pair.verdict {
        Verdict::Faster => (VerdictView::Faster, None),
        Verdict::Equal => (VerdictView::Equal, None),
        Verdict::Undecided => (VerdictView::Undecided, None),
        Verdict::Void { reason } => (VerdictView::Void, Some(reason.clone())),
    };
    let ratios = pair.ratios.iter();
    PairView {
        a: pair.a.clone(),
        b: pair.b.clone(),
        metric: Metric::Throughput,
        blocks: pair.blocks,
        ratio: pair.ratio.map(|ratio| ratio.value),
        low: pair.ratio.map(|ratio| ratio.low),
        high: pair.ratio.map(|ratio| ratio.high),
        median,
        sign_flip_p: pair.sign_flip_p,
        verdict,
        verdict_reason,
        qualifiers: pair.qualifiers.clone(),
        sentence: pair.sentence.clone(),
        ratios: ratios
            .map(|&(block, ratio)| BlockRatio { block, ratio })
            .collect(),
        absent: absent_of_pair(pair),
    }
}

fn absent_of_pair(pair: &PairAnalysis) -> Absent {
    let blocks = counted(u64::from(pair.blocks), "common block");
    let too_few = |for_what: &str| format!("{blocks} are too few for {for_what}");
    let interval = pair.median.is_some_and(|median| median.interval.is_some());
    let figures = [
        ("ratio", pair.ratio.is_none(), "a ratio with an interval"),
        ("low", pair.ratio.is_none(), "an interval"),
        ("high", pair.ratio.is_none(), "an interval"),
        ("median", pair.median.is_none(), "a median"),
        (
            "median.low",
            pair.median.is_some() && !interval,
            "an order-statistic interval",
        ),
        (
            "median.high",
            pair.median.is_some() && !interval,
            "an order-statistic interval",
        ),
        (
            "sign_flip_p",
            pair.sign_flip_p.is_none(),
            "the sign-flip test",
        ),
    ];
    let absent = figures.into_iter().filter(|&(_, absent, _)| absent);
    absent
        .map(|(figure, _, what)| (figure.to_owned(), too_few(what)))
        .collect()
}
