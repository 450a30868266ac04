//! How the students of a class stand, over the wire.

use prost_types::Timestamp;
use tonic::Status;
use turnwise_proto::{
    exam::v1::QuestionState,
    policy::v1::{
        CourseUnit, StudentRecord, SummarizeClassRequest, SummarizeClassResponse, UnitStanding,
    },
    session::v1::{QuestionRecord, StudentSnapshot, TurnAnalysis},
    tutor::v1::MasteryTier,
};

use crate::fixture::*;

async fn summarize(
    service: &Service,
    students: Vec<StudentRecord>,
) -> Result<SummarizeClassResponse, Status> {
    let request = SummarizeClassRequest {
        course_id: COURSE.to_owned(),
        pack_hash: String::new(),
        students,
        now: Some(NOW),
    };
    let response = service.client.clone().summarize_class(request).await?;
    Ok(response.into_inner())
}

fn record(student: &str, snapshot: StudentSnapshot) -> StudentRecord {
    StudentRecord {
        student_id: student.to_owned(),
        snapshot: Some(snapshot),
        question_records: Vec::new(),
    }
}

fn locked(question: &str, until: Option<i64>) -> QuestionRecord {
    QuestionRecord {
        question_id: question.to_owned(),
        state: QuestionState::Locked.into(),
        locked_until: until.map(|seconds| Timestamp { seconds, nanos: 0 }),
        ..QuestionRecord::default()
    }
}

fn unit(id: &str) -> UnitStanding {
    UnitStanding {
        unit_id: id.to_owned(),
        mastery_tier: MasteryTier::None.into(),
        ..UnitStanding::default()
    }
}

#[tokio::test]
async fn units_are_named_in_the_order_of_the_path() {
    let service = service().await;
    let answer = summarize(&service, Vec::new()).await.unwrap();
    let of = |id: &str| CourseUnit {
        unit_id: id.to_owned(),
        title: format!("Unit {id}"),
    };
    assert_eq!(answer.units, [of("ONE"), of("TWO")]);
    assert_eq!((answer.pack_hash, answer.students), (service.hash, vec![]));
}

#[tokio::test]
async fn students_stand_where_their_records_say() {
    let service = service().await;
    let mut stuck = snapshot("TWO", &[("ONE", drills(2, 0))]);
    stuck.turn.as_mut().unwrap().last_turn_analysis = Some(TurnAnalysis {
        mapped_units: vec![mapped("TWO", 0.9)],
        ..TurnAnalysis::default()
    });
    let mut met = snapshot("ONE", &[("ONE", drills(2, 2))]);
    let evidence = met.evidence.as_mut().unwrap();
    evidence.prerequisite_overrides = vec!["ONE".to_owned()];
    let locks = StudentRecord {
        question_records: vec![
            locked("ONE-B1", Some(NOW.seconds + 60)),
            locked("ONE-B2", Some(NOW.seconds - 60)),
            // No end is known: still locked.
            locked("TWO-B1", None),
            locked("gone", None),
        ],
        ..record("locks", snapshot("", &[]))
    };
    let students = vec![
        record("stuck", stuck),
        record("met", met),
        locks,
        record("new", snapshot("", &[])),
    ];
    let answer = summarize(&service, students).await.unwrap();
    let [stuck, met, locks, new] = answer.students.try_into().unwrap();

    assert_eq!(
        (stuck.student_id.as_str(), stuck.focus_unit_id.as_str()),
        ("stuck", "TWO")
    );
    assert_eq!(
        (
            stuck.blocked_unit_id.as_str(),
            stuck.blocking_unit_id.as_str()
        ),
        ("TWO", "ONE")
    );
    let needs_one = UnitStanding {
        blocking_unit_id: "ONE".to_owned(),
        ..unit("TWO")
    };
    let on_one = UnitStanding {
        worked_on: true,
        stuck: true,
        wrong_in_a_row: 2,
        ..unit("ONE")
    };
    assert_eq!(stuck.units, [on_one, needs_one.clone()]);

    let marked = UnitStanding {
        worked_on: true,
        met_by_teacher: true,
        ..unit("ONE")
    };
    assert_eq!(met.units, [marked]);

    let once = |standing| UnitStanding {
        locked_questions: 1,
        ..standing
    };
    assert_eq!(locks.units, [once(unit("ONE")), once(needs_one.clone())]);
    assert_eq!(
        (new.focus_unit_id.as_str(), new.units),
        ("", vec![needs_one])
    );
}

#[tokio::test]
async fn what_cannot_be_summarised_is_refused() {
    let service = service().await;
    let many = vec![record("ada", snapshot("", &[])); 201];
    let refused = summarize(&service, many).await.unwrap_err();
    assert_eq!(fault(refused).1, ["students"]);
    for (request, reason) in [
        (
            SummarizeClassRequest {
                course_id: "nowhere".to_owned(),
                now: Some(NOW),
                ..SummarizeClassRequest::default()
            },
            "UNKNOWN_COURSE",
        ),
        (
            SummarizeClassRequest {
                course_id: COURSE.to_owned(),
                pack_hash: "0".repeat(64),
                now: Some(NOW),
                ..SummarizeClassRequest::default()
            },
            "UNKNOWN_PACK_VERSION",
        ),
    ] {
        let refused = service.client.clone().summarize_class(request).await;
        assert_eq!(fault(refused.unwrap_err()).0, reason);
    }
}
