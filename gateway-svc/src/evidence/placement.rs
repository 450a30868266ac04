//! Placement: begun, answered, paused. Each step is the policy's, applied to the record and written as evidence is. Whether
//! an answer was right is told to nobody.

use std::marker::PhantomData;

use prost::Message;
use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    placement::v1::{
        AnswerPlacementRequest, AnswerPlacementResponse, BeginPlacementRequest,
        BeginPlacementResponse, PausePlacementRequest, PausePlacementResponse, Placement,
        PlacementCard,
    },
    policy::v1::{
        ApplyPlacementRequest, PlacementAnswered, PlacementBegun, PlacementPaused,
        PlacementQuestion, PlacementShown, apply_placement_request::Step as Taken,
    },
    session::v1::{self as session, EvidenceStart, QuestionRecord, StudentSnapshot},
    tutor::v1::PlacementState,
};

use super::{
    ANSWER_MAX_CHARS, Evidence, clipped,
    standing::{Locks, of_the_request},
    store::{Committed, Draft, Event, EvidenceRequest, Write},
};
use crate::{
    conversation::{Begun, guards::Screened, request_hash},
    error::internal,
    input::{Unredacted, check_text, said},
    tokens::{DrillClaims, TokenFault},
    upstream::Step,
};

/// The most characters of a question's prompt, and of its exercise.
const CARD_MAX_CHARS: usize = 2_000;

/// A placement as the student sees it.
struct Shown(Placement);

impl From<Shown> for BeginPlacementResponse {
    fn from(Shown(placement): Shown) -> Self {
        Self {
            placement: Some(placement),
        }
    }
}

impl From<Shown> for AnswerPlacementResponse {
    fn from(Shown(placement): Shown) -> Self {
        Self {
            placement: Some(placement),
            ..Self::default()
        }
    }
}

impl From<Shown> for PausePlacementResponse {
    fn from(Shown(placement): Shown) -> Self {
        Self {
            placement: Some(placement),
        }
    }
}

impl Evidence {
    /// Begins a placement, or goes on with it.
    pub(crate) async fn begin_placement(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: BeginPlacementRequest,
    ) -> Result<BeginPlacementResponse, Fault> {
        let thread = (request.thread_id.as_str(), request.course_id.as_str());
        let hash = request_hash("BeginPlacement", request.clone(), |r| {
            &mut r.idempotency_key
        });
        let now = self.core.kit.clock.now();
        let key = &request.idempotency_key;
        let asked = EvidenceRequest::of_tutor(context, caller, thread, key, hash, now);
        self.step(&asked, Taken::Begun(PlacementBegun {})).await
    }

    /// Lets a placement wait.
    pub(crate) async fn pause_placement(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: PausePlacementRequest,
    ) -> Result<PausePlacementResponse, Fault> {
        let thread = (request.thread_id.as_str(), request.course_id.as_str());
        let hash = request_hash("PausePlacement", request.clone(), |r| {
            &mut r.idempotency_key
        });
        let now = self.core.kit.clock.now();
        let key = &request.idempotency_key;
        let asked = EvidenceRequest::of_tutor(context, caller, thread, key, hash, now);
        self.step(&asked, Taken::Paused(PlacementPaused {})).await
    }

    /// Takes an answer, once for each question.
    pub(crate) async fn answer_placement(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: AnswerPlacementRequest,
    ) -> Result<AnswerPlacementResponse, Fault> {
        let card = check(&request)?;
        let answer = request.answer.as_ref();
        let answer = answer
            .map(|answer| Unredacted::read_answer(Some(answer), self.answer_max_chars()))
            .transpose()?;
        let thread = (request.thread_id.as_str(), request.course_id.as_str());
        let hash = request_hash("AnswerPlacement", request.clone(), |r| {
            &mut r.idempotency_key
        });
        let now = self.core.kit.clock.now();
        let key = &request.idempotency_key;
        let mut asked = EvidenceRequest::of_tutor(context, caller, thread, key, hash, now);
        let claims = claims(&asked, &card.unit_id, &card.prompt, &card.question_latex);
        let proof = self.core.tokens.check_placement(now, &card.token, &claims);
        if let Ok(proof) = &proof {
            asked.drill_nonce.clone_from(&proof.nonce);
        }
        let start = match self.begin(&asked).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        let proof = proof.map_err(|fault| self.refused(fault))?;
        let mut typed = String::new();
        if let Some(answer) = answer {
            let roster = self
                .core
                .roster(&asked.request, start.thread.as_ref())
                .await?;
            let Screened { input, hit, .. } = self.core.screen(answer, &roster, &[]);
            if let Some(hit) = hit
                && let Some(guarded) = self.guarded(&asked, &card.unit_id, &start, &hit).await?
            {
                return Ok(guarded.into());
            }
            clipped(said(&input), ANSWER_MAX_CHARS).clone_into(&mut typed);
        }
        if start.already_graded.is_some() {
            return self.as_it_stands(&asked, *start).await;
        }
        let answered = PlacementAnswered {
            unit_id: card.unit_id.clone(),
            drill_id: proof.drill_id,
            prompt: card.prompt.clone(),
            question_latex: card.question_latex.clone(),
            answer: typed,
        };
        match self.write(&asked, start, Taken::Answered(answered)).await? {
            Committed::Done(answer) | Committed::Stored(answer) => Ok(answer),
            // It was answered meanwhile, under another key.
            Committed::AlreadyGraded => match self.begin(&asked).await? {
                Begun::Stored(answer) => Ok(answer),
                Begun::Start(start) => self.as_it_stands(&asked, *start).await,
            },
        }
    }

    /// A step that spends nothing.
    async fn step<A: Message + Default + From<Shown>>(
        &self,
        asked: &EvidenceRequest<'_>,
        step: Taken,
    ) -> Result<A, Fault> {
        let start = match self.begin(asked).await? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(start) => start,
        };
        match self.write(asked, start, step).await? {
            Committed::Done(answer) | Committed::Stored(answer) => Ok(answer),
            Committed::AlreadyGraded => Err(internal()),
        }
    }

    /// Takes a step and writes what follows.
    async fn write<A: Message + Default + From<Shown>>(
        &self,
        asked: &EvidenceRequest<'_>,
        start: Box<EvidenceStart>,
        step: Taken,
    ) -> Result<Committed<A>, Fault> {
        let empty = StudentSnapshot::default();
        let snapshot = start.snapshot.as_ref().unwrap_or(&empty);
        let locks = self.locks(asked, snapshot, "").await;
        let event = Stepping {
            evidence: self,
            asked,
            step,
            locks: &locks,
            answer: PhantomData,
        };
        self.commit(asked, start, &event).await
    }

    /// The placement as it stands, for an answer to a question that was answered before; after its end it takes none. Nothing
    /// is written.
    async fn as_it_stands(
        &self,
        asked: &EvidenceRequest<'_>,
        start: EvidenceStart,
    ) -> Result<AnswerPlacementResponse, Fault> {
        let snapshot = start.snapshot.unwrap_or_default();
        let locks = self.locks(asked, &snapshot, "").await;
        let shown = Taken::Shown(PlacementShown {});
        let stepped = self.stepped(asked, &snapshot, &start.question_records, &locks, shown);
        let (_, Shown(mut placement)) = stepped.await?;
        if placement.state() == PlacementState::Ended {
            return Err(Fault::new(
                ErrorReason::PlacementClosed,
                "the placement has ended; BeginPlacement says how it stands",
            ));
        }
        placement.notices = vec![ErrorReason::DrillAlreadyGraded.into()];
        let core = &self.core;
        placement.notice_texts = core.notice_texts(asked.request.course_id, &placement.notices);
        Ok(Shown(placement).into())
    }

    /// Has the policy take a step: the evidence that follows, and what the student sees.
    async fn stepped(
        &self,
        asked: &EvidenceRequest<'_>,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
        locks: &Locks,
        step: Taken,
    ) -> Result<(session::Evidence, Shown), Fault> {
        let call = Step::Policy.of(asked.request.context);
        let response = self
            .core
            .upstreams
            .policy
            .clone()
            .apply_placement(call.request(ApplyPlacementRequest {
                course_id: asked.request.course_id.to_owned(),
                pack_hash: String::new(),
                snapshot: Some(snapshot.clone()),
                now: Some(time::to_proto(asked.now)),
                step: Some(step),
            }))
            .await
            .map_err(|status| of_the_request(call.fault(&status)))?
            .into_inner();
        let evidence = response.evidence.ok_or_else(|| Step::Policy.malformed())?;
        let after = StudentSnapshot {
            evidence: Some(evidence.clone()),
            ..snapshot.clone()
        };
        let standing = self.standing(asked, &after, records, locks, None, response.standing);
        let snapshot_lite = standing.await?;
        let notice = (!response.counted).then_some(ErrorReason::DrillAlreadyGraded.into());
        let notices: Vec<i32> = notice.into_iter().collect();
        let placement = Placement {
            state: response.state,
            question: response.question.map(|next| self.card(asked, next)),
            answered: response.answered,
            most: response.most,
            placed: response.placed,
            snapshot_lite,
            notice_texts: self.core.notice_texts(asked.request.course_id, &notices),
            notices,
        };
        Ok((evidence, Shown(placement)))
    }

    /// A question with the token that proves that it was asked.
    fn card(&self, asked: &EvidenceRequest<'_>, question: PlacementQuestion) -> PlacementCard {
        let PlacementQuestion {
            unit_id,
            drill_id,
            prompt,
            question_latex,
        } = question;
        let claims = claims(asked, &unit_id, &prompt, &question_latex);
        let token = self.core.tokens.placement(asked.now, &claims, &drill_id);
        PlacementCard {
            unit_id,
            prompt,
            question_latex,
            token,
        }
    }

    fn refused(&self, fault: TokenFault) -> Fault {
        self.metrics.question_refused(fault);
        let problem = match fault {
            TokenFault::Missing => "is required; send the question's",
            TokenFault::Malformed => "is no token; send the question's as it came",
            TokenFault::UnknownKey | TokenFault::Mismatch => {
                "was not made for this question, student and thread; call BeginPlacement"
            }
            TokenFault::Expired => "is too old; call BeginPlacement",
        };
        Fault::new(
            ErrorReason::DrillTokenInvalid,
            format!("`question.token` {problem}"),
        )
        .meta("cause", fault.cause())
        .field("question.token", problem)
    }
}

/// A step of a placement as an event.
struct Stepping<'a, A> {
    evidence: &'a Evidence,
    asked: &'a EvidenceRequest<'a>,
    step: Taken,
    locks: &'a Locks,
    answer: PhantomData<fn() -> A>,
}

impl<A: Message + Default + From<Shown>> Event for Stepping<'_, A> {
    type Answer = A;

    async fn apply(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
    ) -> Result<Draft<A>, Fault> {
        let (asked, step) = (self.asked, self.step.clone());
        let stepped = self
            .evidence
            .stepped(asked, snapshot, records, self.locks, step);
        let (evidence, shown) = stepped.await?;
        tracing::info!(
            thread_id = asked.request.thread_id,
            course_id = asked.request.course_id,
            state = shown.0.state().as_str_name(),
            answered = shown.0.answered,
            placed = shown.0.placed.len(),
            "placement"
        );
        // Begun or paused again it is as it was.
        let is_changed = snapshot.evidence.as_ref() != Some(&evidence);
        let write = is_changed.then(|| Write {
            evidence,
            question_records: Vec::new(),
            drill_verdict: Vec::new(),
            drill: None,
            graded: None,
        });
        Ok(Draft {
            write,
            answer: shown.into(),
        })
    }
}

/// What the token of a question binds.
fn claims<'a>(
    asked: &EvidenceRequest<'a>,
    unit_id: &'a str,
    prompt: &'a str,
    question_latex: &'a str,
) -> DrillClaims<'a> {
    DrillClaims {
        tenant: &asked.request.caller.tenant,
        student_id: &asked.request.caller.subject,
        thread_id: asked.request.thread_id,
        course_id: asked.request.course_id,
        unit_id,
        prompt,
        question_latex,
    }
}

/// Checks a request, and hands out its question.
fn check(request: &AnswerPlacementRequest) -> Result<&PlacementCard, Fault> {
    let card = request
        .question
        .as_ref()
        .ok_or_else(|| Fault::invalid("question", "is required: the question, as it came"))?;
    ids::check("question.unit_id", &card.unit_id)?;
    check_text("question.prompt", &card.prompt, CARD_MAX_CHARS)?;
    check_text(
        "question.question_latex",
        &card.question_latex,
        CARD_MAX_CHARS,
    )?;
    Ok(card)
}
