//! One version of a course as it is served: its pack, its mapping, and the index that each tenant searches.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use arc_swap::ArcSwap;
use turnwise_course_pack as pack;
use turnwise_course_pack::{Chunk, ClarifyingDocument, Pack, Question, Support, Unit};
use turnwise_retrieval_index::{Index, Namespace, Passage, Tier};
use turnwise_retrieval_relevance::{DOCUMENT, Mapping, Titles, is_topic, passage_of, titles};
use turnwise_text::Analyser;

/// How far the vectors of an index are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dense {
    /// No model is configured.
    NoModel,
    /// Some are still being made.
    Pending,
    /// All are there.
    Complete,
}

/// What a tenant searches: an index, and what is to be told of it.
pub struct View {
    /// The index.
    pub index: Arc<dyn Index>,
    /// Whether all chunks have their vectors, so that meaning takes part: with some, it would rank what happens to have
    /// one above what has none yet.
    pub ranks_by_meaning: bool,
    /// How far the vectors of all parts are.
    pub dense: Dense,
    /// How many texts have a vector.
    pub embedded: usize,
    /// How many texts need one.
    pub to_embed: usize,
    /// How many uploaded sources are in it.
    pub sources: usize,
    /// What is wrong and what to do; empty: nothing is.
    pub problem: String,
}

impl View {
    /// Names what is searched: equal ids give equal answers.
    pub fn id(&self) -> &str {
        &self.index.content().id
    }

    /// How many rows a namespace has.
    pub fn rows(&self, namespace: Namespace) -> usize {
        self.index.content().statistics.documents(namespace)
    }
}

/// The views of one version of a course.
#[derive(Default, Clone)]
pub struct Views {
    /// What everybody without uploads searches; `None`: the search engine has not had it yet.
    pub base: Option<Arc<View>>,
    /// What tenants with uploads search.
    pub tenants: BTreeMap<Box<str>, Arc<View>>,
}

/// One version of a course.
pub struct CourseVersion {
    pack: Pack,
    units: HashMap<String, usize>,
    questions: HashMap<String, usize>,
    support: HashMap<String, usize>,
    documents: HashMap<String, usize>,
    /// By unit, in the units' order.
    rows: Vec<UnitRows>,
    titles: Titles,
    /// How texts are cut into terms.
    pub analyser: Arc<Analyser>,
    /// From messages to units.
    pub mapping: Mapping,
    views: ArcSwap<Views>,
}

/// What the pack has of one unit, in its own order.
#[derive(Default)]
struct UnitRows {
    chunks: Vec<usize>,
    questions: Vec<usize>,
    support: Vec<usize>,
}

fn places<'a, T: 'a>(
    items: impl IntoIterator<Item = &'a T>,
    id: impl Fn(&T) -> &String,
) -> HashMap<String, usize> {
    items
        .into_iter()
        .enumerate()
        .map(|(place, item)| (id(item).clone(), place))
        .collect()
}

impl CourseVersion {
    /// A version that nobody can search yet.
    pub fn new(pack: Pack) -> Self {
        let analyser = Arc::new(Analyser::new(&pack.course.locale));
        let units = places(&pack.units, |unit| &unit.id);
        let questions = places(&pack.questions, |question| &question.id);
        Self {
            rows: rows(&pack, &units, &questions),
            titles: titles(&pack),
            units,
            questions,
            support: places(&pack.support, |support| &support.id),
            documents: places(&pack.documents, |document| &document.id),
            mapping: Mapping::new(&pack, Arc::clone(&analyser)),
            analyser,
            pack,
            views: ArcSwap::default(),
        }
    }

    /// The pack.
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// The course's id.
    pub fn id(&self) -> &str {
        &self.pack.course.id
    }

    /// The unit with this id.
    pub fn unit(&self, id: &str) -> Option<&Unit> {
        self.units.get(id).map(|place| &self.pack.units[*place])
    }

    /// Whether this is a unit that only greets: its texts have the words of everybody who does not know what to ask.
    pub fn only_greets(&self, id: &str) -> bool {
        self.unit(id)
            .is_some_and(|unit| !is_topic(&self.pack, unit))
    }

    /// The exam question with this id.
    pub fn question(&self, id: &str) -> Option<&Question> {
        let place = self.questions.get(id)?;
        Some(&self.pack.questions[*place])
    }

    /// The guidance with this id.
    pub fn support(&self, id: &str) -> Option<&Support> {
        self.support.get(id).map(|place| &self.pack.support[*place])
    }

    /// The document with this id.
    pub fn document(&self, id: &str) -> Option<&ClarifyingDocument> {
        let place = self.documents.get(id)?;
        Some(&self.pack.documents[*place])
    }

    /// These units, each once, in the course's order; unknown ones are left out.
    pub fn in_order(&self, ids: &[String]) -> Vec<&str> {
        let mut places: Vec<usize> = ids
            .iter()
            .filter_map(|id| self.units.get(id).copied())
            .collect();
        places.sort_unstable();
        places.dedup();
        let units = places
            .into_iter()
            .map(|place| self.pack.units[place].id.as_str());
        units.collect()
    }

    /// The pack's chunks of these units.
    pub fn chunks_of(&self, units: &[&str], order: Order) -> Vec<&Chunk> {
        let rows = units.iter().filter_map(|unit| self.rows_of(unit));
        let chunks = rows.flat_map(|rows| &rows.chunks);
        let mut chunks: Vec<&Chunk> = chunks.map(|place| &self.pack.chunks[*place]).collect();
        if order == Order::Ids {
            chunks.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        }
        chunks
    }

    /// The ids of a unit's exam questions of a tier.
    pub fn questions_of(&self, unit: &str, tier: Tier, order: Order) -> Vec<&str> {
        let tier = match tier {
            Tier::Bronze => pack::Tier::Bronze,
            Tier::Silver => pack::Tier::Silver,
            Tier::Gold => pack::Tier::Gold,
        };
        let rows = self.rows_of(unit).into_iter();
        let questions = rows
            .flat_map(|rows| &rows.questions)
            .map(|place| &self.pack.questions[*place])
            .filter(|question| question.tier == tier)
            .map(|question| question.id.as_str());
        order.of(questions.collect())
    }

    /// The ids of the guidance on a unit's exam questions.
    pub fn support_of(&self, unit: &str, order: Order) -> Vec<&str> {
        let rows = self.rows_of(unit).into_iter();
        let support = rows
            .flat_map(|rows| &rows.support)
            .map(|place| self.pack.support[*place].id.as_str());
        order.of(support.collect())
    }

    /// The guidance on one of a unit's exam questions, in the course's order.
    pub fn support_on(&self, unit: &str, question: &str) -> Vec<&Support> {
        let rows = self.rows_of(unit).into_iter();
        let support = rows
            .flat_map(|rows| &rows.support)
            .map(|place| &self.pack.support[*place])
            .filter(|support| support.question == question);
        support.collect()
    }

    fn rows_of(&self, unit: &str) -> Option<&UnitRows> {
        self.units.get(unit).map(|place| &self.rows[*place])
    }

    /// What is shown of a chunk of the pack.
    pub fn passage(&self, chunk: &Chunk) -> Passage {
        passage_of(chunk, &self.titles)
    }

    /// The document that a passage is a piece of.
    pub fn document_of(&self, passage: &Passage) -> Option<&ClarifyingDocument> {
        (&*passage.section_kind == DOCUMENT).then_some(())?;
        self.document(&passage.source)
    }

    /// What a tenant searches now.
    pub fn view(&self, tenant: &str) -> Option<Arc<View>> {
        let views = self.views.load();
        let own = views.tenants.get(tenant);
        own.or(views.base.as_ref()).cloned()
    }

    /// All views.
    pub fn views(&self) -> Arc<Views> {
        self.views.load_full()
    }

    /// Shows other views from now on. Whoever searches goes on with what they have.
    pub fn show(&self, views: Views) {
        self.views.store(Arc::new(views));
    }
}

/// In which order rows come that nothing ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The course's own: nothing was asked.
    Course,
    /// By id: they did not match what was asked.
    Ids,
}

impl Order {
    /// The ids, which stand in the course's order, in this one.
    pub fn of(self, mut ids: Vec<&str>) -> Vec<&str> {
        if self == Self::Ids {
            ids.sort_unstable();
        }
        ids
    }
}

fn rows(
    pack: &Pack,
    units: &HashMap<String, usize>,
    questions: &HashMap<String, usize>,
) -> Vec<UnitRows> {
    let mut rows: Vec<UnitRows> = pack.units.iter().map(|_| UnitRows::default()).collect();
    for (place, chunk) in pack.chunks.iter().enumerate() {
        if let Some(unit) = units.get(&chunk.unit) {
            rows[*unit].chunks.push(place);
        }
    }
    for (place, question) in pack.questions.iter().enumerate() {
        for unit in question.units.iter().filter_map(|unit| units.get(unit)) {
            rows[*unit].questions.push(place);
        }
    }
    for (place, support) in pack.support.iter().enumerate() {
        let Some(question) = questions.get(&support.question) else {
            continue;
        };
        let units_of = &pack.questions[*question].units;
        for unit in units_of.iter().filter_map(|unit| units.get(unit)) {
            rows[*unit].support.push(place);
        }
    }
    rows
}
