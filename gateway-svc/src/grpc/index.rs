//! IndexService: what staff upload to a course, and how it is found. The retrieval service answers, which keeps the uploads
//! of tenants apart.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};
use turnwise_proto::retrieval::v1::{
    DeleteSourceRequest, DeleteSourceResponse, GetIndexStatusRequest, GetIndexStatusResponse,
    ListSourcesRequest, ListSourcesResponse, RebuildIndexRequest, RebuildIndexResponse,
    SearchRequest, SearchResponse, UpsertSourceRequest, UpsertSourceResponse,
    index_service_server::IndexService,
};

use super::{Answers, answers};
use crate::{access::INDEX, error::public, upstream::Upstreams};

/// The index, for staff.
pub(crate) struct Index {
    pub(crate) upstreams: Upstreams,
}

/// The steps of an upload. A caller who breaks off ends them; what is missing then is for the service behind to tell.
struct Steps(Streaming<UpsertSourceRequest>);

impl Stream for Steps {
    type Item = UpsertSourceRequest;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(cx).map(|step| step?.ok())
    }
}

#[tonic::async_trait]
impl IndexService for Index {
    type UpsertSourceStream = Answers<UpsertSourceResponse>;

    async fn upsert_source(
        &self,
        request: Request<Streaming<UpsertSourceRequest>>,
    ) -> Result<Response<Self::UpsertSourceStream>, Status> {
        let context = INDEX.admit(&request)?;
        let steps = Steps(request.into_inner());
        let answer = self
            .upstreams
            .index
            .clone()
            .upsert_source(context.request(steps))
            .await
            .map_err(|status| public(&status))?;
        Ok(Response::new(answers(answer.into_inner())))
    }

    async fn delete_source(
        &self,
        request: Request<DeleteSourceRequest>,
    ) -> Result<Response<DeleteSourceResponse>, Status> {
        let context = INDEX.admit(&request)?;
        let mut index = self.upstreams.index.clone();
        let answer = index
            .delete_source(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    async fn list_sources(
        &self,
        request: Request<ListSourcesRequest>,
    ) -> Result<Response<ListSourcesResponse>, Status> {
        let context = INDEX.admit(&request)?;
        let mut index = self.upstreams.index.clone();
        let answer = index
            .list_sources(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    async fn get_index_status(
        &self,
        request: Request<GetIndexStatusRequest>,
    ) -> Result<Response<GetIndexStatusResponse>, Status> {
        let context = INDEX.admit(&request)?;
        let mut index = self.upstreams.index.clone();
        let answer = index
            .get_index_status(context.request(request.into_inner()))
            .await;
        Ok(answer.map_err(|status| public(&status))?)
    }

    type RebuildIndexStream = Answers<RebuildIndexResponse>;

    async fn rebuild_index(
        &self,
        request: Request<RebuildIndexRequest>,
    ) -> Result<Response<Self::RebuildIndexStream>, Status> {
        let context = INDEX.admit(&request)?;
        let mut index = self.upstreams.index.clone();
        let answer = index
            .rebuild_index(context.request(request.into_inner()))
            .await
            .map_err(|status| public(&status))?;
        Ok(Response::new(answers(answer.into_inner())))
    }

    async fn search(
        &self,
        request: Request<SearchRequest>,
    ) -> Result<Response<SearchResponse>, Status> {
        let context = INDEX.admit(&request)?;
        let mut index = self.upstreams.index.clone();
        let answer = index.search(context.request(request.into_inner())).await;
        Ok(answer.map_err(|status| public(&status))?)
    }
}
