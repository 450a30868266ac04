//! GetExamQuestion and CheckExamAnswer: a question without its answer, and an answer without saying what is right.

use std::fs;

use prost::Message;
use tempfile::TempDir;
use tonic::{Code, Status, service::Routes};
use turnwise_kit::Kit;
use turnwise_proto::{
    exam::v1::SupportKind,
    policy::v1::{
        CheckDrillRequest, CheckExamAnswerRequest, DrillVerdict, FindPortQuestionsRequest,
        FingerprintQuestionRequest, GetExamQuestionRequest, GetExamQuestionResponse, KnownTexts,
        check_exam_answer_request::Answer, policy_service_client::PolicyServiceClient,
    },
    tutor::v1::{ExamCard, MasteryTier},
};

use crate::fixture::*;

const INVALID: &str = "INVALID_ARGUMENT";

fn asked(question: &str) -> GetExamQuestionRequest {
    GetExamQuestionRequest {
        course_id: COURSE.to_owned(),
        question_id: question.to_owned(),
        ..GetExamQuestionRequest::default()
    }
}

fn answered(question: &str, answer: Answer) -> CheckExamAnswerRequest {
    CheckExamAnswerRequest {
        course_id: COURSE.to_owned(),
        question_id: question.to_owned(),
        answer: Some(answer),
        ..CheckExamAnswerRequest::default()
    }
}

async fn question(
    service: &Service,
    request: GetExamQuestionRequest,
) -> Result<GetExamQuestionResponse, Status> {
    let mut client = service.client.clone();
    Ok(client.get_exam_question(request).await?.into_inner())
}

async fn is_right(service: &Service, request: CheckExamAnswerRequest) -> Result<bool, Status> {
    let mut client = service.client.clone();
    Ok(client
        .check_exam_answer(request)
        .await?
        .into_inner()
        .correct)
}

fn option(id: &str) -> Answer {
    Answer::OptionId(id.to_owned())
}

fn text(text: &str) -> Answer {
    Answer::Text(text.to_owned())
}

#[tokio::test]
async fn a_question_is_described_without_its_answer() {
    let service = service().await;
    let typed = question(&service, asked("ONE-S2")).await.unwrap();
    let expected = ExamCard {
        question_id: "ONE-S2".to_owned(),
        tier: MasteryTier::Silver.into(),
        prompt: "Solve for x.".to_owned(),
        question_latex: "2x = 3".to_owned(),
        ..ExamCard::default()
    };
    assert_eq!(typed.card, Some(expected));
    assert_eq!(typed.unit_ids, ["ONE"]);
    assert!(
        !typed
            .encode_to_vec()
            .windows(3)
            .any(|bytes| bytes == b"3/2")
    );

    let mut chosen = asked("TWO-B1");
    chosen.pack_hash.clone_from(&service.hash);
    let card = question(&service, chosen).await.unwrap().card.unwrap();
    let options: Vec<_> = card.options.iter().map(|o| o.text.as_str()).collect();
    assert_eq!(options, ["4", "5"]);
}

/// A service whose pack leaves the words of one question to the exam system.
async fn with_port() -> (PolicyServiceClient<Routes>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path(), COURSE);
    let file = folder.path().join("exams/exams.yaml");
    let mut questions = fs::read_to_string(&file).unwrap();
    questions += "  - {id: ONE-P1, units: [ONE], tier: bronze, tags: [sums]}\n";
    fs::write(file, questions).unwrap();
    (start(folder.path(), &Kit::for_tests()).await, folder)
}

#[tokio::test]
async fn a_question_that_the_pack_leaves_out_is_named_and_has_no_words() {
    let (mut client, _folder) = with_port().await;
    for (unit, found) in [("ONE", &["ONE-P1"][..]), ("TWO", &[]), ("GONE", &[])] {
        let request = FindPortQuestionsRequest {
            course_id: COURSE.to_owned(),
            unit_ids: vec![unit.to_owned()],
            ..FindPortQuestionsRequest::default()
        };
        let answer = client.find_port_questions(request).await.unwrap();
        assert_eq!(answer.into_inner().question_ids, found);
    }
    let too_many = FindPortQuestionsRequest {
        course_id: COURSE.to_owned(),
        unit_ids: vec!["ONE".to_owned(); 1_001],
        ..FindPortQuestionsRequest::default()
    };
    let refused = client.find_port_questions(too_many).await;
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
    let described = client.get_exam_question(asked("ONE-P1")).await.unwrap();
    let card = described.into_inner().card.unwrap();
    assert_eq!(card.tier(), MasteryTier::Bronze);
    assert_eq!((card.prompt.as_str(), card.options.len()), ("", 0));
    // Nobody here knows what is right.
    let refused = client
        .check_exam_answer(answered("ONE-P1", text("4")))
        .await;
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn an_exam_systems_question_is_no_drill() {
    let (mut client, _folder) = with_port().await;
    let fingerprint = |prompt: &str, latex: &str| FingerprintQuestionRequest {
        course_id: COURSE.to_owned(),
        prompt: prompt.to_owned(),
        question_latex: latex.to_owned(),
    };
    // What the course's drills say is for everybody.
    let request = fingerprint("Work out the value.", "41 + 17");
    let hashes = client.fingerprint_question(request).await.unwrap();
    let hashes = hashes.into_inner();
    assert!(hashes.exam_runs.is_empty());
    assert!(!hashes.exam_expressions.is_empty());
    for (known, is_exam) in [(hashes.exam_expressions, true), (Vec::new(), false)] {
        let request = CheckDrillRequest {
            course_id: COURSE.to_owned(),
            unit_id: "ONE".to_owned(),
            prompt: "Work out the value.".to_owned(),
            question_latex: "17 + 41".to_owned(),
            answer: "58".to_owned(),
            known: Some(KnownTexts {
                exam_expressions: known,
                ..KnownTexts::default()
            }),
            ..CheckDrillRequest::default()
        };
        let checked = client.check_drill(request).await.unwrap().into_inner();
        let check = checked.check.unwrap();
        assert_eq!(check.reason == "exam_question", is_exam);
        let told = check.verdict() == DrillVerdict::CannotTell;
        assert_eq!(told, is_exam);
    }
    let refused = client.fingerprint_question(fingerprint(" ", "1 + 2")).await;
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn help_is_offered_where_the_pack_has_some() {
    use SupportKind::{Memo, Video};
    let service = service().await;
    for (id, kinds) in [
        ("ONE-B1", &[][..]),
        ("ONE-S1", &[Memo]),
        ("ONE-G1", &[Memo, Video]),
    ] {
        let described = question(&service, asked(id)).await.unwrap();
        assert_eq!(described.support_kinds().collect::<Vec<_>>(), kinds);
    }
}

#[tokio::test]
async fn an_option_is_right_or_wrong() {
    let service = service().await;
    for (id, right) in [("a", true), ("b", false)] {
        let answer = is_right(&service, answered("ONE-B1", option(id))).await;
        assert_eq!(answer.unwrap(), right);
    }
}

#[tokio::test]
async fn a_typed_answer_counts_by_its_value() {
    let service = service().await;
    for (typed, right) in [
        ("x = 3/2", true),
        ("3/2", true),
        ("x=1.5", true),
        (r"x = \frac{3}{2}", true),
        (" X = 3/2 ", true),
        ("I think x = 3/2", true),
        ("2x = 3 so x = 3/2", true),
        ("x = 2/3", false),
        ("2", false),
    ] {
        let answer = is_right(&service, answered("ONE-S2", text(typed))).await;
        assert_eq!(answer.unwrap(), right, "{typed}");
    }
}

/// As with a drill, words that are not known and unfinished work are asked again, and lock nothing.
#[tokio::test]
async fn what_stands_beside_a_typed_answer_counts() {
    let service = service().await;
    for typed in [
        "3/2 is wrong",
        "not 3/2",
        "3/2 or 2/3 maybe",
        "x = 3/2 hundred",
        "3/2 km",
        "x = 3 - 3/2",
        "2x = 4 so x = 3/2",
    ] {
        let refused = is_right(&service, answered("ONE-S2", text(typed))).await;
        let expected = (INVALID.to_owned(), vec!["answer".to_owned()]);
        assert_eq!(fault(refused.unwrap_err()), expected, "{typed}");
    }
}

#[tokio::test]
async fn bad_questions_and_answers() {
    type Row = (&'static str, &'static str, fn(&mut CheckExamAnswerRequest));
    let rows: &[Row] = &[
        (INVALID, "course_id", |r| r.course_id.clear()),
        ("UNKNOWN_COURSE", "course_id", |r| {
            r.course_id = "algebra-9".into();
        }),
        ("UNKNOWN_PACK_VERSION", "pack_hash", |r| {
            r.pack_hash = "00".repeat(32);
        }),
        (INVALID, "question_id", |r| r.question_id.clear()),
        (INVALID, "question_id", |r| r.question_id = "ONE S2".into()),
        ("UNKNOWN_QUESTION", "question_id", |r| {
            r.question_id = "ONE-B9".into();
        }),
        (INVALID, "answer", |r| r.answer = None),
        (INVALID, "option_id", |r| r.answer = Some(option("c"))),
        (INVALID, "option_id", |r| r.answer = Some(option(""))),
        (INVALID, "option_id", |r| r.answer = Some(option("A"))),
        // The text of the right option is no option.
        (INVALID, "text", |r| r.answer = Some(text("4"))),
        (INVALID, "option_id", |r| {
            *r = answered("ONE-S2", option("a"));
        }),
        (INVALID, "text", |r| *r = answered("ONE-S2", text(" "))),
        (INVALID, "text", |r| {
            *r = answered("ONE-S2", text(&"1".repeat(4001)));
        }),
        (INVALID, "answer", |r| {
            *r = answered("ONE-S2", text("one and a half or so, I think?"));
        }),
    ];
    let service = service().await;
    for (reason, field, change) in rows {
        let mut request = answered("ONE-B1", option("a"));
        change(&mut request);
        let refused = is_right(&service, request).await.unwrap_err();
        // Nothing that is refused says what would be right.
        let said = String::from_utf8_lossy(refused.details()).into_owned() + refused.message();
        assert!(!said.contains("3/2"), "{said}");
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
    for (reason, field, request) in [
        ("UNKNOWN_COURSE", "course_id", {
            let mut request = asked("ONE-B1");
            request.course_id = "algebra-9".into();
            request
        }),
        (INVALID, "question_id", asked("")),
        ("UNKNOWN_QUESTION", "question_id", asked("ONE-B9")),
    ] {
        let refused = question(&service, request).await.unwrap_err();
        assert_eq!(fault(refused), (reason.to_owned(), vec![field.to_owned()]));
    }
}
