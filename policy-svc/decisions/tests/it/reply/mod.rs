//! What must hold for whatever a model wrote, said a second time and plainly. The property tests and the fuzz target share
//! it, so it uses nothing of either.

pub mod cases;
pub mod contract;
pub mod reader;

use serde_json::to_vec;
use turnwise_decisions::{
    Action, Availability, Course, FallbackReason, Outcome, Policy, Resolution, Situation,
    fallback::fallback, resolve, resolve::Card, validate::validate,
};

use cases::Case;

/// Refusals that come before all others, in this order: what a reply tried to do is more telling than how it was written.
const TELLING: [FallbackReason; 7] = [
    FallbackReason::ActionNotAllowed,
    FallbackReason::ConceptNotStuck,
    FallbackReason::ExamLocked,
    FallbackReason::TargetOutOfScope,
    FallbackReason::ExamNotCandidate,
    FallbackReason::TierMismatch,
    FallbackReason::EmptyMessage,
];

/// Judges a file of the corpus: its first byte names a case by its digit, the rest is what the model wrote.
pub fn judge_file(data: &[u8]) -> Option<Resolution> {
    let (first, completion) = data.split_first()?;
    let case = Case::named_by(*first);
    Some(judge(&case.course, &case.policy, completion))
}

/// Resolves a completion and panics if anything about the answer is wrong.
pub fn judge(course: &Course, policy: &Policy, completion: &[u8]) -> Resolution {
    let resolution = resolve(course, policy, Outcome::Completion(completion)).unwrap();
    let again = resolve(course, policy, Outcome::Completion(completion)).unwrap();
    assert_eq!(resolution, again, "the same bytes, another answer");
    assert_allowed(course, policy, &resolution);
    let faults = contract::faults(course, policy, completion);
    match resolution.fallback_reason {
        None => {
            assert_eq!(faults, [], "accepted");
            contract::assert_kept(course, policy, completion, &resolution);
        }
        Some(reason) => {
            let first = TELLING.into_iter().find(|r| faults.contains(r));
            match first {
                Some(first) => assert_eq!(reason, first, "of {faults:?}"),
                None => assert!(faults.contains(&reason), "{reason:?}, but only {faults:?}"),
            }
            assert_fallback(course, policy, &resolution, reason);
        }
    }
    resolution
}

/// The policy's promises, for a model's reply and a fallback alike.
fn assert_allowed(course: &Course, policy: &Policy, resolution: &Resolution) {
    let action = resolution.action;
    let target = resolution.target_unit_id.as_str();
    assert!(policy.allowed_actions.contains(&action), "{action:?}");
    assert!(
        contract::targets(course, policy, action).contains(&target),
        "{target}"
    );
    assert!(policy.scoped_unit_ids.iter().any(|id| id == target));
    contract::assert_text(&resolution.text, 2200);
    assert_eq!(resolution.text.trim(), resolution.text);
    match (action, &resolution.card) {
        (Action::SocraticQuestion, None) => {
            assert!(contract::questions(&resolution.text) <= 2);
        }
        (Action::DrillCard, Some(Card::Drill(card))) => {
            assert_ne!(target, course.id(course.entry()));
            contract::assert_text(&card.prompt, 600);
            if !card.question_latex.is_empty() {
                assert!(card.question_latex.chars().count() <= 600);
            }
        }
        // The course has no drill to set, and nobody could grade an example of the student's own.
        (Action::DrillCard, None) => {
            assert!(resolution.fallback_reason.is_some());
            assert_eq!(resolution.card_buttons, []);
            assert_eq!(resolution.drill_id, None);
        }
        (Action::ConceptCard, Some(Card::Concept(card))) => {
            assert!(policy.stuck, "a concept card, but not stuck");
            let example = card.worked_example.iter().flat_map(|e| {
                [&e.problem_latex, &e.final_answer_latex]
                    .into_iter()
                    .chain(&e.steps_latex)
            });
            let texts: Vec<_> = card.key_ideas.iter().chain(example).collect();
            texts.iter().for_each(|t| contract::assert_text(t, 600));
            let words: usize = texts.iter().map(|t| t.split_whitespace().count()).sum();
            assert!(words <= policy.constraints.max_concept_words as usize);
            assert!(card.key_ideas.len() <= course.rules().max_key_ideas as usize);
            assert!(card.worked_example.is_none() || policy.constraints.max_worked_examples > 0);
        }
        (Action::ExamBlock, Some(Card::Exam(question))) => {
            assert!(policy.exam_ready, "an exam question, but not ready");
            assert_eq!(policy.exam_availability, Availability::Available);
            assert!(policy.exam_candidate_ids.contains(&question.id));
            assert_eq!(question.tier, policy.desired_exam_tier);
            assert_eq!(Some(question), course.question(&question.id));
            assert_eq!(target, policy.focus_unit_id);
        }
        (action, card) => panic!("{action:?} with {card:?}"),
    }
}

/// A refused reply leaves no trace but the reason: the rest is what a model that never answered would have led to.
fn assert_fallback(
    course: &Course,
    policy: &Policy,
    resolution: &Resolution,
    reason: FallbackReason,
) {
    let without = resolve(course, policy, Outcome::Failure(reason)).unwrap();
    let violation = resolution.violation.as_deref().unwrap_or_default();
    assert!(!violation.is_empty(), "refused without a word");
    assert_ours(violation);
    let silent = Resolution {
        violation: None,
        ..resolution.clone()
    };
    assert_eq!(silent, without, "the fallback depends on what was refused");
    assert_eq!(resolution.analysis, None);
    assert_eq!(resolution.observations, []);
}

/// Panics unless the policy's fallback would be accepted if a model wrote it, or asks in words for an example. It depends on nothing a model writes, so once
/// for each policy is enough.
pub fn judge_fallback(course: &Course, policy: &Policy) {
    let reply = fallback(course, policy, &Situation::default());
    if reply.action == Action::DrillCard && reply.drill_card.is_none() {
        // Words that ask for an example: a model has to write the drill.
        assert_eq!(reply.target_unit_id, policy.focus_unit_id);
        contract::assert_text(&reply.tutor_text, 2200);
        return;
    }
    let bytes = to_vec(&reply).unwrap();
    assert_eq!(contract::faults(course, policy, &bytes), []);
    assert_eq!(validate(course, policy, &bytes), Ok(reply));
}

/// All words that a violation may hold besides numbers. A model's own words would be text of a student's turn in a log.
const WORDS_OF_VIOLATIONS: &str = "
    a action additionalProperties address an and anyOf but by cannot card characters concept concept_card confidence contract control
    deeply difficultyTier document does drill drill_card enum equation evidence exam exam_suggestion
    final_answer_latex has have in is JSON key key_ideas KiB many mapped_units markup maximum maxItems minimum minItems minLength
    missing more nested no not object of one operators or parts problem_latex prompt question_id
    question_latex questions required s schema several steps_latex stuck student student_intent suggested_prereq_units
    target_unit_id text than the there this policy be used blank EXAM_BLOCK DRILL_CARD CONCEPT_CARD SOCRATIC_QUESTION to
    too turn_analysis tutor_text twice type types understanding_signal unit_id words worked_example
";

fn assert_ours(violation: &str) {
    let foreign = violation
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && word.parse::<u64>().is_err())
        .find(|word| WORDS_OF_VIOLATIONS.split_whitespace().all(|w| w != *word));
    assert_eq!(foreign, None, "{violation}");
}
