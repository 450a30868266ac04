//! Searches: every point that the filter selects is scored.

use std::collections::BTreeMap;

use qdrant_client::qdrant::{
    Query, QueryPoints, ScoredPoint, SearchParams, SparseVector, VectorInput, query, vector_input,
};
use tonic::Status;

use super::{
    condition::Understood,
    refused,
    store::{Collection, Point, check_dense, check_sparse, point_id, shown},
};

/// What a point scores; `None`: it has no such vector, or nothing in common with it.
type Score = Box<dyn Fn(&Point) -> Option<f32>>;

/// An exact search. Among equal scores the order is not ours to choose: the largest id comes first.
pub fn search(collection: &Collection, request: QueryPoints) -> Result<Vec<ScoredPoint>, Status> {
    let QueryPoints {
        collection_name: _,
        prefetch,
        query:
            Some(Query {
                variant:
                    Some(query::Variant::Nearest(VectorInput {
                        variant: Some(vector),
                    })),
            }),
        using: Some(using),
        filter,
        params:
            Some(SearchParams {
                hnsw_ef: None,
                exact: Some(true),
                quantization: None,
                indexed_only: None,
                acorn: None,
                idf: None,
            }),
        score_threshold: None,
        limit: Some(limit @ 1..),
        offset: None,
        with_vectors: None,
        with_payload,
        read_consistency: None,
        shard_key_selector: None,
        lookup_from: None,
        timeout: None,
    } = request
    else {
        return Err(refused("an option of a search"));
    };
    if !prefetch.is_empty() {
        return Err(refused("prefetch"));
    }
    let filter = Understood::new(filter, collection)?.with_course()?;
    let score: Score = match vector {
        vector_input::Variant::Dense(dense) => {
            check_dense(&dense, collection.dimension(&using)?)?;
            Box::new(move |point| {
                let values = point.dense.get(&using)?;
                Some(values.iter().zip(&dense.data).map(|(a, b)| a * b).sum())
            })
        }
        vector_input::Variant::Sparse(sparse) => {
            collection.has_sparse(&using)?;
            check_sparse(&sparse)?;
            let values = pairs(&sparse);
            Box::new(move |point| {
                let held = pairs(point.sparse.get(&using)?);
                let common = held.iter().filter_map(|(i, v)| Some(v * values.get(i)?));
                common.reduce(|sum, product| sum + product)
            })
        }
        other => return Err(refused(format!("vector {other:?}"))),
    };
    let mut found: Vec<(f32, &String, &Point)> = (collection.points.iter())
        .filter(|(id, point)| filter.selects(id, point))
        .filter_map(|(id, point)| Some((score(point)?, id, point)))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(a.1)));
    found.truncate(limit as usize);
    found
        .into_iter()
        .map(|(score, id, point)| {
            Ok(ScoredPoint {
                id: Some(point_id(id)),
                payload: shown(&point.payload, with_payload.as_ref())?,
                score,
                ..ScoredPoint::default()
            })
        })
        .collect()
}

fn pairs(vector: &SparseVector) -> BTreeMap<u32, f32> {
    vector
        .indices
        .iter()
        .copied()
        .zip(vector.values.iter().copied())
        .collect()
}
