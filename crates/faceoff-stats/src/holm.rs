//! Holm's step-down adjustment of p-values.

/// The p-values adjusted for being looked at together (Holm 1979): sorted upwards, the `i`-th of
/// `m` (from 0) is multiplied by `m - i`, and none falls below the one before it. In the order of
/// the input; a p-value that is not a number stays one.
///
/// For programs that read p-values. Verdicts come from the simultaneous intervals alone, so that
/// text and figures never disagree.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = p_values.iter().copied().enumerate().collect();
    order.sort_by(|x, y| x.1.total_cmp(&y.1));
    let mut adjusted = p_values.to_vec();
    let mut floor = 0.0_f64;
    for (step, (place, p)) in order.into_iter().enumerate() {
        floor = floor.max((p * (p_values.len() - step) as f64).min(1.0));
        if let Some(slot) = adjusted.get_mut(place).filter(|slot| !slot.is_nan()) {
            *slot = floor;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn adjusted_p_values_are_the_known_ones() {
        let cases: [(&[f64], &[f64]); 4] = [
            (&[0.01, 0.04, 0.03], &[0.03, 0.06, 0.06]),
            (&[0.2], &[0.2]),
            (&[0.9, 0.6], &[1.0, 1.0]),
            (&[], &[]),
        ];
        for (p_values, expected) in cases {
            let found = holm(p_values);
            let off = found.iter().zip(expected).map(|(x, y)| (x - y).abs());
            assert!(
                off.fold(0.0, f64::max) < 1e-12,
                "{p_values:?} gave {found:?}"
            );
            assert_eq!(found.len(), expected.len());
        }
    }
}
