//! ContextService.

use std::{sync::Arc, time::Duration};

use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    context::v1::{
        CancelContextRequest, CancelContextResponse, ForceRunRequest, ForceRunResponse,
        ListArtifactsRequest, ListArtifactsResponse, ListContextRequestsRequest,
        ListContextRequestsResponse, PutArtifactRequest, PutArtifactResponse, SkipContextRequest,
        SkipContextResponse, SupplyContextRequest, SupplyContextResponse, WatchThreadRequest,
        WatchThreadResponse, context_service_server::ContextService,
    },
    session::v1::ContextRequestChange,
};

use super::Answers;
use crate::{
    access::{
        Access, CANCEL_CONTEXT, CONTEXT, FORCE_RUN, SKIP_CONTEXT, STUDENT, TEACHER, WATCH_THREAD,
    },
    context::{Context, watch},
    limits::{CallLimit, Kind},
    upstream::check_time,
};

/// Serves `turnwise.context.v1.ContextService`.
pub(crate) struct ContextFace {
    pub(crate) context: Arc<Context>,
    pub(crate) limits: Arc<CallLimit>,
}

impl ContextFace {
    /// The context and the message of a call, if its caller may make it and has calls of this kind left.
    async fn open<T>(
        &self,
        line: &Access,
        kind: Kind,
        request: Request<T>,
    ) -> Result<(CallContext, T), Fault> {
        let context = line.admit(&request)?;
        let caller = context.caller()?;
        check_time(&context, Duration::ZERO)?;
        if caller.is(STUDENT) || caller.is(TEACHER) {
            self.limits.check(caller, kind).await?;
        }
        Ok((context, request.into_inner()))
    }
}

#[tonic::async_trait]
impl ContextService for ContextFace {
    async fn supply_context(
        &self,
        request: Request<SupplyContextRequest>,
    ) -> Result<Response<SupplyContextResponse>, Status> {
        let (context, request) = self.open(&CONTEXT, Kind::Act, request).await?;
        let caller = context.caller()?;
        let supplied = self.context.supply(&context, caller, request).await?;
        Ok(Response::new(SupplyContextResponse {
            context_request: Some(supplied),
        }))
    }

    async fn skip_context(
        &self,
        request: Request<SkipContextRequest>,
    ) -> Result<Response<SkipContextResponse>, Status> {
        let (context, request) = self.open(&SKIP_CONTEXT, Kind::Act, request).await?;
        let SkipContextRequest {
            thread_id,
            request_id,
        } = request;
        let change = ContextRequestChange::Skip;
        let changed = self
            .context
            .change(&context, String::new(), thread_id, request_id, change)
            .await?;
        Ok(Response::new(SkipContextResponse {
            context_request: Some(changed),
        }))
    }

    async fn cancel_context(
        &self,
        request: Request<CancelContextRequest>,
    ) -> Result<Response<CancelContextResponse>, Status> {
        let (context, request) = self.open(&CANCEL_CONTEXT, Kind::Act, request).await?;
        let CancelContextRequest {
            thread_id,
            request_id,
        } = request;
        let change = ContextRequestChange::Cancel;
        let changed = self
            .context
            .change(&context, String::new(), thread_id, request_id, change)
            .await?;
        Ok(Response::new(CancelContextResponse {
            context_request: Some(changed),
        }))
    }

    async fn force_run(
        &self,
        request: Request<ForceRunRequest>,
    ) -> Result<Response<ForceRunResponse>, Status> {
        let (context, request) = self.open(&FORCE_RUN, Kind::Act, request).await?;
        let ForceRunRequest {
            student_id,
            thread_id,
            request_id,
        } = request;
        let change = ContextRequestChange::Force;
        let changed = self
            .context
            .change(&context, student_id, thread_id, request_id, change)
            .await?;
        Ok(Response::new(ForceRunResponse {
            context_request: Some(changed),
        }))
    }

    async fn list_context_requests(
        &self,
        request: Request<ListContextRequestsRequest>,
    ) -> Result<Response<ListContextRequestsResponse>, Status> {
        let (context, request) = self.open(&CONTEXT, Kind::Read, request).await?;
        let page = self.context.list(&context, request).await?;
        Ok(Response::new(page))
    }

    async fn put_artifact(
        &self,
        request: Request<PutArtifactRequest>,
    ) -> Result<Response<PutArtifactResponse>, Status> {
        let (context, request) = self.open(&CONTEXT, Kind::Act, request).await?;
        let kept = self.context.put(&context, request).await?;
        Ok(Response::new(PutArtifactResponse {
            artifact: Some(kept),
        }))
    }

    async fn list_artifacts(
        &self,
        request: Request<ListArtifactsRequest>,
    ) -> Result<Response<ListArtifactsResponse>, Status> {
        let (context, request) = self.open(&CONTEXT, Kind::Read, request).await?;
        let listed = self.context.artifacts(&context, request).await?;
        Ok(Response::new(listed))
    }

    type WatchThreadStream = Answers<WatchThreadResponse>;

    async fn watch_thread(
        &self,
        request: Request<WatchThreadRequest>,
    ) -> Result<Response<Self::WatchThreadStream>, Status> {
        let (context, request) = self.open(&WATCH_THREAD, Kind::Read, request).await?;
        let caller = context.caller()?;
        let news = watch::watch(&self.context.core, &context, caller, request).await?;
        Ok(Response::new(news))
    }
}
