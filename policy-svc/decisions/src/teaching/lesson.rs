//! The moves that a reply may make without a model, and which of them comes next: the first that was not made a moment ago,
//! else the one that was made longest ago.

use turnwise_messages::{Key, keys};
use turnwise_reply_guard::{Form, form_fault, states_solution};

use super::{
    authored::KeyIdea,
    elsewhere::was_quoted,
    hints, said,
    set::{DRILLS, drill_reply, exercise},
    situation::{Asks, Open, Situation},
    worked::worked,
};
use crate::{
    course::{Course, Unit},
    drill_terms::DrillTerms,
    fallback, limits,
    policy::Policy,
    quote::{quotable, unit_name},
    reply::{LlmConceptCard, LlmReply},
    words::Action,
};

/// The most characters that are taken of a misconception.
const MISCONCEPTION_CHARS: usize = 400;

/// Sentences around a misconception, in turn.
const DOUBTS: [Key; 3] = [
    keys::TEACHING_DOUBT_1,
    keys::TEACHING_DOUBT_2,
    keys::TEACHING_DOUBT_3,
];

/// What a question behind a hint asks, by the hint's rung.
const THEN: [Key; 3] = [
    keys::TEACHING_HINT_THEN_1,
    keys::TEACHING_HINT_THEN_2,
    keys::TEACHING_HINT_THEN_3,
];

/// What stands before a worked example, and before a worked sibling of the open drill: once, and once more.
const EXAMPLE: [Key; 2] = [keys::TEACHING_EXAMPLE, keys::TEACHING_EXAMPLE_AGAIN];
const SIBLING: [Key; 2] = [keys::TEACHING_SIBLING, keys::TEACHING_SIBLING_AGAIN];

/// One thing that a reply can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// Points at the button that has the message checked, or an answer below the drill.
    Check(Key),
    /// Explains the key idea.
    Idea,
    /// Quotes the lesson.
    Passage,
    /// Gives the hint on this rung.
    Hint(usize),
    /// Shows a worked example, or a worked sibling of the open drill.
    Example,
    /// Sets a drill.
    Drill,
    /// Asks about the misconception at this place.
    Doubt(usize),
    /// Asks an open question.
    Ask(Key),
}

/// A turn that is answered without a model.
pub(crate) struct Lesson<'a> {
    course: &'a Course,
    policy: &'a Policy,
    situation: &'a Situation<'a>,
    unit: Option<&'a Unit>,
    title: String,
    /// The drill that the student works on, if it is one of the focus.
    open: Option<Open<'a>>,
    hints: Vec<String>,
}

impl<'a> Lesson<'a> {
    pub(crate) fn new(
        course: &'a Course,
        policy: &'a Policy,
        situation: &'a Situation<'a>,
    ) -> Self {
        let unit = course.find(&policy.focus_unit_id).map(|at| course.unit(at));
        let open = situation
            .open
            .filter(|open| open.unit_id == policy.focus_unit_id);
        let own = situation.own.filter(|_| !situation.own_is_question);
        let of_own = || Some(hints::on_own(&own?, course.texts(), situation.said));
        let hints = unit
            .zip(open)
            .map(|(unit, open)| hints::ladder(unit, &open, course.texts()))
            .or_else(of_own);
        Self {
            course,
            policy,
            situation,
            unit,
            title: unit_name(course, &policy.focus_unit_id),
            open,
            hints: hints.unwrap_or_default(),
        }
    }

    /// The reply where a question is allowed.
    pub(crate) fn reply(&self) -> LlmReply {
        let mut best: Option<(usize, LlmReply)> = None;
        for step in self.moves() {
            let Some(reply) = self.make(step).filter(|reply| self.may_be_said(reply)) else {
                continue;
            };
            let said = self.said(step, &reply);
            if best.as_ref().is_none_or(|(before, _)| said < *before) {
                best = Some((said, reply));
            }
            if said == 0 {
                break;
            }
        }
        best.map_or_else(
            || self.saying(Action::SocraticQuestion, self.text(keys::TEACHING_OPEN)),
            |(_, reply)| reply,
        )
    }

    /// All that the reply may do, what is wanted most first.
    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.situation.open.is_some() {
            if self.situation.is_answer {
                return [keys::TEACHING_CHECK_1, keys::TEACHING_CHECK_2]
                    .map(Move::Check)
                    .into();
            }
            if matches!(self.situation.asks, Asks::Check | Asks::Next) {
                moves.push(Move::Check(keys::TEACHING_CHECK_3));
            }
        }
        match self.situation.asks {
            // The message alone says too little, or there is nothing to practise where the student stands.
            Asks::Exercise | Asks::Example if !self.policy.allows(Action::DrillCard) => {
                moves.push(Move::Ask(keys::TEACHING_WHICH_TOPIC));
            }
            Asks::Exercise => moves.push(Move::Drill),
            Asks::Example => moves.push(Move::Example),
            _ => {}
        }
        let open_questions = [
            keys::TEACHING_OPEN_UNIT,
            keys::TEACHING_TRIED,
            keys::TEACHING_OPEN,
        ];
        // What is known of the welcome is no question, where its author asks better ones.
        let is_welcome = self.unit.is_some_and(|unit| {
            let mut authored = unit.teaching.questions.iter();
            !unit.assessable && unit.drills.is_empty() && authored.any(|asked| !asked.is_empty())
        });
        // Who brought an exercise is asked about nothing else.
        let is_elsewhere = self.situation.own.is_some()
            && (is_welcome || self.about_id() != self.policy.focus_unit_id);
        let unit = self.unit.filter(|_| !is_elsewhere);
        let count = unit.map_or(0, |unit| unit.misconceptions.len());
        // Thanks for nothing that was worked on: there is nothing that was tried, or could be explained.
        let is_idle = is_welcome && self.situation.own.is_none() && count > 1;
        let skipped = if is_idle && self.situation.asks == Asks::Next {
            open_questions.len()
        } else {
            usize::from(is_welcome || is_elsewhere)
        };
        let open_questions = open_questions.into_iter().skip(skipped);
        let nearest = self.situation.doubts;
        let questions = || {
            let others = (0..count).filter(|place| !nearest.contains(place));
            let places = nearest.iter().copied().filter(|place| *place < count);
            places
                .chain(others)
                .map(Move::Doubt)
                .chain(open_questions.clone().map(Move::Ask))
        };
        if let Some(open) = &self.open {
            let hints = (open.hints_given..self.hints.len()).map(Move::Hint);
            match self.situation.asks {
                Asks::Nothing | Asks::Explained if !self.policy.stuck => {
                    moves.extend(questions());
                    moves.extend(hints);
                    return moves;
                }
                Asks::Check | Asks::Next if !self.policy.stuck => moves.extend(hints),
                Asks::Explanation => {
                    moves.extend(self.answer());
                    moves.extend([Move::Idea, Move::Passage]);
                    moves.extend(hints);
                    moves.push(Move::Example);
                }
                _ => {
                    moves.extend(hints);
                    moves.extend([Move::Example, Move::Idea, Move::Passage]);
                }
            }
            moves.extend(questions());
            return moves;
        }
        let asks = self.situation.asks;
        // A lesson that says why may go another way than the first step does.
        if self.situation.own.is_some() && asks != Asks::Explained {
            moves.extend(self.answer().filter(|_| asks == Asks::Explanation));
            if self.situation.own_is_solved && !self.situation.own_is_question {
                moves.push(Move::Ask(keys::TEACHING_PUT_IN));
            }
            // The rule with the first step, the rule again, an exercise that is worked out. Where no step is known, the
            // lesson that answers, and the rule of its unit.
            if self.hints.len() > 1 {
                moves.extend([Move::Hint(2), Move::Hint(1)]);
            } else if self.situation.own_is_plain {
                moves.push(Move::Ask(keys::TEACHING_PLAIN));
            } else {
                let is_focus = self.about_id() == self.policy.focus_unit_id;
                moves.extend(self.answer().into_iter().chain([Move::Idea]));
                moves.extend(is_focus.then_some(Move::Passage));
            }
            moves.push(Move::Example);
        }
        match asks {
            Asks::Work => {
                moves.extend([keys::TEACHING_SHOW_1, keys::TEACHING_SHOW_2].map(Move::Ask));
            }
            // A drill on the focus is not about another unit's lesson that was just read.
            Asks::Next if was_quoted(self.course, self.situation.said) => {
                moves.push(Move::Ask(keys::TEACHING_OPEN));
            }
            Asks::Next if !self.situation.leads_on => moves.push(Move::Drill),
            _ => {}
        }
        let is_asked = matches!(asks, Asks::Explanation | Asks::Help | Asks::Example);
        let is_stuck = self.policy.stuck || is_asked;
        let explains = self.unit.is_some_and(|unit| unit.teaching.explains());
        // The welcome's text has the words of whoever does not know what to ask.
        let passage = self.situation.passage;
        let has_passage = passage.is_some_and(|passage| !is_welcome || passage.answers());
        if is_stuck && (explains || has_passage) {
            let explanation = self.explanation();
            moves.extend(self.answer());
            // Who brought an exercise is led to nothing else.
            if !is_elsewhere {
                moves.extend([explanation, Move::Example, Move::Drill]);
                if explanation == Move::Idea {
                    moves.push(Move::Passage);
                }
            }
        }
        moves.extend(questions());
        moves
    }

    /// The reply with a move; `None` where the course has nothing for it, or the policy does not allow it.
    fn make(&self, step: Move) -> Option<LlmReply> {
        let question = |text| Some(self.saying(Action::SocraticQuestion, text));
        match step {
            Move::Check(key) => {
                let texts = self.course.texts();
                let button = texts.text(keys::BUTTON_CHECK_ANSWER, &[]);
                question(texts.text(key, &[("button", button.into())]))
            }
            Move::Ask(key) => question(self.text(key)),
            Move::Idea => self.idea(),
            Move::Passage => {
                let passage = self.situation.passage.as_ref()?;
                question(passage.quoted(self.course.texts(), keys::TEACHING_PASSAGE)?)
            }
            Move::Hint(rung) => {
                let mut then = *THEN.get(rung).or(THEN.last())?;
                if self.open.is_none() && said::repeats(&self.text(then), self.situation.said) {
                    then = keys::TEACHING_HINT_THEN_AGAIN;
                }
                question(self.asking(self.hints.get(rung)?, then))
            }
            Move::Example => self.example(),
            Move::Drill => {
                let unit = self
                    .unit
                    .filter(|_| self.policy.allows(Action::DrillCard))?;
                let any = DrillTerms::default();
                let terms = self.situation.terms.unwrap_or(&any);
                let found = fallback::drill(unit, self.policy, terms, self.situation);
                let drill = found.map(|(drill, _)| drill);
                // Who asked for one is told to make one up.
                let is_set = drill.is_some() || self.situation.asks == Asks::Exercise;
                is_set.then(|| drill_reply(self.course, &unit.id, drill, self.situation))
            }
            Move::Doubt(place) => question(self.doubt(place)?),
        }
    }

    /// The unit of the student's own exercise, which may not be the first to do; else the focus.
    fn about(&self) -> Option<&'a Unit> {
        if self.situation.own.is_none() {
            return self.unit;
        }
        let about = self.course.find(self.about_id());
        about.map(|at| self.course.unit(at))
    }

    /// What the turn is about: the unit of the student's own exercise, where it is known.
    fn about_id(&self) -> &str {
        let own = self.situation.own_unit;
        own.unwrap_or_else(|| self.policy.about())
    }

    /// The key idea: as a card where one is allowed and no drill would be lost behind it.
    fn idea(&self) -> Option<LlmReply> {
        let idea = self.about()?.teaching.key_idea.as_ref()?;
        let texts = self.course.texts();
        let source = quotable(&idea.source, limits::MOST_PART_CHARS);
        let is_about_focus = self.open.is_none() && self.situation.own.is_none();
        if is_about_focus && self.policy.allows(Action::ConceptCard) {
            let card = LlmReply {
                concept_card: Some(LlmConceptCard {
                    key_ideas: vec![idea.text.clone()],
                    worked_example: None,
                }),
                ..self.saying(Action::ConceptCard, self.before_idea(idea))
            };
            if self.may_be_said(&card) {
                return Some(card);
            }
        }
        let known = [
            ("idea", idea.text.clone().into()),
            ("source", source.into()),
        ];
        let text = texts.text(keys::TEACHING_IDEA, &known);
        Some(self.saying(Action::SocraticQuestion, text))
    }

    /// What is said before a card with the key idea.
    fn before_idea(&self, idea: &KeyIdea) -> String {
        let source = quotable(&idea.source, limits::MOST_PART_CHARS);
        let known = [
            ("unit", self.title.clone().into()),
            ("source", source.into()),
        ];
        let texts = self.course.texts();
        texts.text(keys::TEACHING_IDEA_CARD, &known)
    }

    /// What explains the unit first: its key idea, else the lesson.
    fn explanation(&self) -> Move {
        let has_idea = self
            .unit
            .is_some_and(|unit| unit.teaching.key_idea.is_some());
        if has_idea { Move::Idea } else { Move::Passage }
    }

    /// The lesson, where it answers what is asked.
    fn answer(&self) -> Option<Move> {
        let passage = self.situation.passage;
        let passage = passage.filter(|_| self.situation.asks_for_lesson(self.policy))?;
        passage.answers().then_some(Move::Passage)
    }

    /// A drill that is worked out line by line, and that tells nothing of an open one.
    fn example(&self) -> Option<LlmReply> {
        let (begins, then) = if self.open.is_some() {
            (SIBLING, keys::TEACHING_SIBLING_THEN)
        } else {
            (EXAMPLE, keys::TEACHING_EXAMPLE_THEN)
        };
        // Right after one, who asks for another gets it; who is stuck gets something else.
        let [first, again] = begins;
        let is_again = self.situation.asks == Asks::Example
            && said::repeats(&self.text(first), self.situation.said);
        let before = if is_again { again } else { first };
        let worked = worked(self.about()?, self.policy, self.situation).into_iter();
        let mut replies = worked.map(|(drill, solution)| {
            let (before, solution) = (self.text(before), solution.join("\n"));
            let mut text = format!("{before}\n\n{}\n{solution}", exercise(drill));
            // An exercise may ask as much as a reply may.
            if !is_again && limits::question_marks(&text) < limits::MOST_QUESTIONS {
                text = format!("{text}\n\n{}", self.text(then));
            }
            self.saying(Action::SocraticQuestion, text)
        });
        let mut said = None;
        let is_new = |reply: &LlmReply| self.said(Move::Example, reply) == 0;
        let new = replies.find(|reply| {
            let fits = self.may_be_said(reply);
            if fits && said.is_none() {
                said = Some(reply.clone());
            }
            fits && is_new(reply)
        });
        new.or(said)
    }

    /// The question about a misconception: the author's, else one of ours.
    fn doubt(&self, place: usize) -> Option<String> {
        let unit = self.unit?;
        let authored = unit.teaching.questions.get(place);
        if let Some(question) = authored.filter(|question| !question.is_empty()) {
            return Some(question.clone());
        }
        let idea = quotable(unit.misconceptions.get(place)?, MISCONCEPTION_CHARS);
        let key = DOUBTS[place % DOUBTS.len()];
        let known = [
            ("unit", self.title.clone().into()),
            ("idea", idea.clone().into()),
        ];
        (!idea.is_empty()).then(|| self.course.texts().text(key, &known))
    }

    /// A text that ends with a question, its own if it has one.
    fn asking(&self, text: &str, then: Key) -> String {
        if limits::question_marks(text) > 0 {
            return text.to_owned();
        }
        format!("{text} {}", self.text(then))
    }

    fn text(&self, key: Key) -> String {
        let known = [("unit", self.title.clone().into())];
        self.course.texts().text(key, &known)
    }

    pub(super) fn saying(&self, action: Action, text: String) -> LlmReply {
        LlmReply::saying(action, self.policy.focus_unit_id.clone(), text)
    }

    /// How lately a move was made, by what tells it from others: zero is not at all.
    fn said(&self, step: Move, reply: &LlmReply) -> usize {
        let said = self.situation.said;
        let last = |words: &str| said::last(words, said);
        let text = reply.tutor_text.as_str();
        if said::repeats(text, said) {
            return said.len();
        }
        match step {
            Move::Drill if self.situation.asks == Asks::Exercise => 0,
            // Whichever of its sentences stood before it. A worked example asks for another one.
            Move::Drill => {
                let set = DRILLS.iter().map(|key| last(&self.text(*key))).max();
                let worked = EXAMPLE.map(|key| last(&self.text(key)));
                let worked = worked.into_iter().max();
                set.filter(|set| Some(*set) > worked).unwrap_or(0)
            }
            Move::Hint(rung) => (self.hints.get(rung)).map_or(0, |hint| last(hint)),
            // As a text or as a card.
            Move::Idea => (self
                .about()
                .and_then(|unit| unit.teaching.key_idea.as_ref()))
            .map_or(0, |idea| {
                last(&idea.text).max(last(&self.before_idea(idea)))
            }),
            Move::Example => {
                let worked = text.split("\n\n").nth(1).unwrap_or(text);
                last(worked.lines().next().unwrap_or(worked))
            }
            Move::Check(_) | Move::Ask(_) | Move::Passage | Move::Doubt(_) => last(text),
        }
    }

    /// Whether a reply keeps what a model must keep. A course's words are its author's.
    pub(super) fn may_be_said(&self, reply: &LlmReply) -> bool {
        let said = &reply.tutor_text;
        let is_question = reply.action == Action::SocraticQuestion;
        let fits = is_safe(said, limits::MOST_TEXT_CHARS)
            && !(is_question && limits::question_marks(said) > limits::MOST_QUESTIONS);
        let ideas = reply.concept_card.iter().flat_map(|card| &card.key_ideas);
        let ideas: Vec<&String> = ideas.collect();
        let card_fits = ideas
            .iter()
            .all(|idea| is_safe(idea, limits::MOST_PART_CHARS))
            && (reply.concept_card.is_none()
                || reply
                    .card()
                    .is_some_and(|card| card.limit_exceeded(self.policy).is_none()));
        let texts = || {
            ideas
                .iter()
                .map(|idea| idea.as_str())
                .chain([said.as_str()])
        };
        let asked = [
            self.situation.open.map(|open| open.drill),
            self.situation.placement,
            self.situation.exam,
            self.situation.own,
        ];
        let mut asked = asked.iter().flatten();
        fits && card_fits && asked.all(|drill| !states_solution(texts(), drill))
    }
}

/// Whether a text is one that a student may read, as far as its form goes.
pub(super) fn is_safe(text: &str, most_chars: usize) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= most_chars
        && !limits::has_control_characters(text)
        && form_fault(text, Form::Prose).is_none()
}
