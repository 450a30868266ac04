//! Questions that an answer needs, asked one a turn in the order of their document: what a student's message makes of
//! them. While they are open, nothing is searched, and no model is asked but for a translation of the question.

use turnwise_kit::Fault;
use turnwise_messages::{Key, keys, text};
use turnwise_proto::{
    explain::v1::{ClarificationFacts, ClarificationStep, TurnFacts, TurnTexts},
    retrieval::v1::ClarificationTask,
    session::v1::{
        AnswerClarification, CancelClarification, Clarification, ClarificationAnswer,
        CorrectClarification, NewEscalation, PendingChange, SkipClarification, StartClarification,
        TurnStart, pending_change::Step, pending_interaction::Interaction,
    },
    tutor::v1::{
        Button, ButtonCall, ClarificationProgress, ClientEvent, ClientEventKind, DialogState,
        SessionStatus, StudentInput,
    },
};

use crate::{input::said, record};

/// The most characters of an answer that are kept.
const ANSWER_MAX_CHARS: usize = 4_000;

/// What follows of a message.
#[derive(Debug)]
enum Next {
    /// This is asked: the clarification's open question.
    Ask(Clarification),
    /// The questions are over: the answer is made of the document and these answers.
    Answer(Clarification),
    /// The message that they were asked about is answered without them.
    AnswerWithout(String),
    /// The student wants something else.
    Act,
}

/// A step of the questions.
#[derive(Debug)]
struct Taken {
    next: Next,
    change: PendingChange,
    facts: ClarificationFacts,
}

/// The questions of a thread while a turn is composed.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// A document that retrieval found to need more of the student.
    pub(crate) task: Option<ClarificationTask>,
    /// The step that is stored, in the turn's commit.
    pub(crate) change: Option<PendingChange>,
    /// The questions that are open after the turn.
    pub(crate) open: Option<Clarification>,
    /// The language into which questions are translated that are in another; empty: they are asked as they stand.
    pub(crate) translate_to: String,
}

impl Questions {
    /// Those that the thread waits for.
    pub(crate) fn of(start: &TurnStart) -> Self {
        Self {
            open: open(start).cloned(),
            ..Self::default()
        }
    }

    /// Takes what the student says for an answer, where questions are open. Gives those of which the next one is asked.
    ///
    /// # Errors
    /// A button of a clarification where there is none, or a question to go back to that was not answered.
    pub(crate) fn hear(
        &mut self,
        start: &TurnStart,
        facts: &mut TurnFacts,
        texts: &mut TurnTexts,
    ) -> Result<Option<Clarification>, Fault> {
        let text = texts.input.as_ref().map_or("", said);
        let taken = hear(start, text, facts.event.as_ref(), &self.translate_to)?;
        Ok(taken.and_then(|taken| self.take(taken, facts, texts)))
    }

    /// Begins the questions of the document that was found, unless they were asked before or the thread waits for something.
    /// They are asked in the language of `locale` where the document has them, else in the course's.
    pub(crate) fn begin(
        &mut self,
        start: &TurnStart,
        facts: &mut TurnFacts,
        texts: &mut TurnTexts,
        locale: &str,
    ) -> Option<Clarification> {
        let task = self.task.take()?;
        if self.change.is_some() {
            return None;
        }
        let query = record::words(facts, texts);
        let taken = begin(start, task, query, locale)?;
        self.take(taken, facts, texts)
    }

    fn take(
        &mut self,
        taken: Taken,
        facts: &mut TurnFacts,
        texts: &mut TurnTexts,
    ) -> Option<Clarification> {
        self.change = Some(taken.change);
        facts.clarification = Some(taken.facts);
        self.open = None;
        let query = |text: String| StudentInput {
            text,
            ..StudentInput::default()
        };
        match taken.next {
            Next::Ask(open) => {
                self.open = Some(open.clone());
                return Some(open);
            }
            Next::Answer(mut clarification) => {
                // What follows the answer is in the language that the questions were read in.
                if !self.translate_to.is_empty() {
                    clarification.locale.clone_from(&self.translate_to);
                }
                texts.query = Some(query(clarification.original_query.clone()));
                texts.clarification = Some(clarification);
            }
            Next::AnswerWithout(original) => texts.query = Some(query(original)),
            Next::Act => {}
        }
        None
    }
}

/// Whether an event is a button below a question.
pub(crate) fn is_of_clarification(event: &ClientEvent) -> bool {
    matches!(
        event.kind(),
        ClientEventKind::ClarificationSkip
            | ClientEventKind::ClarificationCancel
            | ClientEventKind::ClarificationCorrect
    )
}

/// The questions that a thread waits for.
fn open(start: &TurnStart) -> Option<&Clarification> {
    match start.pending.as_ref()?.interaction.as_ref()? {
        Interaction::Clarification(clarification) => Some(clarification),
        Interaction::ContextRequest(_) => None,
    }
}

/// What a message makes of the questions that are open; none where none are.
fn hear(
    start: &TurnStart,
    said: &str,
    event: Option<&ClientEvent>,
    translated_to: &str,
) -> Result<Option<Taken>, Fault> {
    let Some(open) = open(start) else {
        return match event.filter(|event| is_of_clarification(event)) {
            Some(_) => Err(Fault::invalid(
                "event.kind",
                "belongs to a question, and none is open any more; send the message instead",
            )),
            None => Ok(None),
        };
    };
    let kind = event.map_or_else(
        || by_words(said, &[&open.locale, translated_to]),
        ClientEvent::kind,
    );
    Ok(Some(match kind {
        ClientEventKind::Unspecified => answered(open, said),
        ClientEventKind::ClarificationSkip => skipped(open),
        ClientEventKind::ClarificationCancel => {
            cancelled(open, Next::AnswerWithout(open.original_query.clone()))
        }
        ClientEventKind::ClarificationCorrect => {
            let index = event.map_or(0, |event| event.question_index);
            corrected(open, index)?
        }
        _ => cancelled(open, Next::Act),
    }))
}

/// The words that skip or cancel, in the languages that the question may have been read in; anything else is an answer.
fn by_words(said: &str, locales: &[&str]) -> ClientEventKind {
    let said = said.trim().trim_end_matches(['.', '!']).to_lowercase();
    let is_one_of = |key: Key| {
        let locales = locales.iter().filter(|locale| !locale.is_empty());
        let mut lists = locales.map(|locale| text(locale, key, &[]));
        lists.any(|words| words.split('|').any(|word| word.trim() == said))
    };
    if is_one_of(keys::CLARIFICATION_SKIP_WORDS) {
        ClientEventKind::ClarificationSkip
    } else if is_one_of(keys::CLARIFICATION_CANCEL_WORDS) {
        ClientEventKind::ClarificationCancel
    } else {
        ClientEventKind::Unspecified
    }
}

fn answered(open: &Clarification, said: &str) -> Taken {
    let answer: String = said.chars().take(ANSWER_MAX_CHARS).collect();
    let mut after = open.clone();
    let index = after.answers.len();
    after.answers.push(ClarificationAnswer {
        index: i32::try_from(index).unwrap_or(i32::MAX),
        question: open.questions.get(index).cloned().unwrap_or_default(),
        answer: answer.clone(),
    });
    let change = Step::AnswerClarification(AnswerClarification { answer });
    if after.answers.len() < after.questions.len() {
        step(ClarificationStep::Answered, change, Next::Ask, after)
    } else {
        step(ClarificationStep::Completed, change, Next::Answer, after)
    }
}

fn skipped(open: &Clarification) -> Taken {
    let change = Step::SkipClarification(SkipClarification {});
    step(
        ClarificationStep::Skipped,
        change,
        Next::Answer,
        open.clone(),
    )
}

fn cancelled(open: &Clarification, next: Next) -> Taken {
    let change = Step::CancelClarification(CancelClarification {});
    let after = Clarification {
        answers: Vec::new(),
        ..open.clone()
    };
    step(ClarificationStep::Cancelled, change, |_| next, after)
}

fn corrected(open: &Clarification, index: i32) -> Result<Taken, Fault> {
    let mut after = open.clone();
    match usize::try_from(index) {
        Ok(kept) if kept < after.answers.len() => after.answers.truncate(kept),
        _ => {
            return Err(Fault::invalid(
                "event.question_index",
                format!(
                    "must be a question that was answered: less than {}",
                    after.answers.len()
                ),
            ));
        }
    }
    let change = Step::CorrectClarification(CorrectClarification { index });
    Ok(step(ClarificationStep::Corrected, change, Next::Ask, after))
}

/// The first question of a document that a message has to be clarified for. None where the thread waits for something
/// already, or was asked before.
fn begin(start: &TurnStart, task: ClarificationTask, query: &str, locale: &str) -> Option<Taken> {
    if start.pending.is_some()
        || task.questions.is_empty()
        || start.clarified_documents.contains(&task.document_id)
    {
        return None;
    }
    let count = start.thread.as_ref().map_or(0, |t| t.message_count);
    let (questions, locale) = in_language(&task, locale);
    let begun = StartClarification {
        document_id: task.document_id.clone(),
        original_query: query.to_owned(),
        original_message_id: count + 1,
        original_doc_content: task.original_doc_content.clone(),
        requires_handoff: task.requires_handoff,
        questions: questions.to_vec(),
        document_title: task.title.clone(),
        unit_id: task.unit_id.clone(),
        locale: locale.to_owned(),
    };
    let after = Clarification {
        document_id: task.document_id.clone(),
        questions: questions.to_vec(),
        document_title: task.title.clone(),
        locale: locale.to_owned(),
        ..Clarification::default()
    };
    let change = Step::StartClarification(begun);
    Some(step(ClarificationStep::Started, change, Next::Ask, after))
}

/// The document's questions in a language, and the language that they are in: the wanted one, with its region before
/// without, or else the course's.
fn in_language<'a>(task: &'a ClarificationTask, wanted: &str) -> (&'a [String], &'a str) {
    let own = (task.questions.as_slice(), task.locale.as_str());
    let others = task.translations.iter();
    let others = others.map(|list| (list.questions.as_slice(), list.locale.as_str()));
    let lists: Vec<_> = std::iter::once(own)
        .chain(others.filter(|(questions, _)| questions.len() == task.questions.len()))
        .collect();
    let exact = |(_, locale): &&(_, &str)| locale.eq_ignore_ascii_case(wanted);
    let near = |(_, locale): &&(_, &str)| is_same_language(locale, wanted);
    let found = lists.iter().find(exact).or_else(|| lists.iter().find(near));
    *found.unwrap_or(&own)
}

/// Whether two tags are of one language, whatever their regions.
fn is_same_language(a: &str, b: &str) -> bool {
    let language = |tag: &str| tag.split(['-', '_']).next().map(str::to_ascii_lowercase);
    language(a) == language(b)
}

/// The language that the open question is to be translated from, if it is not in the one that the student reads.
pub(crate) fn translated_from<'a>(open: &'a Clarification, to: &str) -> Option<&'a str> {
    (!to.is_empty() && !is_same_language(&open.locale, to)).then_some(&open.locale)
}

fn step(
    step: ClarificationStep,
    change: Step,
    next: impl FnOnce(Clarification) -> Next,
    after: Clarification,
) -> Taken {
    let count = |list: usize| i32::try_from(list).unwrap_or(i32::MAX);
    let mut facts = ClarificationFacts {
        document_id: after.document_id.clone(),
        step: step.into(),
        answer_count: count(after.answers.len()),
        question_count: count(after.questions.len()),
        handed_off: false,
    };
    let next = next(after);
    // A person takes over after the answer, whatever comes of a model.
    facts.handed_off = matches!(&next, Next::Answer(after) if after.requires_handoff);
    Taken {
        next,
        change: PendingChange { step: Some(change) },
        facts,
    }
}

/// The question that is open.
pub(crate) fn question(open: &Clarification) -> &str {
    let at = open.answers.len();
    open.questions.get(at).map_or("", String::as_str)
}

/// How far the questions are, of which one is open.
pub(crate) fn progress(open: &Clarification) -> ClarificationProgress {
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    ClarificationProgress {
        question_number: count(open.answers.len() + 1),
        question_count: count(open.questions.len()),
        document_title: open.document_title.clone(),
    }
}

/// What a student may press instead of answering.
pub(crate) fn buttons(open: &Clarification) -> Vec<Button> {
    let button = |label: (&str, Key), kind: ClientEventKind, question_index: usize| Button {
        label_key: label.0.to_owned(),
        label: text(&open.locale, label.1, &[]),
        event: Some(ClientEvent {
            kind: kind.into(),
            question_index: i32::try_from(question_index).unwrap_or(i32::MAX),
            ..ClientEvent::default()
        }),
        primary: kind == ClientEventKind::ClarificationSkip,
        call: ButtonCall::Turn.into(),
        ..Button::default()
    };
    let mut buttons = vec![button(
        ("skip_questions", keys::CLARIFICATION_BUTTON_SKIP),
        ClientEventKind::ClarificationSkip,
        0,
    )];
    if let Some(last) = open.answers.len().checked_sub(1) {
        buttons.push(button(
            ("correct_answer", keys::CLARIFICATION_BUTTON_CORRECT),
            ClientEventKind::ClarificationCorrect,
            last,
        ));
    }
    buttons.push(button(
        ("cancel_questions", keys::CLARIFICATION_BUTTON_CANCEL),
        ClientEventKind::ClarificationCancel,
        0,
    ));
    buttons
}

/// What an answer is, with the questions that are open after it.
pub(crate) fn dialog_state(open: Option<&Clarification>) -> DialogState {
    match open {
        Some(_) => DialogState::NeedsClarification,
        None => DialogState::AnswerProvided,
    }
}

/// Who answers after a turn.
pub(crate) fn session_status(
    start: &TurnStart,
    facts: Option<&ClarificationFacts>,
) -> SessionStatus {
    match facts {
        Some(facts) if facts.handed_off => SessionStatus::Escalated,
        _ => start.session_status(),
    }
}

/// What follows an answer for which a person was told; empty where none was.
pub(crate) fn footer(facts: &TurnFacts, texts: &TurnTexts) -> String {
    let locale = texts.clarification.as_ref().map_or("", |done| &done.locale);
    match &facts.clarification {
        Some(taken) if taken.handed_off => {
            format!("\n\n{}", text(locale, keys::CLARIFICATION_HANDOFF, &[]))
        }
        _ => String::new(),
    }
}

/// The person who is asked to step in.
pub(crate) fn escalation(facts: &TurnFacts) -> Option<NewEscalation> {
    let taken = facts.clarification.as_ref()?;
    taken.handed_off.then(|| NewEscalation {
        document_id: taken.document_id.clone(),
        turn_id: facts.turn_id.clone(),
    })
}
