//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The quantile `p` of Student's t with `freedom` degrees of freedom.
///
/// Infinite for a `p` outside 0 to 1 or without any degree of freedom, so that an interval built
/// on it says that nothing is known, instead of saying too much.
pub(crate) fn quantile(p: f64, freedom: usize) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::INFINITY;
    }
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::INFINITY, |t| t.inverse_cdf(p))
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_agree_with_the_published_tables() {
        let bonferroni = 1.0 - 0.05 / 6.0;
        let cases = [
            (0.975, 5, 2.571),
            (0.975, 9, 2.262),
            (0.975, 11, 2.201),
            (bonferroni, 11, 2.820),
            (0.8, 5, 0.920),
        ];
        for (p, freedom, expected) in cases {
            let found = quantile(p, freedom);
            assert!(
                (found - expected).abs() < 5e-4,
                "t({p}, {freedom}) = {found}"
            );
        }
    }

    #[test]
    fn quantiles_agree_with_the_closed_forms_far_out_in_the_tails() {
        for pairs in [1.0, 3.0, 15.0, 45.0] {
            let p: f64 = 1.0 - 0.025 / pairs;
            let one = (std::f64::consts::PI * (p - 0.5)).tan();
            let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
            assert!(
                (quantile(p, 1) / one - 1.0).abs() < 1e-8,
                "1 df, {pairs} pairs"
            );
            assert!(
                (quantile(p, 2) / two - 1.0).abs() < 1e-8,
                "2 df, {pairs} pairs"
            );
        }
    }

    #[test]
    fn impossible_questions_give_an_infinite_quantile() {
        for (p, freedom) in [(f64::NAN, 5), (1.5, 5), (-0.1, 5), (0.975, 0)] {
            assert_eq!(quantile(p, freedom), f64::INFINITY, "t({p}, {freedom})");
        }
    }
}
