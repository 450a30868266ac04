//! The phases between begin and commit. Each writes what it learnt to the turn's record and makes its next request of
//! that record alone, so that the same turn can be made again.

use std::pin::pin;

use futures_util::{FutureExt, future::maybe_done, join};
use tokio::time::Instant;
use turnwise_guardrails::{Hit, HitKind};
use turnwise_kit::{CallContext, Fault, time};
use turnwise_messages::{keys, text};
use turnwise_prompts::Sheets;
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{TurnFacts, TurnTexts},
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        DecideResponse, KnownTexts, Plan, PlanAndDecideResponse, Reply, ResolveReplyResponse,
    },
    session::v1::{Clarification, MappedUnit, TurnStart},
    tutor::v1::{Button, DegradedReason, ExamCard, SnapshotLite, StudentInput, TurnStage},
};

use super::{
    beside::{beside, measured, wait_a_moment},
    buttons::{below, is_choice},
    gather,
    notices::notices,
};
use crate::{
    context::needs::{self, Needs},
    conversation::{
        Completed, Core, Progress, Request, RetryHint, asking,
        clarification::{self, Questions},
        complete, guards, note_time,
    },
    record,
    upstream::{ANSWER_MARGIN, Step},
};

/// A turn that is being composed.
pub(super) struct Composing<'a> {
    pub(super) core: &'a Core,
    pub(super) request: &'a Request<'a>,
    pub(super) place_ticket: &'a str,
    pub(super) progress: &'a Progress,
    /// What the model is asked for.
    pub(super) purpose: Purpose,
    pub(super) start: &'a TurnStart,
    pub(super) facts: TurnFacts,
    pub(super) texts: TurnTexts,
    pub(super) questions: Questions,
    pub(super) needs: Needs,
}

/// What the phases came to.
pub(super) struct Composed {
    pub(super) facts: TurnFacts,
    pub(super) texts: TurnTexts,
    pub(super) buttons: Vec<Button>,
    pub(super) standing: Option<SnapshotLite>,
    /// The reply's exam question where the exam system words it; the reply itself is the policy's.
    pub(super) worded: Option<ExamCard>,
    pub(super) notices: Vec<ErrorReason>,
    pub(super) retry_hint: RetryHint,
    pub(super) questions: Questions,
    pub(super) needs: Needs,
}

impl Composing<'_> {
    /// All phases; none but the answer where a guardrail stops the words. Fails only where the request itself is at fault.
    pub(super) async fn run(mut self, hit: Option<Hit>) -> Result<Composed, Fault> {
        self.progress.stage(TurnStage::Reading);
        if let Some(kind) = guards::note(hit, &mut self.facts, &mut self.texts) {
            return Ok(self.guarded(kind).await);
        }
        // Kept back so that a fallback and the commit still fit before the caller's deadline.
        let working = self.request.context.keeping_back(self.core.reply_reserve);

        let (start, questions) = (self.start, &mut self.questions);
        if let Some(open) = questions.hear(start, &mut self.facts, &mut self.texts)? {
            // No search, no model.
            let standing = self.standing().await;
            return Ok(self.asked(&open, standing));
        }
        let mapped = match &self.texts.clarification {
            // The document says what it is about, and nothing more is searched.
            Some(clarification) => {
                self.facts.mapped_units = vec![MappedUnit {
                    unit_id: clarification.unit_id.clone(),
                    confidence: 1.0,
                }];
                false
            }
            None => self.map(&working).await,
        };
        let (plan, decided) = match self.plan(&working).await {
            Ok(planned) => planned,
            Err(fault) => return self.policy_failed(fault),
        };
        let is_answered = match self.needed(&working, &plan).await {
            Ok(is_answered) => is_answered,
            // A phase that the course has not is the client's to correct, and so is a message that cannot wait now.
            Err(fault)
                if self.needs.is_resumed()
                    || matches!(
                        fault.reason(),
                        ErrorReason::InvalidArgument | ErrorReason::TurnInProgress
                    ) =>
            {
                return Err(fault);
            }
            Err(fault) => return self.policy_failed(fault),
        };
        if !is_answered {
            let standing = self.standing().await;
            return Ok(self.unanswered(&plan.locale, standing));
        }
        let core = self.core;
        let asked = match self.asks_beside(&plan) {
            true => gather::questions(&self.facts, &plan),
            false => Vec::new(),
        };
        let is_beside = !asked.is_empty();
        let student_id = self.facts.student_id.clone();
        let (course_id, pack_hash) = (&plan.course_id, &plan.pack_hash);
        let mut locks = pin!(maybe_done(core.exam.statuses(
            &working,
            &student_id,
            course_id,
            asked,
            &[]
        )));
        let decided = beside(
            locks.as_mut(),
            pin!(self.gather_and_decide(&working, &plan, decided, mapped)),
        )
        .await;
        let decision = match decided {
            Ok(decision) => decision,
            Err(fault) => return self.policy_failed(fault),
        };
        let (facts, texts) = (&mut self.facts, &mut self.texts);
        if let Some(open) = self.questions.begin(start, facts, texts, &plan.locale) {
            // The plan's focus is not stored: the student stands where they stood.
            let standing = self.standing().await;
            return Ok(self.asked(&open, standing));
        }
        if self
            .needs
            .defer(self.core, self.request, start, (facts, texts))
        {
            let standing = self.standing().await;
            return Ok(self.untouched(standing));
        }
        self.facts.policy = decision.policy;
        self.facts.summary = Some(decision.summary.unwrap_or_default());
        // Those of the prompt judge the reply, too, whatever is loaded while the model writes.
        let sheets = core.sheets.current();
        // The model takes longer than these: what it must not repeat is there when it has answered.
        let units = &plan.scoped_unit_ids;
        let mut known = pin!(maybe_done(
            core.known_texts_of(&working, course_id, pack_hash, units)
        ));
        let asked = {
            let asking = pin!(self.ask_model(&working, &sheets, decision.reply_schema));
            let asking = pin!(beside(known.as_mut(), asking));
            beside(locks.as_mut(), asking).await
        };
        // Where no model is to be called, the course's own drill is held against what is known; where one failed, time is
        // short, and what was not read by then is unknown.
        let is_in_time = asked.is_off || asked.call.failure() == DegradedReason::Unspecified;
        if is_in_time {
            known.as_mut().await;
        } else {
            known.as_mut().now_or_never();
        }
        let known = known.as_mut().take_output();
        let known = known.unwrap_or_else(|| KnownTexts {
            exams_unknown: true,
            ..core.known_texts_without_runs()
        });
        if known.exams_unknown && is_in_time {
            self.degrade(DegradedReason::ExamApiUnavailable);
        }
        self.facts.no_model = asked.is_off;
        self.facts.model_call = (!asked.is_off).then_some(asked.call);
        self.texts.completion = asked.completion;

        self.progress.stage(TurnStage::Checking);
        let resolved = beside(locks.as_mut(), pin!(self.resolve(&sheets, known))).await;
        let resolved = match resolved {
            Ok(resolved) => resolved,
            Err(fault) => return self.policy_failed(fault),
        };
        let worded = self.worded(&working, resolved.reply.as_ref()).await;
        self.facts.verdict = Some(record::verdict(&resolved));
        self.facts.turn_state =
            record::turn_state(&self.facts, &resolved, self.core.kit.clock.now());
        self.facts.target_locked_after = plan.target_locked;
        // What an operator or a class's teacher switched off is no degradation; an older policy-svc calls it a fallback.
        if resolved.fallback_reason() != DegradedReason::Unspecified && !asked.is_off {
            self.degrade(resolved.fallback_reason());
        }
        self.texts.reply = resolved.reply;
        let statuses = match is_beside {
            true => {
                wait_a_moment(&working, locks.as_mut()).await;
                self.told_beside(locks.as_mut().take_output())
            }
            false => self.facts.statuses.clone(),
        };
        let standing = decision.standing.unwrap_or_default();
        let standing = self
            .standing_after(&plan, standing, is_beside, &statuses)
            .await;
        let notices = notices(
            record::event(&self.facts),
            self.start.snapshot.as_ref(),
            record::open_drill(&self.facts, &self.texts).as_ref(),
            &statuses,
            &self.texts,
        );
        let mut buttons = decision.buttons;
        buttons.retain(|button| !(resolved.is_on_own_exercise && is_choice(button)));
        Ok(Composed {
            buttons: below(&self.facts, &self.texts, resolved.check_typed, buttons),
            standing: Some(standing),
            worded,
            notices,
            retry_hint: asked.retry_hint,
            questions: self.questions,
            needs: self.needs,
            facts: self.facts,
            texts: self.texts,
        })
    }

    /// Which units the message is about. Returns whether retrieval answered.
    async fn map(&mut self, working: &CallContext) -> bool {
        let upstreams = &self.core.upstreams;
        let (facts, texts) = (&self.facts, &self.texts);
        let (mapped, took) =
            measured(pin!(gather::map_message(upstreams, working, facts, texts))).await;
        note_time(&mut self.facts, "map", took);
        match mapped {
            Ok(mapped) => {
                self.facts.mapped_units = mapped.mapped_units;
                true
            }
            Err(fault) => {
                self.without_retrieval(&fault);
                false
            }
        }
    }

    /// The plan, and the decision where it needs no more.
    async fn plan(
        &mut self,
        working: &CallContext,
    ) -> Result<(Plan, Option<DecideResponse>), Fault> {
        self.facts.planned_at = Some(time::to_proto(self.core.kit.clock.now()));
        let (planned, took) = measured(pin!(self.plan_and_decide(working))).await;
        note_time(&mut self.facts, "plan", took);
        let PlanAndDecideResponse { plan, decision } = planned?;
        let plan = plan
            .filter(|plan| plan.course_id == self.facts.course_id)
            .ok_or_else(|| Step::Policy.malformed())?;
        let locales = &self.core.course_locales;
        locales.learn(&plan.course_id, &plan.locale);
        self.facts.plan = Some(plan.clone());
        Ok((plan, decision))
    }

    /// What the message needs beside the course: attached, or asked for. Whether it is answered now.
    async fn needed(&mut self, working: &CallContext, plan: &Plan) -> Result<bool, Fault> {
        let (core, request, start) = (self.core, self.request, self.start);
        let record = (&mut self.facts, &mut self.texts);
        let needs = &mut self.needs;
        if needs.is_resumed() {
            return Box::pin(needs.hydrate(core, working, request, start, plan, record)).await;
        }
        // Most turns need nothing, and carry none of it with them.
        if needs.may_apply(plan) {
            Box::pin(needs.look(core, working, request, start, plan, record)).await?;
        }
        Ok(!self.needs.waits())
    }

    /// The message waits, or will not be answered, and the record stays untouched.
    fn unanswered(mut self, locale: &str, standing: Option<SnapshotLite>) -> Composed {
        if self.needs.is_resumed() {
            self.texts.reply = Some(Reply {
                text: needs::apology(&self.facts, locale),
                ..Reply::default()
            });
        }
        self.untouched(standing)
    }

    /// Prompt and model. Where the schema is only named and a model gateway does not know the name, as one that has just
    /// begun or is older, no model was asked: the policy decides the same once more and gives the schema.
    async fn ask_model(
        &mut self,
        working: &CallContext,
        sheets: &Sheets,
        json_schema: String,
    ) -> Completed {
        let completed = self.ask_with(working, sheets, json_schema).await;
        if !completed.is_name_refused {
            return completed;
        }
        let (decided, took) = measured(pin!(self.decide(working, false))).await;
        note_time(&mut self.facts, "decide", took);
        match decided {
            Ok(decision) => self.ask_with(working, sheets, decision.reply_schema).await,
            Err(_) => completed,
        }
    }

    async fn ask_with(
        &mut self,
        working: &CallContext,
        sheets: &Sheets,
        json_schema: String,
    ) -> Completed {
        if self.core.is_model_off(record::class_policy(&self.facts)) {
            return Completed::off();
        }
        let began = Instant::now();
        let max_tokens = self.core.prompt_max_tokens;
        let no_input = StudentInput::default();
        let Some(prompt) = record::turn_prompt(&self.facts, &self.texts, &no_input) else {
            return Completed::failed(DegradedReason::LlmError);
        };
        let prompt = match sheets.turn(record::locale(&self.facts), &prompt, max_tokens) {
            Ok(prompt) => prompt,
            Err(error) => {
                // Somebody's sheet is broken in a way that shows only now: the student gets the fallback.
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                return Completed::failed(DegradedReason::LlmError);
            }
        };
        let class_id = &self.facts.class_id;
        let (identity, asked) = asking(self.core, sheets, prompt, self.request, class_id);
        note_time(&mut self.facts, "prompt", began.elapsed());
        let asked = CompleteRequest {
            json_schema,
            place_ticket: self.place_ticket.to_owned(),
            ..asked
        };
        let working = working.keeping_back(ANSWER_MARGIN);
        let (completed, took) = measured(pin!(complete(
            self.core,
            &working,
            self.purpose,
            self.progress,
            asked,
        )))
        .await;
        note_time(&mut self.facts, "model", took);
        self.facts.prompt = (!completed.is_off).then_some(identity);
        completed
    }

    /// The policy's verdict on what the model wrote, or did not.
    async fn resolve(
        &mut self,
        sheets: &Sheets,
        known: KnownTexts,
    ) -> Result<ResolveReplyResponse, Fault> {
        let (resolved, took) = measured(pin!(self.verdict(sheets, known))).await;
        note_time(&mut self.facts, "resolve", took);
        let resolved = resolved?;
        self.facts.met = resolved.met.clone();
        // A reply always says something.
        match &resolved.reply {
            Some(reply) if !reply.text.trim().is_empty() => Ok(resolved),
            _ => Err(Step::Policy.malformed()),
        }
    }

    /// The fixed answer to words that a guardrail stops: no model, no decision, the record untouched.
    async fn guarded(mut self, kind: HitKind) -> Composed {
        self.facts.guardrail = kind.name().to_owned();
        self.degrade(DegradedReason::Guardrail);
        let (core, context) = (self.core, self.request.context);
        let course_id = self.facts.course_id.clone();
        let (standing, text) = join!(
            self.standing(),
            core.guarded_text(context, &course_id, kind)
        );
        self.texts.reply = Some(Reply {
            text,
            ..Reply::default()
        });
        self.untouched(standing)
    }

    /// Asks the open question; the record stays untouched.
    fn asked(mut self, open: &Clarification, standing: Option<SnapshotLite>) -> Composed {
        self.texts.reply = Some(Reply {
            text: clarification::question(open).to_owned(),
            ..Reply::default()
        });
        Composed {
            buttons: clarification::buttons(open),
            ..self.untouched(standing)
        }
    }

    /// The policy refused or could not be asked. A refusal that is about the request goes to the client, and so does the
    /// end of its time, as long as nothing is decided: after that, what was kept back is time enough for an answer.
    fn policy_failed(self, fault: Fault) -> Result<Composed, Fault> {
        match fault.reason() {
            // A message that waited is answered all the same: nobody would see the refusal.
            ErrorReason::UnknownCourse
            | ErrorReason::CourseGraphInvalid
            | ErrorReason::UnknownUnit
                if !self.needs.is_resumed() =>
            {
                Err(fault)
            }
            ErrorReason::DeadlineExceeded if self.facts.policy.is_none() => Err(fault),
            reason => {
                tracing::error!(reason = reason.wire_name(), "the policy cannot be asked");
                Ok(self.without_policy())
            }
        }
    }

    /// The answer without a policy: a fixed text, no card, the record untouched. The course's language is the one that the
    /// policy named before.
    fn without_policy(mut self) -> Composed {
        self.facts.degraded_reasons.clear();
        self.degrade(DegradedReason::PolicyUnavailable);
        let locale = self.core.course_locales.of(&self.facts.course_id);
        self.texts.reply = Some(Reply {
            text: text(&locale, keys::POLICY_UNAVAILABLE, &[]),
            ..Reply::default()
        });
        self.untouched(None)
    }

    fn untouched(mut self, standing: Option<SnapshotLite>) -> Composed {
        self.facts.target_locked_after = self.start.target_locked;
        Composed {
            buttons: Vec::new(),
            standing,
            worded: None,
            notices: Vec::new(),
            retry_hint: RetryHint::default(),
            questions: self.questions,
            needs: self.needs,
            facts: self.facts,
            texts: self.texts,
        }
    }

    pub(super) fn degrade(&mut self, reason: DegradedReason) {
        let reason = i32::from(reason);
        if !self.facts.degraded_reasons.contains(&reason) {
            self.facts.degraded_reasons.push(reason);
        }
    }
}
