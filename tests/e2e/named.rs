//! The schema of a reply goes to llm-gateway-svc once, the runs of the prompt sheets to policy-svc, and only their names after
//! that.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::CompleteRequest,
    policy::v1::{PlanAndDecideResponse, ResolveReplyRequest, ResolveReplyResponse},
};
use turnwise_tests::{
    answer::check_model_answer,
    deployment::Deployment,
    fault_proxy::{FaultProxy, InjectedFault, When},
    options::{Options, Service},
    student::DEMO_COURSE,
};

/// How often the policy decided, with the plan or by itself.
fn decisions(policy: &FaultProxy) -> usize {
    policy.count("PlanAndDecide") + policy.count("Decide")
}

/// How often the policy decided, a completion was asked for and the policy judged, in the first turn of a student. All
/// students stand at the beginning, so the same is decided for each.
async fn calls(suite: &Deployment, policy: &FaultProxy, llm: &FaultProxy, id: &str) -> [usize; 3] {
    let count = || {
        [
            decisions(policy),
            llm.count("Complete"),
            policy.count("ResolveReply"),
        ]
    };
    let before = count();
    let student = suite.student(id);
    let thread = student.open(DEMO_COURSE).await;
    let answer = student.say(&thread, "how do I add negative numbers?").await;
    check_model_answer(&thread, &answer, &suite.decision(&answer.turn_id));
    let after = count();
    [0, 1, 2].map(|of| after[of] - before[of])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stays_the_same_is_sent_once_and_named_after_that() {
    let (policy, llm) = (
        Arc::new(FaultProxy::start().await),
        Arc::new(FaultProxy::start().await),
    );
    llm.keep("Complete");
    policy.keep("ResolveReply");
    let options = Options::new()
        .proxy(Service::Policy, &policy)
        .proxy(Service::Llm, &llm);
    let mut suite = Deployment::five_processes(options).await;
    assert_eq!(calls(&suite, &policy, &llm, "ada").await, [2, 2, 2]);
    assert_eq!(calls(&suite, &policy, &llm, "ben").await, [1, 1, 1]);
    // A name, the whole after it was not known, and a name from then on.
    let asked: Vec<CompleteRequest> = llm.asked("Complete");
    let schemas: Vec<&str> = asked.iter().map(|asked| &*asked.json_schema).collect();
    let [unknown, whole, named] = schemas[..] else {
        panic!("{schemas:?}");
    };
    let hash: String = Sha256::digest(whole)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert!(whole.starts_with('{'), "{whole}");
    assert_eq!([unknown, named], [&*format!("sha256:{hash}"); 2]);
    let resolved: Vec<ResolveReplyRequest> = policy.asked("ResolveReply");
    let runs: Vec<(bool, bool)> = resolved
        .iter()
        .map(|asked| {
            let known = asked.known.clone().unwrap_or_default();
            (asked.prompt_runs_name != 0, known.prompt_runs.is_empty())
        })
        .collect();
    assert_eq!(runs, [(true, true), (true, false), (true, true)]);
    // A replica that has just begun does not know the name, and an older one takes it for a broken schema.
    for reason in [ErrorReason::UnknownSchema, ErrorReason::InvalidSchema] {
        let refused = Fault::new(reason, "this is no schema").into();
        llm.inject("Complete", InjectedFault::Fails(refused));
        let proxy = Arc::clone(&llm);
        let struck = llm.strike_at("Complete", When::After, move || proxy.leave_alone());
        assert_eq!(calls(&suite, &policy, &llm, "eve").await, [2, 2, 1]);
        struck.await.unwrap();
    }
    // An older policy-svc says nothing of a name: its reply was not held against the runs, and is made again.
    let older = |resolved: &mut ResolveReplyResponse| resolved.prompt_runs_known = false;
    policy.inject("ResolveReply", InjectedFault::edited(older));
    assert_eq!(calls(&suite, &policy, &llm, "fay").await, [1, 1, 2]);
    // One of the version before plans and decides by two calls.
    let unknown = Status::unimplemented("no such method");
    policy.inject("PlanAndDecide", InjectedFault::Fails(unknown));
    let before = (policy.count("Plan"), policy.count("Decide"));
    assert_eq!(calls(&suite, &policy, &llm, "hal").await, [2, 1, 2]);
    let after = (policy.count("Plan"), policy.count("Decide"));
    assert_eq!(after, (before.0 + 1, before.1 + 1));
    policy.leave_alone();
    // A schema that came whole would be refused again.
    let broken = |planned: &mut PlanAndDecideResponse| {
        let decision = planned.decision.as_mut().unwrap();
        decision.reply_schema = r#"{"type": 7}"#.to_owned();
    };
    policy.inject("PlanAndDecide", InjectedFault::edited(broken));
    let before = (decisions(&policy), llm.count("Complete"));
    let gil = suite.student("gil");
    let thread = gil.open(DEMO_COURSE).await;
    gil.say(&thread, "how do I add negative numbers?").await;
    let after = (decisions(&policy), llm.count("Complete"));
    assert_eq!(after, (before.0 + 1, before.1 + 1));
    suite.stop();
}
