//! The prerequisite graph: random graphs, and very long ones.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::fixture::{COURSE, good, write};
use proptest::prelude::*;
use turnwise_course_pack::load;

/// Writes a pack whose unit `U<n>` has these prerequisites, behind an entry unit that is a
/// prerequisite of all.
fn write_pack(dir: &Path, prerequisites: &[Vec<usize>]) {
    let mut units = "units:\n  - {id: ENTRY-00, title: Entry, assessable: false}\n".to_owned();
    for (n, of_unit) in prerequisites.iter().enumerate() {
        let ids: String = of_unit.iter().map(|p| format!(", U{p}")).collect();
        writeln!(
            units,
            "  - {{id: U{n}, title: Unit, assessable: false, prerequisites: [ENTRY-00{ids}]}}"
        )
        .unwrap();
    }
    write(dir, "course.yaml", COURSE);
    write(dir, "units/all.yaml", units);
}

/// Whether the graph has a cycle: units without open prerequisites are taken away until none is left.
fn has_cycle(prerequisites: &[Vec<usize>]) -> bool {
    let mut gone = HashSet::new();
    loop {
        let free: Vec<usize> = (0..prerequisites.len())
            .filter(|n| !gone.contains(n) && prerequisites[*n].iter().all(|p| gone.contains(p)))
            .collect();
        if free.is_empty() {
            return gone.len() < prerequisites.len();
        }
        gone.extend(free);
    }
}

/// Up to 12 units with any edges between them but self-edges and repeated ones.
fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1usize..12).prop_flat_map(|count| {
        let of_unit =
            proptest::sample::subsequence((0..count).collect::<Vec<_>>(), 0..=count.min(3))
                .prop_shuffle();
        proptest::collection::vec(of_unit, count).prop_map(|mut graph| {
            for (n, of_unit) in graph.iter_mut().enumerate() {
                of_unit.retain(|p| *p != n);
            }
            graph
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cycle_is_always_found_and_is_one(graph in graphs()) {
        let dir = tempfile::tempdir().unwrap();
        write_pack(dir.path(), &graph);
        match load(dir.path()) {
            Ok(pack) => {
                prop_assert!(!has_cycle(&graph));
                for (unit, of_unit) in pack.units[1..].iter().zip(&graph) {
                    let expected: Vec<String> = of_unit.iter().map(|p| format!("U{p}")).collect();
                    prop_assert_eq!(&unit.prerequisites[1..], &expected[..], "the file's order is kept");
                }
            }
            Err(faults) => {
                prop_assert!(has_cycle(&graph));
                for fault in faults {
                    let (_, path) = fault.message.split_once("circle: ").expect("only cycles are wrong here");
                    let path: Vec<usize> = path.split(" → ").map(|id| id[1..].parse().unwrap()).collect();
                    prop_assert_eq!(path.first(), path.last());
                    for pair in path.windows(2) {
                        prop_assert!(graph[pair[1]].contains(&pair[0]), "{} is a prerequisite of {}", pair[0], pair[1]);
                    }
                    let distinct: HashSet<_> = path[1..].iter().collect();
                    prop_assert_eq!(distinct.len(), path.len() - 1, "no unit comes twice");
                    // Line 3 is U0's: the fault stands where the first unit names the last one.
                    prop_assert_eq!(fault.line, Some(path[0] + 3));
                }
            }
        }
    }
}

#[test]
fn each_knot_of_units_is_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    write_pack(
        dir.path(),
        &[vec![1], vec![0], vec![3], vec![4], vec![2], vec![0, 2]],
    );
    let messages: Vec<String> = load(dir.path())
        .unwrap_err()
        .into_iter()
        .map(|f| f.message)
        .collect();
    assert_eq!(
        messages,
        [
            "the prerequisites go in a circle: U0 → U1 → U0",
            "the prerequisites go in a circle: U2 → U4 → U3 → U2",
        ]
    );
}

#[test]
fn a_very_long_chain_and_a_very_long_ring() {
    const COUNT: usize = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let chain: Vec<Vec<usize>> = (0..COUNT)
        .map(|n| if n == 0 { vec![] } else { vec![n - 1] })
        .collect();
    write_pack(dir.path(), &chain);
    assert_eq!(good(dir.path()).units.len(), COUNT + 1);

    let mut ring = chain;
    ring[0] = vec![COUNT - 1];
    write_pack(dir.path(), &ring);
    let faults = load(dir.path()).unwrap_err();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].message.contains("U0 → U1 →") && faults[0].message.contains("more"));
    assert!(
        faults[0].message.len() < 1000,
        "{}",
        faults[0].message.len()
    );
}
