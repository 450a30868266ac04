//! A turn as a story: what was given, and everything that the three steps make of it.

use serde_json::Value;
use turnwise_decisions::{
    Action, Course, DecideInput, Decision, FallbackReason, Outcome, Plan, Policy, QuestionState,
    Resolution, Standing, decide, resolve,
};

use super::page::Page;
use crate::fixtures::{self, Turn};

/// A turn, and what the exam system says in it.
pub struct Story<'a> {
    pub course: &'a Course,
    pub turn: Turn,
    /// What retrieval found, in its order.
    pub found: Vec<&'static str>,
    /// What the exam system says; `None` if it does not answer.
    pub exams: Option<Vec<(&'static str, QuestionState, Option<&'static str>)>>,
    /// What the model writes, for a page that shows it.
    pub reply: Option<fn(&Policy) -> Value>,
}

impl<'a> Story<'a> {
    /// A turn in which the exam system has nothing to say.
    pub fn new(course: &'a Course, turn: Turn) -> Self {
        Self {
            course,
            turn,
            found: Vec::new(),
            exams: Some(Vec::new()),
            reply: None,
        }
    }

    /// Every question that is found may be attempted.
    pub fn available(mut self, found: &[&'static str]) -> Self {
        self.found = found.to_vec();
        let answer = |id: &&'static str| (*id, QuestionState::Available, None);
        self.exams = Some(found.iter().map(answer).collect());
        self
    }

    /// Every question that the exam system speaks of was found, in that order.
    pub fn exams(
        mut self,
        answers: &[(&'static str, QuestionState, Option<&'static str>)],
    ) -> Self {
        self.found = answers.iter().map(|(id, ..)| *id).collect();
        self.exams = Some(answers.to_vec());
        self
    }

    pub fn replying(mut self, reply: fn(&Policy) -> Value) -> Self {
        self.reply = Some(reply);
        self
    }

    pub fn plan(&self) -> Plan {
        fixtures::plan(self.course, &self.turn).unwrap()
    }

    pub fn input(&self) -> DecideInput {
        let statuses = fixtures::statuses(self.exams.as_deref().unwrap_or_default());
        let mut input = fixtures::decide_input(self.plan(), &self.found, statuses);
        input.exam_system_unavailable = self.exams.is_none();
        input
    }

    pub fn decision(&self) -> Decision {
        decide(self.course, &self.input()).unwrap()
    }

    pub fn policy(&self) -> Policy {
        self.decision().policy
    }

    pub fn answer(&self, reply: &Value) -> Resolution {
        fixtures::resolve_value(self.course, &self.policy(), reply)
    }

    pub fn without_model(&self) -> Resolution {
        let timeout = Outcome::Failure(FallbackReason::LlmTimeout);
        resolve(self.course, &self.policy(), timeout).unwrap()
    }

    /// What was given and the plan.
    pub fn plan_page(&self) -> Page {
        let mut page = Page::default();
        let plan = self.plan();
        page.given(self);
        page.plan(&plan);
        page.standing("standing before the exam system is asked", &plan.standing);
        page
    }

    /// What was given and the policy with all that follows from it, the plan left out.
    pub fn policy_page(&self) -> Page {
        let mut page = Page::default();
        page.given(self);
        self.decided(&mut page);
        page
    }

    /// Everything. The exam system may change what the standing says of the revisit queue, and nothing else of it.
    pub fn page(&self) -> Page {
        let (plan, standing) = (self.plan(), self.decision().standing);
        let mut page = Page::default();
        page.given(self);
        page.plan(&plan);
        if plan.standing.revisit != standing.revisit {
            page.standing("standing before the exam system is asked", &plan.standing);
        }
        let revisit = plan.standing.revisit.clone();
        assert_eq!(
            plan.standing,
            Standing {
                revisit,
                ..standing
            }
        );
        self.decided(&mut page);
        page
    }

    fn decided(&self, page: &mut Page) {
        let decision = self.decision();
        page.decision(&decision);
        page.section("a model's reply about the focus");
        for action in Action::ALL {
            page.verdict(action.as_str(), &self.answer(&self.typical(action)));
        }
        if let Some(reply) = self.reply {
            page.section("the model's reply, resolved");
            page.resolution(&self.answer(&reply(&decision.policy)));
        }
        page.section("without a model");
        page.resolution(&self.without_model());
    }

    /// A reply with this action as a model writes it, good in itself.
    pub fn typical(&self, action: Action) -> Value {
        let mut policy = self.policy();
        if policy.exam_candidate_ids.is_empty() {
            policy.exam_candidate_ids = vec![format!("{}-bronze-1", policy.focus_unit_id)];
        }
        fixtures::reply(&policy, action)
    }
}
