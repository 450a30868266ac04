//! The contract of a reply, checked by hand: every reason to refuse one, and what an accepted one becomes.

use turnwise_decisions::{
    Action, Availability, Course, ExamQuestion, FallbackReason, MappedUnit, Policy, Resolution,
    limits::drill_fault,
    resolve::{Card, Observation},
};
use turnwise_reply_guard::plain_text;

use super::reader::{Fault, Json, MOST_BYTES, read};

/// Every reason for which a reply must be refused; none if it must be accepted.
pub fn faults(course: &Course, policy: &Policy, bytes: &[u8]) -> Vec<FallbackReason> {
    if bytes.len() > MOST_BYTES {
        return vec![FallbackReason::LimitsExceeded];
    }
    let json = match read(bytes) {
        Ok(json @ Json::Object(_)) => json,
        Ok(_) | Err(Fault::NotJson) => return vec![FallbackReason::LlmNonJson],
        Err(Fault::KeyTwice | Fault::TooDeep) => return vec![FallbackReason::SchemaViolation],
    };
    let mut check = Check {
        course,
        policy,
        faults: Vec::new(),
    };
    check.reply(&json);
    check.faults
}

/// The units that a reply with this action may be about.
pub fn targets<'a>(course: &'a Course, policy: &'a Policy, action: Action) -> Vec<&'a str> {
    let entry = course.id(course.entry());
    let focus = policy.focus_unit_id.as_str();
    let asked_for = policy.allowed_actions.len() == 1 && focus != entry;
    let mut targets = if action == Action::ExamBlock || asked_for {
        vec![focus]
    } else {
        policy.scoped_unit_ids.iter().map(String::as_str).collect()
    };
    if action == Action::DrillCard {
        targets.retain(|id| *id != entry);
    }
    targets
}

/// The number of question marks, in the scripts that have one.
pub fn questions(text: &str) -> usize {
    text.chars().filter(|c| "?？؟⁇⁈⁉".contains(*c)).count()
}

/// Panics unless a text says something, is short enough and holds no control characters but line breaks and tabs.
pub fn assert_text(text: &str, most_chars: usize) {
    assert!(!text.trim().is_empty(), "blank");
    assert!(text.chars().count() <= most_chars, "too long: {text}");
    assert!(!has_control_characters(text), "{text:?}");
}

fn has_control_characters(text: &str) -> bool {
    text.chars()
        .any(|c| c.is_control() && !['\n', '\r', '\t'].contains(&c))
}

struct Check<'a> {
    course: &'a Course,
    policy: &'a Policy,
    faults: Vec<FallbackReason>,
}

impl Check<'_> {
    fn must(&mut self, holds: bool, otherwise: FallbackReason) {
        if !holds && !self.faults.contains(&otherwise) {
            self.faults.push(otherwise);
        }
    }

    fn reply(&mut self, reply: &Json) {
        let Some(name) = reply.get("action").and_then(Json::text) else {
            return self.must(false, FallbackReason::SchemaViolation);
        };
        let action = Action::ALL.into_iter().find(|a| a.as_str() == name);
        let allowed = action.filter(|a| self.policy.allowed_actions.contains(a));
        let Some(action) = allowed else {
            let reason = if name == "CONCEPT_CARD" && !self.policy.stuck {
                FallbackReason::ConceptNotStuck
            } else if name == "EXAM_BLOCK" && self.is_locked(reply) {
                FallbackReason::ExamLocked
            } else {
                FallbackReason::ActionNotAllowed
            };
            return self.must(false, reason);
        };
        let card = match action {
            Action::SocraticQuestion => None,
            Action::DrillCard => Some("drill_card"),
            Action::ConceptCard => Some("concept_card"),
            Action::ExamBlock => Some("exam_suggestion"),
        };
        let mut keys = vec![
            "action",
            "target_unit_id",
            "tutor_text",
            "mapped_units",
            "turn_analysis",
        ];
        keys.extend(card);
        self.keys(reply, &keys, &[]);
        if let Some(target) = self.text(reply, "target_unit_id") {
            let known = targets(self.course, self.policy, action).contains(&target);
            self.must(known, FallbackReason::TargetOutOfScope);
        }
        if let Some(text) = self.text(reply, "tutor_text") {
            self.must(!text.trim().is_empty(), FallbackReason::EmptyMessage);
            self.bounded(text, 2200);
            let asks = action == Action::SocraticQuestion && questions(text) > 2;
            self.must(!asks, FallbackReason::LimitsExceeded);
        }
        self.at_most(6, reply.get("mapped_units"));
        for unit in self.list(reply, "mapped_units") {
            self.mapped_unit(unit);
        }
        if let Some(analysis) = reply.get("turn_analysis") {
            self.analysis(analysis);
        }
        if let Some(concept) = reply.get("concept_card") {
            self.too_much(concept);
        }
        if let Some((key, card)) = card.and_then(|key| Some((key, reply.get(key)?))) {
            match key {
                "drill_card" => self.drill(card),
                "concept_card" => self.concept(card),
                _ => self.exam(card),
            }
        }
    }

    /// The policy says that the questions of the focus are locked, and the reply names one of them.
    fn is_locked(&self, reply: &Json) -> bool {
        let named = reply
            .get("exam_suggestion")
            .and_then(|exam| exam.get("question_id"))
            .and_then(Json::text)
            .and_then(|id| self.course.question(id));
        self.policy.exam_availability == Availability::Locked
            && named.is_some_and(|question| {
                question.tier == self.policy.desired_exam_tier
                    && question.units.contains(&self.policy.focus_unit_id)
            })
    }

    fn mapped_unit(&mut self, unit: &Json) {
        self.keys(unit, &["unit_id", "confidence"], &[]);
        if let Some(id) = self.text(unit, "unit_id") {
            self.must(!id.is_empty(), FallbackReason::SchemaViolation);
        }
        if let Some(confidence) = unit.get("confidence") {
            let fits = matches!(confidence, Json::Number(n) if (0.0..=1.0).contains(n));
            self.must(fits, FallbackReason::SchemaViolation);
        }
    }

    fn analysis(&mut self, analysis: &Json) {
        let intents = ["solve", "explain", "check", "stuck", "unknown"];
        let signals = ["confident", "uncertain", "confused"];
        self.keys(
            analysis,
            &[
                "student_intent",
                "understanding_signal",
                "suggested_prereq_units",
            ],
            &[],
        );
        for (key, values) in [
            ("student_intent", &intents[..]),
            ("understanding_signal", &signals[..]),
        ] {
            if let Some(text) = self.text(analysis, key) {
                self.must(values.contains(&text), FallbackReason::SchemaViolation);
            }
        }
        self.at_most(6, analysis.get("suggested_prereq_units"));
        for unit in self.list(analysis, "suggested_prereq_units") {
            let named = unit.text().is_some_and(|id| !id.is_empty());
            self.must(named, FallbackReason::SchemaViolation);
        }
    }

    fn drill(&mut self, card: &Json) {
        self.keys(card, &["prompt", "question_latex"], &[]);
        let prompt = self.text(card, "prompt");
        let latex = self.text(card, "question_latex");
        if let Some(prompt) = prompt {
            self.part(prompt);
        }
        if let Some(latex) = latex {
            self.bounded(latex, 600);
        }
        // The rule of thumb has its own tests; that it is asked is what matters here.
        if let (Some(prompt), Some(latex)) = (prompt, latex) {
            let steps = self.policy.constraints.drill_max_steps;
            let short = drill_fault(prompt, latex, steps).is_none();
            self.must(short, FallbackReason::LimitsExceeded);
        }
    }

    fn concept(&mut self, card: &Json) {
        self.keys(card, &["key_ideas"], &["worked_example"]);
        let ideas = self.list(card, "key_ideas");
        let some = card.get("key_ideas").is_none() || !ideas.is_empty();
        self.must(some, FallbackReason::SchemaViolation);
        let mut texts: Vec<_> = ideas.iter().map(Json::text).collect();
        if let Some(example) = card.get("worked_example") {
            self.keys(
                example,
                &["problem_latex", "final_answer_latex"],
                &["steps_latex"],
            );
            for key in ["problem_latex", "final_answer_latex"] {
                texts.extend(example.get(key).map(Json::text));
            }
            texts.extend(self.list(example, "steps_latex").iter().map(Json::text));
        }
        let mut words = 0;
        for text in texts {
            match text {
                Some(text) => {
                    self.part(text);
                    words += text.split_whitespace().count();
                }
                None => self.must(false, FallbackReason::SchemaViolation),
            }
        }
        let most = self.policy.constraints.max_concept_words as usize;
        self.must(words <= most, FallbackReason::LimitsExceeded);
    }

    fn exam(&mut self, card: &Json) {
        self.keys(card, &["question_id", "difficultyTier"], &[]);
        if let Some(id) = self.text(card, "question_id") {
            let candidate = self.policy.exam_candidate_ids.iter().any(|c| c == id);
            self.must(candidate, FallbackReason::ExamNotCandidate);
        }
        if let Some(tier) = self.text(card, "difficultyTier") {
            let desired = self.policy.desired_exam_tier.as_str();
            self.must(tier == desired, FallbackReason::TierMismatch);
        }
    }

    /// An object with all of these keys, perhaps the optional ones, and no others.
    fn keys(&mut self, json: &Json, required: &[&str], optional: &[&str]) {
        let fits = match json {
            Json::Object(entries) => {
                required.iter().all(|key| json.get(key).is_some())
                    && entries
                        .iter()
                        .all(|(k, _)| required.iter().chain(optional).any(|key| key == k))
            }
            _ => false,
        };
        self.must(fits, FallbackReason::SchemaViolation);
    }

    /// The text of a key; `None` if the key is not there.
    fn text<'j>(&mut self, json: &'j Json, key: &str) -> Option<&'j str> {
        let value = json.get(key)?;
        self.must(value.text().is_some(), FallbackReason::SchemaViolation);
        value.text()
    }

    /// The items of a key; none if the key is not there.
    fn list<'j>(&mut self, json: &'j Json, key: &str) -> &'j [Json] {
        let Some(value) = json.get(key) else {
            return &[];
        };
        self.must(value.items().is_some(), FallbackReason::SchemaViolation);
        value.items().unwrap_or_default()
    }

    fn at_most(&mut self, most: usize, list: Option<&Json>) {
        let count = list.and_then(Json::items).unwrap_or_default().len();
        self.must(count <= most, FallbackReason::LimitsExceeded);
    }

    /// A concept card with too much on it has too much on it even where no concept card may be.
    fn too_much(&mut self, card: &Json) {
        let example = card.get("worked_example");
        let examples = self.policy.constraints.max_worked_examples > 0;
        self.must(
            examples || example.is_none(),
            FallbackReason::LimitsExceeded,
        );
        self.at_most(
            self.course.rules().max_key_ideas as usize,
            card.get("key_ideas"),
        );
        self.at_most(8, example.and_then(|example| example.get("steps_latex")));
    }

    fn part(&mut self, text: &str) {
        self.must(!text.trim().is_empty(), FallbackReason::SchemaViolation);
        self.bounded(text, 600);
    }

    fn bounded(&mut self, text: &str, most_chars: usize) {
        self.must(
            text.chars().count() <= most_chars,
            FallbackReason::LimitsExceeded,
        );
        self.must(
            !has_control_characters(text),
            FallbackReason::SchemaViolation,
        );
    }
}

/// Panics unless the resolution says what the accepted reply says, and no more.
pub fn assert_kept(course: &Course, policy: &Policy, bytes: &[u8], resolution: &Resolution) {
    let reply = read(bytes).unwrap();
    let text = |json: &Json, key: &str| json.get(key).and_then(Json::text).unwrap().to_owned();
    let texts = |json: &Json, key: &str| -> Vec<String> {
        let items = json.get(key).and_then(Json::items).unwrap_or_default();
        items
            .iter()
            .filter_map(Json::text)
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(resolution.violation, None);
    assert_eq!(resolution.action.as_str(), text(&reply, "action"));
    assert_eq!(resolution.target_unit_id, text(&reply, "target_unit_id"));
    // What is plain is tested where that is decided.
    let plain = |text: &str| plain_text(text).into_owned();
    assert_eq!(resolution.text, plain(&text(&reply, "tutor_text")).trim());

    match &resolution.card {
        None => {}
        Some(Card::Drill(card)) => {
            let written = reply.get("drill_card").unwrap();
            let prompt = text(written, "prompt");
            let ready_made = resolution.drill_id.is_some() && card.prompt == prompt;
            assert!(ready_made || card.prompt == plain(&prompt), "{prompt}");
            assert_eq!(card.question_latex, text(written, "question_latex"));
        }
        Some(Card::Concept(card)) => {
            let written = reply.get("concept_card").unwrap();
            let ideas = texts(written, "key_ideas");
            let ideas: Vec<String> = ideas.iter().map(|idea| plain(idea)).collect();
            assert_eq!(card.key_ideas, ideas);
            let example = written.get("worked_example");
            assert_eq!(card.worked_example.is_some(), example.is_some());
            if let (Some(shown), Some(written)) = (&card.worked_example, example) {
                assert_eq!(shown.problem_latex, text(written, "problem_latex"));
                assert_eq!(
                    shown.final_answer_latex,
                    text(written, "final_answer_latex")
                );
                assert_eq!(shown.steps_latex, texts(written, "steps_latex"));
            }
        }
        Some(Card::Exam(ExamQuestion { id, .. })) => {
            let written = reply.get("exam_suggestion").unwrap();
            assert_eq!(*id, text(written, "question_id"));
        }
    }

    let analysis = resolution.analysis.as_ref().unwrap();
    let written = reply.get("turn_analysis").unwrap();
    let spelled = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    assert_eq!(
        spelled(&analysis.student_intent),
        text(written, "student_intent")
    );
    assert_eq!(
        spelled(&analysis.understanding_signal),
        text(written, "understanding_signal")
    );
    // Of units that the course knows, the first mention counts.
    let mut suggested = Vec::new();
    for id in texts(written, "suggested_prereq_units") {
        if course.find(&id).is_some() && !suggested.contains(&id) {
            suggested.push(id);
        }
    }
    assert_eq!(analysis.suggested_prereq_units, suggested);
    let mut mapped: Vec<MappedUnit> = Vec::new();
    for unit in reply.get("mapped_units").and_then(Json::items).unwrap() {
        let unit_id = text(unit, "unit_id");
        let Some(Json::Number(confidence)) = unit.get("confidence") else {
            panic!("no confidence");
        };
        if course.find(&unit_id).is_some() && mapped.iter().all(|m| m.unit_id != unit_id) {
            mapped.push(MappedUnit {
                unit_id,
                confidence: *confidence,
            });
        }
    }
    assert_eq!(analysis.mapped_units.len(), mapped.len());
    for (kept, written) in analysis.mapped_units.iter().zip(&mapped) {
        assert_eq!(kept.unit_id, written.unit_id);
        // Two readers of decimals may differ in the last digit.
        assert!((kept.confidence - written.confidence).abs() < 1e-12);
    }

    let mut observations = Vec::new();
    let blocker = policy.prereq_blocking_unit_id.as_ref();
    if blocker.is_some_and(|blocker| *blocker != resolution.target_unit_id) {
        observations.push(Observation::TargetNotBlocker);
    }
    if resolution.action == Action::SocraticQuestion && questions(&text(&reply, "tutor_text")) == 2
    {
        observations.push(Observation::TwoQuestions);
    }
    assert_eq!(resolution.observations, observations);
}
