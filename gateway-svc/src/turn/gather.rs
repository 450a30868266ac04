//! What a turn asks of retrieval and of the exam system. Either may be away: the turn goes on without it and says so.

use turnwise_kit::CallContext;
use turnwise_proto::{
    exam::v1::{BatchGetQuestionStatusRequest, QuestionStatus},
    policy::v1::Plan,
    retrieval::v1::{
        Anchor, Chunk, MapMessageRequest, Namespace, RetrieveRequest, RetrieveResponse,
    },
    session::v1::MappedUnit,
    tutor::v1::{DegradedReason, TutorMessage},
};

use crate::{input::Input, upstream::Upstreams};

/// How many earlier messages help to place a message.
const CONTEXT_MESSAGES: usize = 4;
/// The most questions that the exam system is asked about at once.
const MAX_QUESTIONS: usize = 100;

/// What was gathered for a decision.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) anchors: Vec<Anchor>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) candidate_ids: Vec<String>,
    pub(super) statuses: Vec<QuestionStatus>,
    pub(super) exam_away: bool,
    pub(super) degraded: Vec<DegradedReason>,
}

/// The units that the message is about. A button alone is about its own unit; the policy knows that by itself.
pub(super) async fn map_message(
    upstreams: &Upstreams,
    context: &CallContext,
    course_id: &str,
    input: &Input,
    recent: &[TutorMessage],
) -> (Vec<MappedUnit>, Option<DegradedReason>) {
    if input.said().is_empty() {
        return (Vec::new(), None);
    }
    // The first call of a turn: it has no version of the course yet.
    let request = MapMessageRequest {
        course_id: course_id.to_owned(),
        text: input.said().to_owned(),
        recent_texts: recent_texts(recent),
        pack_hash: String::new(),
    };
    match upstreams
        .retrieval
        .clone()
        .map_message(context.request(request))
        .await
    {
        Ok(response) => (response.into_inner().mapped_units, None),
        Err(status) => {
            tracing::warn!(code = ?status.code(), "the message was not mapped");
            (Vec::new(), Some(DegradedReason::RetrievalUnavailable))
        }
    }
}

/// What was said last, oldest first.
fn recent_texts(recent: &[TutorMessage]) -> Vec<String> {
    recent
        .iter()
        .skip(recent.len().saturating_sub(CONTEXT_MESSAGES))
        .map(|m| if m.text.is_empty() { &m.latex } else { &m.text })
        .filter(|text| !text.is_empty())
        .cloned()
        .collect()
}

/// Course text for the scope beside exam candidates and their status.
pub(super) async fn gather(
    upstreams: &Upstreams,
    context: &CallContext,
    student_id: &str,
    plan: &Plan,
    input: &Input,
    recent: &[TutorMessage],
) -> Gathered {
    let texts = retrieve(
        upstreams,
        context,
        plan,
        (input, recent),
        &[Namespace::UnitAnchors, Namespace::UnitContentChunks],
    );
    let exam = exam(upstreams, context, student_id, plan, input);
    let (texts, (candidate_ids, exam)) = futures_util::join!(texts, exam);
    let mut gathered = Gathered {
        candidate_ids,
        ..Gathered::default()
    };
    match texts {
        Some(found) => {
            gathered.anchors = found.anchors;
            gathered.chunks = found.chunks;
        }
        None => gathered.degraded.push(DegradedReason::RetrievalUnavailable),
    }
    match exam {
        Some(statuses) => gathered.statuses = statuses,
        None => {
            gathered.exam_away = true;
            gathered.degraded.push(DegradedReason::ExamApiUnavailable);
        }
    }
    gathered
}

async fn retrieve(
    upstreams: &Upstreams,
    context: &CallContext,
    plan: &Plan,
    (input, recent): (&Input, &[TutorMessage]),
    namespaces: &[Namespace],
) -> Option<RetrieveResponse> {
    // A button says nothing; the title of the unit that it leads to finds that unit's text.
    let focus = plan.standing.as_ref().and_then(|s| s.focus.as_ref());
    let (text, recent_texts) = match input.said() {
        "" => (focus.map_or("", |f| f.title.as_str()), Vec::new()),
        said => (said, recent_texts(recent)),
    };
    let request = RetrieveRequest {
        course_id: plan.course_id.clone(),
        pack_hash: plan.pack_hash.clone(),
        text: text.to_owned(),
        scoped_unit_ids: plan.scoped_unit_ids.clone(),
        focus_unit_id: plan.focus_unit_id.clone(),
        desired_exam_tier: plan.desired_exam_tier,
        namespaces: namespaces.iter().map(|n| i32::from(*n)).collect(),
        recent_texts,
    };
    upstreams
        .retrieval
        .clone()
        .retrieve(context.request(request))
        .await
        .map_err(|status| tracing::warn!(code = ?status.code(), "nothing was retrieved"))
        .ok()
        .map(tonic::Response::into_inner)
}

/// Exam candidates, those to come back to first, and the status of all questions that matter. Candidates are looked for
/// only when the student is ready; without a question to ask about, the exam system is not called. `None`: it is away.
async fn exam(
    upstreams: &Upstreams,
    context: &CallContext,
    student_id: &str,
    plan: &Plan,
    input: &Input,
) -> (Vec<String>, Option<Vec<QuestionStatus>>) {
    let mut candidates = Vec::new();
    if plan.exam_ready {
        candidates.clone_from(&plan.focus_revisit_question_ids);
        let found = retrieve(
            upstreams,
            context,
            plan,
            (input, &[]),
            &[Namespace::ExamCandidates],
        )
        .await;
        for candidate in found.into_iter().flat_map(|f| f.exam_candidates) {
            push_new(&mut candidates, candidate.question_id);
        }
    }
    let mut asked = candidates.clone();
    for id in &plan.revisit_question_ids {
        push_new(&mut asked, id.clone());
    }
    asked.truncate(MAX_QUESTIONS);
    let statuses = question_statuses(upstreams, context, student_id, &plan.course_id, asked).await;
    (candidates, statuses)
}

/// The exam system's word on these questions; `None` if it is away.
pub(crate) async fn question_statuses(
    upstreams: &Upstreams,
    context: &CallContext,
    student_id: &str,
    course_id: &str,
    question_ids: Vec<String>,
) -> Option<Vec<QuestionStatus>> {
    if question_ids.is_empty() {
        return Some(Vec::new());
    }
    let request = BatchGetQuestionStatusRequest {
        student_id: student_id.to_owned(),
        course_id: course_id.to_owned(),
        question_ids,
    };
    upstreams
        .exam
        .clone()
        .batch_get_question_status(context.request(request))
        .await
        .map_err(|status| tracing::warn!(code = ?status.code(), "the exam system was not asked"))
        .ok()
        .map(|response| response.into_inner().statuses)
}

fn push_new(list: &mut Vec<String>, id: String) {
    if !list.contains(&id) {
        list.push(id);
    }
}
