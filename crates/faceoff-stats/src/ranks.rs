//! Rank sets and letters of more than two contenders, from the pairs that are separated.

use faceoff_record::ContenderName;

/// A pair of contenders that the simultaneous intervals separate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation<'a> {
    /// The faster one.
    pub(crate) better: &'a ContenderName,
    /// The slower one.
    pub(crate) worse: &'a ContenderName,
}

/// The ranks, from 1, that the separations leave open to each contender: best
/// `1 + #{surely better}`, worst `K - #{surely worse}`. They hold together at the level at which
/// the separations hold together (Al Mohamad, Goeman, van Zwet, arXiv 1708.02729).
pub(crate) fn rank_sets(
    contenders: &[&ContenderName],
    separations: &[Separation<'_>],
) -> Vec<(u32, u32)> {
    let all = u32::try_from(contenders.len()).unwrap_or(u32::MAX);
    let count = |found: &dyn Fn(&Separation<'_>) -> bool| {
        separations
            .iter()
            .fold(0_u32, |n, separation| n + u32::from(found(separation)))
    };
    let range = |contender: &&ContenderName| {
        let better = count(&|separation| separation.worse == *contender);
        let worse = count(&|separation| separation.better == *contender);
        (1 + better, all.saturating_sub(worse))
    };
    contenders.iter().map(range).collect()
}

/// A string of letters for each contender; two that share a letter are not separated, two that
/// share none are.
///
/// Insert and absorb (Piepho 2004): all begin in one group. Each separated pair splits every group
/// that holds both into one without the first and one without the second; then groups that lie
/// within another are dropped. Groups are lettered in the order of their members.
pub(crate) fn letters(
    contenders: &[&ContenderName],
    separations: &[Separation<'_>],
) -> Vec<String> {
    // Members of a group in the order of `contenders`, true where they belong.
    let mut groups: Vec<Vec<bool>> = vec![vec![true; contenders.len()]];
    let without = |group: &[bool], name: &ContenderName| -> Vec<bool> {
        let members = group.iter().zip(contenders);
        members
            .map(|(&belongs, contender)| belongs && *contender != name)
            .collect()
    };
    for Separation { better, worse } in separations {
        let split = groups.iter().flat_map(|group| {
            let (left, right) = (without(group, better), without(group, worse));
            // One that does not hold both is equal to one of its halves and stays.
            if left == *group || right == *group {
                vec![group.clone()]
            } else {
                vec![left, right]
            }
        });
        groups = absorb(split.collect());
    }
    // Groups whose first members come first get the earlier letters.
    groups.sort_by(|x, y| y.cmp(x));
    let alphabet = ('a'..='z').chain('A'..='Z').chain('\u{100}'..=char::MAX);
    let lettered: Vec<(char, Vec<bool>)> = alphabet.zip(groups).collect();
    let of = |place: usize| {
        let belongs = |group: &[bool]| group.get(place).copied().unwrap_or(false);
        lettered
            .iter()
            .filter(|(_, group)| belongs(group))
            .map(|(letter, _)| *letter)
            .collect()
    };
    (0..contenders.len()).map(of).collect()
}

/// Drops each group that lies within another, of equal ones all but the first.
fn absorb(groups: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let within = |x: &[bool], y: &[bool]| x.iter().zip(y).all(|(x, y)| !x || *y);
    let mut kept: Vec<Vec<bool>> = Vec::new();
    for group in groups {
        if !kept.iter().any(|other| within(&group, other)) {
            kept.retain(|other| !within(other, &group));
            kept.push(group);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use faceoff_record::ContenderName;
    use proptest::prelude::*;

    use super::{Separation, letters, rank_sets};

    /// Ranks and letters of contenders A, B, C..., for pairs written "AC": A better than C.
    fn of(count: usize, pairs: &[&str]) -> (Vec<(u32, u32)>, Vec<String>) {
        let names: Vec<ContenderName> = ('A'..)
            .take(count)
            .map(|name| ContenderName::new(name.to_string()))
            .collect();
        let find = |name: char| {
            names
                .iter()
                .find(|n| n.as_str() == name.to_string())
                .unwrap()
        };
        let separations: Vec<Separation<'_>> = pairs
            .iter()
            .map(|pair| {
                let mut pair = pair.chars().map(find);
                let (better, worse) = (pair.next().unwrap(), pair.next().unwrap());
                Separation { better, worse }
            })
            .collect();
        let names: Vec<&ContenderName> = names.iter().collect();
        (
            rank_sets(&names, &separations),
            letters(&names, &separations),
        )
    }

    #[test]
    fn ranks_and_letters_are_the_known_ones() {
        type Case = (
            usize,
            &'static [&'static str],
            &'static [(u32, u32)],
            &'static [&'static str],
        );
        let cases: [Case; 6] = [
            (3, &["AC"], &[(1, 2), (1, 3), (2, 3)], &["a", "ab", "b"]),
            (3, &[], &[(1, 3), (1, 3), (1, 3)], &["a", "a", "a"]),
            (
                3,
                &["AB", "AC", "BC"],
                &[(1, 1), (2, 2), (3, 3)],
                &["a", "b", "c"],
            ),
            (
                3,
                &["AB", "AC"],
                &[(1, 1), (2, 3), (2, 3)],
                &["a", "b", "b"],
            ),
            (
                4,
                &["AC", "AD", "BD"],
                &[(1, 2), (1, 3), (2, 4), (3, 4)],
                &["a", "ab", "bc", "c"],
            ),
            (1, &[], &[(1, 1)], &["a"]),
        ];
        for (count, pairs, ranks, letters) in cases {
            let found = of(count, pairs);
            assert_eq!(found.0, ranks, "{pairs:?}");
            assert_eq!(found.1, letters, "{pairs:?}");
        }
        assert_eq!(of(0, &[]), (vec![], vec![]));
    }

    proptest! {
        #[test]
        fn contenders_share_a_letter_exactly_where_they_are_not_separated(
            separated in prop::collection::vec(any::<bool>(), 15),
        ) {
            let all: Vec<(char, char)> = ('A'..='F')
                .flat_map(|x| ('A'..='F').filter(move |&y| x < y).map(move |y| (x, y)))
                .collect();
            let pairs: Vec<String> = all
                .iter()
                .zip(&separated)
                .filter(|(_, separated)| **separated)
                .map(|((x, y), _)| format!("{x}{y}"))
                .collect();
            let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
            let (_, letters) = of(6, &pairs);
            let of_name = |name: char| &letters[name as usize - 'A' as usize];
            for ((x, y), separated) in all.iter().zip(&separated) {
                let share = of_name(*x).chars().any(|letter| of_name(*y).contains(letter));
                prop_assert_eq!(share, !separated, "{} and {}: {:?}", x, y, &letters);
            }
        }
    }
}
