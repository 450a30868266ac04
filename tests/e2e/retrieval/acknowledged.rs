//! What was acknowledged, against what is there after a kill.

use std::collections::{BTreeMap, BTreeSet};

use turnwise_tests::upload::Upload;

use super::service::Client;

/// What somebody who was told of everything knows of the sources.
#[derive(Default)]
pub struct Ledger {
    /// What must be there, by source.
    committed: BTreeMap<String, Upload>,
    /// What must not be found any more, or not yet.
    gone: Vec<Upload>,
}

/// What one source may be after a kill.
pub enum Doubt {
    /// No doubt: what was acknowledged.
    None,
    /// Its new revision may have been committed, as a whole.
    Commit(Upload),
    /// It may have been deleted.
    Delete(String),
}

impl Ledger {
    /// Notes that a revision was committed.
    pub fn commit(&mut self, upload: Upload) {
        self.gone.retain(|gone| gone.word != upload.word);
        let old = self.committed.insert(upload.source.clone(), upload);
        self.gone.extend(old);
    }

    /// Notes that a source was deleted.
    pub fn delete(&mut self, source: &str) {
        self.gone.extend(self.committed.remove(source));
    }

    /// Notes a revision that was begun and not committed: nothing of it may be found.
    pub fn begin(&mut self, upload: Upload) {
        self.gone.push(upload);
    }

    /// What is committed of a source.
    pub fn of(&self, source: &str) -> Option<&Upload> {
        self.committed.get(source)
    }

    /// Settles a doubt by what is listed, and insists on everything: each source is as it was acknowledged, found as a
    /// whole, nothing else of it is found, and a student's turn is served. Answers whether what was in doubt had happened.
    pub async fn check(&mut self, client: &Client, doubt: Doubt) -> bool {
        let listed = client.sources().await;
        let served = |source: &str| {
            let revision = listed.get(source).map(|source| source.revision.as_str());
            revision.filter(|revision| !revision.is_empty())
        };
        let happened = match doubt {
            Doubt::Commit(upload) if served(&upload.source) == Some(&upload.revision) => {
                self.commit(upload);
                true
            }
            Doubt::Commit(upload) => {
                self.begin(upload);
                false
            }
            Doubt::Delete(source) if served(&source).is_none() => {
                self.delete(&source);
                true
            }
            Doubt::Delete(_) | Doubt::None => false,
        };

        for (source, upload) in &self.committed {
            assert_eq!(served(source), Some(upload.revision.as_str()), "{source}");
            assert_eq!(listed[source].chunks as usize, upload.chunks.len());
            assert!(!listed[source].damaged);
            let search = client.search(upload).await;
            assert_eq!(upload.found(&search), upload.ids(), "{source} is not whole");
            let mut hits = search.hits.iter();
            let hit = hits.find(|hit| hit.text.contains(&upload.word));
            let citation = hit.and_then(|hit| hit.citation.as_ref());
            let title = citation.map(|citation| citation.title.clone());
            assert_eq!(title, Some(format!("The lesson {source}")), "{search:?}");
            // Which chunks a student is given is for the ranking to say.
            let given = client.retrieve(&upload.word).await;
            assert!(!given.chunks.is_empty(), "{given:?}");
        }
        let more = listed.keys().filter(|id| served(id).is_some());
        assert_eq!(more.count(), self.committed.len(), "{listed:?}");
        for upload in &self.gone {
            let found = upload.found(&client.search(upload).await);
            assert_eq!(found, BTreeSet::new(), "{} is found", upload.revision);
        }
        // Those of long ago have been asked for often enough.
        let old = self.gone.len().saturating_sub(8);
        self.gone.drain(..old);

        let given = client.retrieve("how do I add a negative number?").await;
        assert!(!given.anchors.is_empty() && !given.chunks.is_empty());
        let status = client.status().await;
        assert_eq!(status.index_id, given.index_id);
        assert_eq!(status.problem, "");
        assert_eq!(status.sources as usize, self.committed.len());
        happened
    }
}
