//! One collection: its points, in the order of their ids.

use std::collections::{BTreeMap, HashMap};

use qdrant_client::qdrant::{
    CollectionParams, DenseVector, FieldType, NamedVectorsOutput, PointId, PointStruct,
    SparseVector, Value, VectorOutput, VectorsOutput, WithPayloadSelector, WithVectorsSelector,
    point_id::PointIdOptions, vector, vector_output, vectors, vectors_config, vectors_output,
    with_payload_selector, with_vectors_selector,
};
use tonic::Status;

use super::refused;

pub struct Collection {
    pub params: CollectionParams,
    pub indexes: BTreeMap<String, FieldType>,
    pub points: BTreeMap<String, Point>,
}

#[derive(Clone)]
pub struct Point {
    pub payload: HashMap<String, Value>,
    pub dense: HashMap<String, Vec<f32>>,
    pub sparse: HashMap<String, SparseVector>,
}

impl Collection {
    /// The length of a dense vector.
    pub fn dimension(&self, name: &str) -> Result<u64, Status> {
        let config = self
            .params
            .vectors_config
            .as_ref()
            .and_then(|c| c.config.as_ref());
        match config {
            Some(vectors_config::Config::ParamsMap(all)) => all.map.get(name).map(|one| one.size),
            _ => None,
        }
        .ok_or_else(|| unknown_vector(name))
    }

    pub fn has_sparse(&self, name: &str) -> Result<(), Status> {
        let config = self.params.sparse_vectors_config.as_ref();
        match config.is_some_and(|config| config.map.contains_key(name)) {
            true => Ok(()),
            false => Err(unknown_vector(name)),
        }
    }

    /// A point as it is kept, with its id; refuses what the database would refuse.
    pub fn accept(&self, point: PointStruct) -> Result<(String, Point), Status> {
        let id = id_of(point.id.as_ref())?;
        let Some(vectors::VectorsOptions::Vectors(named)) =
            point.vectors.and_then(|vectors| vectors.vectors_options)
        else {
            return Err(Status::invalid_argument("Expected some vectors"));
        };
        let mut kept = Point {
            payload: point.payload,
            dense: HashMap::new(),
            sparse: HashMap::new(),
        };
        for (name, vector) in named.vectors {
            match vector.vector {
                Some(vector::Vector::Dense(dense)) => {
                    check_dense(&dense, self.dimension(&name)?)?;
                    kept.dense.insert(name, dense.data);
                }
                Some(vector::Vector::Sparse(sparse)) => {
                    self.has_sparse(&name)?;
                    check_sparse(&sparse)?;
                    kept.sparse.insert(name, sparse);
                }
                other => return Err(refused(format!("vector {other:?}"))),
            }
        }
        Ok((id, kept))
    }
}

pub fn check_dense(vector: &DenseVector, dimension: u64) -> Result<(), Status> {
    if vector.data.len() as u64 != dimension {
        return Err(Status::invalid_argument(format!(
            "Vector dimension error: expected dim: {dimension}, got {}",
            vector.data.len()
        )));
    }
    match vector.data.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(refused("a value that is no number")),
    }
}

pub fn check_sparse(vector: &SparseVector) -> Result<(), Status> {
    let mut indices = vector.indices.clone();
    indices.sort_unstable();
    indices.dedup();
    let whole = indices.len() == vector.indices.len() && indices.len() == vector.values.len();
    // Stricter than the database: empty vectors and values that add nothing only cost.
    let useful = !indices.is_empty() && vector.values.iter().all(|v| v.is_finite() && *v > 0.0);
    match whole && useful {
        true => Ok(()),
        false => Err(refused(format!("sparse vector {vector:?}"))),
    }
}

/// A UUID as the database writes it.
pub fn id_of(id: Option<&PointId>) -> Result<String, Status> {
    match id.and_then(|id| id.point_id_options.as_ref()) {
        Some(PointIdOptions::Uuid(text)) => uuid::Uuid::parse_str(text)
            .map(|uuid| uuid.to_string())
            .map_err(|_| Status::invalid_argument(format!("Unable to parse UUID: {text}"))),
        other => Err(refused(format!("id {other:?}"))),
    }
}

pub fn point_id(id: &str) -> PointId {
    PointId::from(id.to_owned())
}

/// What of a payload is asked for.
pub fn shown(
    payload: &HashMap<String, Value>,
    selector: Option<&WithPayloadSelector>,
) -> Result<HashMap<String, Value>, Status> {
    use with_payload_selector::SelectorOptions;
    match selector.and_then(|selector| selector.selector_options.as_ref()) {
        Some(SelectorOptions::Enable(true)) => Ok(payload.clone()),
        Some(SelectorOptions::Enable(false)) => Ok(HashMap::new()),
        Some(SelectorOptions::Include(include)) => {
            let wanted = |name: &String| include.fields.contains(name);
            let fields = payload.iter().filter(|(name, _)| wanted(name));
            Ok(fields.map(|(n, v)| (n.clone(), v.clone())).collect())
        }
        other => Err(refused(format!("payload selector {other:?}"))),
    }
}

/// What of the vectors is asked for.
pub fn vectors_shown(
    point: &Point,
    selector: Option<&WithVectorsSelector>,
) -> Result<Option<VectorsOutput>, Status> {
    let Some(selector) = selector else {
        return Ok(None);
    };
    let Some(with_vectors_selector::SelectorOptions::Include(include)) = &selector.selector_options
    else {
        return Err(refused(format!("vectors selector {selector:?}")));
    };
    let sparse = point
        .sparse
        .iter()
        .filter(|(name, _)| include.names.contains(name));
    let named = sparse.map(|(name, vector)| {
        let vector = VectorOutput {
            vector: Some(vector_output::Vector::Sparse(vector.clone())),
            ..VectorOutput::default()
        };
        (name.clone(), vector)
    });
    Ok(Some(VectorsOutput {
        vectors_options: Some(vectors_output::VectorsOptions::Vectors(
            NamedVectorsOutput {
                vectors: named.collect(),
            },
        )),
    }))
}

fn unknown_vector(name: &str) -> Status {
    Status::invalid_argument(format!("Not existing vector name error: {name}"))
}
