//! What holds of every placement, on any course and whatever is answered.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use turnwise_placement::{CERTAIN, Graph, Placement, Unit};
use turnwise_testing::properties;

use crate::fixture::{needs, play};

/// Units that need any others before them, and some that the course does not have.
fn any_course() -> impl Strategy<Value = Vec<Unit>> {
    let unit = (
        prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        0_u32..4,
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(unit, 0..24).prop_map(|units| {
        let of_unit =
            |(at, (needs, questions, needs_gone)): (usize, (Vec<prop::sample::Index>, _, bool))| {
                let before = needs.iter().filter(|_| at > 0);
                let prerequisites = before.map(|need| format!("u{}", need.index(at)));
                let gone = needs_gone.then(|| "gone".to_owned());
                Unit {
                    id: format!("u{at}"),
                    prerequisites: prerequisites.chain(gone).collect(),
                    questions,
                }
            };
        units.into_iter().enumerate().map(of_unit).collect()
    })
}

/// Units that the student has a badge on. The course may not have them.
fn any_known() -> impl Strategy<Value = BTreeSet<String>> {
    let id = (0_usize..24).prop_map(|at| format!("u{at}"));
    prop::collection::btree_set(id, 0..4)
}

fn any_answers() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(any::<bool>(), Placement::MOST_QUESTIONS)
}

/// A placement with these answers to its questions, to the end, and what was asked.
fn played<'g>(
    graph: &'g Graph,
    known: &BTreeSet<String>,
    answers: &[bool],
) -> (Placement<'g>, Vec<&'g str>) {
    let mut placement = Placement::of_student(graph, |id| known.contains(id));
    let mut answers = answers.iter().copied();
    let asked = play(&mut placement, |_| answers.next().unwrap());
    (placement, asked)
}

/// How much uncertainty an answer about a unit is expected to leave, by what either answer really leaves: of those who know it
/// 18 in 20 answer rightly, of others 1.
fn expected_to_leave(units: &[Unit], placement: &Placement<'_>, id: &str) -> u128 {
    let belief = placement.belief(id).unwrap();
    let right = belief * 18 + (CERTAIN - belief);
    let left = |correct| {
        let mut after = placement.clone();
        after.answer(id, correct);
        let beliefs = units.iter().map(|unit| after.belief(&unit.id).unwrap());
        let spread = beliefs.map(|belief| u128::from(belief) * u128::from(CERTAIN - belief));
        spread.sum::<u128>()
    };
    u128::from(right) * left(true) + u128::from(20 * CERTAIN - right) * left(false)
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn the_next_question_tells_most_of_all_that_can_be_asked(
        units in any_course(),
        known in any_known(),
        answers in any_answers(),
    ) {
        let graph = Graph::new(units.iter().cloned());
        let mut placement = Placement::of_student(&graph, |id| known.contains(id));
        let mut times: BTreeMap<&str, u32> = BTreeMap::new();
        for correct in answers {
            let open: BTreeSet<&str> = units
                .iter()
                .filter(|unit| {
                    let belief = placement.belief(&unit.id).unwrap();
                    let asked = times.get(unit.id.as_str()).copied().unwrap_or_default();
                    Placement::NOT_KNOWN < belief
                        && belief < Placement::KNOWN
                        && asked < unit.questions.min(Placement::MOST_OF_A_UNIT)
                })
                .map(|unit| unit.id.as_str())
                .collect();
            prop_assert_eq!(placement.units_to_ask().into_iter().collect::<BTreeSet<_>>(), open.clone());
            let Some(next) = placement.next_unit() else {
                prop_assert!(open.is_empty());
                break;
            };
            let least = open.iter().map(|id| expected_to_leave(&units, &placement, id)).min();
            prop_assert_eq!(Some(expected_to_leave(&units, &placement, next)), least, "{}", next);
            placement.answer(next, correct);
            *times.entry(next).or_default() += 1;
        }
    }

    #[test]
    fn questions_are_few_and_about_what_can_be_asked(
        units in any_course(),
        known in any_known(),
        answers in any_answers(),
    ) {
        let graph = Graph::new(units.iter().cloned());
        let (placement, asked) = played(&graph, &known, &answers);
        prop_assert!(asked.len() <= Placement::MOST_QUESTIONS);
        prop_assert_eq!(placement.answers(), asked.len());
        let mut times: BTreeMap<&str, u32> = BTreeMap::new();
        for unit in asked {
            *times.entry(unit).or_default() += 1;
        }
        for (id, times) in times {
            let unit = units.iter().find(|unit| unit.id == id).unwrap();
            prop_assert!(!known.contains(id), "{} is known", id);
            prop_assert!(times <= unit.questions.min(Placement::MOST_OF_A_UNIT), "{}: {}", id, times);
        }
    }

    #[test]
    fn what_is_placed_needs_nothing_that_is_not_known(
        units in any_course(),
        with_badge in any_known(),
        answers in any_answers(),
    ) {
        let graph = Graph::new(units.iter().cloned());
        let mut placement = Placement::of_student(&graph, |id| with_badge.contains(id));
        let mut answers = answers.into_iter();
        loop {
            let placed = placement.placed();
            let known: BTreeSet<&str> = with_badge
                .iter()
                .map(String::as_str)
                .chain(placed.iter().copied())
                .collect();
            prop_assert!(placed.iter().all(|id| !with_badge.contains(*id)));
            for id in &placed {
                for need in needs(&units, id) {
                    prop_assert!(known.contains(need), "{} is placed and needs {}", id, need);
                }
            }
            let Some(next) = placement.next_unit() else { break };
            placement.answer(next, answers.next().unwrap());
        }
    }

    #[test]
    fn no_unit_is_more_likely_known_than_what_it_needs(
        units in any_course(),
        known in any_known(),
        answers in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..15),
    ) {
        let graph = Graph::new(units.iter().cloned());
        let mut placement = Placement::of_student(&graph, |id| known.contains(id));
        for (at, correct) in answers.iter().filter(|_| !units.is_empty()) {
            placement.answer(&units[at.index(units.len())].id, *correct);
        }
        for unit in &units {
            for need in needs(&units, &unit.id) {
                prop_assert!(placement.belief(&unit.id) <= placement.belief(need), "{} needs {}", unit.id, need);
            }
        }
    }

    #[test]
    fn who_answers_nothing_rightly_is_placed_on_nothing(units in any_course()) {
        let graph = Graph::new(units);
        let (placement, _) = played(&graph, &BTreeSet::new(), &[false; Placement::MOST_QUESTIONS]);
        prop_assert_eq!(placement.placed(), [""; 0]);
    }

    #[test]
    fn a_placement_is_what_its_answers_make_of_it(
        units in any_course(),
        known in any_known(),
        answers in any_answers(),
    ) {
        let graph = Graph::new(units.iter().cloned());
        let (placement, asked) = played(&graph, &known, &answers);
        // Elsewhere, and after a pause: of the answers alone.
        let graph = Graph::new(units);
        let mut again = Placement::of_student(&graph, |id| known.contains(id));
        for (unit, correct) in asked.iter().zip(&answers) {
            prop_assert_eq!(again.next_unit(), Some(*unit));
            again.answer(unit, *correct);
        }
        prop_assert_eq!(again.next_unit(), None);
        prop_assert_eq!(again.placed(), placement.placed());
    }
}
