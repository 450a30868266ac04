//! A replay notices a record in which something was changed, and says why it cannot be made of one.

use std::time::Duration;

use turnwise_gateway_svc::replay::{PartOutcome, ReplayError, Report, replay};
use turnwise_kit::{
    CallContext, Kit,
    client::{ClientOptions, GrpcClient, local},
};
use turnwise_policy_svc::Settings as PolicySettings;
use turnwise_prompts::Sheets;
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnRecord, TurnTexts},
    policy::v1::policy_service_client::PolicyServiceClient,
    retrieval::v1::Chunk,
    session::v1::ThreadKind,
};
use turnwise_tests::{deployment::Deployment, options::Options, process::repository, staff::Staff};

use super::simulated_student::SimulatedStudent;

/// What a replay needs beside the record.
pub struct Tools {
    policy: PolicyServiceClient<GrpcClient>,
    sheets: Sheets,
}

impl Tools {
    /// The demo course and the built-in sheets.
    pub async fn new() -> Self {
        let settings = PolicySettings::new(repository().join("courses"), 0);
        let kit = Kit::for_tests();
        let routes = turnwise_policy_svc::routes(&settings, &kit).await.unwrap();
        let options = ClientOptions {
            peer: "policy-svc",
            token: None,
        };
        Self {
            policy: PolicyServiceClient::new(local(routes, options)),
            sheets: Sheets::built_in().unwrap(),
        }
    }

    /// The turn made again.
    pub async fn replay(&self, record: &TurnRecord) -> Result<Report, ReplayError> {
        let context = CallContext::background(None, Duration::from_secs(30));
        replay(record, &context, self.policy.clone(), &self.sheets).await
    }

    /// Insists that the turn is made again byte for byte, with its prompt and its reply.
    pub async fn insist(&self, record: &TurnRecord) {
        let report = self.replay(record).await.unwrap();
        assert!(report.is_same() && report.is_whole(), "{report:#?}");
    }

    /// The parts of the turn that differ from the record.
    async fn differences(&self, record: &TurnRecord) -> Vec<&'static str> {
        let report = self.replay(record).await.unwrap();
        let differs = |outcome: &PartOutcome| matches!(outcome, PartOutcome::Differs { .. });
        let parts = report.parts.iter();
        parts
            .filter(|part| differs(&part.outcome))
            .map(|part| part.name)
            .collect()
    }
}

/// A turn that had everything: a message, earlier ones, course text and a reply of the model's.
async fn full_record() -> TurnRecord {
    let mut suite = Deployment::one_process(Options::new()).await;
    let mut simulated = SimulatedStudent::start(&suite, "ada").await;
    let answer = simulated
        .say("how do I add and subtract negative numbers?")
        .await;
    let record = Staff::of(&suite).record("ada", &answer.turn_id).await;
    suite.stop();
    record
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_record_is_found_out() {
    let record = full_record().await;
    let tools = Tools::new().await;
    assert_eq!(tools.differences(&record).await, [""; 0]);
    assert!(tools.replay(&record).await.unwrap().is_whole());

    type Change = (&'static str, fn(&mut TurnFacts, &mut TurnTexts));
    // The first part that differs shows where the change is; what follows from it differs as well.
    let changes: [Change; 16] = [
        ("plan", |facts, _| facts.mapped_units[0].confidence *= 0.5),
        ("plan", |facts, _| {
            facts.plan.as_mut().unwrap().scoped_unit_ids.pop();
        }),
        ("plan", |facts, _| {
            facts.plan.as_mut().unwrap().focus_unit_id.push('1');
        }),
        ("policy", |facts, _| {
            facts.policy.as_mut().unwrap().stuck ^= true
        }),
        ("policy", |facts, _| facts.turn_id.push('0')),
        ("summary", |facts, _| {
            *facts.summary.as_mut().unwrap() = Default::default()
        }),
        ("prompt", |facts, _| {
            facts.prompt.as_mut().unwrap().hash.replace_range(..1, "x");
        }),
        ("prompt", |_, texts| {
            texts.input.as_mut().unwrap().text.push('!')
        }),
        ("prompt", |_, texts| texts.recent_messages[0].text.push('!')),
        ("prompt", |_, texts| {
            texts.unit_chunks[0].text.insert(0, '!')
        }),
        ("prompt", |_, texts| {
            let of_unit = |chunk: &Chunk| {
                let mut shown = texts.unit_chunks.iter();
                shown.any(|other| other.chunk_id == chunk.chunk_id)
            };
            let other = texts.chunks.iter().position(|chunk| !of_unit(chunk));
            // The first ones are in the prompt, where the unit's own do not stand twice.
            texts.chunks.swap(0, other.unwrap());
            texts.chunks[0].text.insert(0, '!');
        }),
        ("prompt", |_, texts| texts.anchors[0].summary.insert(0, '!')),
        ("verdict", |_, texts| {
            texts.completion = b"no JSON".as_slice().into()
        }),
        ("verdict", |facts, _| {
            facts
                .verdict
                .as_mut()
                .unwrap()
                .reply_hash
                .replace_range(..1, "x");
        }),
        ("reply", |_, texts| {
            texts.reply.as_mut().unwrap().text.push('!')
        }),
        ("snapshot change", |facts, _| {
            facts.turn_state.as_mut().unwrap().focus_unit_id.push('1');
        }),
    ];
    for (number, (part, change)) in changes.into_iter().enumerate() {
        let mut changed = record.clone();
        change(
            changed.facts.as_mut().unwrap(),
            changed.texts.as_mut().unwrap(),
        );
        assert_ne!(changed, record, "change {number}");
        let found = tools.differences(&changed).await;
        assert_eq!(found.first(), Some(&part), "change {number}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_replayed_says_why() {
    let record = full_record().await;
    let tools = Tools::new().await;
    let changed = |change: fn(&mut TurnRecord)| {
        let mut record = record.clone();
        change(&mut record);
        record
    };
    let erased = changed(|record| record.texts = None);
    let error = tools.replay(&erased).await.unwrap_err();
    assert!(matches!(error, ReplayError::Erased), "{error}");
    let incomplete = changed(|record| record.facts.as_mut().unwrap().incomplete = true);
    let error = tools.replay(&incomplete).await.unwrap_err();
    assert!(matches!(error, ReplayError::Incomplete), "{error}");
    let empty = changed(|record| record.facts = None);
    let error = tools.replay(&empty).await.unwrap_err();
    assert!(matches!(error, ReplayError::Incomplete), "{error}");
    let of_helper = changed(|record| record.set_kind(ThreadKind::Helper));
    let error = tools.replay(&of_helper).await.unwrap_err();
    assert!(matches!(error, ReplayError::Kind), "{error}");
    let newer = changed(|record| record.facts.as_mut().unwrap().format = 99);
    let error = tools.replay(&newer).await.unwrap_err();
    assert!(matches!(error, ReplayError::Format(99)), "{error}");
    let other_pack = changed(|record| {
        let plan = record.facts.as_mut().unwrap().plan.as_mut().unwrap();
        plan.pack_hash = "0".repeat(64);
    });
    let error = tools.replay(&other_pack).await.unwrap_err();
    assert!(matches!(error, ReplayError::Pack { .. }), "{error}");
    let gone = changed(|record| {
        let found = &mut record.facts.as_mut().unwrap().chunks;
        found[0].chunk_id = "no-such-chunk".to_owned();
    });
    let error = tools.replay(&gone).await.unwrap_err();
    assert!(
        matches!(&error, ReplayError::Text { id, .. } if id == "no-such-chunk"),
        "{error}"
    );
    let other_sheets = changed(|record| {
        let prompt = record.facts.as_mut().unwrap().prompt.as_mut().unwrap();
        prompt.sheets_hash = "0".repeat(64);
    });
    let error = tools.replay(&other_sheets).await.unwrap_err();
    assert!(matches!(error, ReplayError::Sheets { .. }), "{error}");
    let other_rules = changed(|record| {
        let plan = record.facts.as_mut().unwrap().plan.as_mut().unwrap();
        plan.policy_semantics.push('0');
    });
    let error = tools.replay(&other_rules).await.unwrap_err();
    assert!(matches!(error, ReplayError::Semantics { .. }), "{error}");
}
