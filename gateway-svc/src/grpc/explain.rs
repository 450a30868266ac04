//! ExplainService.

use tonic::{Request, Response, Status};
use turnwise_proto::explain::v1::{
    ExplainTurnRequest, ExplainTurnResponse, explain_service_server::ExplainService,
};

use crate::{access, explain, upstream::Upstreams};

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
        let context = access::EXPLAIN.admit(&request)?;
        let ExplainTurnRequest {
            student_id,
            turn_id,
        } = request.into_inner();
        let (record, explanation) =
            explain::turn(&self.upstreams, &context, &student_id, &turn_id, None).await?;
        Ok(Response::new(ExplainTurnResponse {
            record: Some(record),
            explanation,
        }))
    }
}
