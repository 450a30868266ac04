//! A small course, and a client of the service that serves it.

use std::{sync::Arc, time::Duration};

use tonic::{Request, service::Routes};
use turnwise_course_pack::{
    Chunk, ChunkType, Course, Drill, Pack, Question, QuestionOption, Support, SupportKind, Tier,
    Unit, Version,
};
use turnwise_kit::{CallContext, Caller, Kit};
use turnwise_proto::{
    retrieval::v1::{
        MapMessageRequest, Namespace, RetrieveRequest, index_service_client::IndexServiceClient,
        retrieval_service_client::RetrievalServiceClient,
    },
    tutor::v1::MasteryTier,
};
use turnwise_retrieval_embeddings::{Embedder, NoModel, Queries};
use turnwise_retrieval_index::{EmbeddedEngine, Precision};
use turnwise_retrieval_store::Store;
use turnwise_retrieval_svc::{
    Courses,
    config::Backends,
    grpc::Served,
    indexing::Indexer,
    references::{ReferenceSettings, References},
    routes_over,
};

pub type Client = RetrievalServiceClient<Routes>;
pub type IndexClient = IndexServiceClient<Routes>;

/// A service over these packs, with what tests look into.
pub struct Rig {
    pub courses: Arc<Courses>,
    pub indexer: Arc<Indexer>,
    pub routes: Routes,
    pub kit: Kit,
}

impl Rig {
    pub fn client(&self) -> Client {
        RetrievalServiceClient::new(self.routes.clone())
    }

    pub fn index(&self) -> IndexClient {
        IndexServiceClient::new(self.routes.clone())
    }

    /// Has the background look after the courses, until the rig's kit ends.
    pub fn tend(&self) {
        let tending = Arc::clone(&self.indexer).tend(Duration::ZERO, self.kit.shutdown.clone());
        self.kit.tasks.spawn(tending);
    }
}

/// In memory, with this embedder.
pub async fn backends(embedder: Arc<dyn Embedder>) -> Backends {
    let store = Arc::new(Store::in_memory().unwrap());
    backends_over(store, embedder).await
}

/// Over this store, with this embedder.
pub async fn backends_over(store: Arc<Store>, embedder: Arc<dyn Embedder>) -> Backends {
    let call = CallContext::background(None, LONG);
    let model = embedder.describe(&call).await.unwrap();
    Backends {
        engine: Arc::new(EmbeddedEngine::new(model.clone(), Precision::F32)),
        sources: store.clone(),
        cache: store,
        queries: Arc::new(Queries::new(Arc::clone(&embedder), LONG)),
        embedder,
        wants_model: model.is_some(),
        model,
        shared: None,
    }
}

/// Longer than anything here takes.
pub const LONG: Duration = Duration::from_secs(3600);

pub async fn rig(packs: impl IntoIterator<Item = Pack>, backends: Backends) -> Rig {
    rig_with(packs, backends, no_references()).await
}

/// One with these reference texts.
pub async fn rig_with(
    packs: impl IntoIterator<Item = Pack>,
    backends: Backends,
    references: References,
) -> Rig {
    let kit = Kit::for_tests();
    let courses = Arc::new(Courses::default());
    let queries = Arc::clone(&backends.queries);
    let indexer = Arc::new(Indexer::new(backends, Arc::clone(&kit.clock)));
    for pack in packs {
        courses.serve(Version {
            course_id: pack.course.id.clone(),
            hash: pack.hash.clone(),
            value: Arc::new(indexer.version(pack).await),
        });
    }
    let served = Served {
        courses: Arc::clone(&courses),
        indexer: Arc::clone(&indexer),
        queries,
        references,
        upserts: true,
        pages: kit.pages.clone(),
        shutdown: kit.shutdown.clone(),
    };
    Rig {
        courses,
        indexer,
        routes: routes_over(Arc::new(served)).prepare(),
        kit,
    }
}

/// The packs' own reference texts alone.
pub fn no_references() -> References {
    let settings = ReferenceSettings {
        helper_reference_map: "{}".to_owned(),
        ..ReferenceSettings::default()
    };
    References::open(&settings).unwrap()
}

/// A client of a service that serves these packs, by words alone.
pub async fn client(packs: impl IntoIterator<Item = Pack>) -> Client {
    let rig = rig(packs, backends(Arc::new(NoModel)).await).await;
    rig.client()
}

/// A request by somebody of this tenant.
pub fn by<T>(tenant: &str, role: &str, message: T) -> Request<T> {
    let caller = Caller {
        tenant: tenant.to_owned(),
        subject: "somebody".to_owned(),
        role: role.to_owned(),
        groups: Vec::new(),
    };
    CallContext::default().on_behalf_of(caller).request(message)
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
            ..Course::default()
        },
        ..Pack::default()
    }
}

pub fn unit(id: &str, title: &str) -> Unit {
    Unit {
        id: id.to_owned(),
        title: title.to_owned(),
        summary: format!("About {title}."),
        assessable: true,
        tags: vec![title.to_owned()],
        misconceptions: vec![format!("A mistake about {title}.").into()],
        drills: vec![Drill {
            id: format!("{id}-d1"),
            prompt: format!("Practise {title}."),
            answer: "1".to_owned(),
            ..Drill::default()
        }],
        ..Unit::default()
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
        recent_texts: Vec::new(),
        question_id: String::new(),
        clarified_document_ids: Vec::new(),
    }
}

pub fn message(text: &str, recent: &[&str]) -> MapMessageRequest {
    MapMessageRequest {
        course_id: COURSE.to_owned(),
        text: text.to_owned(),
        recent_texts: recent.iter().map(|text| (*text).to_owned()).collect(),
        pack_hash: String::new(),
    }
}
