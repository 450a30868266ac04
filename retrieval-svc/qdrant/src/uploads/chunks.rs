//! The chunks of an upload.

use std::collections::HashSet;

use qdrant_client::qdrant::{Filter, UpsertPoints};
use turnwise_retrieval_index::{SourceError, SourceKey, UploadedChunk};

use super::{Answer, head::Kept};
use crate::{
    failure::Failure,
    filter,
    names::{chunk_point, course_key},
    options::Inner,
    payload::{Payload, Reader, Unreadable, everything, field, fields, number, only, text, wide},
    points::{bare, batch},
};

/// How many ids are looked for at once.
const IDS_AT_ONCE: usize = 200;

impl Inner {
    /// Keeps the chunks of an open upload that are not kept yet.
    pub(super) async fn keep(
        &self,
        key: &SourceKey,
        open: &Kept,
        first: u32,
        chunks: Vec<UploadedChunk>,
    ) -> Answer<u32> {
        let next = self.staged(key, &open.upload).await?;
        if first > next {
            return Ok(Err(SourceError::OutOfOrder { given: first, next }));
        }
        let known = (next - first) as usize;
        let Some(new) = chunks.get(known..).filter(|new| !new.is_empty()) else {
            return Ok(Ok(next));
        };
        let room = open.head.chunks.saturating_sub(next) as usize;
        if new.len() > room {
            let given = open.head.chunks.max(next);
            return Ok(Err(SourceError::OutOfOrder { given, next }));
        }
        if let Some(id) = self.twice(key, &open.upload, new, next).await? {
            return Ok(Err(SourceError::DuplicateChunk(id)));
        }
        let course = course_key(&key.tenant, &key.course);
        let mut end = next;
        while let Some(left) = new
            .get((end - next) as usize..)
            .filter(|left| !left.is_empty())
        {
            let points = batch((end..).zip(left).map(|(place, chunk)| {
                let payload = placed(written(chunk), &course, &open.upload, place);
                bare(chunk_point(&open.upload, place), payload)
            }));
            end += points.len() as u32;
            let request = UpsertPoints {
                collection_name: self.names.uploads(),
                points,
                ..UpsertPoints::default()
            };
            self.connection.upsert(request).await?;
        }
        Ok(Ok(end))
    }

    /// How many chunks of an upload are kept without a gap.
    pub(super) async fn staged(&self, key: &SourceKey, upload: &str) -> Result<u32, Failure> {
        let uploads = self.names.uploads();
        let all = self.of(key, upload);
        let count = self.connection.count(&uploads, all.clone()).await?;
        let count = u32::try_from(count).map_err(|_| wrong("more chunks than can be counted"))?;
        let below = filter::below(all.clone(), count);
        if self.connection.count(&uploads, below).await? == u64::from(count) {
            return Ok(count);
        }
        let points = self.connection.scroll(&uploads, all, only(&[field::PLACE]));
        let places: HashSet<u32> = points
            .await?
            .iter()
            .filter_map(|point| Reader(&point.payload).number(field::PLACE).ok())
            .collect();
        Ok((0..).find(|place| !places.contains(place)).unwrap_or(0))
    }

    /// All chunks of a committed upload, in order; `None`: some are missing or cannot be read.
    pub(super) async fn all(
        &self,
        key: &SourceKey,
        kept: &Kept,
    ) -> Result<Option<Vec<UploadedChunk>>, Failure> {
        let uploads = self.names.uploads();
        let filter = self.of(key, &kept.upload);
        let points = self
            .connection
            .scroll(&uploads, filter, everything())
            .await?;
        let mut chunks = Vec::with_capacity(points.len());
        for point in &points {
            match read(Reader(&point.payload)) {
                Ok(chunk) => chunks.push(chunk),
                Err(Unreadable(problem)) => {
                    tracing::warn!(problem, "a chunk cannot be read");
                    return Ok(None);
                }
            }
        }
        chunks.sort_by_key(|(place, _)| *place);
        let whole = chunks.len() == kept.head.chunks as usize
            && chunks.iter().zip(0..).all(|((place, _), at)| *place == at);
        Ok(whole.then(|| chunks.into_iter().map(|(_, chunk)| chunk).collect()))
    }

    /// An id that two of the upload's first chunks and these would share.
    async fn twice(
        &self,
        key: &SourceKey,
        upload: &str,
        new: &[UploadedChunk],
        next: u32,
    ) -> Result<Option<String>, Failure> {
        let mut ids = HashSet::new();
        if let Some(again) = new.iter().find(|chunk| !ids.insert(&chunk.id)) {
            return Ok(Some(again.id.to_string()));
        }
        if next == 0 {
            return Ok(None);
        }
        let ids: Vec<&str> = new.iter().map(|chunk| &*chunk.id).collect();
        for ids in ids.chunks(IDS_AT_ONCE) {
            let kept = filter::below(self.of(key, upload), next);
            let filter = filter::with_ids(kept, ids);
            let uploads = self.names.uploads();
            let found = self.connection.scroll(&uploads, filter, only(&[field::ID]));
            if let Some(point) = found.await?.first() {
                let id = Reader(&point.payload).text(field::ID);
                return Ok(Some(
                    id.map_err(|_| wrong("a chunk without id"))?.to_owned(),
                ));
            }
        }
        Ok(None)
    }

    fn of(&self, key: &SourceKey, upload: &str) -> Filter {
        filter::chunks(&key.tenant, &key.course, &[upload.to_owned()])
    }
}

fn wrong(problem: &str) -> Failure {
    Failure::Wrong(problem.to_owned())
}

fn written(chunk: &UploadedChunk) -> Payload {
    let mut payload = fields([
        (field::ID, text(&chunk.id)),
        ("unit", text(&chunk.unit)),
        ("section", text(&chunk.section)),
        ("section_kind", text(&chunk.section_kind)),
        ("url", text(&chunk.url)),
        ("page", number(chunk.page.into())),
        ("text", text(&chunk.text)),
    ]);
    if let Some(start) = chunk.start_ms {
        payload.insert("start_ms".to_owned(), wide(start));
    }
    payload
}

fn placed(mut chunk: Payload, course: &str, upload: &str, place: u32) -> Payload {
    chunk.extend(fields([
        (field::KIND, text("chunk")),
        (field::COURSE, text(course)),
        (field::UPLOAD, text(upload)),
        (field::PLACE, number(place.into())),
    ]));
    chunk
}

fn read(fields: Reader<'_>) -> Result<(u32, UploadedChunk), Unreadable> {
    let chunk = UploadedChunk {
        id: fields.text(field::ID)?.into(),
        unit: fields.text("unit")?.into(),
        section: fields.text("section")?.into(),
        section_kind: fields.text("section_kind")?.into(),
        url: fields.text("url")?.into(),
        page: fields.number("page")?,
        start_ms: fields.wide_opt("start_ms")?,
        text: fields.text("text")?.into(),
    };
    Ok((fields.number(field::PLACE)?, chunk))
}
