//! retrieval-svc alone, and what staff and students ask of it.

use std::{collections::BTreeMap, time::Duration};

use tonic::{Request, Status};
use turnwise_kit::{CallContext, Caller};
use turnwise_proto::retrieval::v1::{
    DeleteSourceRequest, GetIndexStatusRequest, GetIndexStatusResponse, ListSourcesRequest,
    Namespace, RebuildIndexRequest, RetrieveRequest, RetrieveResponse, SearchResponse, Source,
    SourceResume, index_service_client::IndexServiceClient,
    retrieval_service_client::RetrievalServiceClient,
};
use turnwise_tests::{
    standalone_service::StandaloneService,
    student::DEMO_COURSE,
    upload::{Upload, Uploading},
};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(120);
/// The tenant of everybody here.
const TENANT: &str = "school";
/// Units of the demo course.
pub const UNITS: [&str; 3] = ["ALG-01", "ALG-02", "ALG-14"];
/// So many chunks are sent at once.
pub const AT_ONCE: usize = 16;

fn by<T>(role: &str, message: T) -> Request<T> {
    let caller = Caller {
        tenant: TENANT.to_owned(),
        subject: "somebody".to_owned(),
        role: role.to_owned(),
        groups: Vec::new(),
    };
    CallContext::background(Some(caller), LONG).request(message)
}

/// A connection to one life of the service.
#[derive(Clone)]
pub struct Client {
    index: IndexServiceClient<turnwise_kit::client::GrpcClient>,
    search: RetrievalServiceClient<turnwise_kit::client::GrpcClient>,
}

impl Client {
    /// To the life that the service has now.
    pub fn of(service: &StandaloneService) -> Self {
        Self {
            index: IndexServiceClient::new(service.client()),
            search: RetrievalServiceClient::new(service.client()),
        }
    }

    /// Begins an upload, or goes on with it.
    pub async fn begin(&self, upload: &Upload) -> Result<(Uploading, SourceResume), Status> {
        let mut index = self.index.clone();
        Uploading::begin(upload, async |steps| {
            index.upsert_source(by("staff", steps)).await
        })
        .await
    }

    /// Uploads what is missing, and commits.
    pub async fn upload(&self, upload: &Upload) {
        let (mut uploading, resume) = self.begin(upload).await.unwrap();
        uploading.finish(upload, &resume, AT_ONCE).await.unwrap();
    }

    /// Deletes a source; answers whether it was there.
    pub async fn delete(&self, source: &str) -> Result<bool, Status> {
        let request = DeleteSourceRequest {
            course_id: DEMO_COURSE.to_owned(),
            source_id: source.to_owned(),
        };
        let response = self
            .index
            .clone()
            .delete_source(by("staff", request))
            .await?;
        Ok(response.into_inner().deleted)
    }

    /// Makes everything anew, if `forget` the vectors, too; answers the new index's id.
    pub async fn rebuild(&self, forget: bool) -> Result<String, Status> {
        let request = RebuildIndexRequest {
            course_id: DEMO_COURSE.to_owned(),
            forget_vectors: forget,
        };
        let response = self
            .index
            .clone()
            .rebuild_index(by("staff", request))
            .await?;
        let mut answers = response.into_inner();
        let mut last = String::new();
        while let Some(answer) = answers.message().await? {
            last = answer.index_id;
        }
        assert_ne!(last, "", "the last answer names the new index");
        Ok(last)
    }

    /// The sources, by id.
    pub async fn sources(&self) -> BTreeMap<String, Source> {
        let request = ListSourcesRequest {
            course_id: DEMO_COURSE.to_owned(),
            ..ListSourcesRequest::default()
        };
        let response = self.index.clone().list_sources(by("staff", request)).await;
        let sources = response.unwrap().into_inner().sources.into_iter();
        sources
            .map(|source| (source.source_id.clone(), source))
            .collect()
    }

    /// The state of the index.
    pub async fn status(&self) -> GetIndexStatusResponse {
        let request = GetIndexStatusRequest {
            course_id: DEMO_COURSE.to_owned(),
        };
        let response = self
            .index
            .clone()
            .get_index_status(by("staff", request))
            .await;
        response.unwrap().into_inner()
    }

    /// What a search for an upload's word finds.
    pub async fn search(&self, upload: &Upload) -> SearchResponse {
        let request = by("staff", upload.search());
        self.index
            .clone()
            .search(request)
            .await
            .unwrap()
            .into_inner()
    }

    /// What a student's turn would be given.
    pub async fn retrieve(&self, text: &str) -> RetrieveResponse {
        let request = RetrieveRequest {
            course_id: DEMO_COURSE.to_owned(),
            text: text.to_owned(),
            scoped_unit_ids: UNITS.map(str::to_owned).to_vec(),
            namespaces: [Namespace::UnitAnchors, Namespace::UnitContentChunks]
                .map(i32::from)
                .to_vec(),
            ..RetrieveRequest::default()
        };
        let response = self.search.clone().retrieve(by("student", request)).await;
        response.unwrap().into_inner()
    }
}
