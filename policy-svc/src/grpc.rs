//! The service's face: checks requests, calls the decisions, converts the answers.

mod announcement;
mod asks;
mod chat;
mod chat_reply;
mod class_standing;
mod client_event;
mod context;
mod decision;
mod evidence;
mod exams;
mod explain;
mod grading;
mod guard;
mod named_runs;
mod own_exercise;
mod passages;
mod placement;
mod procedure_help;
mod read;
mod reply;
mod resolve;
mod topic;
mod versions;
mod words;
mod write;

use std::sync::Arc;

use tonic::{Request, Response, Status};
use turnwise_decisions as decisions;
use turnwise_kit::{CallContext, PageTokens, ids, page};
use turnwise_proto::policy::v1::{
    AnalyzeContextRequest, AnalyzeContextResponse, ApplyEvidenceRequest, ApplyEvidenceResponse,
    ApplyPlacementRequest, ApplyPlacementResponse, CheckArtifactRequest, CheckArtifactResponse,
    CheckDrillRequest, CheckDrillResponse, CheckExamAnswerRequest, CheckExamAnswerResponse,
    DecideChatRequest, DecideChatResponse, DecideRequest, DecideResponse, DescribeStandingRequest,
    DescribeStandingResponse, ExplainRequest, ExplainResponse, FindPortQuestionsRequest,
    FindPortQuestionsResponse, FingerprintQuestionRequest, FingerprintQuestionResponse,
    GetCourseRequest, GetCourseResponse, GetExamQuestionRequest, GetExamQuestionResponse,
    GetLessonRequest, GetLessonResponse, ListCoursesRequest, ListCoursesResponse,
    PlanAndDecideRequest, PlanAndDecideResponse, PlanProcedureHelpRequest,
    PlanProcedureHelpResponse, PlanRequest, PlanResponse, ResolveChatRequest, ResolveChatResponse,
    ResolveGradeRequest, ResolveGradeResponse, ResolveProcedureHelpRequest,
    ResolveProcedureHelpResponse, ResolveReplyRequest, ResolveReplyResponse, SummarizeClassRequest,
    SummarizeClassResponse, policy_service_server::PolicyService, resolve_grade_request,
};

use turnwise_procedure_help::Rules;
use turnwise_reply_guard::Guard;

use self::{guard::Known, named_runs::NamedRuns};
use crate::{
    config::HelperSettings,
    courses::Courses,
    error::PolicyError,
    metrics::{GradeMetrics, ReplyMetrics},
};

const DEFAULT_PAGE: usize = 20;
const MOST_PER_PAGE: usize = 100;

/// PolicyService over the loaded courses.
#[derive(Debug)]
pub struct Policies {
    courses: Arc<Courses>,
    pages: PageTokens,
    replies: ReplyMetrics,
    grades: GradeMetrics,
    guard: Guard,
    prompt_runs: NamedRuns,
    help_rules: Rules,
    helper: turnwise_lesson_policy::Defaults,
    context_handoff: bool,
}

impl Policies {
    /// A service over these courses.
    #[must_use]
    pub fn new(
        courses: Arc<Courses>,
        pages: PageTokens,
        replies: ReplyMetrics,
        grades: GradeMetrics,
        guard: Guard,
        help_rules: Rules,
    ) -> Self {
        Self {
            courses,
            pages,
            replies,
            grades,
            guard,
            prompt_runs: NamedRuns::default(),
            help_rules,
            helper: HelperSettings::default().defaults(),
            context_handoff: true,
        }
    }

    /// With these settings of the homework helper in place of the defaults.
    #[must_use]
    pub fn with_helper(self, helper: turnwise_lesson_policy::Defaults) -> Self {
        Self { helper, ..self }
    }

    /// With the context hand-off on or off; without this it is on.
    #[must_use]
    pub fn with_context_handoff(self, on: bool) -> Self {
        Self {
            context_handoff: on,
            ..self
        }
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
            course: Some(write::course(&course)),
        }))
    }

    async fn list_courses(
        &self,
        request: Request<ListCoursesRequest>,
    ) -> Result<Response<ListCoursesResponse>, Status> {
        let caller = CallContext::of(&request);
        let ListCoursesRequest {
            page_size,
            page_token,
        } = request.into_inner();
        let size = page::size(page_size, DEFAULT_PAGE, MOST_PER_PAGE)?;
        let pages = self.pages.list("ListCourses", caller.caller_opt(), &[]);
        // A page begins after the last id of the page before, so that it is the same whatever was loaded since.
        let after: String = pages.start(&page_token)?.unwrap_or_default();
        // One more than asked for tells whether there is a next page.
        let mut found = self.courses.after(&after, size + 1);
        let more = found.len() > size;
        found.truncate(size);
        let last = found.last().filter(|_| more);
        let next_page_token = pages.next(last.map(|course| &course.id));
        let courses = found.iter().map(|course| write::course(course)).collect();
        Ok(Response::new(ListCoursesResponse {
            courses,
            next_page_token,
        }))
    }

    async fn plan(&self, request: Request<PlanRequest>) -> Result<Response<PlanResponse>, Status> {
        let plan = Some(self.planned(request.into_inner())?);
        Ok(Response::new(PlanResponse { plan }))
    }

    async fn decide(
        &self,
        request: Request<DecideRequest>,
    ) -> Result<Response<DecideResponse>, Status> {
        Ok(Response::new(self.decided(request.into_inner())?))
    }

    async fn plan_and_decide(
        &self,
        request: Request<PlanAndDecideRequest>,
    ) -> Result<Response<PlanAndDecideResponse>, Status> {
        Ok(Response::new(
            self.planned_and_decided(request.into_inner())?,
        ))
    }

    async fn explain(
        &self,
        request: Request<ExplainRequest>,
    ) -> Result<Response<ExplainResponse>, Status> {
        let decide = request.into_inner().decide;
        let decide = decide.ok_or_else(|| PolicyError::missing("decide"))?;
        let plan = decide
            .plan
            .as_ref()
            .ok_or_else(|| PolicyError::missing("decide.plan"))?;
        let fields = ("decide.plan.course_id", "decide.plan.pack_hash");
        let loaded = self.version(fields, &plan.course_id, &plan.pack_hash)?;
        ids::check("decide.turn_id", &decide.turn_id)?;
        let input = explain::input(decide)?;
        let explanation = decisions::explain(&loaded.course, &input)
            .map_err(|fault| PolicyError::impossible("decide.plan", &fault))?;
        Ok(Response::new(ExplainResponse {
            explanation: Some(explain::explanation(explanation)),
        }))
    }

    async fn resolve_reply(
        &self,
        request: Request<ResolveReplyRequest>,
    ) -> Result<Response<ResolveReplyResponse>, Status> {
        Ok(Response::new(self.resolved(request.into_inner())?))
    }

    async fn describe_standing(
        &self,
        request: Request<DescribeStandingRequest>,
    ) -> Result<Response<DescribeStandingResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.course("course_id", &request.course_id)?;
        let record = read::record(&loaded, request.snapshot, request.now)?;
        let statuses = read::statuses(request.statuses)?;
        let standing = decisions::describe_standing(&record, &statuses);
        Ok(Response::new(DescribeStandingResponse {
            standing: Some(write::standing(loaded.course.texts(), standing)),
        }))
    }

    async fn summarize_class(
        &self,
        request: Request<SummarizeClassRequest>,
    ) -> Result<Response<SummarizeClassResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        Ok(Response::new(class_standing::summarize(&loaded, request)?))
    }

    async fn apply_evidence(
        &self,
        request: Request<ApplyEvidenceRequest>,
    ) -> Result<Response<ApplyEvidenceResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        Ok(Response::new(evidence::apply(&loaded, request)?))
    }

    async fn apply_placement(
        &self,
        request: Request<ApplyPlacementRequest>,
    ) -> Result<Response<ApplyPlacementResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        Ok(Response::new(placement::apply(&loaded, request)?))
    }

    async fn check_drill(
        &self,
        request: Request<CheckDrillRequest>,
    ) -> Result<Response<CheckDrillResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        let (grade, response) = grading::check(&loaded, request)?;
        self.grades.count_check(&grade);
        Ok(Response::new(response))
    }

    async fn resolve_grade(
        &self,
        request: Request<ResolveGradeRequest>,
    ) -> Result<Response<ResolveGradeResponse>, Status> {
        let ResolveGradeRequest {
            check,
            outcome,
            known,
            drill,
            wrong_before,
            said,
        } = request.into_inner();
        let known = Known::read(known)?;
        guard::check_drill("drill", drill.as_ref())?;
        read::bounded("said", &said, guard::MOST_CHARS)?;
        let check = check.ok_or_else(|| PolicyError::missing("check"))?;
        let fields = ("check.course_id", "check.pack_hash");
        let loaded = self.version(fields, &check.course_id, &check.pack_hash)?;
        let (unit, check) = grading::checked(&loaded, check)?;
        let outcome = match &outcome {
            Some(resolve_grade_request::Outcome::Completion(bytes)) => {
                Some(decisions::Outcome::Completion(bytes))
            }
            Some(resolve_grade_request::Outcome::Failure(reason)) => {
                Some(decisions::Outcome::Failure(read::failure(*reason)?))
            }
            None => None,
        };
        let texts = loaded.course.texts();
        let mut grade = decisions::resolve_grade(texts, unit, &check, outcome);
        let written = matches!(outcome, Some(decisions::Outcome::Completion(_)));
        if written && grade.fallback_reason.is_none() {
            let withheld = known.judge_feedback(&self.guard, &loaded, &grade, drill.as_ref());
            if let Some(reason) = withheld {
                self.grades.withheld(reason);
                let failure = decisions::Outcome::Failure(guard::fallback_reason(reason));
                let mistake_tag = grade.mistake_tag;
                grade = decisions::resolve_grade(texts, unit, &check, Some(failure));
                // Of what was withheld the tag remains, one of the course's own, where mathematics says that it is wrong.
                grade.mistake_tag =
                    mistake_tag.filter(|_| grade.verdict == decisions::Verdict::Wrong);
                grade.violation = Some(reason.to_string());
            }
        }
        let before = grading::Before {
            wrong: usize::try_from(wrong_before).unwrap_or_default(),
            said: &said,
        };
        let grade = grading::with_mistake(&loaded, unit, &check, drill.as_ref(), grade);
        let grade = grading::with_help(&loaded, unit, &check, drill.as_ref(), before, grade);
        self.grades.count(&grade, outcome.is_some());
        if let Some(violation) = &grade.violation {
            tracing::info!(
                unit_id = %unit.id,
                reason = grade.fallback_reason.map(decisions::FallbackReason::as_str),
                violation,
                "model's grade refused"
            );
        }
        Ok(Response::new(grading::grade(grade)))
    }

    async fn get_exam_question(
        &self,
        request: Request<GetExamQuestionRequest>,
    ) -> Result<Response<GetExamQuestionResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        let question_id = request.question_id;
        Ok(Response::new(exams::describe(&loaded, question_id)?))
    }

    async fn find_port_questions(
        &self,
        request: Request<FindPortQuestionsRequest>,
    ) -> Result<Response<FindPortQuestionsResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        Ok(Response::new(exams::of_port(&loaded, &request)?))
    }

    async fn fingerprint_question(
        &self,
        request: Request<FingerprintQuestionRequest>,
    ) -> Result<Response<FingerprintQuestionResponse>, Status> {
        let loaded = self.course("course_id", &request.get_ref().course_id)?;
        let hashes = exams::fingerprint(&loaded, request.get_ref())?;
        Ok(Response::new(hashes))
    }

    async fn check_exam_answer(
        &self,
        request: Request<CheckExamAnswerRequest>,
    ) -> Result<Response<CheckExamAnswerResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        Ok(Response::new(exams::check(&loaded, request)?))
    }

    async fn analyze_context(
        &self,
        request: Request<AnalyzeContextRequest>,
    ) -> Result<Response<AnalyzeContextResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        let on = self.context_handoff;
        Ok(Response::new(context::analyze(on, &loaded, request)?))
    }

    async fn check_artifact(
        &self,
        request: Request<CheckArtifactRequest>,
    ) -> Result<Response<CheckArtifactResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.course("course_id", &request.course_id)?;
        Ok(Response::new(context::check(&loaded, &request)?))
    }

    async fn plan_procedure_help(
        &self,
        request: Request<PlanProcedureHelpRequest>,
    ) -> Result<Response<PlanProcedureHelpResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        Ok(Response::new(procedure_help::plan(&loaded, request)?))
    }

    async fn resolve_procedure_help(
        &self,
        request: Request<ResolveProcedureHelpRequest>,
    ) -> Result<Response<ResolveProcedureHelpResponse>, Status> {
        let request = request.into_inner();
        let plan = request.plan.as_ref();
        let plan = plan.ok_or_else(|| PolicyError::missing("plan"))?;
        let fields = ("plan.course_id", "plan.pack_hash");
        let loaded = self.version(fields, &plan.course_id, &plan.pack_hash)?;
        let response = procedure_help::resolve(&loaded, &self.help_rules, &self.guard, request)?;
        if !response.violation.is_empty() {
            tracing::info!(
                reason = response.fallback_reason().as_str_name(),
                violation = response.violation,
                "model's help refused"
            );
        }
        Ok(Response::new(response))
    }

    async fn get_lesson(
        &self,
        request: Request<GetLessonRequest>,
    ) -> Result<Response<GetLessonResponse>, Status> {
        let request = request.into_inner();
        let loaded = self.course("course_id", &request.course_id)?;
        let lesson = loaded.chat.lesson(&request.lesson);
        Ok(Response::new(GetLessonResponse {
            lesson: lesson.map(|lesson| chat::lesson(&loaded.chat, lesson)),
        }))
    }

    async fn decide_chat(
        &self,
        request: Request<DecideChatRequest>,
    ) -> Result<Response<DecideChatResponse>, Status> {
        let request = request.into_inner();
        let loaded = match request.course_id.as_str() {
            "" => None,
            // A platform's own course, which is not served here, has no lessons.
            id => self.courses.get(id),
        };
        let decision = chat::decide(loaded.as_deref(), &self.helper, request)?;
        Ok(Response::new(DecideChatResponse {
            decision: Some(decision),
        }))
    }

    async fn resolve_chat(
        &self,
        request: Request<ResolveChatRequest>,
    ) -> Result<Response<ResolveChatResponse>, Status> {
        let request = request.into_inner();
        let decision = request.decision.as_ref();
        let decision = decision.ok_or_else(|| PolicyError::missing("decision"))?;
        let loaded = if decision.course_id.is_empty() {
            None
        } else {
            let fields = ("decision.course_id", "decision.pack_hash");
            Some(self.version(fields, &decision.course_id, &decision.pack_hash)?)
        };
        let response = chat_reply::answer(&self.guard, loaded.as_deref(), request)?;
        if !response.violation.is_empty() {
            tracing::info!(
                reason = response.degraded_reason().as_str_name(),
                violation = response.violation,
                "model's chat answer refused"
            );
        }
        Ok(Response::new(response))
    }
}
