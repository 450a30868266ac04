//! What a turn asks of retrieval and of the exam system, and the decision that needs it. Retrieval and the exam system may
//! be away: the turn goes on without them and says so.

use std::pin::pin;

use futures_util::join;
use tokio::time::Instant;
use tonic::Code;
use turnwise_kit::{CallContext, Fault};
use turnwise_prompts::Sheets;
use turnwise_proto::{
    classes::v1::ExamUse,
    common::v1::ErrorReason,
    exam::v1::QuestionState,
    explain::v1::{TurnFacts, TurnTexts},
    policy::v1::{
        DecideRequest, DecideResponse, KnownTexts, Plan, PlanAndDecideRequest,
        PlanAndDecideResponse, ResolveReplyRequest, ResolveReplyResponse,
    },
    retrieval::v1::{
        MapMessageRequest, MapMessageResponse, Namespace, RetrieveRequest, RetrieveResponse,
    },
    session::v1::TurnStart,
    tutor::v1::{DegradedReason, Role, TutorMessage},
};

use super::{beside::measured, compose::Composing};
use crate::{
    conversation::{keep_chunks, note_time},
    error::internal,
    exam::ExamPort,
    input::said,
    record,
    upstream::{Step, Upstreams},
};

/// How many earlier messages help to place a message.
const CONTEXT_MESSAGES: usize = 4;
/// The most bytes of a chunk's text; those of courses and uploads are shorter.
const CHUNK_MAX_BYTES: usize = 65_536;
/// The most questions that the exam system is asked about at once.
const MAX_QUESTIONS: usize = 100;

impl Composing<'_> {
    /// Course text, and the policy's decision where it did not come with the plan: side by side, unless the decision needs to
    /// know which text is found, or what the exam system says of questions that are found.
    pub(super) async fn gather_and_decide(
        &mut self,
        working: &CallContext,
        plan: &Plan,
        decided: Option<DecideResponse>,
        retrieval_answers: bool,
    ) -> Result<DecideResponse, Fault> {
        if plan.exam_ready {
            let first = plan.focus_revisit_question_ids.clone();
            self.facts.candidate_question_ids = first;
        }
        if !plan.exam_ready {
            // No question is searched for, and none decides anything: only what needs no call is looked up.
            if !self.asks_beside(plan) {
                self.ask_exam_system(working, plan).await;
            }
            // The decision that came with the plan stands where the exam system was not asked.
            let is_told = !self.facts.statuses.is_empty() || self.facts.exam_system_unavailable;
            let decided = decided.filter(|_| !is_told);
            // Of several units to choose from, that of the text that is found stands first.
            if plan.choice_unit_ids.len() < 2 {
                let ((found, searched), (decided, took)) = {
                    let searching = pin!(self.search(working, plan, retrieval_answers));
                    let searching = measured(searching);
                    match decided {
                        Some(decision) => (searching.await, (Ok(decision), None)),
                        None => {
                            let deciding = pin!(self.decide(working, true));
                            let (found, (decided, took)) = join!(searching, measured(deciding));
                            (found, (decided, Some(took)))
                        }
                    }
                };
                self.keep(plan, found);
                note_time(&mut self.facts, "gather", searched);
                if let Some(took) = took {
                    note_time(&mut self.facts, "decide", took);
                }
                return decided;
            }
        }
        let began = Instant::now();
        let found = self.search(working, plan, retrieval_answers).await;
        self.keep(plan, found);
        if plan.exam_ready {
            self.ask_exam_system(working, plan).await;
        }
        note_time(&mut self.facts, "gather", began.elapsed());
        let (decided, took) = measured(pin!(self.decide(working, true))).await;
        note_time(&mut self.facts, "decide", took);
        decided
    }

    /// Course text and exam candidates. Retrieval that did not map the message is not asked again.
    async fn search(
        &self,
        working: &CallContext,
        plan: &Plan,
        retrieval_answers: bool,
    ) -> Option<Result<RetrieveResponse, Fault>> {
        match retrieval_answers {
            true => {
                let clarified = &self.start.clarified_documents;
                let upstreams = &self.core.upstreams;
                let record = (&self.facts, &self.texts);
                Some(retrieve(upstreams, working, plan, record, clarified).await)
            }
            false => None,
        }
    }

    fn keep(&mut self, plan: &Plan, found: Option<Result<RetrieveResponse, Fault>>) {
        match found {
            Some(Ok(mut found)) => {
                self.questions.task = found.clarification_task.take();
                keep_found(&mut self.facts, &mut self.texts, plan, found);
            }
            Some(Err(fault)) => self.without_retrieval(&fault),
            // Said when the message was not mapped.
            None => {}
        }
    }

    /// Retrieval is away, or the caller's time was too short for it.
    pub(super) fn without_retrieval(&mut self, fault: &Fault) {
        tracing::warn!(
            reason = fault.reason().wire_name(),
            "the turn goes on without retrieval"
        );
        self.degrade(match fault.reason() {
            ErrorReason::DeadlineExceeded => DegradedReason::Deadline,
            _ => DegradedReason::RetrievalUnavailable,
        });
    }

    async fn ask_exam_system(&mut self, working: &CallContext, plan: &Plan) {
        ask_exam_system(&self.core.exam, working, self.start, &mut self.facts, plan).await;
        if self.facts.exam_system_unavailable {
            self.degrade(DegradedReason::ExamApiUnavailable);
        }
        if record::class_policy(&self.facts).exam_use() == ExamUse::Closed {
            // Whatever the exam system says: nothing can be attempted now.
            self.facts.candidate_question_ids.clear();
            self.facts
                .statuses
                .retain(|status| status.state() != QuestionState::Available);
        }
    }

    /// The plan and, where the policy needs no more, the decision. An older policy-svc makes the plan alone.
    pub(super) async fn plan_and_decide(
        &self,
        working: &CallContext,
    ) -> Result<PlanAndDecideResponse, Fault> {
        let plan = || record::plan_request(&self.facts, &self.texts, "");
        let open = record::open_drill(&self.facts, &self.texts);
        let request = PlanAndDecideRequest {
            plan: Some(plan()),
            turn_id: self.facts.turn_id.clone(),
            thread_focus: self.facts.thread_focus.clone(),
            open_drill_unit_id: open.map_or_else(String::new, |open| open.unit_id),
        };
        let mut policy = self.core.upstreams.policy.clone();
        let step = Step::Policy.of(working);
        let planned = match policy.plan_and_decide(step.request(request)).await {
            Err(status) if status.code() == Code::Unimplemented => policy
                .plan(step.request(plan()))
                .await
                .map(|planned| PlanAndDecideResponse {
                    plan: planned.into_inner().plan,
                    decision: None,
                }),
            planned => planned.map(tonic::Response::into_inner),
        };
        planned.map_err(|status| step.fault(&status))
    }

    /// The decision, with the reply's schema or only its name.
    pub(super) async fn decide(
        &self,
        working: &CallContext,
        name_schema: bool,
    ) -> Result<DecideResponse, Fault> {
        let open = record::open_drill(&self.facts, &self.texts);
        let request = DecideRequest {
            open_drill_unit_id: open.map_or_else(String::new, |open| open.unit_id),
            name_schema,
            ..record::decide_request(&self.facts).ok_or_else(internal)?
        };
        let mut policy = self.core.upstreams.policy.clone();
        let step = Step::Policy.of(working);
        policy
            .decide(step.request(request))
            .await
            .map(tonic::Response::into_inner)
            .map_err(|status| step.fault(&status))
    }

    /// The policy's verdict on what the model wrote, or did not. Runs of the sheets are only named; they are sent where the
    /// policy does not know the name, as one that has just begun or is older.
    pub(super) async fn verdict(
        &self,
        sheets: &Sheets,
        mut known: KnownTexts,
    ) -> Result<ResolveReplyResponse, Fault> {
        let step = Step::Policy.of(self.request.context);
        let ask = async |known: KnownTexts| {
            let request = record::resolve_request(&self.facts, &self.texts, known);
            let request = ResolveReplyRequest {
                prompt_runs_name: sheets.runs_name(),
                ..request.ok_or_else(internal)?
            };
            let mut policy = self.core.upstreams.policy.clone();
            let resolved = policy.resolve_reply(step.request(request)).await;
            resolved
                .map(tonic::Response::into_inner)
                .map_err(|status| step.fault(&status))
        };
        let resolved = ask(known.clone()).await?;
        if resolved.prompt_runs_known || sheets.runs().is_empty() {
            return Ok(resolved);
        }
        known.prompt_runs = sheets.runs().to_vec();
        ask(known).await
    }
}

/// The units that the message is about; fails if retrieval is away, or makes no sense. A button alone is about its own
/// unit; the policy knows that by itself.
pub(super) async fn map_message(
    upstreams: &Upstreams,
    context: &CallContext,
    facts: &TurnFacts,
    texts: &TurnTexts,
) -> Result<MapMessageResponse, Fault> {
    let text = record::asked(texts).map_or("", said);
    if text.is_empty() {
        return Ok(MapMessageResponse::default());
    }
    // The first call of a turn: it has no version of the course yet.
    let request = MapMessageRequest {
        course_id: facts.course_id.clone(),
        text: text.to_owned(),
        recent_texts: recent_texts(&texts.recent_messages),
        pack_hash: String::new(),
    };
    let step = Step::Retrieval.of(context);
    let mut retrieval = upstreams.retrieval.clone();
    let mapped = retrieval
        .map_message(step.request(request))
        .await
        .map_err(|status| step.fault(&status))?
        .into_inner();
    // The policy would refuse a confidence that is none, and the turn with it.
    let mut confidences = mapped.mapped_units.iter().map(|unit| unit.confidence);
    match confidences.all(|confidence| (0.0..=1.0).contains(&confidence)) {
        true => Ok(mapped),
        false => Err(Step::Retrieval.malformed()),
    }
}

/// What was said last, oldest first. Of what the tutor said it is the last paragraph, which a short answer replies to; what
/// the policy tells before it, such as the way to another unit, is not what the conversation is about.
fn recent_texts(recent: &[TutorMessage]) -> Vec<String> {
    recent
        .iter()
        .skip(recent.len().saturating_sub(CONTEXT_MESSAGES))
        .map(|message| match (message.role(), &*message.text) {
            (_, "") => &*message.latex,
            (Role::Assistant, text) => text.rsplit("\n\n").next().unwrap_or(text),
            (_, text) => text,
        })
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Course text for the scope and, for a student who is ready, exam candidates; fails if retrieval is away.
async fn retrieve(
    upstreams: &Upstreams,
    context: &CallContext,
    plan: &Plan,
    (facts, texts): (&TurnFacts, &TurnTexts),
    clarified: &[String],
) -> Result<RetrieveResponse, Fault> {
    // A button says nothing: what the student wrote before the choice of a unit, else the title of the unit that it leads to
    // finds text.
    let focus = plan.standing.as_ref().and_then(|s| s.focus.as_ref());
    let (text, recent_texts) = match record::asked(texts).map_or("", said) {
        "" => match record::words(facts, texts) {
            "" => (focus.map_or("", |f| f.title.as_str()), Vec::new()),
            before => (before, Vec::new()),
        },
        said => (said, recent_texts(&texts.recent_messages)),
    };
    let mut namespaces = vec![Namespace::UnitAnchors, Namespace::UnitContentChunks];
    if plan.exam_ready {
        namespaces.push(Namespace::ExamCandidates);
    }
    let request = RetrieveRequest {
        course_id: plan.course_id.clone(),
        pack_hash: plan.pack_hash.clone(),
        text: text.to_owned(),
        scoped_unit_ids: plan.scoped_unit_ids.clone(),
        focus_unit_id: plan.focus_unit_id.clone(),
        desired_exam_tier: plan.desired_exam_tier,
        namespaces: namespaces.into_iter().map(i32::from).collect(),
        recent_texts,
        question_id: String::new(),
        clarified_document_ids: clarified.to_vec(),
    };
    let step = Step::Retrieval.of(context);
    let mut retrieval = upstreams.retrieval.clone();
    retrieval
        .retrieve(step.request(request))
        .await
        .map(|found| readable(found.into_inner()))
        .map_err(|status| step.fault(&status))
}

/// What was found, without texts that no course has: to read them would hold a turn up for seconds.
pub(crate) fn readable(mut found: RetrieveResponse) -> RetrieveResponse {
    for chunks in [&mut found.chunks, &mut found.unit_chunks] {
        chunks.retain(|chunk| chunk.text.len() <= CHUNK_MAX_BYTES);
    }
    found
}

/// Writes what was found to the record: texts for the prompt, and the exam candidates, those to come back to first.
fn keep_found(facts: &mut TurnFacts, texts: &mut TurnTexts, plan: &Plan, found: RetrieveResponse) {
    // What was said before finds text, too, and may have been about something else.
    let best = found.chunks.first().filter(|best| best.score > 0.0);
    if let Some(best) = best.filter(|_| texts.recent_messages.is_empty()) {
        facts.matched_unit_id.clone_from(&best.unit_id);
    }
    texts.anchors = found.anchors;
    texts.unit_chunks = found.unit_chunks;
    keep_chunks(facts, texts, found.index_id, found.chunks);
    if plan.exam_ready {
        for candidate in &found.exam_candidates {
            push_new(
                &mut facts.candidate_question_ids,
                candidate.question_id.clone(),
            );
        }
        texts.exam_candidates = found.exam_candidates;
    }
}

/// The questions whose status matters, as far as they are known: the candidates, the revisit queue, and the button's own.
pub(super) fn questions(facts: &TurnFacts, plan: &Plan) -> Vec<String> {
    let mut asked = facts.candidate_question_ids.clone();
    for id in &plan.revisit_question_ids {
        push_new(&mut asked, id.clone());
    }
    if let Some(event) = record::event(facts)
        && !event.question_id.is_empty()
    {
        asked.truncate(MAX_QUESTIONS - 1);
        push_new(&mut asked, event.question_id.clone());
    }
    asked.truncate(MAX_QUESTIONS);
    asked
}

/// The status of all questions that matter.
async fn ask_exam_system(
    exam: &ExamPort,
    context: &CallContext,
    start: &TurnStart,
    facts: &mut TurnFacts,
    plan: &Plan,
) {
    let asked = questions(facts, plan);
    if asked.is_empty() {
        return;
    }
    let statuses = exam
        .statuses(
            context,
            &facts.student_id,
            &facts.course_id,
            asked,
            &start.question_records,
        )
        .await;
    match statuses {
        Some(statuses) => facts.statuses = statuses,
        None => facts.exam_system_unavailable = true,
    }
}

fn push_new(list: &mut Vec<String>, id: String) {
    if !list.contains(&id) {
        list.push(id);
    }
}
