//! Collections, their indexes and aliases: made when they are first needed, by whichever replica comes first.

use qdrant_client::qdrant::{
    AliasOperations, ChangeAliases, CollectionConfig, CreateAlias, CreateCollection,
    CreateFieldIndexCollection, Distance, FieldType, GetCollectionInfoRequest, HnswConfigDiff,
    KeywordIndexParams, ListAliasesRequest, PayloadIndexParams, SparseVectorConfig,
    SparseVectorParams, VectorParams, VectorParamsMap, VectorsConfig, alias_operations::Action,
    payload_index_params::IndexParams, vectors_config,
};
use tokio::sync::Mutex;
use turnwise_retrieval_index::{EngineError, ModelId, Namespace};

use crate::{connection::Connection, failure::Failure, names::Names, payload::field};

/// The vector of a text.
pub(crate) const DENSE: &str = "meaning";
/// The terms of a text.
pub(crate) const SPARSE: &str = "words";

/// The first version that writes a point only if it is still in the state that was read: others pass over that condition.
const OLDEST: (u32, u32) = (1, 16);

/// What we know to be there.
#[derive(Debug)]
pub(crate) struct Schema {
    names: Names,
    model: Option<ModelId>,
    ready: Mutex<Ready>,
}

#[derive(Debug, Default)]
struct Ready {
    rows: bool,
    aliases: bool,
    uploads: bool,
}

/// An index over a field of the payload.
#[derive(Clone, Copy)]
enum Indexed {
    /// Points of equal values stand together.
    Tenant,
    Keyword,
    Integer,
}

impl Schema {
    pub(crate) fn new(names: Names, model: Option<ModelId>) -> Self {
        Self {
            names,
            model,
            ready: Mutex::default(),
        }
    }

    /// Makes the collections of rows and of parts, or checks that those that are there fit.
    pub(crate) async fn rows(&self, connection: &Connection) -> Result<(), EngineError> {
        let mut ready = self.ready.lock().await;
        if ready.rows {
            return Ok(());
        }
        for namespace in Namespace::ALL {
            let name = self.names.collection(namespace);
            create(connection, self.collection_of_rows(&name)).await?;
            self.check(&name, connection).await?;
            let fields = [
                (field::COURSE, Indexed::Tenant),
                (field::PART, Indexed::Keyword),
                (field::UNITS, Indexed::Keyword),
                (field::TIER, Indexed::Keyword),
            ];
            index(connection, &name, &fields).await?;
        }
        let name = self.names.parts();
        create(connection, payload_only(&name)).await?;
        let fields = [
            (field::COURSE, Indexed::Tenant),
            (field::PART, Indexed::Keyword),
        ];
        index(connection, &name, &fields).await?;
        ready.rows = true;
        Ok(())
    }

    /// Makes the collection of uploads.
    pub(crate) async fn uploads(&self, connection: &Connection) -> Result<(), Failure> {
        let mut ready = self.ready.lock().await;
        if ready.uploads {
            return Ok(());
        }
        let version = connection.version().await?;
        if older(&version, OLDEST) {
            tracing::warn!(
                version,
                "this Qdrant is older than 1.16: replicas that upload one source at the same time may undo each other's work"
            );
        }
        let name = self.names.uploads();
        create(connection, payload_only(&name)).await?;
        let fields = [
            (field::COURSE, Indexed::Tenant),
            (field::KIND, Indexed::Keyword),
            (field::UPLOAD, Indexed::Keyword),
            (field::STATE, Indexed::Keyword),
            (field::ID, Indexed::Keyword),
            (field::PLACE, Indexed::Integer),
        ];
        index(connection, &name, &fields).await?;
        ready.uploads = true;
        Ok(())
    }

    /// Points the aliases at this generation, all in one step. Done once by each process, so that of two that run with
    /// different models the one that came last wins, and they do not take turns.
    pub(crate) async fn aliases(&self, connection: &Connection) -> Result<(), Failure> {
        let mut ready = self.ready.lock().await;
        if ready.aliases {
            return Ok(());
        }
        let held = connection
            .collections("reading aliases", |mut c| async move {
                c.list_aliases(ListAliasesRequest {}).await
            })
            .await?
            .aliases;
        let wanted = Namespace::ALL.map(|n| (self.names.alias(n), self.names.collection(n)));
        let actions: Vec<AliasOperations> = wanted
            .into_iter()
            .filter(|(alias, collection)| {
                !held
                    .iter()
                    .any(|h| h.alias_name == *alias && h.collection_name == *collection)
            })
            .map(|(alias_name, collection_name)| AliasOperations {
                // Takes the alias from the collection that has it.
                action: Some(Action::CreateAlias(CreateAlias {
                    collection_name,
                    alias_name,
                })),
            })
            .collect();
        if !actions.is_empty() {
            let request = &ChangeAliases {
                actions,
                timeout: None,
            };
            connection
                .collections("switching aliases", |mut c| async move {
                    c.update_aliases(request.clone()).await
                })
                .await?;
        }
        ready.aliases = true;
        Ok(())
    }

    /// Looks again at the next use: a collection was gone.
    pub(crate) async fn forget(&self) {
        *self.ready.lock().await = Ready::default();
    }

    fn collection_of_rows(&self, name: &str) -> CreateCollection {
        let dense = self.model.as_ref().map(|model| {
            let params = VectorParams {
                size: model.dimension as u64,
                // Our vectors have length 1, and stay bit for bit as they are: the cosine distance would scale them.
                distance: Distance::Dot.into(),
                ..VectorParams::default()
            };
            (DENSE.to_owned(), params)
        });
        CreateCollection {
            sparse_vectors_config: Some(SparseVectorConfig {
                map: [(SPARSE.to_owned(), SparseVectorParams::default())].into(),
            }),
            // All searches are exact: a graph would be built for nothing.
            hnsw_config: Some(HnswConfigDiff {
                m: Some(0),
                payload_m: Some(0),
                ..HnswConfigDiff::default()
            }),
            vectors_config: Some(VectorsConfig {
                config: Some(vectors_config::Config::ParamsMap(VectorParamsMap {
                    map: dense.into_iter().collect(),
                })),
            }),
            ..payload_only(name)
        }
    }

    /// The collection may have been made by someone else: its vectors must be ours.
    async fn check(&self, name: &str, connection: &Connection) -> Result<(), EngineError> {
        let request = &GetCollectionInfoRequest {
            collection_name: name.to_owned(),
        };
        let answer = connection
            .collections("reading a collection", |mut c| async move {
                c.get(request.clone()).await
            })
            .await?;
        let config = answer.result.and_then(|info| info.config);
        let held = config.as_ref().map_or_else(String::new, describe);
        let given = match &self.model {
            Some(model) => format!("{} by {:?}", model.dimension, Distance::Dot),
            None => "no dimension".to_owned(),
        };
        let given = format!("{given}, with words");
        if held == given {
            return Ok(());
        }
        Err(EngineError::Incompatible { given, held })
    }
}

/// The vectors of a collection, in words.
fn describe(config: &CollectionConfig) -> String {
    let params = config.params.as_ref();
    let vectors = params
        .and_then(|p| p.vectors_config.as_ref())
        .and_then(|v| v.config.as_ref());
    let dense = match vectors {
        None => "no dimension".to_owned(),
        Some(vectors_config::Config::Params(one)) => {
            format!("{} without a name", one.size)
        }
        Some(vectors_config::Config::ParamsMap(all)) => match all.map.get(DENSE) {
            Some(one) if all.map.len() == 1 => format!("{} by {:?}", one.size, one.distance()),
            None if all.map.is_empty() => "no dimension".to_owned(),
            _ => "other names".to_owned(),
        },
    };
    let words = params
        .and_then(|p| p.sparse_vectors_config.as_ref())
        .is_some_and(|sparse| sparse.map.contains_key(SPARSE));
    format!(
        "{dense}, {}",
        if words { "with words" } else { "without words" }
    )
}

fn payload_only(name: &str) -> CreateCollection {
    CreateCollection {
        collection_name: name.to_owned(),
        vectors_config: Some(VectorsConfig {
            config: Some(vectors_config::Config::ParamsMap(VectorParamsMap::default())),
        }),
        ..CreateCollection::default()
    }
}

/// Whether a version is older than `oldest`. One that cannot be read is not.
fn older(version: &str, oldest: (u32, u32)) -> bool {
    let mut numbers = version.split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < oldest,
        _ => false,
    }
}

/// Makes a collection; one that is there, or that another replica makes at this moment, is as good.
async fn create(connection: &Connection, request: CreateCollection) -> Result<(), Failure> {
    let request = &request;
    let made = connection
        .collections("creating a collection", |mut c| async move {
            c.create(request.clone()).await
        })
        .await;
    match made {
        Ok(_) | Err(Failure::Exists) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Makes indexes over fields; those that are there stay as they are.
async fn index(
    connection: &Connection,
    collection: &str,
    fields: &[(&str, Indexed)],
) -> Result<(), Failure> {
    for (name, kind) in fields {
        let (field_type, params) = match kind {
            Indexed::Tenant => {
                let params = KeywordIndexParams {
                    is_tenant: Some(true),
                    ..KeywordIndexParams::default()
                };
                let params = IndexParams::KeywordIndexParams(params);
                (FieldType::Keyword, Some(params))
            }
            Indexed::Keyword => (FieldType::Keyword, None),
            Indexed::Integer => (FieldType::Integer, None),
        };
        let request = &CreateFieldIndexCollection {
            collection_name: collection.to_owned(),
            wait: Some(true),
            field_name: (*name).to_owned(),
            field_type: Some(field_type.into()),
            field_index_params: params.map(|params| PayloadIndexParams {
                index_params: Some(params),
            }),
            ..CreateFieldIndexCollection::default()
        };
        connection
            .write("indexing a field", |mut points| async move {
                points.create_field_index(request.clone()).await
            })
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, is_older) in [
            ("1.15.9", true),
            ("1.9.0", true),
            ("1.16.0", false),
            ("1.20.0-dev", false),
            ("2.0.0", false),
            ("", false),
        ] {
            assert_eq!(older(version, OLDEST), is_older, "{version}");
        }
    }
}
