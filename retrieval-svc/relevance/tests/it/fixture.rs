//! A course small enough to know by heart.

use std::sync::Arc;

use turnwise_course_pack::{
    Chunk, ChunkType, Course, Lesson, Pack, Question, QuestionOption, Support, SupportKind, Tier,
    Unit,
};
use turnwise_retrieval_index::{Hit, Ranked};
use turnwise_retrieval_relevance::{Mapped, Mapping};
use turnwise_text::Analyser;

pub fn analyser() -> Arc<Analyser> {
    Arc::new(Analyser::new("en"))
}

pub fn unit(id: &str, title: &str) -> Unit {
    Unit {
        id: id.to_owned(),
        title: title.to_owned(),
        assessable: true,
        ..Unit::default()
    }
}

pub fn chunk(id: &str, unit: &str, section: &str, text: &str) -> Chunk {
    Chunk {
        id: id.to_owned(),
        unit: unit.to_owned(),
        chunk_type: ChunkType::Text,
        section_kind: "explanation".to_owned(),
        source: format!("{unit}-book"),
        section: section.to_owned(),
        url: "https://example.org/page".to_owned(),
        text: text.to_owned(),
    }
}

pub fn question(id: &str, unit: &str, prompt: &str) -> Question {
    Question {
        id: id.to_owned(),
        units: vec![unit.to_owned()],
        tier: Tier::Silver,
        tags: vec!["practice".to_owned()],
        prompt: prompt.to_owned(),
        question_latex: "\\frac{1}{2}".to_owned(),
        options: vec![QuestionOption {
            id: "a".to_owned(),
            text: "elephant".to_owned(),
        }],
        answer: "giraffe".to_owned(),
    }
}

/// Three topics with ten lessons each, and a unit that only greets.
pub fn course() -> Pack {
    let topics = [
        (
            "slope",
            "Slope of a line",
            "The slope of a line is rise over run.",
        ),
        (
            "factor",
            "Factoring quadratics",
            "To factor a quadratic find two numbers.",
        ),
        (
            "fraction",
            "Adding fractions",
            "Fractions need a common denominator.",
        ),
    ];
    let mut pack = Pack {
        hash: "hash".to_owned(),
        course: Course {
            id: "tiny".to_owned(),
            title: "Tiny".to_owned(),
            locale: "en".to_owned(),
            entry_unit: "start".to_owned(),
            ..Course::default()
        },
        units: vec![Unit {
            assessable: false,
            summary: "Lost? Need assistance? Begin here.".to_owned(),
            ..unit("start", "Welcome")
        }],
        ..Pack::default()
    };
    for (id, title, lesson) in topics {
        pack.units.push(unit(id, title));
        pack.lessons.push(Lesson {
            unit: id.to_owned(),
            source: format!("{id}-book"),
            chunk_type: ChunkType::Text,
            title: format!("The book of {id}"),
            allowed_topics: Vec::new(),
            reference: String::new(),
            url: String::new(),
            help: turnwise_course_pack::LessonHelp::default(),
        });
        for number in 0..10 {
            let text = format!("{lesson} Part {number}.");
            pack.chunks
                .push(chunk(&format!("{id}-c{number}"), id, title, &text));
        }
        pack.questions
            .push(question(&format!("{id}-q"), id, lesson));
        pack.support.push(Support {
            id: format!("{id}-memo"),
            question: format!("{id}-q"),
            kind: SupportKind::Memo,
            text: format!("Think of {title}."),
        });
    }
    pack
}

pub fn mapping() -> Mapping {
    Mapping::new(&course(), analyser())
}

pub fn map<'a>(mapping: &'a Mapping, text: &str, recent: &[&str]) -> Vec<Mapped<'a>> {
    mapping.map(&mapping.turn(text, recent), None)
}

/// The nearest chunks as an engine would name them.
pub fn near(units: &[(&str, f64)]) -> Vec<Hit> {
    (1..)
        .zip(units)
        .map(|(rank, (unit, score))| Hit {
            id: format!("{unit}-{rank}").into(),
            units: vec![(*unit).into()],
            score: 1.0 / f64::from(rank),
            lexical: None,
            dense: Some(Ranked {
                score: *score,
                rank,
            }),
            passage: None,
        })
        .collect()
}
