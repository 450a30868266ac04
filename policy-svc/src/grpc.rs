//! The service's face: checks requests, calls the decisions, converts the answers.

mod read;
mod words;
mod write;

use tonic::{Request, Response, Status};
use turnwise_decisions as decisions;
use turnwise_kit::{ids, page};
use turnwise_proto::policy::v1::{
    DecideRequest, DecideResponse, DescribeStandingRequest, DescribeStandingResponse,
    GetCourseRequest, GetCourseResponse, ListCoursesRequest, ListCoursesResponse, PlanRequest,
    PlanResponse, ResolveReplyRequest, ResolveReplyResponse, policy_service_server::PolicyService,
    resolve_reply_request,
};

use crate::{
    courses::{Courses, LoadedCourse},
    error::PolicyError,
    metrics::ReplyMetrics,
};

const DEFAULT_PAGE: usize = 20;
const MOST_PER_PAGE: usize = 100;

/// PolicyService over the loaded courses.
#[derive(Debug)]
pub struct Policies {
    courses: Courses,
    metrics: ReplyMetrics,
}

impl Policies {
    /// A service over these courses.
    #[must_use]
    pub fn new(courses: Courses, metrics: ReplyMetrics) -> Self {
        Self { courses, metrics }
    }

    fn course(&self, field: &'static str, id: &str) -> Result<&LoadedCourse, Status> {
        ids::check(field, id)?;
        let course = self.courses.get(id);
        Ok(course.ok_or_else(|| PolicyError::UnknownCourse {
            field,
            course_id: id.to_owned(),
        })?)
    }

    /// The course in this version.
    fn version(
        &self,
        fields: (&'static str, &'static str),
        id: &str,
        pack_hash: &str,
    ) -> Result<&LoadedCourse, Status> {
        let course = self.course(fields.0, id)?;
        if pack_hash.is_empty() {
            return Err(PolicyError::missing(fields.1).into());
        }
        if course.pack_hash != pack_hash {
            return Err(PolicyError::UnknownPackVersion {
                field: fields.1,
                course_id: id.to_owned(),
                pack_hash: pack_hash.to_owned(),
            }
            .into());
        }
        Ok(course)
    }
}

#[tonic::async_trait]
impl PolicyService for Policies {
    async fn get_course(
        &self,
        request: Request<GetCourseRequest>,
    ) -> Result<Response<GetCourseResponse>, Status> {
        let course = self.course("course_id", &request.get_ref().course_id)?;
        Ok(Response::new(GetCourseResponse {
            course: Some(write::course(course)),
        }))
    }

    async fn list_courses(
        &self,
        request: Request<ListCoursesRequest>,
    ) -> Result<Response<ListCoursesResponse>, Status> {
        let ListCoursesRequest {
            page_size,
            page_token,
        } = request.into_inner();
        let size = page::size(page_size, DEFAULT_PAGE, MOST_PER_PAGE)?;
        // The token is the last id of the page before, so that a page is the same whatever was loaded since.
        if !page_token.is_empty() && !ids::is_valid(&page_token) {
            return Err(PolicyError::invalid(
                "page_token",
                "must be the next_page_token of a page",
            )
            .into());
        }
        let mut rest = self.courses.after(&page_token).peekable();
        let mut courses = Vec::new();
        while courses.len() < size
            && let Some(course) = rest.next()
        {
            courses.push(write::course(course));
        }
        let next_page_token = match (rest.peek(), courses.last()) {
            (Some(_), Some(last)) => last.course_id.clone(),
            _ => String::new(),
        };
        Ok(Response::new(ListCoursesResponse {
            courses,
            next_page_token,
        }))
    }

    async fn plan(&self, request: Request<PlanRequest>) -> Result<Response<PlanResponse>, Status> {
        let mut request = request.into_inner();
        let loaded = if request.pack_hash.is_empty() {
            self.course("course_id", &request.course_id)?
        } else {
            let fields = ("course_id", "pack_hash");
            self.version(fields, &request.course_id, &request.pack_hash)?
        };
        let record = read::record(loaded, request.snapshot.take(), request.now.take())?;
        let input = read::plan_input(request)?;
        let plan = decisions::plan(&record, &input).map_err(|error| PolicyError::UnknownUnit {
            field: "event.unit_id",
            unit_id: error.0,
        })?;
        Ok(Response::new(PlanResponse {
            plan: Some(write::plan(loaded, plan)),
        }))
    }

    async fn decide(
        &self,
        request: Request<DecideRequest>,
    ) -> Result<Response<DecideResponse>, Status> {
        let request = request.into_inner();
        let plan = request
            .plan
            .as_ref()
            .ok_or_else(|| PolicyError::missing("plan"))?;
        let fields = ("plan.course_id", "plan.pack_hash");
        let loaded = self.version(fields, &plan.course_id, &plan.pack_hash)?;
        ids::check("turn_id", &request.turn_id)?;
        let input = read::decide_input(request)?;
        let decision = decisions::decide(&loaded.course, &input)
            .map_err(|fault| PolicyError::impossible("plan", &fault))?;
        Ok(Response::new(write::decision(loaded, decision)))
    }

    async fn resolve_reply(
        &self,
        request: Request<ResolveReplyRequest>,
    ) -> Result<Response<ResolveReplyResponse>, Status> {
        let ResolveReplyRequest { policy, outcome } = request.into_inner();
        let policy = policy.ok_or_else(|| PolicyError::missing("policy"))?;
        let fields = ("policy.course_id", "policy.pack_hash");
        let loaded = self.version(fields, &policy.course_id, &policy.pack_hash)?;
        let policy = read::policy(policy)?;
        let outcome = match &outcome {
            Some(resolve_reply_request::Outcome::Completion(bytes)) => {
                decisions::Outcome::Completion(bytes)
            }
            Some(resolve_reply_request::Outcome::Failure(reason)) => {
                decisions::Outcome::Failure(read::failure(*reason)?)
            }
            None => return Err(PolicyError::missing("outcome").into()),
        };
        let resolution = decisions::resolve(&loaded.course, &policy, outcome)
            .map_err(|fault| PolicyError::impossible("policy", &fault))?;
        self.metrics.count(&resolution);
        if let Some(violation) = &resolution.violation {
            tracing::info!(
                turn_id = %policy.turn_id,
                reason = resolution.fallback_reason.map(decisions::FallbackReason::as_str),
                violation,
                "model's reply refused"
            );
        }
        Ok(Response::new(write::resolution(resolution)))
    }

    async fn describe_standing(
        &self,
        request: Request<DescribeStandingRequest>,
    ) -> Result<Response<DescribeStandingResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.course("course_id", &request.course_id)?;
        let record = read::record(loaded, request.snapshot, request.now)?;
        let statuses = read::statuses(request.statuses)?;
        let standing = decisions::describe_standing(&record, &statuses);
        Ok(Response::new(DescribeStandingResponse {
            standing: Some(write::standing(standing)),
        }))
    }
}
