//! LlmQueueService: the queues in front of models, for staff. The model gateway answers, which leaves out the names of
//! other tenants' classes.

use tonic::{Request, Response, Status};
use turnwise_proto::llm::v1::{
    GetQueuesRequest, GetQueuesResponse, WatchQueuesRequest, WatchQueuesResponse,
    llm_queue_service_server::LlmQueueService,
};

use super::{Answers, answers};
use crate::{access::QUEUES, error::public, upstream::Upstreams};

/// The queues, for staff.
pub(crate) struct Queues {
    pub(crate) upstreams: Upstreams,
}

#[tonic::async_trait]
impl LlmQueueService for Queues {
    async fn get_queues(
        &self,
        request: Request<GetQueuesRequest>,
    ) -> Result<Response<GetQueuesResponse>, Status> {
        let context = QUEUES.admit(&request)?;
        let answer = self
            .upstreams
            .llm_queue
            .clone()
            .get_queues(context.request(request.into_inner()))
            .await
            .map_err(|status| public(&status))?;
        Ok(Response::new(answer.into_inner()))
    }

    type WatchQueuesStream = Answers<WatchQueuesResponse>;

    async fn watch_queues(
        &self,
        request: Request<WatchQueuesRequest>,
    ) -> Result<Response<Self::WatchQueuesStream>, Status> {
        let context = QUEUES.admit(&request)?;
        let answer = self
            .upstreams
            .llm_queue
            .clone()
            .watch_queues(context.request(request.into_inner()))
            .await
            .map_err(|status| public(&status))?;
        Ok(Response::new(answers(answer.into_inner())))
    }
}
