//! The prerequisite graph: random graphs beside a slow and obvious judge, and very long ones.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::fixture::{list, write};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};
use turnwise_course_pack::{Pack, PackFault, load};
use turnwise_testing::properties;

/// A course of units by number. The number behind the last unit's is an id that no unit has.
#[derive(Debug, Clone)]
struct Graph {
    entry: usize,
    prerequisites: Vec<Vec<usize>>,
}

impl Graph {
    /// Writes it as a pack, one unit a line.
    fn write(&self, dir: &Path) {
        let mut units = "units:\n".to_owned();
        for (n, of_unit) in self.prerequisites.iter().enumerate() {
            let ids: Vec<String> = of_unit.iter().map(|p| format!("U{p}")).collect();
            let ids = ids.join(", ");
            writeln!(
                units,
                "  - {{id: U{n}, title: Unit, assessable: false, prerequisites: [{ids}]}}"
            )
            .unwrap();
        }
        write(
            dir,
            "course.yaml",
            format!(
                "format: 1\nid: graph\ntitle: A graph\nlocale: en\nentry_unit: U{}\n",
                self.entry
            ),
        );
        write(dir, "units/all.yaml", units);
    }

    fn count(&self) -> usize {
        self.prerequisites.len()
    }

    /// What is wrong with edges by themselves: line and message.
    fn edge_faults(&self) -> Vec<(usize, String)> {
        let mut faults = Vec::new();
        for (unit, of_unit) in self.prerequisites.iter().enumerate() {
            for (place, p) in of_unit.iter().enumerate() {
                let message = if of_unit[..place].contains(p) {
                    format!("`U{unit}` names the prerequisite `U{p}` twice")
                } else if *p == unit {
                    format!("`U{unit}` is a prerequisite of itself")
                } else if *p == self.count() {
                    format!("`U{unit}` has the prerequisite `U{p}`, which is no unit")
                } else {
                    continue;
                };
                faults.push((line_of(unit), message));
            }
        }
        faults
    }

    /// The same without edges that are wrong by themselves.
    fn sound_edges(&self) -> Self {
        let mut sound = self.clone();
        for (unit, of_unit) in sound.prerequisites.iter_mut().enumerate() {
            let mut seen = HashSet::new();
            of_unit.retain(|p| *p != unit && *p < self.count() && seen.insert(*p));
        }
        sound
    }

    /// Whether there is a cycle: units without prerequisites are taken away until none is left.
    fn has_cycle(&self) -> bool {
        let mut gone = HashSet::new();
        loop {
            let is_free = |unit: &usize| {
                !gone.contains(unit) && self.prerequisites[*unit].iter().all(|p| gone.contains(p))
            };
            let free: Vec<usize> = (0..self.count()).filter(is_free).collect();
            if free.is_empty() {
                return gone.len() < self.count();
            }
            gone.extend(free);
        }
    }

    /// Whether a student who starts with the entry unit comes to every unit, each when all of its
    /// prerequisites are met and not before there are some.
    fn is_within_reach(&self) -> bool {
        let mut met = HashSet::from([self.entry]);
        loop {
            let is_open = |unit: &usize| {
                let of_unit = &self.prerequisites[*unit];
                !met.contains(unit)
                    && !of_unit.is_empty()
                    && of_unit.iter().all(|p| met.contains(p))
            };
            let open: Vec<usize> = (0..self.count()).filter(is_open).collect();
            if open.is_empty() {
                return met.len() == self.count();
            }
            met.extend(open);
        }
    }
}

/// The line of a unit.
fn line_of(unit: usize) -> usize {
    unit + 2
}

/// Something done to a graph that may break it.
#[derive(Debug, Clone)]
enum Blow {
    /// One more prerequisite, at this place: any unit, the unit itself, or none that there is.
    Add(Index, Index, Index),
    /// No prerequisites any more.
    Clear(Index),
    /// Another entry unit.
    Enter(Index),
}

/// Up to 12 units in any order, each behind one to three earlier ones, and a few blows to that.
fn graphs() -> impl Strategy<Value = Graph> {
    let blow = prop_oneof![
        6 => any::<(Index, Index, Index)>().prop_map(|(a, b, c)| Blow::Add(a, b, c)),
        1 => any::<Index>().prop_map(Blow::Clear),
        1 => any::<Index>().prop_map(Blow::Enter),
    ];
    let order = (1usize..=12).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle());
    let edges = proptest::collection::vec(proptest::collection::vec(any::<Index>(), 1..4), 12);
    (order, edges, proptest::collection::vec(blow, 0..6)).prop_map(|(order, edges, blows)| {
        let mut graph = Graph {
            entry: order[0],
            prerequisites: vec![Vec::new(); order.len()],
        };
        for (place, unit) in order.iter().enumerate().skip(1) {
            let of_unit = &mut graph.prerequisites[*unit];
            for edge in &edges[place] {
                let prerequisite = order[edge.index(place)];
                if !of_unit.contains(&prerequisite) {
                    of_unit.push(prerequisite);
                }
            }
        }
        for blow in blows {
            let count = order.len();
            match blow {
                Blow::Add(unit, place, prerequisite) => {
                    let of_unit = &mut graph.prerequisites[unit.index(count)];
                    let place = place.index(of_unit.len() + 1);
                    of_unit.insert(place, prerequisite.index(count + 1));
                }
                Blow::Clear(unit) => graph.prerequisites[unit.index(count)].clear(),
                Blow::Enter(unit) => graph.entry = unit.index(count),
            }
        }
        graph
    })
}

/// The units of a fault's path, first and last alike; `None` if it is about no cycle.
fn circle(fault: &PackFault) -> Option<Vec<usize>> {
    let (_, path) = fault.message.split_once("circle: ")?;
    Some(
        path.split(" → ")
            .map(|id| id[1..].parse().unwrap())
            .collect(),
    )
}

/// Whether a fault is about what cannot be reached.
fn is_about_reach(fault: &PackFault) -> bool {
    fault.message.contains("cannot be reached") || fault.message.starts_with("the entry unit")
}

#[test]
fn what_is_wrong_with_a_graph_is_found() {
    // One folder for all cases, and new files in it: making folders, or waiting for the disk as some file systems do
    // when a file is written over, would take most of the time.
    let dir = tempfile::tempdir().unwrap();
    let judge = |graph: Graph| {
        for name in ["course.yaml", "units/all.yaml"] {
            let _ = std::fs::remove_file(dir.path().join(name));
        }
        judge(dir.path(), &graph)
    };
    let config = Config {
        source_file: Some(file!()),
        ..properties::pure()
    };
    if let Err(failure) = TestRunner::new(config).run(&graphs(), judge) {
        panic!("{failure}");
    }
}

/// What the loader says about the graph against what the slow way says.
fn judge(dir: &Path, graph: &Graph) -> TestCaseResult {
    graph.write(dir);
    let edge_faults = graph.edge_faults();
    let sound = graph.sound_edges();
    let is_good = edge_faults.is_empty() && !sound.has_cycle() && sound.is_within_reach();
    let faults = match load(dir) {
        Ok(pack) => {
            prop_assert!(is_good);
            for (unit, of_unit) in pack.units.iter().zip(&graph.prerequisites) {
                let expected: Vec<String> = of_unit.iter().map(|p| format!("U{p}")).collect();
                prop_assert_eq!(&unit.prerequisites, &expected, "the file's order is kept");
            }
            return Ok(());
        }
        Err(faults) => faults,
    };
    prop_assert!(!is_good, "{}", list(&faults));

    // Cycles are told, and broken as their remedies say they leave no other.
    let mut broken = sound.clone();
    for fault in &faults {
        let Some(path) = circle(fault) else { continue };
        prop_assert_eq!(path.first(), path.last());
        for pair in path.windows(2) {
            prop_assert!(sound.prerequisites[pair[1]].contains(&pair[0]), "{}", fault);
        }
        let distinct: HashSet<_> = path[1..].iter().collect();
        prop_assert_eq!(distinct.len(), path.len() - 1, "no unit comes twice");
        let (first, last) = (path[0], path[path.len() - 2]);
        prop_assert_eq!(fault.line, Some(line_of(first)));
        let remedy = format!("`U{last}` out of those of `U{first}`");
        prop_assert!(fault.remedy.contains(&remedy), "{}", fault);
        broken.prerequisites[first].retain(|p| *p != last);
    }
    prop_assert!(!broken.has_cycle(), "{}", list(&faults));
    prop_assert_eq!(
        sound.has_cycle(),
        faults.iter().any(|f| circle(f).is_some())
    );

    // What is out of reach is told where nothing else explains it.
    if edge_faults.is_empty() && !sound.has_cycle() {
        prop_assert!(faults.iter().all(is_about_reach), "{}", list(&faults));
    }

    // Edges that are wrong by themselves are told one by one.
    let others = faults
        .iter()
        .filter(|f| circle(f).is_none() && !is_about_reach(f));
    let found: HashSet<_> = others
        .map(|f| (f.line.unwrap(), f.message.clone()))
        .collect();
    prop_assert_eq!(found, edge_faults.into_iter().collect());
    Ok(())
}

/// The messages about this graph, in order.
fn messages(entry: usize, prerequisites: &[&[usize]]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    Graph {
        entry,
        prerequisites: prerequisites.iter().map(|of| of.to_vec()).collect(),
    }
    .write(dir.path());
    let faults = load(dir.path()).expect_err("the pack should be refused");
    faults.into_iter().map(|f| f.message).collect()
}

#[test]
fn every_knot_is_told_until_it_is_undone() {
    assert_eq!(
        messages(0, &[&[], &[0, 2], &[1], &[0, 4], &[5], &[3, 4], &[1, 3]]),
        [
            "the prerequisites go in a circle: U1 → U2 → U1",
            "the prerequisites go in a circle: U3 → U5 → U4 → U3",
            "the prerequisites go in a circle: U4 → U5 → U4",
        ]
    );
}

#[test]
fn many_small_knots_are_all_told() {
    const COUNT: usize = 100_000;
    let pairs: Vec<Vec<usize>> = (0..COUNT).map(|n| vec![n ^ 1]).collect();
    let pairs: Vec<&[usize]> = pairs.iter().map(Vec::as_slice).collect();
    let messages = messages(0, &pairs);
    assert_eq!(messages.len(), COUNT / 2);
    assert!(messages.iter().all(|message| message.contains("circle: ")));
}

#[test]
fn a_large_dense_knot_is_taken_apart_so_far_and_no_further() {
    const COUNT: usize = 20_000;
    let of_unit = |n: usize| -> Vec<usize> {
        let others = [n + 1, 7 * n + 3, 31 * n + 5].map(|other| other % COUNT);
        let mut seen = HashSet::from([n]);
        let others = others.into_iter();
        others.filter(|other| seen.insert(*other)).collect()
    };
    let units: Vec<Vec<usize>> = (0..COUNT).map(of_unit).collect();
    let units: Vec<&[usize]> = units.iter().map(Vec::as_slice).collect();
    let told = messages(0, &units).len();
    assert!((10..COUNT).contains(&told), "{told}");
}

#[test]
fn what_hangs_on_a_unit_out_of_reach_is_not_blamed() {
    assert_eq!(
        messages(0, &[&[], &[0], &[], &[2], &[3, 1]]),
        ["the unit `U2` cannot be reached from the entry unit `U0`: no unit comes before it"]
    );
}

#[test]
fn the_entry_unit_comes_first() {
    assert_eq!(
        messages(2, &[&[], &[0], &[1], &[2]]),
        [
            "the entry unit `U2` has the prerequisite `U1`, but every student starts with the entry unit"
        ]
    );
}

/// Loads on a stack on which no step of a long chain could take another frame.
fn load_on_a_small_stack(dir: &Path) -> Result<Pack, Vec<PackFault>> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 * 1024);
        let loading = thread.spawn_scoped(scope, || load(dir)).unwrap();
        loading.join().unwrap()
    })
}

#[test]
fn a_very_long_chain_and_a_very_long_ring() {
    const COUNT: usize = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let mut graph = Graph {
        entry: 0,
        prerequisites: (0..COUNT)
            .map(|n| n.checked_sub(1).into_iter().collect())
            .collect(),
    };
    graph.write(dir.path());
    let pack = load_on_a_small_stack(dir.path()).unwrap();
    assert_eq!(pack.units.len(), COUNT);

    graph.prerequisites[0] = vec![COUNT - 1];
    graph.write(dir.path());
    let faults = load_on_a_small_stack(dir.path()).unwrap_err();
    assert_eq!(faults.len(), 1);
    let message = &faults[0].message;
    assert!(
        message.contains("U0 → U1 →") && message.contains("… (19980 more) …"),
        "{message}"
    );
    assert!(
        message.ends_with("U19999 → U0") && message.len() < 1000,
        "{message}"
    );
}
