//! How figures read inside sentences.

use faceoff_record::Nanos;

use crate::Interval;

/// A ratio with its interval: `1.23x (1.19 to 1.27)`.
pub(crate) fn times(ratio: Interval) -> String {
    let decimals = decimals(ratio);
    let figure = |value| figure(value, decimals);
    let Interval { value, low, high } = ratio;
    format!("{}x ({} to {})", figure(value), figure(low), figure(high))
}

/// The estimate and the interval of [`times`] apart, for sentences that put words between them.
pub(crate) fn estimate_and_range(ratio: Interval) -> (String, String) {
    let decimals = decimals(ratio);
    let figure = |value| figure(value, decimals);
    let range = format!("{} to {}", figure(ratio.low), figure(ratio.high));
    (format!("{}x", figure(ratio.value)), range)
}

/// Two decimals; three for an interval narrower than 0.01; and more where an end that is not 1
/// would read as 1, since whether 1 lies inside is what the reader looks for.
fn decimals(ratio: Interval) -> usize {
    let fewest = if ratio.high - ratio.low < 0.01 { 3 } else { 2 };
    let reads_as_one =
        |end: f64, decimals| end != 1.0 && figure(end, decimals) == figure(1.0, decimals);
    let clear = |&decimals: &usize| {
        !reads_as_one(ratio.low, decimals) && !reads_as_one(ratio.high, decimals)
    };
    (fewest..=4).find(clear).unwrap_or(fewest)
}

fn figure(value: f64, decimals: usize) -> String {
    if value >= 1e6 {
        "over a million".to_owned()
    } else if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.decimals$}")
    }
}

/// A share with about two digits: `0.02` is `2 %`, `0.0354` is `3.5 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.01 {
        return "under 0.01 %".to_owned();
    }
    let decimals = match percent {
        10.0.. => 0,
        1.0.. => 1,
        _ => 2,
    };
    let text = format!("{percent:.decimals$}");
    let text = if decimals > 0 {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} %")
}

/// A time that is still to be waited, rounded up: `40 more seconds`, `3 more minutes`.
pub(crate) fn more_time(time: Nanos) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = if seconds <= 90.0 {
        ((seconds / 10.0).ceil() * 10.0, "second")
    } else if seconds <= 90.0 * 60.0 {
        ((seconds / 60.0).ceil(), "minute")
    } else {
        ((seconds / 3600.0).ceil(), "hour")
    };
    format!("{value:.0} more {unit}s")
}

/// `1 block`, `2 blocks`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use faceoff_record::Nanos;

    use super::{estimate_and_range, more_time, percent, times};
    use crate::Interval;

    #[test]
    fn ratios_have_the_digits_that_their_interval_deserves() {
        let cases = [
            ((1.2345, 1.19, 1.27), "1.23x (1.19 to 1.27)"),
            ((1.0123, 1.0101, 1.0149), "1.012x (1.010 to 1.015)"),
            ((1.02, 1.0, 1.05), "1.02x (1.00 to 1.05)"),
            ((1.02, 0.998, 1.05), "1.020x (0.998 to 1.050)"),
            ((1.02, 1.0004, 1.05), "1.0200x (1.0004 to 1.0500)"),
            ((1.02, 1.000_001, 1.05), "1.02x (1.00 to 1.05)"),
            ((153.2, 140.0, 171.4), "153x (140 to 171)"),
            ((2.0, 1e-300, 1e300), "2.00x (0.00 to over a million)"),
        ];
        for ((value, low, high), text) in cases {
            let interval = Interval { value, low, high };
            assert_eq!(times(interval), text);
            let (estimate, range) = estimate_and_range(interval);
            assert_eq!(format!("{estimate} ({range})"), text);
        }
    }

    #[test]
    fn shares_read_as_percent_with_about_two_digits() {
        let cases = [
            (0.0, "0 %"),
            (0.000_01, "under 0.01 %"),
            (0.002_5, "0.25 %"),
            (0.02, "2 %"),
            (0.035_4, "3.5 %"),
            (0.96, "96 %"),
            (1.0, "100 %"),
            (2.5, "250 %"),
        ];
        for (share, text) in cases {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn times_to_wait_are_rounded_up_to_a_fitting_unit() {
        let cases = [
            (3, "10 more seconds"),
            (90, "90 more seconds"),
            (91, "2 more minutes"),
            (7_300, "3 more hours"),
        ];
        for (seconds, text) in cases {
            assert_eq!(more_time(Nanos::from_secs(seconds)), text);
        }
    }
}
