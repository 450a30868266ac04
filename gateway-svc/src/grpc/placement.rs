//! PlacementService.

use std::{sync::Arc, time::Duration};

use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::placement::v1::{
    AnswerPlacementRequest, AnswerPlacementResponse, BeginPlacementRequest, BeginPlacementResponse,
    PausePlacementRequest, PausePlacementResponse, placement_service_server::PlacementService,
};

use crate::{
    access::PLACEMENT,
    evidence::Evidence,
    limits::{CallLimit, Kind},
    upstream::check_time,
};

/// Serves `turnwise.placement.v1.PlacementService`.
pub(crate) struct PlacementFace {
    pub(crate) evidence: Arc<Evidence>,
    pub(crate) limits: Arc<CallLimit>,
}

impl PlacementFace {
    /// The call's context, if a student made it, gave it enough time and has calls left.
    async fn admit<T: Sync>(&self, request: &Request<T>) -> Result<CallContext, Fault> {
        let context = PLACEMENT.admit(request)?;
        check_time(&context, Duration::ZERO)?;
        self.limits.check(context.caller()?, Kind::Act).await?;
        Ok(context)
    }
}

#[tonic::async_trait]
impl PlacementService for PlacementFace {
    async fn begin_placement(
        &self,
        request: Request<BeginPlacementRequest>,
    ) -> Result<Response<BeginPlacementResponse>, Status> {
        let context = self.admit(&request).await?;
        let request = request.into_inner();
        let begun = self
            .evidence
            .detached(|evidence, _| async move {
                let caller = context.caller()?;
                evidence.begin_placement(&context, caller, request).await
            })
            .await?;
        Ok(Response::new(begun))
    }

    async fn answer_placement(
        &self,
        request: Request<AnswerPlacementRequest>,
    ) -> Result<Response<AnswerPlacementResponse>, Status> {
        let context = self.admit(&request).await?;
        let request = request.into_inner();
        let answered = self
            .evidence
            .detached(|evidence, _| async move {
                let caller = context.caller()?;
                evidence.answer_placement(&context, caller, request).await
            })
            .await?;
        Ok(Response::new(answered))
    }

    async fn pause_placement(
        &self,
        request: Request<PausePlacementRequest>,
    ) -> Result<Response<PausePlacementResponse>, Status> {
        let context = self.admit(&request).await?;
        let request = request.into_inner();
        let paused = self
            .evidence
            .detached(|evidence, _| async move {
                let caller = context.caller()?;
                evidence.pause_placement(&context, caller, request).await
            })
            .await?;
        Ok(Response::new(paused))
    }
}
