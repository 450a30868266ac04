//! ExplainService.

use tonic::{Request, Response, Status};
use turnwise_kit::ids;
use turnwise_proto::explain::v1::{
    ExplainTurnRequest, ExplainTurnResponse, explain_service_server::ExplainService,
};

use super::admit_staff;
use crate::{explain, upstream::Upstreams};

/// Serves `turnwise.explain.v1.ExplainService`.
pub(crate) struct Explain {
    pub(crate) upstreams: Upstreams,
}

#[tonic::async_trait]
impl ExplainService for Explain {
    async fn explain_turn(
        &self,
        request: Request<ExplainTurnRequest>,
    ) -> Result<Response<ExplainTurnResponse>, Status> {
        let context = admit_staff(&request)?;
        let request = request.into_inner();
        ids::check("student_id", &request.student_id)?;
        ids::check("turn_id", &request.turn_id)?;
        let explained = explain::turn(&self.upstreams, &context, request).await?;
        Ok(Response::new(explained))
    }
}
