//! Calls about points.

use qdrant_client::qdrant::{
    BatchResult, ClearPayloadPoints, CountPoints, CountResponse, CountResult,
    CreateFieldIndexCollection, CreateVectorNameRequest, DeleteFieldIndexCollection,
    DeletePayloadPoints, DeletePointVectors, DeletePoints, DeleteVectorNameRequest,
    DiscoverBatchPoints, DiscoverBatchResponse, DiscoverPoints, DiscoverResponse, FacetCounts,
    FacetResponse, FieldType, GetPoints, GetResponse, KeywordIndexParams, PayloadIndexParams,
    PointsOperationResponse, QueryBatchPoints, QueryBatchResponse, QueryGroupsResponse,
    QueryPointGroups, QueryPoints, QueryResponse, RecommendBatchPoints, RecommendBatchResponse,
    RecommendGroupsResponse, RecommendPointGroups, RecommendPoints, RecommendResponse,
    RetrievedPoint, ScrollPoints, ScrollResponse, SearchBatchPoints, SearchBatchResponse,
    SearchGroupsResponse, SearchMatrixOffsetsResponse, SearchMatrixPairsResponse,
    SearchMatrixPoints, SearchPointGroups, SearchPoints, SearchResponse, SetPayloadPoints,
    UpdateBatchPoints, UpdateBatchResponse, UpdatePointVectors, UpdateResult, UpdateStatus,
    UpsertPoints, payload_index_params::IndexParams, points_selector::PointsSelectorOneOf,
    points_server::Points,
};
use tonic::{Request, Response, Status};

use super::{
    Answer, Fault, State,
    condition::Understood,
    refused,
    search::search,
    store::{id_of, point_id, shown, vectors_shown},
};

impl State {
    fn applied(&self) -> Answer<PointsOperationResponse> {
        if self.fault() == Some(Fault::AnswerLost) {
            self.fail(None);
            return Err(Status::unavailable("the connection is gone"));
        }
        let status = match self.fault() {
            Some(Fault::NotApplied) => UpdateStatus::WaitTimeout,
            _ => UpdateStatus::Completed,
        };
        Ok(Response::new(PointsOperationResponse {
            result: Some(UpdateResult {
                operation_id: Some(1),
                status: status.into(),
            }),
            ..PointsOperationResponse::default()
        }))
    }
}

fn waits(wait: Option<bool>) -> Result<(), Status> {
    match wait {
        Some(true) => Ok(()),
        _ => Err(refused("a write without wait")),
    }
}

#[tonic::async_trait]
impl Points for State {
    async fn upsert(&self, request: Request<UpsertPoints>) -> Answer<PointsOperationResponse> {
        let UpsertPoints {
            collection_name,
            wait,
            points,
            ordering: Some(_),
            shard_key_selector: None,
            update_filter,
            timeout: None,
            update_mode: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of a write"));
        };
        self.note("upsert", &collection_name).await?;
        waits(wait)?;
        if !(1..=200).contains(&points.len()) {
            return Err(refused(format!("{} points at once", points.len())));
        }
        if self.fault() == Some(Fault::NotApplied) {
            return self.applied();
        }
        let mut data = self.data();
        let collection = data.collection(&collection_name)?;
        let only = match update_filter {
            Some(filter) => Some(Understood::new(Some(filter), collection)?.with_course()?),
            None => None,
        };
        for point in points {
            let (id, point) = collection.accept(point)?;
            let keep = match (&only, collection.points.get(&id)) {
                (Some(only), Some(held)) => only.selects(&id, held),
                _ => true,
            };
            if keep {
                collection.points.insert(id, point);
            }
        }
        self.applied()
    }

    async fn delete(&self, request: Request<DeletePoints>) -> Answer<PointsOperationResponse> {
        let DeletePoints {
            collection_name,
            wait,
            points,
            ordering: Some(_),
            shard_key_selector: None,
            timeout: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of a deletion"));
        };
        self.note("delete", &collection_name).await?;
        waits(wait)?;
        let Some(PointsSelectorOneOf::Filter(filter)) =
            points.and_then(|points| points.points_selector_one_of)
        else {
            return Err(refused("a deletion without filter"));
        };
        let mut data = self.data();
        let collection = data.collection(&collection_name)?;
        let gone = Understood::new(Some(filter), collection)?.with_course()?;
        if !self.loses_deletions() {
            collection
                .points
                .retain(|id, point| !gone.selects(id, point));
        }
        self.applied()
    }

    async fn get(&self, request: Request<GetPoints>) -> Answer<GetResponse> {
        let GetPoints {
            collection_name,
            ids,
            with_payload,
            with_vectors,
            read_consistency: Some(_),
            shard_key_selector: None,
            timeout: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of a read"));
        };
        self.note("get", &collection_name).await?;
        let mut data = self.data();
        let collection = data.collection(&collection_name)?;
        let mut result = Vec::new();
        for id in &ids {
            let id = id_of(Some(id))?;
            if let Some(point) = collection.points.get(&id) {
                result.push(RetrievedPoint {
                    id: Some(point_id(&id)),
                    payload: shown(&point.payload, with_payload.as_ref())?,
                    vectors: vectors_shown(point, with_vectors.as_ref())?,
                    ..RetrievedPoint::default()
                });
            }
        }
        // In no order that one could rely on.
        result.reverse();
        let mut response = GetResponse {
            result,
            ..GetResponse::default()
        };
        self.spoil_rows(&mut response);
        Ok(Response::new(response))
    }

    async fn create_field_index(
        &self,
        request: Request<CreateFieldIndexCollection>,
    ) -> Answer<PointsOperationResponse> {
        let CreateFieldIndexCollection {
            collection_name,
            wait,
            field_name,
            field_type,
            field_index_params,
            ordering: None,
            timeout: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of an index"));
        };
        self.note("index", &collection_name).await?;
        waits(wait)?;
        let kind = field_type.and_then(|kind| FieldType::try_from(kind).ok());
        let tenant = IndexParams::KeywordIndexParams(KeywordIndexParams {
            is_tenant: Some(true),
            ..KeywordIndexParams::default()
        });
        let kind = match (field_name.as_str(), kind, field_index_params) {
            ("course", Some(FieldType::Keyword), Some(PayloadIndexParams { index_params }))
                if index_params == Some(tenant) =>
            {
                FieldType::Keyword
            }
            (_, Some(kind @ (FieldType::Keyword | FieldType::Integer)), None) => kind,
            other => return Err(refused(format!("index {other:?}"))),
        };
        let mut data = self.data();
        let collection = data.collection(&collection_name)?;
        collection.indexes.insert(field_name, kind);
        self.applied()
    }

    async fn scroll(&self, request: Request<ScrollPoints>) -> Answer<ScrollResponse> {
        let ScrollPoints {
            collection_name,
            filter,
            offset,
            limit: Some(limit @ 1..=1000),
            with_payload,
            with_vectors: None,
            read_consistency: Some(_),
            shard_key_selector: None,
            order_by: None,
            timeout: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of a scroll"));
        };
        self.note("scroll", &collection_name).await?;
        let mut data = self.data();
        let collection = data.collection(&collection_name)?;
        let filter = Understood::new(filter, collection)?.with_course_or_heads()?;
        let start = match &offset {
            Some(offset) => id_of(Some(offset))?,
            None => String::new(),
        };
        let mut selected =
            (collection.points.range(start..)).filter(|(id, point)| filter.selects(id, point));
        let mut result = Vec::new();
        for (id, point) in selected.by_ref().take(limit as usize) {
            result.push(RetrievedPoint {
                id: Some(point_id(id)),
                payload: shown(&point.payload, with_payload.as_ref())?,
                ..RetrievedPoint::default()
            });
        }
        Ok(Response::new(ScrollResponse {
            next_page_offset: selected.next().map(|(id, _)| point_id(id)),
            result,
            ..ScrollResponse::default()
        }))
    }

    async fn count(&self, request: Request<CountPoints>) -> Answer<CountResponse> {
        let CountPoints {
            collection_name,
            filter,
            exact: Some(true),
            read_consistency: Some(_),
            shard_key_selector: None,
            timeout: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of a count"));
        };
        self.note("count", &collection_name).await?;
        let mut data = self.data();
        let collection = data.collection(&collection_name)?;
        let filter = Understood::new(filter, collection)?.with_course()?;
        let selected = collection
            .points
            .iter()
            .filter(|(id, point)| filter.selects(id, point));
        Ok(Response::new(CountResponse {
            result: Some(CountResult {
                count: selected.count() as u64,
            }),
            ..CountResponse::default()
        }))
    }

    async fn query_batch(&self, request: Request<QueryBatchPoints>) -> Answer<QueryBatchResponse> {
        let QueryBatchPoints {
            collection_name,
            query_points,
            read_consistency: None,
            timeout: None,
        } = request.into_inner()
        else {
            return Err(refused("an option of a batch"));
        };
        self.note("query", &collection_name).await?;
        let mut data = self.data();
        let mut result = Vec::new();
        for one in query_points {
            if one.collection_name != collection_name {
                return Err(refused("a search of another collection"));
            }
            result.push(BatchResult {
                result: search(data.collection(&collection_name)?, one)?,
            });
        }
        drop(data);
        let mut response = QueryBatchResponse {
            result,
            ..QueryBatchResponse::default()
        };
        self.spoil_search(&mut response);
        Ok(Response::new(response))
    }

    async fn update_vectors(
        &self,
        _: Request<UpdatePointVectors>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("update_vectors"))
    }

    async fn delete_vectors(
        &self,
        _: Request<DeletePointVectors>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("delete_vectors"))
    }

    async fn set_payload(&self, _: Request<SetPayloadPoints>) -> Answer<PointsOperationResponse> {
        Err(refused("set_payload"))
    }

    async fn overwrite_payload(
        &self,
        _: Request<SetPayloadPoints>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("overwrite_payload"))
    }

    async fn delete_payload(
        &self,
        _: Request<DeletePayloadPoints>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("delete_payload"))
    }

    async fn clear_payload(
        &self,
        _: Request<ClearPayloadPoints>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("clear_payload"))
    }

    async fn delete_field_index(
        &self,
        _: Request<DeleteFieldIndexCollection>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("delete_field_index"))
    }

    async fn create_vector_name(
        &self,
        _: Request<CreateVectorNameRequest>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("create_vector_name"))
    }

    async fn delete_vector_name(
        &self,
        _: Request<DeleteVectorNameRequest>,
    ) -> Answer<PointsOperationResponse> {
        Err(refused("delete_vector_name"))
    }

    async fn search(&self, _: Request<SearchPoints>) -> Answer<SearchResponse> {
        Err(refused("search"))
    }

    async fn search_batch(&self, _: Request<SearchBatchPoints>) -> Answer<SearchBatchResponse> {
        Err(refused("search_batch"))
    }

    async fn search_groups(&self, _: Request<SearchPointGroups>) -> Answer<SearchGroupsResponse> {
        Err(refused("search_groups"))
    }

    async fn recommend(&self, _: Request<RecommendPoints>) -> Answer<RecommendResponse> {
        Err(refused("recommend"))
    }

    async fn recommend_batch(
        &self,
        _: Request<RecommendBatchPoints>,
    ) -> Answer<RecommendBatchResponse> {
        Err(refused("recommend_batch"))
    }

    async fn recommend_groups(
        &self,
        _: Request<RecommendPointGroups>,
    ) -> Answer<RecommendGroupsResponse> {
        Err(refused("recommend_groups"))
    }

    async fn discover(&self, _: Request<DiscoverPoints>) -> Answer<DiscoverResponse> {
        Err(refused("discover"))
    }

    async fn discover_batch(
        &self,
        _: Request<DiscoverBatchPoints>,
    ) -> Answer<DiscoverBatchResponse> {
        Err(refused("discover_batch"))
    }

    async fn update_batch(&self, _: Request<UpdateBatchPoints>) -> Answer<UpdateBatchResponse> {
        Err(refused("update_batch"))
    }

    async fn query(&self, _: Request<QueryPoints>) -> Answer<QueryResponse> {
        Err(refused("query"))
    }

    async fn query_groups(&self, _: Request<QueryPointGroups>) -> Answer<QueryGroupsResponse> {
        Err(refused("query_groups"))
    }

    async fn facet(&self, _: Request<FacetCounts>) -> Answer<FacetResponse> {
        Err(refused("facet"))
    }

    async fn search_matrix_pairs(
        &self,
        _: Request<SearchMatrixPoints>,
    ) -> Answer<SearchMatrixPairsResponse> {
        Err(refused("search_matrix_pairs"))
    }

    async fn search_matrix_offsets(
        &self,
        _: Request<SearchMatrixPoints>,
    ) -> Answer<SearchMatrixOffsetsResponse> {
        Err(refused("search_matrix_offsets"))
    }
}
