//! The mock's replies: a good one, and one for each way to be bad.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    model::Rule,
    schema::{TurnSchema, smallest},
};

const SOCRATIC: &str = "SOCRATIC_QUESTION";
const CONCEPT: &str = "CONCEPT_CARD";
const DRILL: &str = "DRILL_CARD";
const EXAM: &str = "EXAM_BLOCK";
const ACTIONS: [&str; 4] = [SOCRATIC, DRILL, CONCEPT, EXAM];
const TIERS: [&str; 3] = ["bronze", "silver", "gold"];

/// How much of a message is quoted: a reply's own bound is a little above.
pub(super) const QUOTE_MAX_BYTES: usize = 2_000;

/// How many different drills there are: their numbers have five digits.
const EXERCISES: u64 = 89_990;

const PLAIN_TEXT: &str = "This is the mock model: it answers without having understood.";
/// Numerators and denominators added each for themselves.
const FALSE_TEXT: &str = "So 1/4 + 1/3 = 2/9.";

/// A reply in the form that a turn's schema asks for. A card is absent, null or there.
#[derive(Debug, Serialize)]
struct Reply<'a> {
    mapped_units: Vec<MappedUnit<'a>>,
    action: &'a str,
    target_unit_id: &'a str,
    tutor_text: &'a str,
    turn_analysis: Analysis<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concept_card: Option<Option<ConceptCard<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drill_card: Option<Option<DrillCard<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exam_suggestion: Option<Option<Exam<'a>>>,
    /// No contract has this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    confusion_tags: Option<[&'a str; 1]>,
    /// Nor this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    mastery_updates: Option<[Mastery<'a>; 1]>,
}

#[derive(Debug, Serialize)]
struct MappedUnit<'a> {
    unit_id: &'a str,
    confidence: f32,
}

#[derive(Debug, Serialize)]
struct Analysis<'a> {
    student_intent: &'a str,
    understanding_signal: &'a str,
    suggested_prereq_units: [&'a str; 0],
}

#[derive(Debug, Serialize)]
struct ConceptCard<'a> {
    key_ideas: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worked_example: Option<WorkedExample<'a>>,
}

#[derive(Debug, Serialize)]
struct WorkedExample<'a> {
    problem_latex: &'a str,
    final_answer_latex: &'a str,
    steps_latex: [&'a str; 2],
}

#[derive(Debug, Serialize)]
struct DrillCard<'a> {
    prompt: &'a str,
    question_latex: &'a str,
}

#[derive(Debug, Serialize)]
struct Exam<'a> {
    question_id: &'a str,
    #[serde(rename = "difficultyTier")]
    tier: &'a str,
}

#[derive(Debug, Serialize)]
struct Mastery<'a> {
    unit_id: &'a str,
    tier: &'a str,
}

/// Writes replies to one request.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    schema: Option<&'a Value>,
    turn: TurnSchema<'a>,
    /// The drill's exercise. Its solution is always 5.
    exercise: String,
}

impl<'a> Writer<'a> {
    /// A writer of replies with this schema. Each number has a drill of its own.
    pub(super) fn new(schema: Option<&'a Value>, number: u64) -> Self {
        let addend = 10_000 + number % EXERCISES;
        Self {
            schema,
            turn: schema.map_or_else(TurnSchema::default, TurnSchema::of),
            exercise: format!("x + {addend} = {}", addend + 5),
        }
    }

    /// A valid reply.
    pub(super) fn well(&self) -> String {
        self.with_reply(PLAIN_TEXT, |_| {})
    }

    /// A valid reply with this text.
    pub(super) fn saying(&self, text: &str) -> String {
        self.with_reply(text, |reply| reply.tutor_text = text)
    }

    /// A reply that quotes the first 2,000 bytes of this text; valid if it asks no more than a reply may.
    pub(super) fn quoting(&self, text: &str) -> String {
        let quote = &text[..text.floor_char_boundary(QUOTE_MAX_BYTES)];
        self.saying(&format!("You wrote: {quote}"))
    }

    pub(super) fn invalid_json(&self) -> String {
        "Sure! Here is my reply: {action: SOCRATIC_QUESTION, \"tutor_text\": \"What do you"
            .to_owned()
    }

    pub(super) fn extra_key(&self) -> String {
        self.with_reply(PLAIN_TEXT, |reply| {
            reply.confusion_tags = Some(["sign_error"]);
        })
    }

    /// A reply that breaks this rule.
    pub(super) fn breaking(&self, rule: Rule) -> String {
        let plain = match rule {
            Rule::FalseMathematics => FALSE_TEXT,
            _ => PLAIN_TEXT,
        };
        self.with_reply(plain, |reply| match rule {
            Rule::ActionNotAllowed => {
                let other = ACTIONS.iter().find(|a| !self.turn.actions.contains(a));
                *reply = self.reply(other.copied().unwrap_or("GIVE_BADGE"));
            }
            Rule::TargetOutOfScope => reply.target_unit_id = "UNIT-OUT-OF-SCOPE",
            Rule::ExamNotCandidate => {
                *reply = self.reply(EXAM);
                reply.exam_suggestion = Some(Some(Exam {
                    question_id: "QUESTION-NOT-CANDIDATE",
                    tier: self.tier(),
                }));
            }
            Rule::TierMismatch => {
                let other = TIERS.iter().find(|t| !self.turn.tiers.contains(t));
                *reply = self.reply(EXAM);
                reply.exam_suggestion = Some(Some(Exam {
                    question_id: self.question(),
                    tier: other.copied().unwrap_or("platinum"),
                }));
            }
            Rule::ConceptNotStuck => *reply = self.reply(CONCEPT),
            Rule::LimitsExceeded if self.allows(CONCEPT) => {
                *reply = self.reply(CONCEPT);
                reply.concept_card = Some(Some(ConceptCard {
                    key_ideas: vec![LONG_IDEA; 3],
                    ..self.concept_card()
                }));
            }
            Rule::LimitsExceeded if self.allows(DRILL) => {
                *reply = self.reply(DRILL);
                reply.drill_card = Some(Some(DrillCard {
                    prompt: "a) Solve for x. b) Solve for y. c) Solve for z. d) Add them up.",
                    question_latex: "x + 1 = 2 \\\\ y + 2 = 4 \\\\ z + 3 = 6 \\\\ x + y + z = s",
                }));
            }
            Rule::LimitsExceeded => reply.tutor_text = LONG_TEXT,
            Rule::TwoCards => {
                *reply = self.reply(self.card_action());
                reply.drill_card = Some(Some(self.drill_card()));
                reply.exam_suggestion = Some(Some(self.exam()));
            }
            Rule::SocraticWithCard => {
                *reply = self.reply(SOCRATIC);
                reply.drill_card = Some(Some(self.drill_card()));
            }
            Rule::MissingCard => {
                let absent = self.turn.cards_required;
                *reply = self.reply(self.card_action());
                reply.concept_card = absent.then_some(None);
                reply.drill_card = absent.then_some(None);
                reply.exam_suggestion = absent.then_some(None);
            }
            Rule::ManyQuestions => {
                *reply = self.reply(if self.allows(SOCRATIC) {
                    SOCRATIC
                } else {
                    self.first()
                });
                reply.tutor_text =
                    "What do you know? What do you look for? What did you try? What comes next?";
            }
            Rule::EmptyMessage => reply.tutor_text = " ",
            Rule::SchemaViolation => reply.turn_analysis.student_intent = "win",
            Rule::FalseMathematics => reply.tutor_text = FALSE_TEXT,
        })
    }

    /// The reply that offers this exam question, allowed or not. An empty id or tier stands for the turn's own.
    pub(super) fn exam_as_asked(&self, question_id: &str, tier: &str) -> String {
        self.with_reply(PLAIN_TEXT, |reply| {
            let exam = Exam {
                question_id: if question_id.is_empty() {
                    self.question()
                } else {
                    question_id
                },
                tier: if tier.is_empty() { self.tier() } else { tier },
            };
            let (target, text) = (reply.target_unit_id, reply_text(EXAM));
            *reply = Reply {
                tutor_text: text,
                target_unit_id: target,
                exam_suggestion: Some(Some(exam)),
                ..self.reply(EXAM)
            };
        })
    }

    /// Whether a grade is asked for.
    pub(super) fn grades(&self) -> bool {
        self.schema
            .is_some_and(|schema| schema["properties"]["isCorrect"].is_object())
    }

    /// The grade that says this.
    pub(super) fn grade_as_asked(&self, correct: bool, feedback: &str) -> String {
        json!({"isCorrect": correct, "feedbackText": feedback, "commonMistakeTag": null})
            .to_string()
    }

    /// The reply that hands out a badge.
    pub(super) fn badge_as_asked(&self) -> String {
        self.with_reply(PLAIN_TEXT, |reply| {
            reply.tutor_text = "Done: you have mastered this unit, your badge is gold now.";
            reply.mastery_updates = Some([Mastery {
                unit_id: self.unit(),
                tier: "gold",
            }]);
        })
    }

    /// The reply that explains, allowed or not.
    pub(super) fn concept_as_asked(&self) -> String {
        self.breaking(Rule::ConceptNotStuck)
    }

    /// The first allowed action's valid reply, changed by `change`; for a request without a turn's schema `plain` or the
    /// smallest value.
    fn with_reply<'r>(&'r self, plain: &str, change: impl FnOnce(&mut Reply<'r>)) -> String
    where
        'a: 'r,
    {
        let Some(schema) = self.schema else {
            return plain.to_owned();
        };
        if self.turn.actions.is_empty() {
            return smallest(schema).to_string();
        }
        let mut reply = self.reply(self.first());
        change(&mut reply);
        // A struct of strings and numbers always has a JSON form.
        serde_json::to_string(&reply).unwrap_or_default()
    }

    /// A valid reply for this action, as far as the schema allows it.
    fn reply(&self, action: &'a str) -> Reply<'_> {
        let absent = self.turn.cards_required;
        let unit = self.unit();
        Reply {
            mapped_units: if unit.is_empty() {
                Vec::new()
            } else {
                vec![MappedUnit {
                    unit_id: unit,
                    confidence: 0.9,
                }]
            },
            action,
            target_unit_id: unit,
            tutor_text: reply_text(action),
            turn_analysis: Analysis {
                student_intent: "solve",
                understanding_signal: "uncertain",
                suggested_prereq_units: [],
            },
            concept_card: filled(absent, (action == CONCEPT).then(|| self.concept_card())),
            drill_card: filled(absent, (action == DRILL).then(|| self.drill_card())),
            exam_suggestion: filled(absent, (action == EXAM).then(|| self.exam())),
            confusion_tags: None,
            mastery_updates: None,
        }
    }

    fn allows(&self, action: &str) -> bool {
        self.turn.actions.contains(&action)
    }

    /// An exam question where one is allowed, else the first allowed action.
    fn first(&self) -> &'a str {
        let first = self.turn.actions.first().copied().unwrap_or(SOCRATIC);
        if self.allows(EXAM) { EXAM } else { first }
    }

    /// An allowed action that needs a card, if there is one.
    fn card_action(&self) -> &'a str {
        [DRILL, CONCEPT, EXAM]
            .into_iter()
            .find(|action| self.allows(action))
            .unwrap_or(DRILL)
    }

    fn unit(&self) -> &'a str {
        self.turn.units.first().copied().unwrap_or_default()
    }

    fn question(&self) -> &'a str {
        self.turn.questions.first().copied().unwrap_or("EXAM-1")
    }

    fn tier(&self) -> &'a str {
        self.turn.tiers.first().copied().unwrap_or("bronze")
    }

    fn concept_card(&self) -> ConceptCard<'a> {
        let most = self.turn.most_key_ideas.unwrap_or(u64::MAX);
        let key_ideas = [
            "An equation is a balance: both sides have the same value.",
            "What you do to one side, you do to the other.",
        ];
        ConceptCard {
            key_ideas: key_ideas
                .into_iter()
                .take(usize::try_from(most).unwrap_or(usize::MAX))
                .collect(),
            worked_example: self.turn.worked_example.then_some(WorkedExample {
                problem_latex: "x + 13 = 28",
                final_answer_latex: "x = 15",
                steps_latex: ["x + 13 - 13 = 28 - 13", "x = 15"],
            }),
        }
    }

    fn drill_card(&self) -> DrillCard<'_> {
        DrillCard {
            prompt: "Solve for x.",
            question_latex: &self.exercise,
        }
    }

    fn exam(&self) -> Exam<'a> {
        Exam {
            question_id: self.question(),
            tier: self.tier(),
        }
    }
}

fn filled<T>(absent_as_null: bool, card: Option<T>) -> Option<Option<T>> {
    match card {
        Some(card) => Some(Some(card)),
        None => absent_as_null.then_some(None),
    }
}

fn reply_text(action: &str) -> &'static str {
    match action {
        DRILL => "Try this short one.",
        CONCEPT => "Here is the idea in short. Afterwards, try it on an example of your own.",
        EXAM => "You are ready for a check. Take your time.",
        _ => "Let's take it one step at a time. What would you do first, and why?",
    }
}

/// 2,500 characters.
const LONG_TEXT: &str = match std::str::from_utf8(&[b'a'; 2500]) {
    Ok(text) => text,
    Err(_) => "",
};

/// Eighty words.
const LONG_IDEA: &str = "\
    one two three four five six seven eight nine ten one two three four five six seven eight nine ten \
    one two three four five six seven eight nine ten one two three four five six seven eight nine ten \
    one two three four five six seven eight nine ten one two three four five six seven eight nine ten \
    one two three four five six seven eight nine ten one two three four five six seven eight nine ten";
