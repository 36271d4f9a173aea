//! The figures of a contender that gave samples, and the reasons for those it lacks.

use faceoff_record::Nanos;
use faceoff_stats::{ContenderAnalysis, Interval};

use crate::text::counted;
use crate::view::{Absent, ContenderView, RatioView, ServiceTime, SliceView, Standing, Throughput};

/// Puts the figures of the analysis into a view that has none yet.
pub(crate) fn fill(
    view: &mut ContenderView,
    figures: &ContenderAnalysis,
    first_over_this: Option<RatioView>,
) {
    view.standing = match view.standing {
        // Whoever was refused after its first samples keeps the reason with them.
        Standing::Refused => Standing::Refused,
        _ => Standing::Measured,
    };
    view.verified = view.standing == Standing::Measured;
    if view.verified {
        view.reason = None;
    }
    view.samples = figures.samples;
    view.rank = Some([figures.rank.0, figures.rank.1]);
    view.letters = Some(figures.letters.clone());
    view.throughput = throughput(&figures.throughput);
    view.first_over_this = first_over_this;
    view.service_ms = service(&figures.service);
    view.cpu_us_per_request = finite(figures.cpu_us_per_request);
    view.memory_after_bytes = finite(figures.memory_after_bytes).map(whole);
    view.memory_peak_bytes = figures.memory_peak_bytes;
    view.startup_ms = figures
        .start_up
        .map(|start_up| start_up.median.as_millis_f64());
    view.startup_interval_ms = figures
        .start_up
        .and_then(|start_up| start_up.interval)
        .map(|(low, high)| [low.as_millis_f64(), high.as_millis_f64()]);
    view.bytes_per_response = finite(figures.bytes_per_answer);
    view.good = Some(figures.good);
    view.errors = Some(figures.failed);
    let per_second = view.throughput.map(|throughput| throughput.value);
    view.seconds_per_million = per_second
        .filter(|&per_second| per_second > 0.0)
        .map(|per_second| 1e6 / per_second);
    view.megabytes_per_second = per_second
        .zip(view.bytes_per_response)
        .map(|(per_second, bytes)| per_second * bytes / 1e6);
    view.server_busy_percent = finite(figures.server_busy).map(percent);
    view.generator_busy_percent = finite(Some(figures.generator_busy)).map(percent);
    view.generator_limited = Some(figures.generator_limited);
    let slices = figures.slices.iter();
    view.slices = slices
        .map(|&(block, per_second)| SliceView { block, per_second })
        .collect();
    explain(view, &reasons(figures), "there is too little data for it");
}

/// The half-width is one on the log scale, so that it says the same of both ends: the geometric
/// mean divided or multiplied by 1 + it. Ends that coincide come from a single value.
fn throughput(interval: &Interval) -> Option<Throughput> {
    let value = finite(Some(interval.value))?;
    let is_interval = interval.low > 0.0 && interval.low < interval.high;
    let ends = is_interval.then_some((interval.low, interval.high));
    Some(Throughput {
        value,
        low: ends.map(|(low, _)| low),
        high: ends.map(|(_, high)| high),
        plus_minus_percent: ends.map(|(low, high)| percent((high / low).sqrt() - 1.0)),
    })
}

fn service(quantiles: &[(f64, Nanos)]) -> Option<ServiceTime> {
    let at = |wanted: f64| {
        let found = quantiles.iter().find(|(q, _)| (q - wanted).abs() < 1e-9);
        found.map(|(_, value)| value.as_millis_f64())
    };
    (!quantiles.is_empty()).then(|| ServiceTime {
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
    })
}

fn percent(share: f64) -> f64 {
    share * 100.0
}

/// JSON has no other numbers.
fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a size in bytes: not negative, and far below 2^64"
)]
fn whole(bytes: f64) -> u64 {
    bytes.round() as u64
}

/// The reasons that the analysis gives, under the names of the view, and those that follow from
/// the load model and from the number of samples.
fn reasons(figures: &ContenderAnalysis) -> Absent {
    let of_analysis = figures.absent.iter();
    let mut reasons: Absent = of_analysis
        .map(|(figure, reason)| (public_name(figure).to_owned(), reason.clone()))
        .collect();
    let own = [
        (
            "latency_ms",
            "a closed load has no rate at which latency could be told".to_owned(),
        ),
        (
            "service_ms",
            format!(
                "{} are too few for a percentile",
                counted(figures.good, "right answer")
            ),
        ),
        (
            "startup_interval_ms",
            reasons
                .get("startup_ms")
                .cloned()
                .unwrap_or_else(|| "too few launches for an interval".to_owned()),
        ),
        (
            "first_over_this",
            "too few common blocks with the first".to_owned(),
        ),
        ("seconds_per_million", "no answer was right".to_owned()),
        (
            "megabytes_per_second",
            reasons
                .get("bytes_per_response")
                .cloned()
                .unwrap_or_else(|| "no answer was right".to_owned()),
        ),
    ];
    for (figure, reason) in own {
        reasons.entry(figure.to_owned()).or_insert(reason);
    }
    for part in ["low", "high", "plus_minus_percent"] {
        let reason = "fewer than two samples had right answers".to_owned();
        reasons.insert(format!("throughput.{part}"), reason);
    }
    for part in ["p50", "p90", "p99", "p999"] {
        let reason = format!(
            "fewer than ten of {} lie above it",
            counted(figures.good, "right answer")
        );
        reasons.insert(format!("service_ms.{part}"), reason);
    }
    reasons
}

fn public_name(figure: &str) -> &str {
    match figure {
        "start_up" => "startup_ms",
        "bytes_per_answer" => "bytes_per_response",
        "service" => "service_ms",
        "server_busy" => "server_busy_percent",
        other => other,
    }
}

/// Gives each figure that is null its reason: its own, or the one that fits all.
pub(crate) fn explain(view: &mut ContenderView, reasons: &Absent, otherwise: &str) {
    let lines = view.absent.remove("lines_of_code");
    view.absent = missing(view)
        .into_iter()
        .map(|figure| {
            let own = reasons.get(figure).map(String::as_str);
            let reason = own.unwrap_or(otherwise);
            (figure.to_owned(), reason.to_owned())
        })
        .collect();
    if let Some(reason) = lines.filter(|_| view.lines_of_code.is_none()) {
        view.absent.insert("lines_of_code".to_owned(), reason);
    }
}

/// The keys of the figures that are null.
fn missing(view: &ContenderView) -> Vec<&'static str> {
    let mut missing: Vec<&'static str> = Vec::new();
    let mut check = |figure: &'static str, is_missing: bool| {
        if is_missing {
            missing.push(figure);
        }
    };
    check("class", view.class.is_none());
    check("rank", view.rank.is_none());
    check("letters", view.letters.is_none());
    check("throughput", view.throughput.is_none());
    if let Some(throughput) = view.throughput {
        let no_interval = throughput.plus_minus_percent.is_none();
        check("throughput.low", no_interval);
        check("throughput.high", no_interval);
        check("throughput.plus_minus_percent", no_interval);
    }
    check("first_over_this", view.first_over_this.is_none());
    check("latency_ms", view.latency_ms.is_none());
    check("service_ms", view.service_ms.is_none());
    if let Some(service) = view.service_ms {
        check("service_ms.p50", service.p50.is_none());
        check("service_ms.p90", service.p90.is_none());
        check("service_ms.p99", service.p99.is_none());
        check("service_ms.p999", service.p999.is_none());
    }
    check("cpu_us_per_request", view.cpu_us_per_request.is_none());
    check("memory_after_bytes", view.memory_after_bytes.is_none());
    check("memory_peak_bytes", view.memory_peak_bytes.is_none());
    check("startup_ms", view.startup_ms.is_none());
    check("startup_interval_ms", view.startup_interval_ms.is_none());
    check("lines_of_code", view.lines_of_code.is_none());
    check("bytes_per_response", view.bytes_per_response.is_none());
    check("good", view.good.is_none());
    check("errors", view.errors.is_none());
    check("seconds_per_million", view.seconds_per_million.is_none());
    check("megabytes_per_second", view.megabytes_per_second.is_none());
    check("server_busy_percent", view.server_busy_percent.is_none());
    check(
        "generator_busy_percent",
        view.generator_busy_percent.is_none(),
    );
    check("generator_limited", view.generator_limited.is_none());
    missing
}
