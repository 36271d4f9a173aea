//! Pure statistics, from samples up to the verdict.
//!
//! [`analyse`] takes a stored record and says what follows from it. It decides everything that a
//! report prints and does no I/O; where a figure came from is not its business.
//!
//! Reading order: the [result](Analysis), the walk from record to result (`analyse`, `blocks`,
//! `standing`, `contender`, `pair`, `verdict`, `doubts`), then the formulas it rests on
//! (`log_sample`, `order`, `sign_flip`, `holm`, `ranks`, `precision`, `student`), and the rule for
//! the pilot (`warmup`).

mod analyse;
mod analysis;
mod blocks;
mod contender;
mod doubts;
mod pair;
mod standing;
mod verdict;
mod wording;

mod holm;
mod log_sample;
mod order;
mod precision;
mod ranks;
mod sign_flip;
mod student;

mod warmup;

pub use analyse::analyse;
pub use analysis::{
    Analysis, ContenderAnalysis, Interval, MedianRatio, PairAnalysis, Qualifier, StartUp, Verdict,
    WorkloadAnalysis,
};
pub use holm::holm;
pub use log_sample::{LogSample, SampleError};
pub use precision::{detectable_difference, stein_blocks};
pub use sign_flip::sign_flip_p;
pub use warmup::steady_after;
