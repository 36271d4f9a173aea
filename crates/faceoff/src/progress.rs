//! Draws what happens: one moving line on a terminal, plain lines elsewhere. All of it goes to the
//! error stream; results go to the standard output.

use std::fmt::Display;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use faceoff_record::{Nanos, Plan, Violation};
use faceoff_runner::Event;
use indicatif::{ProgressBar, ProgressStyle};

/// How often plain output says how far it is.
const PLAIN_EVERY: u32 = 10;

/// Draws a run.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// The building contender that was announced last, where there is no moving line.
    announced: Option<String>,
}

impl Progress {
    /// Begins to draw.
    pub(crate) fn new() -> Self {
        let bar = console::user_attended_stderr().then(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Self {
            bar,
            announced: None,
        }
    }

    /// Draws one event.
    pub(crate) fn tell(&mut self, event: Event) {
        match event {
            Event::Planned(plan) => self.planned(&plan),
            Event::Building { contender, line } => self.building(contender.as_str(), &line),
            Event::Built {
                contender,
                took,
                unchanged,
            } => {
                if !unchanged {
                    self.line(&format!("built {contender} in {took}"));
                }
            }
            Event::Verifying {
                contender,
                workload,
            } => self.moving(&format!("checking {contender} on {workload}")),
            Event::Verified {
                contender,
                workload,
                answers,
            } => self.line(&format!(
                "{contender} keeps the contract of {workload} ({answers} answers)"
            )),
            Event::Out {
                contender,
                workload,
                reason,
                violation,
            } => {
                let whole = match workload {
                    Some(workload) => format!("{contender} is out of {workload}: {reason}"),
                    None => format!("{contender} is out: {reason}"),
                };
                self.line(&whole);
                if let Some(violation) = violation {
                    self.line(&shown(&violation));
                }
            }
            Event::Scheduled {
                workload,
                blocks,
                slices,
                expected,
                fresh_launches,
            } => {
                let launches = if fresh_launches {
                    "each slice with a fresh launch"
                } else {
                    "all slices with one launch of each contender, since one starts slowly"
                };
                self.line(&format!(
                    "{workload}: {blocks} blocks, {slices} slices, {launches}; about {}",
                    clock(expected)
                ));
                self.begin_slices(slices);
            }
            Event::Slice {
                slice,
                done,
                total,
                left,
            } => self.slice(&slice.contender, done, total, left),
            Event::Measured { .. } => {}
            Event::SliceFailed { slice, reason } => {
                let (contender, block) = (&slice.contender, slice.block + 1);
                self.line(&format!(
                    "{contender} gave no sample in block {block}: {reason}"
                ));
            }
        }
    }

    /// Says what a check draws its ids from.
    pub(crate) fn checking(&self, seed: u64) {
        self.line(&format!("checking; seed {seed}"));
    }

    /// Stops drawing.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Says where the result is.
    pub(crate) fn kept(&self, folder: &Path) {
        self.line(&format!("kept in {}", folder.display()));
    }

    fn planned(&self, plan: &Plan) {
        let (contenders, workloads) = (plan.contenders.len(), plan.workloads.len());
        self.line(&format!(
            "{}: {}, {}, at most {} {}after the builds; seed {}",
            plan.suite,
            count(contenders, "contender"),
            count(workloads, "workload"),
            clock(plan.time_per_workload),
            if workloads == 1 { "" } else { "each " },
            plan.seed,
        ));
        for out in &plan.left_out {
            self.line(&format!("left out: {} ({})", out.contender, out.reason));
        }
    }

    fn building(&mut self, contender: &str, line: &str) {
        if self.bar.is_some() {
            self.moving(&format!("building {contender}  {line}"));
        } else if self.announced.as_deref() != Some(contender) && !line.is_empty() {
            self.line(&format!("building {contender}"));
            self.announced = Some(contender.to_owned());
        }
    }

    fn begin_slices(&self, slices: u32) {
        let Some(bar) = &self.bar else { return };
        let template = "{bar:30} {pos}/{len} slices  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_length(u64::from(slices));
        bar.set_position(0);
    }

    fn slice(&self, contender: &impl Display, done: u32, total: u32, left: Nanos) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(u64::from(done));
                bar.set_message(format!("{} left  {contender}", clock(left)));
            }
            None if done.is_multiple_of(PLAIN_EVERY) => {
                self.line(&format!("{done} of {total} slices, {} left", clock(left)));
            }
            None => {}
        }
    }

    /// What is going on at this moment; only a terminal shows it.
    fn moving(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(faceoff_report::clean(text));
        }
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) if !bar.is_finished() => bar.suspend(|| print(text)),
            _ => print(text),
        }
    }
}

fn print(text: &str) {
    // What servers and their logs say must not steer the terminal.
    // Whoever closed the error stream has seen enough of it; the run goes on.
    let _ = writeln!(std::io::stderr(), "{}", faceoff_report::clean(text));
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// A length of time in minutes and seconds.
fn clock(time: Nanos) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds of a run: small and not negative"
    )]
    let seconds = time.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

fn shown(violation: &Violation) -> String {
    let answer = violation.answer.lines().map(|line| format!("    {line}"));
    let answer: Vec<_> = answer.collect();
    format!(
        "  rule     {}: {}\n  request  {}\n  answer\n{}",
        violation.rule,
        violation.reason,
        violation.request,
        answer.join("\n")
    )
}
