//! Who of a class waits for a model: shown by name to whoever watches the class, and to nobody else.

use std::{future::pending, time::Duration};

use turnwise_proto::{
    common::v1::ErrorReason as Why,
    school::v1::{
        WaitingStudent, WatchClassRequest, WatchClassResponse, watch_class_response::Event,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, saying},
    teacher::Teacher,
};

in_both_deployments!(
    a_watch_names_who_waits,
    a_cursor_is_good_for_its_class_alone
);

/// The next list of who waits that this holds of.
async fn waiting_where(
    watch: &mut tonic::Streaming<WatchClassResponse>,
    wanted: impl Fn(&[WaitingStudent]) -> bool,
) -> Vec<WaitingStudent> {
    loop {
        let told = watch.message().await.unwrap().expect("goes on");
        if let Some(Event::Waiting(waiting)) = told.event
            && wanted(&waiting.students)
        {
            return waiting.students;
        }
    }
}

async fn watch(teacher: &Teacher, class: &str) -> tonic::Streaming<WatchClassResponse> {
    let request = teacher.request(WatchClassRequest {
        class_id: class.to_owned(),
        cursor: String::new(),
    });
    let watch = teacher.classes().watch_class(request).await.unwrap();
    watch.into_inner()
}

async fn a_watch_names_who_waits(kind: Kind) {
    let options = Options::new()
        .model("mock:delay:6000")
        .env("HELPER_MAX_CONCURRENCY", "1")
        .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "60")
        .env("QUEUE_EXPECTED_CALL_SECONDS", "6");
    let mut suite = Deployment::start(kind, options).await;
    let teacher = Teacher::of(&suite);
    let other = Teacher::with_role(&suite, "mr-euler", "teacher", "8a");
    let mut watched = watch(&teacher, Student::CLASS).await;
    let mut elsewhere = watch(&other, "8a").await;
    assert_eq!(waiting_where(&mut watched, |_| true).await, []);
    assert_eq!(waiting_where(&mut elsewhere, |_| true).await, []);

    let talk = async |id: &str| {
        let student = suite.student(id);
        let thread = student.open(DEMO_COURSE).await;
        let turn = student.turn_within(saying(&thread, "What is this?"), Duration::from_secs(60));
        let _ = turn.await;
        pending::<()>().await;
    };
    let told = async {
        let both = waiting_where(&mut watched, |waiting| waiting.len() >= 2).await;
        assert_eq!(both.iter().map(|s| s.position).collect::<Vec<_>>(), [1, 2]);
        let known = |waiting: &[WaitingStudent]| {
            !waiting.is_empty() && waiting.iter().all(|student| !student.student_id.is_empty())
        };
        let named = match known(&both) {
            true => both,
            false => waiting_where(&mut watched, known).await,
        };
        for student in named {
            assert!(["ada", "bob", "cleo"].contains(&student.student_id.as_str()));
            assert!(student.wait_start_time.is_some() && student.expected_start_time.is_some());
        }
        // Nobody of another class is told, and nothing is sent while nothing changes.
        let more = tokio::time::timeout(Duration::from_secs(2), elsewhere.message()).await;
        assert!(more.is_err(), "{more:?}");
        waiting_where(&mut watched, |waiting| waiting.is_empty()).await;
    };
    tokio::select! {
        () = talk("ada") => {}
        () = talk("bob") => {}
        () = talk("cleo") => {}
        () = told => {}
    }
    suite.stop();
}

async fn a_cursor_is_good_for_its_class_alone(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "I am going to commit suicide").await;
    let mut watched = watch(&teacher, Student::CLASS).await;
    let cursor = loop {
        let told = watched.message().await.unwrap().expect("goes on");
        if matches!(told.event, Some(Event::Alert(_))) {
            break told.cursor;
        }
    };
    let colleague = Teacher::with_role(&suite, "ms-noether", "teacher", Student::CLASS);
    let staff = Teacher::with_role(&suite, "principal", "staff", "8a");
    for (who, class, cursor, good) in [
        (&teacher, Student::CLASS, cursor.as_str(), true),
        (&colleague, Student::CLASS, &cursor, true),
        (&staff, "8a", &cursor, false),
        (&teacher, Student::CLASS, "1", false),
        (&teacher, Student::CLASS, &cursor[1..], false),
    ] {
        let request = who.request(WatchClassRequest {
            class_id: class.to_owned(),
            cursor: cursor.to_owned(),
        });
        let answer = who.classes().watch_class(request).await;
        if good {
            answer.unwrap();
        } else {
            let code = tonic::Code::InvalidArgument;
            check_refusal(&answer.unwrap_err(), code, Why::InvalidPageToken, "cursor");
        }
    }
    suite.stop();
}
