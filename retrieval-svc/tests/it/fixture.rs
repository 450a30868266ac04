//! A small course, and a client of the service that serves it.

use std::{collections::BTreeMap, sync::Arc};

use tonic::service::Routes;
use turnwise_course_pack::{
    Chunk, ChunkType, Course, Drill, Pack, PolicyOverrides, Question, QuestionOption, Support,
    SupportKind, Tier, Unit, Version,
};
use turnwise_proto::{
    retrieval::v1::{
        MapMessageRequest, Namespace, RetrieveRequest,
        retrieval_service_client::RetrievalServiceClient,
    },
    tutor::v1::MasteryTier,
};
use turnwise_retrieval_svc::{Courses, index::CourseIndex, routes_over};

pub type Client = RetrievalServiceClient<Routes>;

/// A client of a service that serves these packs.
pub fn client(packs: impl IntoIterator<Item = Pack>) -> Client {
    let courses = Courses::default();
    for pack in packs {
        courses.serve(Version {
            course_id: pack.course.id.clone(),
            hash: pack.hash.clone(),
            value: Arc::new(CourseIndex::new(pack)),
        });
    }
    RetrievalServiceClient::new(routes_over(Arc::new(courses)).prepare())
}

pub const COURSE: &str = "tiny";
pub const HASH: &str = "0123456789abcdef";

pub fn empty_pack() -> Pack {
    Pack {
        hash: HASH.to_owned(),
        course: Course {
            id: COURSE.to_owned(),
            title: "Tiny".to_owned(),
            locale: "en".to_owned(),
            entry_unit: "start".to_owned(),
            policy: PolicyOverrides::default(),
        },
        units: Vec::new(),
        lessons: Vec::new(),
        chunks: Vec::new(),
        questions: Vec::new(),
        support: Vec::new(),
        references: BTreeMap::new(),
    }
}

pub fn unit(id: &str, title: &str) -> Unit {
    Unit {
        id: id.to_owned(),
        title: title.to_owned(),
        summary: format!("About {title}."),
        prerequisites: Vec::new(),
        assessable: true,
        tags: vec![title.to_owned()],
        anchors: Vec::new(),
        misconceptions: vec![format!("A mistake about {title}.")],
        mistake_tags: Vec::new(),
        drills: vec![Drill {
            id: format!("{id}-d1"),
            prompt: format!("Practise {title}."),
            question_latex: String::new(),
            answer: "1".to_owned(),
        }],
    }
}

pub fn chunk(id: &str, unit: &str, text: &str) -> Chunk {
    Chunk {
        id: id.to_owned(),
        unit: unit.to_owned(),
        chunk_type: ChunkType::Text,
        section_kind: "explanation".to_owned(),
        source: format!("lesson-{unit}"),
        section: String::new(),
        url: format!("https://example.org/{id}"),
        text: text.to_owned(),
    }
}

pub fn question(id: &str, units: &[&str], tier: Tier, prompt: &str) -> Question {
    Question {
        id: id.to_owned(),
        units: units.iter().map(|unit| (*unit).to_owned()).collect(),
        tier,
        tags: vec!["tag".to_owned()],
        prompt: prompt.to_owned(),
        question_latex: String::new(),
        options: vec![QuestionOption {
            id: "a".to_owned(),
            text: "an option".to_owned(),
        }],
        answer: "a".to_owned(),
    }
}

pub fn support(id: &str, question: &str, text: &str) -> Support {
    Support {
        id: id.to_owned(),
        question: question.to_owned(),
        kind: SupportKind::Memo,
        text: text.to_owned(),
    }
}

/// An entry unit that only greets, and three topics with lessons, questions and support.
pub fn tiny_course() -> Pack {
    let mut pack = empty_pack();
    let mut entry = unit("start", "Welcome");
    entry.assessable = false;
    entry.drills.clear();
    entry.anchors = vec!["I am lost and need assistance".to_owned()];
    pack.units.push(entry);
    pack.chunks
        .push(chunk("start-c1", "start", "Lost? Assistance begins here."));
    let topics = [
        (
            "slope",
            "Slope of a line",
            "The slope of a line tells how steep the line is: rise over run.",
            "Find the slope of the line through (1, 2) and (3, 8).",
        ),
        (
            "factor",
            "Factoring quadratics",
            "To factor a quadratic, find two numbers whose product is the constant term.",
            "Factor the quadratic x^2 + 5x + 6.",
        ),
        (
            "fraction",
            "Adding fractions",
            "Fractions with a common denominator are added by their numerators.",
            "Add the fractions 1/2 + 1/3.",
        ),
    ];
    // Not in the order of their ids, so that the course's own order can be told from it.
    for (id, title, lesson, exercise) in topics {
        pack.units.push(unit(id, title));
        for number in 1..=10 {
            // Later lessons have earlier ids.
            let chunk_id = format!("{id}-c{:02}", 20 - number);
            let text = format!("{lesson} Part {number}.");
            pack.chunks.push(chunk(&chunk_id, id, &text));
        }
        for (tier, name) in [(Tier::Bronze, "b"), (Tier::Silver, "s"), (Tier::Gold, "g")] {
            for number in 1..=12 {
                let question_id = format!("{id}-{name}{number:02}");
                pack.questions
                    .push(question(&question_id, &[id], tier, exercise));
            }
        }
        for number in 1..=6 {
            let question_id = format!("{id}-b{number:02}");
            let support_id = format!("{question_id}-memo");
            pack.support.push(support(
                &support_id,
                &question_id,
                &format!("Think of {title}."),
            ));
        }
    }
    pack.questions.push(question(
        "both-b01",
        &["slope", "fraction"],
        Tier::Bronze,
        "A slope that is a fraction.",
    ));
    pack
}

pub const ALL: [Namespace; 4] = [
    Namespace::UnitAnchors,
    Namespace::UnitContentChunks,
    Namespace::ExamCandidates,
    Namespace::ExamSupportChunks,
];

/// A search in all namespaces of the tiny course.
pub fn search(text: &str) -> RetrieveRequest {
    RetrieveRequest {
        course_id: COURSE.to_owned(),
        pack_hash: HASH.to_owned(),
        text: text.to_owned(),
        scoped_unit_ids: vec!["slope".to_owned(), "factor".to_owned()],
        focus_unit_id: "slope".to_owned(),
        desired_exam_tier: MasteryTier::Bronze.into(),
        namespaces: ALL.map(i32::from).to_vec(),
    }
}

pub fn message(text: &str, recent: &[&str]) -> MapMessageRequest {
    MapMessageRequest {
        course_id: COURSE.to_owned(),
        text: text.to_owned(),
        recent_texts: recent.iter().map(|text| (*text).to_owned()).collect(),
    }
}
