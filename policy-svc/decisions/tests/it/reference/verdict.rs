//! What the rules say of a model's reply that is one JSON object: every rule that it breaks.

use serde_json::{Map, Value};
use turnwise_decisions::{
    Action, CourseSpec,
    FallbackReason::{
        self, ActionNotAllowed, ConceptNotStuck, EmptyMessage, ExamNotCandidate, LimitsExceeded,
        SchemaViolation, TargetOutOfScope, TierMismatch,
    },
};

use super::{
    decide::{Decision, targets},
    plan::Plan,
};

/// A turn as it was decided.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    pub course: &'a CourseSpec,
    pub plan: &'a Plan,
    pub decision: &'a Decision,
}

/// The reasons for which a reply is refused, each once; empty: it is valid.
pub fn faults(turn: &Turn<'_>, reply: &Map<String, Value>) -> Vec<FallbackReason> {
    let mut faults = Faults(Vec::new());
    faults.keys(
        reply,
        &[
            "action",
            "target_unit_id",
            "tutor_text",
            "mapped_units",
            "turn_analysis",
        ],
        &["concept_card", "drill_card", "exam_suggestion"],
    );
    let action = faults.action(turn, reply);
    faults.target(turn, action, reply);
    faults.tutor_text(action, reply);
    faults.mapped_units(reply);
    faults.turn_analysis(reply);
    faults.cards(turn, action, reply);
    faults.0.sort_by_key(|reason| reason.as_str());
    faults.0.dedup();
    faults.0
}

struct Faults(Vec<FallbackReason>);

impl Faults {
    fn when(&mut self, broken: bool, reason: FallbackReason) {
        if broken {
            self.0.push(reason);
        }
    }

    /// Every required key, and none outside the contract.
    fn keys(&mut self, object: &Map<String, Value>, required: &[&str], optional: &[&str]) {
        let all_there = required.iter().all(|key| object.contains_key(*key));
        let none_foreign = object
            .keys()
            .all(|key| required.contains(&key.as_str()) || optional.contains(&key.as_str()));
        self.when(!all_there || !none_foreign, SchemaViolation);
    }

    fn object(
        &mut self,
        value: &Value,
        required: &[&str],
        optional: &[&str],
    ) -> Map<String, Value> {
        let Some(object) = value.as_object() else {
            self.when(true, SchemaViolation);
            return Map::new();
        };
        self.keys(object, required, optional);
        object.clone()
    }

    /// A list of at most so many; more is too much, anything else is no list.
    fn list(&mut self, value: &Value, most: usize) -> Vec<Value> {
        let Some(list) = value.as_array() else {
            self.when(true, SchemaViolation);
            return Vec::new();
        };
        self.when(list.len() > most, LimitsExceeded);
        list.clone()
    }

    /// A text of at most so many characters. Control characters mark one that was damaged on its way.
    fn text(&mut self, value: &Value, most: usize) -> String {
        let Some(text) = value.as_str() else {
            self.when(true, SchemaViolation);
            return String::new();
        };
        self.when(text.chars().count() > most, LimitsExceeded);
        let damaged = text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
        self.when(damaged, SchemaViolation);
        text.to_owned()
    }

    /// A text that says something.
    fn filled_text(&mut self, value: &Value) -> String {
        let text = self.text(value, 600);
        self.when(text.trim().is_empty(), SchemaViolation);
        text
    }

    /// An id of any unit; one that the course does not have is dropped later.
    fn id(&mut self, value: &Value) {
        let named = value.as_str().is_some_and(|id| !id.is_empty());
        self.when(!named, SchemaViolation);
    }

    fn action(&mut self, turn: &Turn<'_>, reply: &Map<String, Value>) -> Option<Action> {
        let name = match reply.get("action") {
            None => return None,
            Some(Value::String(name)) => name.as_str(),
            Some(_) => {
                self.when(true, SchemaViolation);
                return None;
            }
        };
        let action = match name {
            "SOCRATIC_QUESTION" => Some(Action::SocraticQuestion),
            "CONCEPT_CARD" => Some(Action::ConceptCard),
            "DRILL_CARD" => Some(Action::DrillCard),
            "EXAM_BLOCK" => Some(Action::ExamBlock),
            _ => None,
        };
        if !action.is_some_and(|action| turn.decision.allowed.contains(&action)) {
            let not_stuck = action == Some(Action::ConceptCard) && !turn.plan.stuck;
            self.0.push(if not_stuck {
                ConceptNotStuck
            } else {
                ActionNotAllowed
            });
        }
        action
    }

    fn target(&mut self, turn: &Turn<'_>, action: Option<Action>, reply: &Map<String, Value>) {
        match reply.get("target_unit_id") {
            None => {}
            Some(Value::String(target)) => {
                let allowed = &turn.decision.allowed;
                let right = match action {
                    Some(action) => targets(turn.course, turn.plan, allowed, action),
                    None => turn.plan.scope.clone(),
                };
                self.when(!right.contains(target), TargetOutOfScope);
            }
            Some(_) => self.when(true, SchemaViolation),
        }
    }

    /// A reply says something; a Socratic one asks at most two questions.
    fn tutor_text(&mut self, action: Option<Action>, reply: &Map<String, Value>) {
        let Some(value) = reply.get("tutor_text") else {
            return;
        };
        let text = self.text(value, 2200);
        self.when(value.is_string() && text.trim().is_empty(), EmptyMessage);
        let questions = text.chars().filter(|c| "?？؟".contains(*c)).count();
        self.when(
            action == Some(Action::SocraticQuestion) && questions > 2,
            LimitsExceeded,
        );
    }

    fn mapped_units(&mut self, reply: &Map<String, Value>) {
        let Some(value) = reply.get("mapped_units") else {
            return;
        };
        for unit in self.list(value, 6) {
            let unit = self.object(&unit, &["unit_id", "confidence"], &[]);
            if let Some(id) = unit.get("unit_id") {
                self.id(id);
            }
            if let Some(confidence) = unit.get("confidence") {
                let in_bounds = confidence
                    .as_f64()
                    .is_some_and(|c| (0.0..=1.0).contains(&c));
                self.when(!in_bounds, SchemaViolation);
            }
        }
    }

    fn turn_analysis(&mut self, reply: &Map<String, Value>) {
        let Some(value) = reply.get("turn_analysis") else {
            return;
        };
        let analysis = self.object(
            value,
            &[
                "student_intent",
                "understanding_signal",
                "suggested_prereq_units",
            ],
            &[],
        );
        let intents = ["solve", "explain", "check", "stuck", "unknown"];
        let signals = ["confident", "uncertain", "confused"];
        for (key, words) in [
            ("student_intent", &intents[..]),
            ("understanding_signal", &signals),
        ] {
            if let Some(word) = analysis.get(key) {
                let known = word.as_str().is_some_and(|word| words.contains(&word));
                self.when(!known, SchemaViolation);
            }
        }
        if let Some(units) = analysis.get("suggested_prereq_units") {
            for unit in self.list(units, 6) {
                self.id(&unit);
            }
        }
    }

    /// Each action has its own card and no other. A card that does not belong there can be wrong in itself, too.
    fn cards(&mut self, turn: &Turn<'_>, action: Option<Action>, reply: &Map<String, Value>) {
        for (key, owner) in [
            ("concept_card", Action::ConceptCard),
            ("drill_card", Action::DrillCard),
            ("exam_suggestion", Action::ExamBlock),
        ] {
            let belongs = action == Some(owner);
            self.when(reply.contains_key(key) != belongs, SchemaViolation);
            if let Some(card) = reply.get(key) {
                match owner {
                    Action::ConceptCard => self.concept_card(turn, card),
                    Action::DrillCard => self.drill_card(turn, card),
                    _ => self.exam_suggestion(turn, card),
                }
            }
        }
    }

    fn concept_card(&mut self, turn: &Turn<'_>, card: &Value) {
        let rules = &turn.course.rules;
        let card = self.object(card, &["key_ideas"], &["worked_example"]);
        let mut words = 0;
        if let Some(ideas) = card.get("key_ideas") {
            let ideas = self.list(ideas, rules.max_key_ideas as usize);
            self.when(ideas.is_empty(), SchemaViolation);
            for idea in ideas {
                words += count_words(&self.filled_text(&idea));
            }
        }
        if let Some(example) = card.get("worked_example") {
            self.when(rules.max_worked_examples == 0, LimitsExceeded);
            let example = self.object(
                example,
                &["problem_latex", "final_answer_latex"],
                &["steps_latex"],
            );
            for key in ["problem_latex", "final_answer_latex"] {
                if let Some(text) = example.get(key) {
                    words += count_words(&self.filled_text(text));
                }
            }
            if let Some(steps) = example.get("steps_latex") {
                for step in self.list(steps, 8) {
                    words += count_words(&self.filled_text(&step));
                }
            }
        }
        self.when(words > rules.max_concept_words as usize, LimitsExceeded);
    }

    fn drill_card(&mut self, turn: &Turn<'_>, card: &Value) {
        let card = self.object(card, &["prompt", "question_latex"], &[]);
        let prompt = card.get("prompt").map(|text| self.filled_text(text));
        let question = card.get("question_latex").map(|text| self.text(text, 600));
        if let (Some(prompt), Some(question)) = (prompt, question) {
            let long = is_long(
                &prompt,
                &question,
                turn.course.rules.drill_max_steps as usize,
            );
            self.when(long, LimitsExceeded);
        }
    }

    fn exam_suggestion(&mut self, turn: &Turn<'_>, suggestion: &Value) {
        let suggestion = self.object(suggestion, &["question_id", "difficultyTier"], &[]);
        match suggestion.get("question_id") {
            Some(Value::String(id)) => {
                self.when(!turn.decision.candidates.contains(id), ExamNotCandidate);
            }
            Some(_) => self.when(true, SchemaViolation),
            None => {}
        }
        match suggestion.get("difficultyTier") {
            Some(Value::String(tier)) => {
                self.when(tier != turn.plan.desired_tier.as_str(), TierMismatch);
            }
            Some(_) => self.when(true, SchemaViolation),
            None => {}
        }
    }
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Longer than a drill: more than one line with "=", too many operators, several parts. The rules leave the numbers open,
/// so texts in between are not tried.
fn is_long(prompt: &str, question: &str, steps: usize) -> bool {
    let equations = |text: &str| {
        text.replace("\\\\", "\n")
            .lines()
            .filter(|line| line.contains('='))
            .count()
    };
    // The exercise is the formula; without one the prompt says it all.
    let exercise = if question.trim().is_empty() {
        prompt
    } else {
        question
    };
    let operators = exercise.chars().filter(|c| "+-*/^".contains(*c)).count();
    let questions = prompt.chars().filter(|c| *c == '?').count();
    let has_parts = prompt.contains("a)") && prompt.contains("b)");
    equations(prompt) > 1
        || equations(question) > 1
        || operators > 4 * steps
        || questions > 1
        || has_parts
}
