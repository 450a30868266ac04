//! What each tenant searches: opened over published parts, and shown in one step.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;
use turnwise_kit::CancellationToken;
use turnwise_retrieval_index::{
    BoxFuture, Content, PartId, SourceError, SourceHead, SourceKey, SourceState, Statistics,
};

use super::{
    Indexer, IndexingError,
    parts::{Made, Origin, name},
};
use crate::course::{CourseVersion, Dense, View, Views};

/// How many sources are read side by side; more would only be in memory together.
const SOURCES_AT_ONCE: usize = 4;

/// How far vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vectors {
    /// Texts that have one.
    pub embedded: usize,
    /// Texts that need one.
    pub to_embed: usize,
}

impl Indexer {
    /// Brings the views of a course up to what is committed and what vectors are kept.
    pub async fn refresh(&self, version: &Arc<CourseVersion>) -> Result<(), IndexingError> {
        self.open_views(version, false).await
    }

    /// Brings the views of all versions of a course that are held up to date, so that a turn that began with an older one
    /// sees what was uploaded and deleted, too.
    pub async fn refresh_all(&self, course: &str) -> Result<(), IndexingError> {
        for version in self.alive(course) {
            self.refresh(&version).await?;
        }
        Ok(())
    }

    /// Opens the views that have changed, or all.
    async fn open_views(
        &self,
        version: &Arc<CourseVersion>,
        all: bool,
    ) -> Result<(), IndexingError> {
        let turn = self.turn(version.id());
        let _turn = turn.lock().await;
        let pack = self.part(Origin::Pack(version)).await?;
        let shown = if all { Arc::default() } else { version.views() };
        let base = self.view(version, "", &pack, &[], None, shown.base.as_ref());
        let base = Some(base.await?);
        // The pack is served even if the sources cannot be read.
        version.show(Views {
            base: base.clone(),
            tenants: version.views().tenants.clone(),
        });
        let mut views = Views {
            base,
            tenants: BTreeMap::new(),
        };
        for (tenant, course) in self.sources.courses().await? {
            if *course != *version.id() {
                continue;
            }
            let mut sources = Vec::new();
            let mut problem = None;
            let states = self.sources.list(&tenant, &course).await?;
            let mut all = stream::iter(states)
                .map(|state| self.source(version, state))
                .buffered(SOURCES_AT_ONCE);
            while let Some(made) = all.next().await {
                match made {
                    Ok(made) => sources.extend(made),
                    // One source that cannot be read must not take the others with it.
                    Err(IndexingError::Sources(error @ SourceError::Damaged(_))) => {
                        tracing::error!(course_id = version.id(), %error, "a source is left out");
                        problem = Some(error.to_string());
                    }
                    Err(error) => return Err(error),
                }
            }
            let before = shown.tenants.get(&tenant);
            let view = self
                .view(version, &tenant, &pack, &sources, problem, before)
                .await?;
            views.tenants.insert(tenant, view);
        }
        version.show(views);
        self.forget_unused(version.id()).await
    }

    fn source<'a>(
        &'a self,
        version: &'a CourseVersion,
        state: SourceState,
    ) -> BoxFuture<'a, Result<Option<Made>, IndexingError>> {
        Box::pin(async move {
            let Some((head, _)) = &state.committed else {
                return Ok(None);
            };
            if state.damaged {
                return Err(SourceError::Damaged(state.key.source.to_string()).into());
            }
            self.part(Origin::Source(version, &state.key, head))
                .await
                .map(Some)
        })
    }

    /// The view over these parts; `before` itself if it is that.
    async fn view(
        &self,
        version: &CourseVersion,
        tenant: &str,
        pack: &Made,
        sources: &[Made],
        problem: Option<String>,
        before: Option<&Arc<View>>,
    ) -> Result<Arc<View>, IndexingError> {
        let made: Vec<&Made> = std::iter::once(pack).chain(sources).collect();
        let parts: Vec<PartId> = made.iter().map(|made| made.id.clone()).collect();
        let vectors = Vectors {
            embedded: made.iter().map(|made| made.embedded).sum(),
            to_embed: made.iter().map(|made| made.to_embed).sum(),
        };
        let problem = problem.unwrap_or_default();
        if let Some(before) = before
            && before.index.content().parts == parts
            && (before.embedded, before.to_embed) == (vectors.embedded, vectors.to_embed)
            && before.problem == problem
        {
            return Ok(Arc::clone(before));
        }
        let statistics = match sources {
            [] => Arc::clone(&pack.statistics),
            _ => Arc::new(Statistics::sum(
                made.iter().map(|made| made.statistics.as_ref()),
            )),
        };
        let revisions: Vec<&str> = parts
            .iter()
            .flat_map(|part| [&*part.source, &*part.revision])
            .collect();
        let content = Content {
            id: name(&revisions),
            tenant: tenant.into(),
            course: version.id().into(),
            parts,
            statistics,
        };
        let dense = if !self.wants_model() {
            Dense::NoModel
        } else if self.model().is_some() && made.iter().all(|made| made.has_vectors) {
            Dense::Complete
        } else {
            Dense::Pending
        };
        tracing::info!(
            course_id = version.id(),
            pack_hash = version.pack().hash,
            index_id = %content.id,
            parts = content.parts.len(),
            embedded = vectors.embedded,
            to_embed = vectors.to_embed,
            "index opened"
        );
        Ok(Arc::new(View {
            index: self.engine.open(content).await?,
            ranks_by_meaning: dense == Dense::Complete,
            dense,
            embedded: vectors.embedded,
            to_embed: vectors.to_embed,
            sources: sources.len(),
            problem,
        }))
    }

    /// Lets the engine forget parts that no view has. A pack's part that other processes may still serve stays where
    /// parts are shared, until the index is rebuilt.
    async fn forget_unused(&self, course: &str) -> Result<(), IndexingError> {
        let mut used: BTreeMap<Box<str>, Vec<PartId>> = BTreeMap::new();
        let mut note = |view: &View| {
            for part in &view.index.content().parts {
                used.entry(part.tenant.clone())
                    .or_default()
                    .push(part.clone());
            }
        };
        for version in self.alive(course) {
            let views = version.views();
            views
                .base
                .iter()
                .chain(views.tenants.values())
                .for_each(|view| note(view));
        }
        let known: Vec<PartId> = {
            let made = self
                .made
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            made.keys()
                .filter(|id| &*id.course == course)
                .cloned()
                .collect()
        };
        let unused = |id: &PartId| !used.get(&id.tenant).is_some_and(|parts| parts.contains(id));
        let mut tenants: Vec<&str> = known
            .iter()
            .filter(|id| unused(id) && !(self.shared.is_some() && id.tenant.is_empty()))
            .map(|id| &*id.tenant)
            .collect();
        tenants.sort_unstable();
        tenants.dedup();
        for tenant in tenants {
            let keep = used.get(tenant).map_or(&[][..], Vec::as_slice);
            self.engine.retire(tenant, course, keep).await?;
            self.replaced
                .store(true, std::sync::atomic::Ordering::Relaxed);
            let mut made = self
                .made
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            made.retain(|id, _| {
                &*id.course != course || &*id.tenant != tenant || keep.contains(id)
            });
        }
        Ok(())
    }

    /// Makes the vectors that a course and its sources lack, while what there is stays served.
    pub(super) async fn embed_missing(
        &self,
        version: &Arc<CourseVersion>,
        end: &CancellationToken,
    ) -> Result<(), IndexingError> {
        if self.model().is_none() {
            return Ok(());
        }
        if !self.is_whole(Origin::Pack(version)) {
            self.embed_part(version, Origin::Pack(version), end).await?;
        }
        for (tenant, course) in self.sources.courses().await? {
            if *course != *version.id() {
                continue;
            }
            for state in self.sources.list(&tenant, &course).await? {
                let Some((head, _)) = state.committed.as_ref().filter(|_| !state.damaged) else {
                    continue;
                };
                let origin = Origin::Source(version, &state.key, head);
                if !self.is_whole(origin) {
                    self.embed_part(version, origin, end).await?;
                }
            }
        }
        Ok(())
    }

    async fn embed_part(
        &self,
        version: &CourseVersion,
        origin: Origin<'_>,
        end: &CancellationToken,
    ) -> Result<(), IndexingError> {
        let documents = self.documents_to_embed(origin).await?;
        // A model that is away holds up nothing else; it is asked again soon.
        let give_up = end.child_token();
        let progress = |embedded: turnwise_retrieval_embeddings::Embedded<'_>| {
            if let Some(error) = embedded.problem {
                tracing::warn!(course_id = version.id(), %error, "vectors have to wait");
                give_up.cancel();
            }
        };
        self.embed(&documents, progress, &give_up).await
    }

    /// Serves a source that was just committed, its vectors first if they can be made before `end`; tells how far they
    /// are as they are made.
    pub async fn serve_source(
        &self,
        version: &Arc<CourseVersion>,
        key: &SourceKey,
        head: &SourceHead,
        progress: mpsc::UnboundedSender<Vectors>,
        end: &CancellationToken,
    ) -> Result<(), IndexingError> {
        let documents = self
            .documents_to_embed(Origin::Source(version, key, head))
            .await?;
        // A model that is away holds up nobody: the source is served by words, and the background goes on.
        let give_up = end.child_token();
        let told = |embedded: turnwise_retrieval_embeddings::Embedded<'_>| {
            if embedded.problem.is_some() {
                give_up.cancel();
            }
            // Nobody may be listening any more.
            let _ = progress.send(Vectors {
                embedded: embedded.done,
                to_embed: embedded.total,
            });
        };
        if let Err(error) = self.embed(&documents, told, &give_up).await {
            tracing::warn!(%error, "a source is served without vectors");
        }
        let refreshed = self.refresh_all(version.id()).await;
        self.notify();
        refreshed
    }

    /// Makes everything that is derived of a course anew, while what there is stays served; `forget` drops the kept
    /// vectors first.
    pub async fn rebuild(
        &self,
        version: &Arc<CourseVersion>,
        tenant: &str,
        forget: bool,
        progress: mpsc::UnboundedSender<Vectors>,
        end: &CancellationToken,
    ) -> Result<(), IndexingError> {
        let states = self.sources.list(tenant, version.id()).await?;
        let mut origins = vec![Origin::Pack(version)];
        for state in &states {
            if let Some((head, _)) = state.committed.as_ref().filter(|_| !state.damaged) {
                origins.push(Origin::Source(version, &state.key, head));
            }
        }
        let mut all = Vec::new();
        for origin in &origins {
            all.extend(self.documents_to_embed(*origin).await?);
        }
        if forget && let Some(model) = self.model() {
            let hashes: Vec<_> = all.iter().map(|document| document.content).collect();
            let (cache, model) = (Arc::clone(&self.cache), model.clone());
            super::parts::blocking(move || cache.forget_vectors(&model, &hashes)).await?;
        }
        let told = |embedded: turnwise_retrieval_embeddings::Embedded<'_>| {
            let _ = progress.send(Vectors {
                embedded: embedded.done,
                to_embed: embedded.total,
            });
        };
        self.embed(&all, told, end).await?;
        for origin in origins {
            self.replace(origin).await?;
        }
        if self.shared.is_some() {
            let mut keep = Vec::new();
            for version in self.alive(version.id()) {
                if let Some(view) = &version.views().base {
                    keep.extend(view.index.content().parts.iter().cloned());
                }
            }
            self.engine.retire("", version.id(), &keep).await?;
        }
        self.open_views(version, true).await
    }
}
