//! Sources that staff upload to a course, step by step, and what is found of them.

use std::collections::BTreeSet;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Response, Status, Streaming};
use turnwise_proto::retrieval::v1::{
    Namespace, SearchRequest, SearchResponse, SourceBegin, SourceChunk, SourceChunks, SourceCommit,
    SourceCommitted, SourceResume, UpsertSourceRequest, UpsertSourceResponse,
    upsert_source_request::Step, upsert_source_response::Event,
};

/// The most hits of one search, and so the most chunks of a source that [`Upload::found`] can tell to be whole.
pub const MOST_FOUND: usize = 100;

/// One revision of a source. Each of its chunks holds a word that no other revision has.
#[derive(Debug, Clone)]
pub struct Upload {
    /// The course.
    pub course: String,
    /// The source's id.
    pub source: String,
    /// The revision.
    pub revision: String,
    /// What every chunk holds.
    pub word: String,
    /// The chunks.
    pub chunks: Vec<SourceChunk>,
}

impl Upload {
    /// A source of so many chunks, spread over these units; other numbers give other revisions.
    pub fn new(course: &str, source: &str, number: u64, units: &[&str], chunks: usize) -> Self {
        let word = word(number);
        let chunks = (0..chunks).map(|place| SourceChunk {
            chunk_id: format!("c{place}"),
            unit_id: units[place % units.len()].to_owned(),
            section: format!("Part {place}"),
            url: format!("https://example.org/{source}#{place}"),
            text: format!(
                "The teacher said {word} when the class talked about lines, slopes and signs. That was part {place} \
                 of {source}."
            ),
            ..SourceChunk::default()
        });
        Self {
            course: course.to_owned(),
            source: source.to_owned(),
            revision: format!("r{number}"),
            chunks: chunks.collect(),
            word,
        }
    }

    /// The step that names it.
    pub fn begin(&self) -> UpsertSourceRequest {
        step(Step::Begin(SourceBegin {
            course_id: self.course.clone(),
            source_id: self.source.clone(),
            revision: self.revision.clone(),
            title: format!("The lesson {}", self.source),
            chunk_type: "transcript".to_owned(),
            chunk_count: int(self.chunks.len()),
        }))
    }

    /// The step with the chunks from one place to another.
    pub fn pieces(&self, from: usize, to: usize) -> UpsertSourceRequest {
        step(Step::Chunks(SourceChunks {
            first: int(from),
            chunks: self.chunks[from..to].to_vec(),
        }))
    }

    /// The ids that its chunks have among those of the course.
    pub fn ids(&self) -> BTreeSet<String> {
        let chunks = self.chunks.iter();
        chunks
            .map(|chunk| format!("{}/{}", self.source, chunk.chunk_id))
            .collect()
    }

    /// The search for its word.
    pub fn search(&self) -> SearchRequest {
        SearchRequest {
            course_id: self.course.clone(),
            text: self.word.clone(),
            namespace: Namespace::UnitContentChunks.into(),
            top_k: int(MOST_FOUND),
            ..SearchRequest::default()
        }
    }

    /// The ids of its chunks among the hits of that search.
    pub fn found(&self, response: &SearchResponse) -> BTreeSet<String> {
        let hits = response.hits.iter();
        hits.filter(|hit| hit.text.contains(&self.word))
            .map(|hit| hit.id.clone())
            .collect()
    }
}

/// A word for a number, without vowels: no stemmer shortens it.
pub fn word(number: u64) -> String {
    let letters = b"bcdfghjklm";
    let digits = number.to_string();
    let of_digit = |digit: u8| char::from(letters[usize::from(digit - b'0')]);
    format!("zq{}qz", digits.bytes().map(of_digit).collect::<String>())
}

fn step(step: Step) -> UpsertSourceRequest {
    UpsertSourceRequest { step: Some(step) }
}

fn int(count: usize) -> i32 {
    i32::try_from(count).unwrap()
}

/// The steps of an upload, as a call takes them.
pub type Steps = ReceiverStream<UpsertSourceRequest>;

/// An upload under way.
pub struct Uploading {
    steps: mpsc::Sender<UpsertSourceRequest>,
    answers: Streaming<UpsertSourceResponse>,
}

impl Uploading {
    /// Begins, with a call that `open` makes of the steps; answers where to go on.
    pub async fn begin(
        upload: &Upload,
        open: impl AsyncFnOnce(Steps) -> Result<Response<Streaming<UpsertSourceResponse>>, Status>,
    ) -> Result<(Self, SourceResume), Status> {
        let (steps, stream) = mpsc::channel(1);
        let _ = steps.send(upload.begin()).await;
        let answers = open(ReceiverStream::new(stream)).await?.into_inner();
        let mut uploading = Self { steps, answers };
        match uploading.next().await? {
            Event::Resume(resume) => Ok((uploading, resume)),
            other => panic!("begin is answered with {other:?}"),
        }
    }

    /// Sends chunks and does not wait.
    pub async fn send(&self, upload: &Upload, from: usize, to: usize) {
        // Where nobody takes it any more, the next answer tells why.
        let _ = self.steps.send(upload.pieces(from, to)).await;
    }

    /// Sends chunks; answers how many are stored for good.
    pub async fn stage(&mut self, upload: &Upload, from: usize, to: usize) -> Result<i32, Status> {
        self.send(upload, from, to).await;
        match self.next().await? {
            Event::Progress(progress) => Ok(progress.stored),
            other => panic!("chunks are answered with {other:?}"),
        }
    }

    /// Commits.
    pub async fn commit(&mut self) -> Result<SourceCommitted, Status> {
        let _ = self.steps.send(step(Step::Commit(SourceCommit {}))).await;
        loop {
            match self.next().await? {
                Event::Progress(_) => {}
                Event::Committed(committed) => return Ok(committed),
                Event::Resume(resume) => panic!("commit is answered with {resume:?}"),
            }
        }
    }

    /// Sends what is missing from this place on, so many chunks at once, and commits.
    pub async fn finish(
        &mut self,
        upload: &Upload,
        resume: &SourceResume,
        at_once: usize,
    ) -> Result<SourceCommitted, Status> {
        let mut from = usize::try_from(resume.next).unwrap();
        while from < upload.chunks.len() {
            let to = upload.chunks.len().min(from + at_once);
            assert_eq!(self.stage(upload, from, to).await?, int(to));
            from = to;
        }
        self.commit().await
    }

    async fn next(&mut self) -> Result<Event, Status> {
        let answer = self.answers.message().await?;
        let answer = answer.ok_or_else(|| Status::unavailable("the answers ended"))?;
        Ok(answer.event.unwrap())
    }
}
