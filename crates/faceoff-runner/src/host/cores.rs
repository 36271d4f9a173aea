//! Which processors there are, and who gets which.

use std::collections::BTreeMap;

use faceoff_record::CorePlan;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The processors this program may use, grouped by physical core.
pub(super) fn allowed() -> Vec<Vec<u32>> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for core in 0..CpuSet::count() {
        if set.is_set(core).unwrap_or(false) {
            let siblings = std::fs::read_to_string(format!(
                "/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"
            ));
            // Without topology each processor stands for itself.
            let group = siblings.unwrap_or_else(|_| core.to_string());
            let core = u32::try_from(core).unwrap_or(u32::MAX);
            groups.entry(group).or_default().push(core);
        }
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort();
    groups
}

/// Half of the processors for the contender, a quarter for the generator, the rest for the
/// runner; with two or three, one for each. The contender's share may be `asked` for; the generator
/// then has half of the others. A physical core is not shared between contender and
/// generator unless there is only one.
pub(super) fn split(groups: &[Vec<u32>], asked: Option<usize>) -> Option<CorePlan> {
    let all: Vec<u32> = groups.iter().flatten().copied().collect();
    let count = all.len();
    let contender_share = asked.unwrap_or((count / 2).max(1));
    if contender_share == 0 || contender_share >= count {
        return None;
    }
    let generator_share = ((count - contender_share) / 2).max(1);
    if groups.len() == 1 {
        let (contender, others) = all.split_at(contender_share);
        let (generator, rest) = others.split_at(generator_share);
        return Some(plan(contender, generator, rest));
    }
    let mut groups = groups.iter();
    let mut take = |share: usize| {
        let mut taken: Vec<u32> = Vec::new();
        while taken.len() < share
            && let Some(group) = groups.next()
        {
            taken.extend(group);
        }
        taken
    };
    let contender = take(contender_share);
    let generator = take(generator_share);
    let rest = take(count);
    (!generator.is_empty()).then(|| plan(&contender, &generator, &rest))
}

fn plan(contender: &[u32], generator: &[u32], rest: &[u32]) -> CorePlan {
    CorePlan {
        contender: contender.to_vec(),
        generator: generator.to_vec(),
        rest: rest.to_vec(),
    }
}

/// Keeps this thread, and what it starts from now on, on these processors.
pub(crate) fn pin_to(cores: &[u32]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    for core in cores {
        set.set(*core as usize)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn processors_are_divided_without_splitting_a_physical_core() {
        let singles = |count: u32| (0..count).map(|core| vec![core]).collect::<Vec<_>>();
        let pairs = |count: u32| {
            (0..count / 2)
                .map(|i| vec![i, i + count / 2])
                .collect::<Vec<_>>()
        };
        // Groups, then the number of processors for contender, generator and the rest.
        let cases = [
            (singles(2), (1, 1, 0)),
            (singles(3), (1, 1, 1)),
            (singles(4), (2, 1, 1)),
            (singles(8), (4, 2, 2)),
            (pairs(4), (2, 2, 0)),
            (pairs(8), (4, 2, 2)),
            (pairs(16), (8, 4, 4)),
            (vec![vec![0, 1]], (1, 1, 0)),
        ];
        for (groups, expected) in cases {
            let plan = split(&groups, None).unwrap();
            let counts = (plan.contender.len(), plan.generator.len(), plan.rest.len());
            assert_eq!(counts, expected, "{groups:?}");
        }
        assert_eq!(split(&singles(1), None), None);
    }
}
