//! The upstream services, and how long each is waited for.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_kit::{
    CallContext, Caller, Fault, Kit,
    client::{ClientOptions, GrpcClient, connect},
    settings::read_token,
    sizes::{INTERNAL_MESSAGE, PUBLIC_MESSAGE},
    tls::Tls,
};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::exam_service_client::ExamServiceClient,
    llm::v1::{
        llm_gateway_service_client::LlmGatewayServiceClient,
        llm_queue_service_client::LlmQueueServiceClient,
    },
    policy::v1::{
        GetExamQuestionRequest, GetExamQuestionResponse, policy_service_client::PolicyServiceClient,
    },
    retrieval::v1::{
        index_service_client::IndexServiceClient, retrieval_service_client::RetrievalServiceClient,
    },
    school::v1::student_records_service_client::StudentRecordsServiceClient,
    session::v1::{
        delivery_service_client::DeliveryServiceClient,
        session_admin_service_client::SessionAdminServiceClient,
        session_service_client::SessionServiceClient,
    },
};

use crate::{
    config::{Endpoints, Place, Settings},
    error::{StartError, public},
};

/// The longest that session-svc is waited for; a call to it is one short transaction.
const SESSION_WAIT: Duration = Duration::from_secs(5);
/// The longest that policy-svc is waited for; it calculates and waits for nobody.
const POLICY_WAIT: Duration = Duration::from_secs(5);
/// The longest that retrieval-svc is waited for; a turn goes on without it.
const RETRIEVAL_WAIT: Duration = Duration::from_secs(3);
/// The longest that the exam system is waited for; a turn goes on without it.
const EXAM_WAIT: Duration = Duration::from_secs(2);
/// How long before its deadline a call is answered, whatever still runs: 250 ms are promised, and the answer itself has
/// to be made.
pub(crate) const ANSWER_MARGIN: Duration = Duration::from_millis(300);
/// What the steps of a call take where all is well.
const LEAST_WORK: Duration = Duration::from_millis(100);
/// What of a deadline may be gone before anybody here looks at it.
const TRANSIT: Duration = Duration::from_millis(50);
/// A service that had less time than this and did not answer may be well: the caller's time was short.
const FAIR_WAIT: Duration = Duration::from_millis(300);
/// When to try again what did not answer in time.
const RETRY: Duration = Duration::from_secs(1);

/// A part of a call that waits for one service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A transaction of session-svc.
    Session,
    /// A decision.
    Policy,
    /// A search.
    Retrieval,
    /// A question to the exam system.
    Exam,
}

/// A step that is being taken: it ends early enough that a service which stalls leaves time for an answer without it.
pub(crate) struct Waiting {
    step: Step,
    context: CallContext,
    wait: Duration,
}

impl Step {
    /// Takes a step of a call.
    pub(crate) fn of(self, context: &CallContext) -> Waiting {
        // Without the store there is no answer, so it may have all the time that there is; what can be done without leaves
        // the most of it to others.
        let (longest, share) = match self {
            Self::Session => (SESSION_WAIT, 1),
            Self::Policy => (POLICY_WAIT, 2),
            Self::Retrieval => (RETRIEVAL_WAIT, 4),
            Self::Exam => (EXAM_WAIT, 4),
        };
        let context = context.keeping_back(ANSWER_MARGIN);
        let wait = context
            .remaining()
            .map_or(longest, |left| (left / share).min(longest));
        Waiting {
            step: self,
            context: context.until(Instant::now() + wait),
            wait,
        }
    }

    /// The failure of a service whose answer lacks what it must have.
    pub(crate) fn malformed(self) -> Fault {
        tracing::error!(service = self.service(), "an answer makes no sense");
        self.unavailable()
    }

    fn unavailable(self) -> Fault {
        Fault::new(
            ErrorReason::DependencyUnavailable,
            "an upstream service does not answer; try again with the same key",
        )
        .meta("service", self.service())
        .retry_after(RETRY)
    }

    fn service(self) -> &'static str {
        match self {
            Self::Session => "session-svc",
            Self::Policy => "policy-svc",
            Self::Retrieval => "retrieval-svc",
            Self::Exam => "exam system",
        }
    }
}

impl Waiting {
    /// The step's request.
    pub(crate) fn request<T>(&self, message: T) -> tonic::Request<T> {
        self.context.request(message)
    }

    /// The step's own context.
    pub(crate) fn context(&self) -> &CallContext {
        &self.context
    }

    /// How long the service is waited for.
    pub(crate) fn wait(&self) -> Duration {
        self.wait
    }

    /// The failure of the step for the caller. A service that had a fair time and did not answer is away, and so is one
    /// whose answer cannot be read. Our own services always give a reason.
    pub(crate) fn fault(&self, status: &tonic::Status) -> Fault {
        let fault = public(status);
        if fault.reason() == ErrorReason::DeadlineExceeded {
            return match self.wait >= FAIR_WAIT {
                true => self.step.unavailable(),
                false => fault,
            };
        }
        if status.details().is_empty() {
            tracing::warn!(service = self.step.service(), error = %status, "there is no answer that can be read");
            return self.step.unavailable();
        }
        fault
    }
}

/// The context of a call that the gateway makes for itself, for as long as `context` has time.
pub(crate) fn own(context: &CallContext, tenant: &str, longest: Duration) -> CallContext {
    let service = Caller {
        tenant: tenant.to_owned(),
        subject: "gateway-svc".to_owned(),
        role: "service".to_owned(),
        groups: Vec::new(),
    };
    context
        .on_behalf_of(service)
        .until(Instant::now() + longest)
}

/// Refuses a call whose deadline leaves its steps no time, before any of them: what fails for want of time would look like
/// a service that is away. `reserve` is what the call keeps back beside the margin of its answer.
pub(crate) fn check_time(context: &CallContext, reserve: Duration) -> Result<(), Fault> {
    let least = ANSWER_MARGIN + reserve + LEAST_WORK;
    match context.remaining() {
        Some(left) if left + TRANSIT < least => {
            let least = least.as_millis().to_string();
            Err(Fault::new(
                ErrorReason::DeadlineExceeded,
                format!("this call needs at least {least} ms; give it a longer deadline"),
            )
            .meta("least_ms", least))
        }
        _ => Ok(()),
    }
}

/// Clients of the upstream services. Cheap to clone.
#[derive(Clone)]
pub struct Upstreams {
    /// Decisions.
    pub policy: PolicyServiceClient<GrpcClient>,
    /// Search.
    pub retrieval: RetrievalServiceClient<GrpcClient>,
    /// Uploads to courses, and the state of their indexes.
    pub index: IndexServiceClient<GrpcClient>,
    /// Models.
    pub llm: LlmGatewayServiceClient<GrpcClient>,
    /// The queues in front of models.
    pub llm_queue: LlmQueueServiceClient<GrpcClient>,
    /// State.
    pub session: SessionServiceClient<GrpcClient>,
    /// State, as far as staff and maintenance deal with it.
    pub session_admin: SessionAdminServiceClient<GrpcClient>,
    /// Events that wait to be delivered.
    pub delivery: DeliveryServiceClient<GrpcClient>,
    /// What is kept of students.
    pub student_records: StudentRecordsServiceClient<GrpcClient>,
    /// A platform's own exam system; `None`: the built-in one.
    pub exam: Option<ExamServiceClient<GrpcClient>>,
}

impl Upstreams {
    /// An exam question as the catalogue of a course has it: its units, its tier and what a client draws of it. `pack_hash`
    /// is the version of the course; empty: the one that is served now.
    pub(crate) async fn exam_question(
        &self,
        context: &CallContext,
        course_id: &str,
        pack_hash: &str,
        question_id: &str,
    ) -> Result<GetExamQuestionResponse, Fault> {
        let step = Step::Policy.of(context);
        let request = GetExamQuestionRequest {
            course_id: course_id.to_owned(),
            pack_hash: pack_hash.to_owned(),
            question_id: question_id.to_owned(),
        };
        let known = self
            .policy
            .clone()
            .get_exam_question(step.request(request))
            .await;
        known
            .map(tonic::Response::into_inner)
            .map_err(|status| step.fault(&status))
    }

    /// Clients over these transports.
    pub fn new(
        policy: GrpcClient,
        retrieval: GrpcClient,
        llm: GrpcClient,
        session: GrpcClient,
        exam: Option<GrpcClient>,
    ) -> Self {
        Self {
            policy: PolicyServiceClient::new(policy).max_decoding_message_size(INTERNAL_MESSAGE),
            retrieval: RetrievalServiceClient::new(retrieval.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            index: IndexServiceClient::new(retrieval).max_decoding_message_size(INTERNAL_MESSAGE),
            llm: LlmGatewayServiceClient::new(llm.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            llm_queue: LlmQueueServiceClient::new(llm).max_decoding_message_size(INTERNAL_MESSAGE),
            session: SessionServiceClient::new(session.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            session_admin: SessionAdminServiceClient::new(session.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            delivery: DeliveryServiceClient::new(session.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            student_records: StudentRecordsServiceClient::new(session)
                .max_decoding_message_size(INTERNAL_MESSAGE),
            exam: exam
                .map(|exam| ExamServiceClient::new(exam).max_decoding_message_size(PUBLIC_MESSAGE)),
        }
    }

    /// Clients of the services at these places, as `client` makes them.
    ///
    /// # Errors
    ///
    /// If it cannot make one.
    pub fn connect<E>(
        endpoints: &Endpoints,
        exam: Option<GrpcClient>,
        client: impl FnMut(Place<'_>) -> Result<GrpcClient, E>,
    ) -> Result<Self, E> {
        let [policy, retrieval, llm, session] = endpoints.places().map(client);
        Ok(Self::new(policy?, retrieval?, llm?, session?, exam))
    }
}

/// A client of the platform's exam system, if one is named. It has a token of its own: it is no part of the suite, and
/// must not be able to speak for anybody here.
///
/// # Errors
///
/// If the address or the token cannot be used.
pub fn connect_exam(
    settings: &Settings,
    tls: Option<&Tls>,
    kit: &Kit,
) -> Result<Option<GrpcClient>, StartError> {
    let Some(endpoint) = &settings.exam_endpoint else {
        return Ok(None);
    };
    let token = settings
        .exam_token_file
        .as_ref()
        .map(|file| read_token("EXAM_TOKEN_FILE", file, kit))
        .transpose()?;
    let options = ClientOptions {
        peer: "exam system",
        token,
    };
    Ok(Some(connect(endpoint, tls, options, kit)?))
}
