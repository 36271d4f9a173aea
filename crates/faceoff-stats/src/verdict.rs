//! From an interval to a verdict and its sentence.

use faceoff_record::{ContenderName, Nanos};

use crate::wording::{counted, estimate_and_range, more_time, percent, times};
use crate::{Interval, LogSample, Qualifier, detectable_difference, stein_blocks};

/// The half-width that the forecast of more time aims at: 2 %.
const WANTED: f64 = 0.02;

/// What an interval says about the ratio of the faster to the slower one.
///
/// The zone of ratios that do not matter is `[1/(1 + z), 1 + z]`. Equality by inclusion of the
/// interval in the zone is the idea of two one-sided tests (Schuirmann 1987; Lakens 2017),
/// conservative at this level. What is not shown to differ is not equal: that is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// All of the interval lies above the zone.
    Faster,
    /// It lies above 1, and part of it in the zone.
    FasterPerhapsTooLittle,
    /// It lies in the zone and holds 1.
    Equal,
    /// It lies in the zone, but 1 does not lie in it.
    EqualThoughNotSame,
    /// Anything else.
    Undecided,
}

impl Reading {
    /// Reads an interval of the ratio of the one with the higher estimate to the other.
    pub(crate) fn of(ratio: Interval, zone: f64) -> Self {
        let Interval { low, high, .. } = ratio;
        let (bottom, top) = (1.0 / (1.0 + zone), 1.0 + zone);
        if low > top {
            Self::Faster
        } else if low > 1.0 && high > top {
            Self::FasterPerhapsTooLittle
        } else if low >= bottom && high <= top {
            if low > 1.0 || high < 1.0 {
                Self::EqualThoughNotSame
            } else {
                Self::Equal
            }
        } else {
            Self::Undecided
        }
    }
}

/// The two that are compared: `a` has the higher estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    /// The one with the higher estimate.
    pub(crate) a: &'a ContenderName,
    /// The other one.
    pub(crate) b: &'a ContenderName,
}

impl Names<'_> {
    /// The sentence for a reading. An undecided one says what the run could have shown and how
    /// much longer it would have to be.
    pub(crate) fn sentence(self, reading: Reading, evidence: &Evidence<'_>) -> String {
        let Self { a, b } = self;
        let ratio = times(evidence.ratio);
        let zone = percent(evidence.zone);
        match reading {
            Reading::Faster => format!("{a} is faster than {b}: {ratio}"),
            Reading::FasterPerhapsTooLittle => {
                format!("{a} is faster than {b}, perhaps by too little to matter: {ratio}")
            }
            Reading::Equal => format!("{a} and {b} are equal within {zone}: {ratio}"),
            Reading::EqualThoughNotSame => format!(
                "{a} and {b} are equal within {zone}, with a real but negligible difference: {ratio}"
            ),
            Reading::Undecided => {
                let limits = [evidence.visible(), evidence.more_time()]
                    .into_iter()
                    .flatten();
                let parts: Vec<String> = [format!("undecided between {a} and {b}: {ratio}")]
                    .into_iter()
                    .chain(limits)
                    .collect();
                parts.join("; ")
            }
        }
    }

    /// The sentence where the blocks that both completed give no interval.
    pub(crate) fn too_few_blocks(self, common: usize) -> String {
        let Self { a, b } = self;
        let blocks = match common {
            0 => "no block was completed by both".to_owned(),
            _ => format!(
                "only {} was completed by both",
                counted(common as u64, "block")
            ),
        };
        format!("undecided between {a} and {b}: {blocks}, and an interval needs at least two")
    }

    /// The sentence of a verdict that is withheld.
    pub(crate) fn withheld(self, reason: &str) -> String {
        format!("no verdict on {} and {}: {reason}", self.a, self.b)
    }

    /// The reason where the generator limited `a` alone and the ratio found is a lower bound.
    pub(crate) fn at_least(self, ratio: Interval) -> String {
        let Self { a, b } = self;
        let (estimate, range) = estimate_and_range(ratio);
        format!(
            "the generator was the limit while {a} was loaded, \
             so {a} is at least {estimate} as fast as {b} ({range})"
        )
    }
}

/// What the sentence on a pair is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// The log-ratios, a block each.
    pub(crate) sample: &'a LogSample,
    /// Their mean ratio with its interval.
    pub(crate) ratio: Interval,
    /// The level of the interval is `1 - alpha`.
    pub(crate) alpha: f64,
    /// The zone within which ratios do not matter.
    pub(crate) zone: f64,
    /// How long a block takes, where that is known.
    pub(crate) block_time: Option<Nanos>,
}

impl Evidence<'_> {
    /// The difference that these blocks could show.
    fn visible(&self) -> Option<String> {
        let logs = detectable_difference(self.sample.sd(), self.sample.len(), self.alpha)?;
        let difference = percent(logs.min(700.0).exp_m1());
        Some(format!(
            "this run could show differences of about {difference} or more"
        ))
    }

    /// The time that more blocks would take, unless there are enough already.
    fn more_time(&self) -> Option<String> {
        let blocks = self.sample.len();
        let needed = stein_blocks(self.sample.sd(), blocks, WANTED.ln_1p(), self.alpha)?;
        let missing = needed.saturating_sub(blocks as u64);
        let time = Nanos(self.block_time?.0.saturating_mul(missing));
        let wanted = percent(WANTED);
        (missing > 0).then(|| format!("about {} would give +-{wanted}", more_time(time)))
    }
}

/// The words for restrictions that the sentence does not hold by itself.
pub(crate) fn restrictions(qualifiers: &[Qualifier]) -> String {
    let words = qualifiers.iter().map(|qualifier| match qualifier {
        // These two change the sentence itself.
        Qualifier::LowerBound | Qualifier::Negligible => "",
        Qualifier::Fragile => "; fragile: a few blocks drive this",
        Qualifier::TheseProcessesOnly => "; for these processes only",
        Qualifier::Exploratory => "; exploratory",
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use faceoff_record::{ContenderName, Nanos};
    use proptest::prelude::*;

    use super::{Evidence, Names, Reading};
    use crate::{Interval, LogSample};

    const fn interval(low: f64, value: f64, high: f64) -> Interval {
        Interval { value, low, high }
    }

    #[test]
    fn intervals_read_by_the_table() {
        use Reading::{Equal, EqualThoughNotSame, Faster, FasterPerhapsTooLittle, Undecided};
        let cases = [
            (1.19, 1.27, Faster),
            (1.0201, 1.03, Faster),
            (1.02, 1.03, FasterPerhapsTooLittle),
            (1.001, 1.5, FasterPerhapsTooLittle),
            (1.01, 1.0201, FasterPerhapsTooLittle),
            (0.99, 1.01, Equal),
            (1.0, 1.02, Equal),
            (1.0 / 1.02, 1.02, Equal),
            (1.005, 1.015, EqualThoughNotSame),
            (1.0, 1.03, Undecided),
            (0.97, 1.01, Undecided),
            (0.7, 1.6, Undecided),
        ];
        for (low, high, expected) in cases {
            let found = Reading::of(interval(low, f64::midpoint(low, high), high), 0.02);
            assert_eq!(found, expected, "[{low}, {high}]");
        }
    }

    /// Sentences for hyper and axum with twelve blocks of spread 2 %, five seconds each.
    fn sentence(reading: Reading, ratio: Interval, block_time: Option<Nanos>) -> String {
        let (a, b) = (ContenderName::new("hyper"), ContenderName::new("axum"));
        // Alternating +-h has the sample deviation h sqrt(12/11).
        let half = 0.02 * (11.0_f64 / 12.0).sqrt();
        let logs = (0..12)
            .map(|i| if i % 2 == 0 { half } else { -half })
            .collect();
        let sample = LogSample::from_logs(logs).unwrap();
        let evidence = Evidence {
            sample: &sample,
            ratio,
            alpha: 0.05,
            zone: 0.02,
            block_time,
        };
        Names { a: &a, b: &b }.sentence(reading, &evidence)
    }

    #[test]
    fn sentences_name_both_and_the_figures() {
        let five = Some(Nanos::from_secs(5));
        let cases = [
            (
                Reading::Faster,
                interval(1.19, 1.23, 1.27),
                five,
                "hyper is faster than axum: 1.23x (1.19 to 1.27)",
            ),
            (
                Reading::FasterPerhapsTooLittle,
                interval(1.01, 1.03, 1.05),
                five,
                "hyper is faster than axum, perhaps by too little to matter: 1.03x (1.01 to 1.05)",
            ),
            (
                Reading::Equal,
                interval(0.99, 1.003, 1.012),
                five,
                "hyper and axum are equal within 2 %: 1.00x (0.99 to 1.01)",
            ),
            (
                Reading::EqualThoughNotSame,
                interval(1.006, 1.01, 1.014),
                five,
                "hyper and axum are equal within 2 %, with a real but negligible difference: \
                 1.010x (1.006 to 1.014)",
            ),
            (
                Reading::Undecided,
                interval(0.98, 1.01, 1.03),
                None,
                "undecided between hyper and axum: 1.01x (0.98 to 1.03); this run could show \
                 differences of about 1.8 % or more",
            ),
        ];
        for (reading, ratio, block_time, expected) in cases {
            assert_eq!(sentence(reading, ratio, block_time), expected);
        }
    }

    #[test]
    fn an_undecided_sentence_forecasts_the_time_for_two_percent() {
        let (a, b) = (ContenderName::new("hyper"), ContenderName::new("axum"));
        let logs = (0..12)
            .map(|i| if i % 2 == 0 { 0.1 } else { -0.1 })
            .collect();
        let sample = LogSample::from_logs(logs).unwrap();
        let ratio = sample.t_interval(0.05);
        let block_time = Some(Nanos::from_secs(5));
        let evidence = Evidence {
            sample: &sample,
            ratio,
            alpha: 0.05,
            zone: 0.02,
            block_time,
        };
        // Stein: ceil((2.201 * 0.10445 / ln 1.02)^2) = 135 blocks, so 123 more of 5 s.
        assert_eq!(
            Names { a: &a, b: &b }.sentence(Reading::of(ratio, 0.02), &evidence),
            "undecided between hyper and axum: 1.00x (0.94 to 1.07); this run could show \
             differences of about 9.7 % or more; about 11 more minutes would give +-2 %"
        );
    }

    proptest! {
        #[test]
        fn what_is_not_shown_to_be_equal_is_never_called_equal(
            low in 0.5..1.5_f64, width in 0.0..0.5_f64,
        ) {
            let ratio = interval(low, low + width / 2.0, low + width);
            let reading = Reading::of(ratio, 0.02);
            let inside = ratio.low >= 1.0 / 1.02 && ratio.high <= 1.02;
            prop_assert_eq!(sentence(reading, ratio, None).contains("equal"), inside);
        }
    }
}
