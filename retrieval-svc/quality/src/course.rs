//! A course with its index and its mapping, and what they answer.

use std::{collections::BTreeMap, sync::Arc};

use turnwise_course_pack::Pack;
use turnwise_retrieval_embeddings::Purpose;
use turnwise_retrieval_index::{
    Content, EmbeddedEngine, Engine, Filter, Hit, Index, Namespace, Part, PartId, Precision,
    Statistics,
};
use turnwise_retrieval_relevance::{Mapping, NEAREST, Turn, documents_of_pack, text_to_embed};
use turnwise_text::Analyser;

use crate::vectors::Vectors;

/// Chunks that vote for units in an unscoped search.
const VOTERS: usize = 40;
/// Chunks that are judged.
const JUDGED: usize = 10;

/// A course, ready to be asked.
pub struct Course {
    /// What maps messages.
    pub mapping: Mapping,
    /// The units' ids in course order.
    pub units: Vec<String>,
    /// The unit of each chunk.
    pub chunks: BTreeMap<String, String>,
    index: Arc<dyn Index>,
}

/// What a course answers.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The mapped units with their confidences.
    pub mapped: Vec<(String, f64)>,
    /// The best chunks of the whole course.
    pub chunks: Vec<Hit>,
    /// The best chunks of the scope.
    pub scoped: Vec<Hit>,
}

impl Course {
    /// Indexes a course; with vectors if there is a model.
    ///
    /// # Errors
    /// The model fails, or the engine refuses the course.
    pub async fn new(pack: &Pack, mut vectors: Option<&mut Vectors>) -> anyhow::Result<Self> {
        let analyser = Arc::new(Analyser::new(&pack.course.locale));
        let mut documents = documents_of_pack(pack, &analyser);
        if let Some(vectors) = &mut vectors {
            let texts: Vec<Option<String>> = documents.iter().map(text_to_embed).collect();
            let wanted: Vec<String> = texts.iter().flatten().cloned().collect();
            let mut made = vectors.of(&wanted, Purpose::Document).await?.into_iter();
            for (document, _) in documents
                .iter_mut()
                .zip(&texts)
                .filter(|(_, text)| text.is_some())
            {
                document.vector = made.next().flatten().map(|vector| vector.to_vec());
            }
        }
        let model = vectors.map(|vectors| vectors.id().clone());
        let id = PartId {
            tenant: "".into(),
            course: pack.course.id.as_str().into(),
            source: "".into(),
            revision: pack.hash.as_str().into(),
        };
        let part = Arc::new(Part::new(id.clone(), model.clone(), documents)?);
        let statistics = Arc::new(Statistics::of([&*part]));
        let engine = EmbeddedEngine::new(model, Precision::F32);
        engine.publish(part).await?;
        let index = engine
            .open(Content {
                id: pack.hash.as_str().into(),
                tenant: "".into(),
                course: pack.course.id.as_str().into(),
                parts: vec![id],
                statistics,
            })
            .await?;
        Ok(Self {
            mapping: Mapping::new(pack, analyser),
            units: pack.units.iter().map(|unit| unit.id.clone()).collect(),
            chunks: pack
                .chunks
                .iter()
                .map(|chunk| (chunk.id.clone(), chunk.unit.clone()))
                .collect(),
            index,
        })
    }

    /// What the course answers to a turn. `vector` is the turn's; `None`: words alone decide.
    ///
    /// # Errors
    /// The engine fails.
    pub async fn ask(
        &self,
        turn: &Turn,
        vector: Option<Arc<[f32]>>,
        scope: &[&str],
    ) -> anyhow::Result<Answer> {
        let nearest = match &vector {
            None => None,
            Some(vector) => {
                let query = Turn::nearest(Arc::clone(vector));
                Some(self.search(&query, &Filter::default(), NEAREST).await?)
            }
        };
        let mapped = self.mapping.map(turn, nearest.as_deref());
        let query = turn.query(Namespace::Chunks, vector);
        let filter = Filter {
            units: Some(scope.iter().map(|unit| (*unit).into()).collect()),
            tier: None,
        };
        Ok(Answer {
            mapped: mapped
                .into_iter()
                .map(|mapped| (mapped.unit.to_owned(), mapped.confidence))
                .collect(),
            chunks: self.search(&query, &Filter::default(), VOTERS).await?,
            scoped: self.search(&query, &filter, JUDGED).await?,
        })
    }

    async fn search(
        &self,
        query: &turnwise_retrieval_index::Query,
        filter: &Filter,
        top: usize,
    ) -> anyhow::Result<Vec<Hit>> {
        Ok(self
            .index
            .search(Namespace::Chunks, query, filter, top)
            .await?)
    }
}
