//! Against Bayes' rule over all knowledge states, where every unit has at most one prerequisite: there the beliefs are
//! exact, but for rounding.

use proptest::prelude::*;
use turnwise_placement::{CERTAIN, Graph, Placement, Unit};
use turnwise_testing::properties;

use crate::fixture::unit;

/// Of those who know a unit one in ten errs, of others one in twenty guesses.
const RIGHT_IF_KNOWN: f64 = 0.9;
const RIGHT_IF_NOT: f64 = 0.05;

/// The units of a forest by the place of what each needs.
fn forest(needs: &[Option<usize>]) -> Vec<Unit> {
    let name = |at: usize| format!("u{at}");
    let units = needs.iter().enumerate();
    units
        .map(|(at, need)| {
            let need = need.map(name);
            let needs: Vec<&str> = need.iter().map(String::as_str).collect();
            unit(&name(at), &needs)
        })
        .collect()
}

/// How likely each unit is known after some answers, by the sum over every set of units that holds what each of its units
/// needs.
fn by_all_states(needs: &[Option<usize>], before: &[f64], answers: &[(usize, bool)]) -> Vec<f64> {
    let mut known = vec![0.0; needs.len()];
    let mut total = 0.0;
    for state in 0..1_u32 << needs.len() {
        let has = |at: usize| (state >> at) & 1 == 1;
        let of_unit = |(at, need): (usize, &Option<usize>)| match need {
            Some(need) if !has(*need) => f64::from(u8::from(!has(at))),
            need => {
                let given = before[at] / need.map_or(1.0, |need| before[need]);
                if has(at) { given } else { 1.0 - given }
            }
        };
        let of_answer = |&(at, correct): &(usize, bool)| {
            let right = if has(at) {
                RIGHT_IF_KNOWN
            } else {
                RIGHT_IF_NOT
            };
            if correct { right } else { 1.0 - right }
        };
        let likely: f64 = needs.iter().enumerate().map(of_unit).product::<f64>()
            * answers.iter().map(of_answer).product::<f64>();
        total += likely;
        for (at, known) in known.iter_mut().enumerate() {
            if has(at) {
                *known += likely;
            }
        }
    }
    known.into_iter().map(|known| known / total).collect()
}

/// The belief in a unit, as a share of certainty.
fn share(placement: &Placement<'_>, at: usize) -> f64 {
    let belief = placement.belief(&format!("u{at}")).unwrap();
    f64::from(u32::try_from(belief).unwrap()) / f64::from(u32::try_from(CERTAIN).unwrap())
}

/// For each unit what it needs, if anything: one before it.
fn any_forest() -> impl Strategy<Value = Vec<Option<usize>>> {
    let needs = prop::collection::vec(
        prop::option::weighted(0.7, any::<prop::sample::Index>()),
        1..8,
    );
    needs.prop_map(|needs| {
        let of_unit = |(at, need): (usize, Option<prop::sample::Index>)| {
            need.filter(|_| at > 0).map(|need| need.index(at))
        };
        needs.into_iter().enumerate().map(of_unit).collect()
    })
}

proptest! {
    #![proptest_config(properties::pure())]

    #[test]
    fn beliefs_are_those_of_all_states_together(
        needs in any_forest(),
        answers in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..4),
    ) {
        let graph = Graph::new(forest(&needs));
        let mut placement = Placement::new(&graph);
        let before: Vec<f64> = (0..needs.len()).map(|at| share(&placement, at)).collect();
        let answers: Vec<(usize, bool)> = answers
            .into_iter()
            .map(|(at, correct)| (at.index(needs.len()), correct))
            .collect();
        for (at, correct) in &answers {
            placement.answer(&format!("u{at}"), *correct);
        }
        let expected = by_all_states(&needs, &before, &answers);
        for (at, expected) in expected.into_iter().enumerate() {
            let found = share(&placement, at);
            prop_assert!((found - expected).abs() < 0.01, "u{}: {} for {}", at, found, expected);
        }
    }

    /// What each answer would tell is summed over all states, too: nothing tells more than the question that is asked.
    #[test]
    fn the_next_question_tells_most_by_all_states_together(
        needs in any_forest(),
        answers in prop::collection::vec(any::<bool>(), 0..5),
    ) {
        let graph = Graph::new(forest(&needs));
        let mut placement = Placement::new(&graph);
        let before: Vec<f64> = (0..needs.len()).map(|at| share(&placement, at)).collect();
        let mut answered = Vec::new();
        let place = |id: &str| id[1..].parse::<usize>().unwrap();
        for correct in answers {
            let Some(next) = placement.next_unit() else { break };
            let known = by_all_states(&needs, &before, &answered);
            let left = |asked: usize| -> f64 {
                let after = |correct: bool| -> f64 {
                    let answers = [answered.as_slice(), &[(asked, correct)]].concat();
                    let known = by_all_states(&needs, &before, &answers);
                    known.iter().map(|known| known * (1.0 - known)).sum()
                };
                let right = known[asked] * RIGHT_IF_KNOWN + (1.0 - known[asked]) * RIGHT_IF_NOT;
                right * after(true) + (1.0 - right) * after(false)
            };
            let open = placement.units_to_ask();
            let least = open.iter().map(|id| left(place(id))).fold(f64::INFINITY, f64::min);
            let asked = left(place(next));
            prop_assert!(asked <= least + 0.01, "{}: {} for {}", next, asked, least);
            placement.answer(next, correct);
            answered.push((place(next), correct));
        }
    }
}
