//! What a student can read of a reply and of its card: every text, named once.
//!
//! No pattern in here leaves a field out: one that is added to any of these messages does not compile until it stands among
//! the texts or among what is none.

use crate::{
    policy::v1::Reply,
    tutor::v1::{
        Button, ConceptCard, DrillCard, ExamCard, ExamOption, TutorCard, WorkedExample,
        tutor_card::Content,
    },
};

/// A text that a student can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadableText<'a> {
    /// What it says; may be empty.
    pub text: &'a str,
    /// Whose words they are.
    pub author: Author,
    /// How it is drawn.
    pub form: TextForm,
}

/// How a client draws a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// As words, with formulas between dollars.
    Prose,
    /// As one formula in LaTeX.
    Formula,
}

/// Whose words a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// Whoever made the reply: a model, or the policy's fallback.
    Reply,
    /// The exam catalogue of the course.
    Catalogue,
}

impl Reply {
    /// Everything that a student can read of the reply, its card included.
    pub fn readable_texts(&self) -> Vec<ReadableText<'_>> {
        let Self {
            action: _,
            target_unit_id: _,
            text,
            card,
            drill_id: _,
        } = self;
        let mut texts = vec![Author::Reply.says(text)];
        texts.extend(card.iter().flat_map(TutorCard::readable_texts));
        texts
    }
}

impl TutorCard {
    /// Everything that a student can read of the card.
    pub fn readable_texts(&self) -> Vec<ReadableText<'_>> {
        let Self {
            unit_id: _,
            content,
            buttons,
        } = self;
        buttons.iter().for_each(no_text);
        match content {
            None => Vec::new(),
            Some(Content::Concept(card)) => concept(card),
            Some(Content::Drill(card)) => drill(card),
            Some(Content::Exam(card)) => exam(card),
        }
    }
}

impl Author {
    fn says(self, text: &str) -> ReadableText<'_> {
        ReadableText {
            text,
            author: self,
            form: TextForm::Prose,
        }
    }

    fn draws(self, text: &str) -> ReadableText<'_> {
        ReadableText {
            form: TextForm::Formula,
            ..self.says(text)
        }
    }
}

fn concept(card: &ConceptCard) -> Vec<ReadableText<'_>> {
    let ConceptCard {
        key_ideas,
        worked_example,
    } = card;
    let ideas = key_ideas.iter().map(|text| Author::Reply.says(text));
    let mut texts: Vec<_> = ideas.collect();
    if let Some(WorkedExample {
        problem_latex,
        final_answer_latex,
        steps_latex,
    }) = worked_example
    {
        let formulas = [problem_latex, final_answer_latex]
            .into_iter()
            .chain(steps_latex);
        texts.extend(formulas.map(|text| Author::Reply.draws(text)));
    }
    texts
}

fn drill(card: &DrillCard) -> Vec<ReadableText<'_>> {
    let DrillCard {
        prompt,
        question_latex,
        drill_token: _,
    } = card;
    vec![
        Author::Reply.says(prompt),
        Author::Reply.draws(question_latex),
    ]
}

fn exam(card: &ExamCard) -> Vec<ReadableText<'_>> {
    let ExamCard {
        question_id: _,
        tier: _,
        prompt,
        question_latex,
        options,
        state: _,
        locked_until: _,
        offer_token: _,
    } = card;
    let options = options.iter().map(|ExamOption { option_id: _, text }| text);
    let mut texts = vec![
        Author::Catalogue.says(prompt),
        Author::Catalogue.draws(question_latex),
    ];
    texts.extend(options.map(|text| Author::Catalogue.says(text)));
    texts
}

/// A button's words are the client's own, the catalogue's, or what the student typed; below a card none names a unit.
fn no_text(
    Button {
        label_key: _,
        event: _,
        primary: _,
        call: _,
        unit_title: _,
        typed_answer: _,
        card_token: _,
        label: _,
    }: &Button,
) {
}
