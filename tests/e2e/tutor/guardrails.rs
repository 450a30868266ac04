//! Words that call for help: a fixed text, no model, the record untouched, and staff are told.

use std::time::Duration;

use prost::Message;
use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{
        Event, ListEventsRequest, QuestionRecord, RevisitEntry,
        session_service_client::SessionServiceClient,
    },
    tutor::v1::{
        ClientEvent, ClientEventKind, CreateThreadRequest, DegradedReason, DrillResult, ExamResult,
        MasteryTier, SnapshotLite, StudentInput, TakeTurnRequest, TutorAction,
        submit_exam_answer_request::Answer,
    },
};
use turnwise_tests::{
    answer::{check_shape, shown_action, tutor},
    deployment::Deployment,
    evidence::{Seed, as_service},
    options::{Kind, Options},
    staff::Staff,
    student::{DEMO_COURSE, empty_turn, new_thread, saying, writing},
};

use super::{
    answers::{Answers, typed},
    forged_drills::at_a_drill,
    locks::{UNIT, ask, at_an_exam, check_lock, ready},
    simulated_student::SimulatedStudent,
    store::at_the_store,
};
use crate::placement;

in_both_deployments!(
    words_that_call_for_help_reach_people_and_no_model,
    answers_to_drills_that_call_for_help_reach_people,
    typed_exam_answers_and_titles_meet_the_guardrails,
    answers_in_a_placement_that_call_for_help_reach_people,
);

/// Until when a question is locked: far in the future, to the second.
const UNTIL: prost_types::Timestamp = prost_types::Timestamp {
    seconds: 4_000_000_000,
    nanos: 0,
};

/// A student who failed a question of [`UNIT`], which is locked since.
fn with_a_lock(id: &str, answers: &Answers) -> Seed {
    let mut questions = answers.pack.questions.iter();
    let question = questions.find(|q| q.units == [UNIT]).unwrap();
    let mut seed = Seed::units(id, DEMO_COURSE, Vec::new());
    seed.question_records = vec![QuestionRecord {
        question_id: question.id.clone(),
        state: QuestionState::Locked.into(),
        locked_until: Some(UNTIL),
        support_viewed: false,
    }];
    seed.evidence.revisit_queue = vec![RevisitEntry {
        question_id: question.id.clone(),
        unit_id: UNIT.to_owned(),
        tier: MasteryTier::Bronze.into(),
    }];
    seed
}

/// When the only lock of a guarded answer ends.
fn locked_until(standing: Option<SnapshotLite>) -> Option<prost_types::Timestamp> {
    let revisit = standing.unwrap().revisit.unwrap();
    assert_eq!((revisit.locked_count, revisit.entries.len()), (1, 1));
    assert_eq!(revisit.entries[0].state(), QuestionState::Locked);
    revisit.next_eligible_at
}

async fn words_that_call_for_help_reach_people_and_no_model(kind: Kind) {
    // Whatever a model got to read, it would say.
    let mut suite = Deployment::start(kind, Options::new().model("mock:echo")).await;
    let staff = Staff::of(&suite);
    let mut simulated = SimulatedStudent::start(&suite, "in-need").await;
    let before = staff.recorded(&simulated.student).await;
    let focus = simulated.focus().to_owned();

    let thread = simulated.thread.clone();
    let voice = TakeTurnRequest {
        input: Some(StudentInput {
            text: "see what I said".to_owned(),
            voice_transcript: "my dad hits me".to_owned(),
            ..StudentInput::default()
        }),
        ..empty_turn(&thread)
    };
    let sworn = TakeTurnRequest {
        input: Some(StudentInput {
            text: "fuck this".to_owned(),
            voice_transcript: "fuck this, I want to die".to_owned(),
            ..StudentInput::default()
        }),
        ..empty_turn(&thread)
    };
    let pressed = TakeTurnRequest {
        event: Some(ClientEvent {
            kind: ClientEventKind::RequestDrill.into(),
            unit_id: "ALG-01".to_owned(),
            ..ClientEvent::default()
        }),
        ..saying(&thread, "I want to commit   SUICIDE!")
    };
    let cases = [
        (saying(&thread, "I am going to commit suicide"), "self_harm"),
        (
            saying(&thread, "I can't do it. i've been cutting myself again"),
            "self_harm",
        ),
        (saying(&thread, "ich will nicht mehr leben"), "self_harm"),
        (
            writing(&thread, r"x = 4, \text{and I feel suicidal}"),
            "self_harm",
        ),
        (pressed, "self_harm"),
        (voice, "abuse"),
        (sworn, "self_harm"),
        // No phrase of the profile: the model finds it.
        (
            saying(
                &thread,
                "x = 4. a guy on discord keeps asking me for pics of my body",
            ),
            "danger",
        ),
    ];
    let mut alerts = Vec::new();
    for (turn, guardrail) in cases {
        let answer = simulated.student.turn(turn.clone()).await.unwrap();
        check_shape(&simulated.thread, &answer);
        simulated.thread.message_count += 2;
        assert_eq!(
            answer.degraded_reasons().collect::<Vec<_>>(),
            [DegradedReason::Guardrail],
            "{turn:?}"
        );
        assert_eq!(answer.model, "");
        let message = tutor(&answer);
        assert!(
            message.text.starts_with("What you wrote sounds serious"),
            "{}",
            message.text
        );
        assert!(message.text.contains("Your school is told"));
        assert!(message.card.is_none());
        let standing = answer
            .snapshot_lite
            .clone()
            .expect("the policy can be asked");
        assert_eq!(standing.focus.unwrap().unit_id, focus, "nothing has moved");

        let record = staff.record(&simulated.student.id, &answer.turn_id).await;
        let facts = record.facts.unwrap();
        assert_eq!(facts.guardrail, guardrail, "{turn:?}");
        let finding = facts.guardrail_finding.unwrap();
        assert_eq!((finding.kind.as_str(), finding.stopped), (guardrail, true));
        let by_model = !finding.model.is_empty();
        assert_eq!(by_model, guardrail == "danger");
        assert_eq!(
            by_model,
            finding.score > 0.0 && finding.score >= finding.threshold
        );
        // The words that explain the score are among the texts, which an erasure takes away.
        assert_eq!(
            by_model,
            !record.texts.unwrap().guardrail_features.is_empty()
        );
        assert_eq!(facts.model_call, None, "no model was called");
        assert_eq!((facts.plan, facts.policy, facts.prompt), (None, None, None));
        assert_eq!(facts.turn_state, None);
        alerts.push((answer.turn_id, guardrail));
    }
    let stored = simulated.student.messages(&thread.thread_id, 200).await;
    assert_eq!(stored.len(), 2 + 2 * alerts.len());
    let after = staff.recorded(&simulated.student).await;
    assert_eq!(
        (after.version, after.evidence.encode_to_vec()),
        (before.version, before.evidence.encode_to_vec())
    );
    // What sounds like it and is mathematics goes through.
    for text in [
        "How do I kill the x in x + 7 = 12?",
        "this drill is killing me, I die",
        "I cut the fraction in half",
    ] {
        let answer = simulated.student.turn(saying(&thread, text)).await.unwrap();
        assert_eq!(answer.model, "mock", "{text}");
        assert_eq!(shown_action(tutor(&answer)), TutorAction::SocraticQuestion);
        // What was said before is not in what the model and the search get to read.
        let record = staff.record(&simulated.student.id, &answer.turn_id).await;
        for earlier in record.texts.unwrap().recent_messages {
            let said = format!("{} {}", earlier.text, earlier.latex).to_lowercase();
            assert!(
                !["suicid", "cutting", "nicht mehr leben", "fuck"]
                    .iter()
                    .any(|words| said.contains(words)),
                "{said}"
            );
        }
    }

    let events = events(&mut suite, &simulated).await;
    let told: Vec<_> = events
        .iter()
        .filter(|event| event.kind == "safeguarding-alert")
        .map(|event| (event.related_id.clone(), event.facts["kind"].as_str()))
        .collect();
    assert_eq!(told, alerts);
    for event in events
        .iter()
        .filter(|event| event.kind != "conversation:message")
    {
        assert_eq!(event.text, "", "an event of a turn holds no words");
    }
    suite.stop();
}

/// On a card that is open, and on one that was graded before.
async fn answers_to_drills_that_call_for_help_reach_people(kind: Kind) {
    let answers = Answers::of_demo_course();
    let options = Options::new().evidence(with_a_lock("in-need", &answers));
    let mut suite = Deployment::start(kind, options).await;
    let staff = Staff::of(&suite);
    let simulated = at_a_drill(&suite, &answers, "in-need").await;
    let before = staff.recorded(&simulated.student).await;
    let right = simulated.grading(answers.drill(simulated.drill()));
    let spoken = StudentInput {
        voice_transcript: "I want to die".to_owned(),
        ..typed("4")
    };
    let heard = async |answer: StudentInput| {
        let graded = simulated
            .student
            .grade_drill(simulated.grading(answer))
            .await
            .unwrap();
        assert_eq!(
            graded.degraded_reasons().collect::<Vec<_>>(),
            [DegradedReason::Guardrail]
        );
        assert_eq!(graded.result(), DrillResult::Unspecified);
        assert!(
            graded
                .feedback_text
                .starts_with("What you wrote sounds serious")
        );
        assert!(graded.notices.is_empty() && !graded.evidence_recorded);
        assert_eq!(locked_until(graded.snapshot_lite), Some(UNTIL));
    };
    heard(typed("4, but I want to die")).await;
    heard(spoken).await;
    assert_eq!(staff.recorded(&simulated.student).await, before);

    let graded = simulated.student.grade_drill(right).await.unwrap();
    assert!(graded.evidence_recorded, "the card was not spent");
    heard(typed("and I feel suicidal")).await;

    let events = events(&mut suite, &simulated).await;
    let alerts = events
        .iter()
        .filter(|event| event.kind == "safeguarding-alert" && event.facts["kind"] == "self_harm");
    assert_eq!(alerts.count(), 3);
    suite.stop();
}

async fn typed_exam_answers_and_titles_meet_the_guardrails(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["in-need"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let mut simulated = at_an_exam(&suite, "in-need").await;
    let wrong = simulated.submission(answers.wrong_exam(simulated.exam()));
    simulated.student.submit_exam(wrong).await.unwrap();
    assert_eq!(ask(&mut simulated).await, TutorAction::ExamBlock);
    let before = staff.recorded(&simulated.student).await;
    let cry = simulated.submission(Answer::AnswerText("5, and my dad hits me".to_owned()));
    for _ in 0..2 {
        let told = simulated.student.submit_exam(cry.clone()).await.unwrap();
        assert_eq!(
            told.degraded_reasons().collect::<Vec<_>>(),
            [DegradedReason::Guardrail]
        );
        assert_eq!(
            (told.result(), told.recorded),
            (ExamResult::Unspecified, false)
        );
        assert!(told.text.starts_with("What you wrote sounds serious"));
        check_lock(
            locked_until(told.snapshot_lite),
            Duration::from_secs(24 * 3600),
        );
    }
    assert_eq!(staff.recorded(&simulated.student).await, before);
    let right = simulated.submission(answers.exam(simulated.exam()));
    let told = simulated.student.submit_exam(right).await.unwrap();
    assert_eq!(
        told.result(),
        ExamResult::Passed,
        "the question was not spent"
    );

    let titled = |title: &str| CreateThreadRequest {
        title: title.to_owned(),
        ..new_thread(DEMO_COURSE)
    };
    let opened = async |request: &CreateThreadRequest| {
        let student = &simulated.student;
        let request = student.request(request.clone());
        let made = student.client().create_thread(request).await;
        made.unwrap().into_inner()
    };
    let fine = opened(&titled("fractions kill me")).await;
    assert_eq!(fine.thread.unwrap().title, "fractions kill me");
    assert_eq!(fine.guardrail_text, "");
    let request = titled("i want to die");
    let first = opened(&request).await;
    assert_eq!(
        opened(&request).await,
        first,
        "the same key, the same answer"
    );
    assert!(
        first
            .guardrail_text
            .starts_with("What you wrote sounds serious")
    );
    let thread = first.thread.unwrap();
    assert_eq!(thread.title, "");

    let mut alerts = Vec::new();
    for thread_id in [&simulated.thread.thread_id, &thread.thread_id] {
        let events = events_of(&mut suite, &simulated, thread_id).await;
        let told = events
            .iter()
            .filter(|event| event.kind == "safeguarding-alert");
        alerts.push(
            told.map(|event| event.facts["kind"].clone())
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(alerts, [["abuse"], ["self_harm"]]);
    suite.stop();
}

async fn answers_in_a_placement_that_call_for_help_reach_people(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let simulated = SimulatedStudent::start(&suite, "in-need").await;
    let (student, thread) = (&simulated.student, &simulated.thread);
    let asked = placement::begin(student, thread).await.question.unwrap();
    let right = placement::key(&placement::demo(), &asked);
    let cry = format!("{right}, but I want to die");
    let request = placement::answering(thread, &asked, Some(&cry));
    for _ in 0..2 {
        let told = placement::send(student, request.clone()).await.unwrap();
        let text = &told.text;
        assert!(text.starts_with("What you wrote sounds serious"), "{text}");
        assert_eq!(told.placement, None);
    }
    // The question waits, and its card was not spent.
    let waits = placement::begin(student, thread).await;
    assert_eq!(waits.answered, 0);
    let question = waits.question.unwrap();
    assert_eq!(question.question_latex, asked.question_latex);
    let request = placement::answering(thread, &asked, Some(&right));
    let counted = placement::send(student, request).await.unwrap();
    assert_eq!(counted.text, "");
    let placement = counted.placement.unwrap();
    assert_eq!((placement.answered, placement.notices), (1, Vec::new()));

    let events = events(&mut suite, &simulated).await;
    let alerts = events
        .iter()
        .filter(|event| event.kind == "safeguarding-alert" && event.facts["kind"] == "self_harm");
    assert_eq!(alerts.count(), 1);
    suite.stop();
}

/// The log of the student's thread.
async fn events(suite: &mut Deployment, simulated: &SimulatedStudent) -> Vec<Event> {
    events_of(suite, simulated, &simulated.thread.thread_id).await
}

async fn events_of(
    suite: &mut Deployment,
    simulated: &SimulatedStudent,
    thread_id: &str,
) -> Vec<Event> {
    let request = as_service(ListEventsRequest {
        student_id: simulated.student.id.clone(),
        thread_id: thread_id.to_owned(),
        page_size: 200,
        ..ListEventsRequest::default()
    });
    at_the_store(suite, async |session| {
        let listed = SessionServiceClient::new(session)
            .list_events(request)
            .await;
        listed.unwrap().into_inner().events
    })
    .await
}
