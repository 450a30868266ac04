//! Vectors of a model, kept in a file between runs.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{BufWriter, Read, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use sha2::{Digest, Sha256};
use turnwise_kit::CallContext;
use turnwise_retrieval_embeddings::{Directory, Embedder, Purpose};
use turnwise_retrieval_index::{ContentHash, ModelId};

/// Texts that are embedded, and written to the file, at once.
const BATCH: usize = 64;
/// How long one batch may take.
const WAIT: Duration = Duration::from_secs(300);

/// A model with the vectors that it has made.
pub struct Vectors {
    model: Directory,
    id: ModelId,
    known: HashMap<ContentHash, Arc<[f32]>>,
    file: BufWriter<File>,
}

impl Vectors {
    /// Opens a model, and the file with what it has made before; the file is begun if it is not there or another model's.
    ///
    /// # Errors
    /// The model cannot be read, or the file cannot be written.
    pub async fn open(model: &Path, file: &Path) -> anyhow::Result<Self> {
        let model = Directory::open(model, 2)?;
        let call = CallContext::background(None, WAIT);
        let id = model
            .describe(&call)
            .await?
            .context("the folder holds no model")?;
        let head = format!("{} {}\n", id.digest, id.dimension);
        let mut bytes = Vec::new();
        if file.exists() {
            File::open(file)?.read_to_end(&mut bytes)?;
        }
        let size = size_of::<ContentHash>() + id.dimension * size_of::<f32>();
        let kept = bytes.strip_prefix(head.as_bytes());
        // What a stop cut off at the end does not count.
        let records = kept.map_or(0, |kept| kept.len() / size);
        let known = kept
            .into_iter()
            .flat_map(|kept| kept.chunks_exact(size))
            .filter_map(|record| {
                let (hash, vector) = record.split_first_chunk::<32>()?;
                let vector = vector
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|four| f32::from_le_bytes(*four));
                Some((*hash, vector.collect()))
            })
            .collect();
        let mut opened = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(file)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        opened.set_len((head.len() + records * size) as u64)?;
        opened.write_all(head.as_bytes())?;
        std::io::Seek::seek(&mut opened, std::io::SeekFrom::End(0))?;
        Ok(Self {
            model,
            id,
            known,
            file: BufWriter::new(opened),
        })
    }

    /// The model.
    pub fn id(&self) -> &ModelId {
        &self.id
    }

    /// The vectors of texts, in order; `None` for a blank one.
    ///
    /// # Errors
    /// The model fails, or the file cannot be written.
    pub async fn of(
        &mut self,
        texts: &[String],
        purpose: Purpose,
    ) -> anyhow::Result<Vec<Option<Arc<[f32]>>>> {
        let mut missing: Vec<&String> = texts
            .iter()
            .filter(|text| !text.trim().is_empty() && !self.known.contains_key(&hash(text)))
            .collect();
        // Neighbours of about one length: the model takes texts of equal length together.
        missing.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        missing.dedup();
        for batch in missing.chunks(BATCH) {
            let call = CallContext::background(None, WAIT);
            let texts = batch.iter().map(|text| text.as_str().into()).collect();
            let vectors = self.model.embed(texts, purpose, &call).await?;
            for (text, vector) in batch.iter().zip(vectors) {
                let hash = hash(text);
                self.file.write_all(&hash)?;
                for value in &vector {
                    self.file.write_all(&value.to_le_bytes())?;
                }
                self.known.insert(hash, vector.into());
            }
            self.file.flush()?;
        }
        Ok(texts
            .iter()
            .map(|text| self.known.get(&hash(text)).cloned())
            .collect())
    }
}

fn hash(text: &str) -> ContentHash {
    Sha256::digest(text).into()
}
