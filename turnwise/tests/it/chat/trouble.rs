//! What goes wrong between the pupil and the tutor.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use turnwise::chat::remedy::remedy;
use turnwise_kit::Fault;
use turnwise_proto::{common::v1::ErrorReason, tutor::v1::DegradedReason};

use super::{
    Room,
    fake::{THREAD, Trouble},
};

/// A stream that breaks is begun again with the same key.
#[tokio::test]
async fn a_lost_connection_is_tried_again_with_the_same_key() {
    for trouble in [Trouble::Broken, Trouble::AnswerLost] {
        let room = Room::new().await;
        room.fake.trouble(trouble);
        let told = room.chat(&["hello", "again", "/quit"]).await;
        let shown = told.after("hello");
        assert!(
            shown.contains("(no answer (DEPENDENCY_UNAVAILABLE); trying the same again in 0.5 s)"),
            "{shown}"
        );
        assert!(shown.contains("What would you do"), "{shown}");
        let turns = room.fake.turns();
        assert_eq!(turns.len(), 3);
        assert_eq!(turns[0], turns[1]);
        assert_ne!(turns[1].idempotency_key, turns[2].idempotency_key);
    }
}

/// A turn that is still being worked on is waited for.
#[tokio::test]
async fn a_turn_in_progress_is_waited_for() {
    let room = Room::new().await;
    for _ in 0..2 {
        room.fake.trouble(Trouble::Refused(
            Fault::new(ErrorReason::TurnInProgress, "another turn runs")
                .retry_after(Duration::from_millis(20)),
        ));
    }
    let told = room.chat(&["hello", "/quit"]).await;
    let shown = told.after("hello");
    assert!(
        shown.contains("still busy with the message before"),
        "{shown}"
    );
    assert!(shown.contains("What would you do"), "{shown}");
    let turns = room.fake.turns();
    assert_eq!(turns.len(), 3);
    assert!(turns.iter().all(|turn| *turn == turns[0]));
}

/// A suite that stays away is not waited for for ever, and `/again` sends the very same call.
#[tokio::test]
async fn again_sends_the_same_call() {
    let room = Room::new().await;
    let told = room.chat(&["hello", "/1", "/quit"]).await;
    assert!(told.out.contains("Drill"), "{}", told.out);
    room.fake.trouble(Trouble::Refused(
        Fault::new(ErrorReason::RateLimited, "too many calls")
            .retry_after(Duration::from_millis(11_200)),
    ));
    let told = room
        .chat_with(&["--thread", THREAD], &["4", "/again", "/again", "/quit"])
        .await;
    let shown = told.after("4");
    assert!(
        shown.contains("refused: RATE_LIMITED: too many calls\n  That was quick. Go on in 12 s.\n"),
        "{shown}"
    );
    assert!(shown.contains("/again sends the same once more"), "{shown}");
    assert!(told.after("/again").contains("[✓ Correct]"), "{}", told.out);
    assert!(told.out.contains("There is nothing to send again."));
    let grades = room.fake.grades();
    assert_eq!(grades.len(), 2);
    assert_eq!(grades[0], grades[1]);
}

/// An exam answer that is handed in once more by hand is the same call: it cannot count twice.
#[tokio::test]
async fn an_exam_answer_is_handed_in_once() {
    let room = Room::new().await;
    room.chat(&["hello", "/1", "4", "", "4", "", "/quit"]).await;
    room.fake.trouble(Trouble::Refused(Fault::new(
        ErrorReason::DeadlineExceeded,
        "out of time",
    )));
    let told = room
        .chat_with(&["--thread", THREAD], &["c", "", "", "/quit"])
        .await;
    assert!(
        told.out.contains("refused: DEADLINE_EXCEEDED"),
        "{}",
        told.out
    );
    assert!(told.out.contains("[✓ Passed]"), "{}", told.out);
    let submits = room.fake.submits();
    assert_eq!(submits.len(), 2);
    assert_eq!(submits[0], submits[1]);
}

/// What cannot go better by itself is not sent again.
#[tokio::test]
async fn a_refusal_comes_with_a_remedy() {
    let room = Room::new().await;
    room.fake.trouble(Trouble::Refused(
        Fault::new(ErrorReason::MessageTooLong, "4001 characters are too many")
            .meta("chars", "4001")
            .meta("max_chars", "4000"),
    ));
    room.fake.trouble(Trouble::Refused(Fault::new(
        ErrorReason::InvalidText,
        "a control character",
    )));
    let told = room.chat(&["long", "odd \u{7}", "/again", "/quit"]).await;
    let shown = told.after("long");
    assert!(
        shown.contains("Say it in at most 4000 characters; this has 4001."),
        "{shown}"
    );
    assert!(!shown.contains("/again"), "{shown}");
    assert!(told.out.contains("refused: INVALID_TEXT"));
    assert!(told.after("/again").contains("nothing to send again"));
    assert!(
        !told.out.contains('\u{7}'),
        "what is shown back rings no bell"
    );
    assert_eq!(room.fake.turns().len(), 2);
}

#[test]
fn a_remedy_is_that_of_the_cause() {
    let token = |cause: &str| Fault::new(ErrorReason::DrillTokenInvalid, "no").meta("cause", cause);
    for (fault, says) in [
        (
            Fault::invalid("input.latex", "is no LaTeX"),
            "Write it in another way and send it again.",
        ),
        (
            token("expired"),
            "Its time is over; ask the tutor for it again.",
        ),
        (
            token("unknown_key"),
            "This card can no longer be used; ask the tutor for a new one.",
        ),
    ] {
        assert_eq!(remedy(&fault), says);
    }
}

/// A place in line is kept where there is one.
#[tokio::test]
async fn again_promises_only_a_place_that_there_is() {
    let room = Room::new().await;
    let told = room.chat(&["busy", "spent", "/quit"]).await;
    for (typed, says) in [
        (
            "busy",
            "  /again sends it once more, and keeps your place.\n",
        ),
        ("spent", "  /again sends it once more.\n"),
    ] {
        let shown = told.after(typed);
        assert!(shown.contains("may find one in 4 s)"), "{shown}");
        assert!(shown.contains(says), "{shown}");
    }
}

/// What could not be asked is said where only a standing or a card is looked at, too.
#[tokio::test]
async fn a_look_says_what_could_not_be_asked() {
    let room = Room::new().await;
    room.fake.degrade(DegradedReason::ExamApiUnavailable);
    let to_the_exam = ["hello", "/1", "4", "", "4", ""];
    let mut typed = to_the_exam.to_vec();
    typed.extend(["/standing", "/card", "/quit"]);
    let told = room.chat(&typed).await;
    for typed in ["/standing", "/card"] {
        let shown = told.after(typed);
        assert!(
            shown.contains("(a simpler answer than usual: exam_api_unavailable)"),
            "{shown}"
        );
    }
}

/// Nobody is there: the start says what to do.
#[tokio::test]
async fn a_refused_start_says_what_to_do() {
    let room = Room::new().await;
    room.fake.trouble(Trouble::NoThread(Fault::new(
        ErrorReason::UnknownCourse,
        "no course `algebra` is loaded",
    )));
    let told = room.chat_with(&[], &["hello"]).await;
    assert_eq!(told.status.code(), Some(1));
    assert_eq!(told.out, "");
    assert!(
        told.err.contains("refused: UNKNOWN_COURSE") && told.err.contains("--course"),
        "{}",
        told.err
    );
}

/// An interrupt ends the conversation in the middle of a turn, and says how to go on.
#[tokio::test]
async fn an_interrupt_ends_cleanly() {
    let room = Room::new().await;
    room.fake.trouble(Trouble::Silent);
    let mut child = room.start(&[]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"hello\n").await.unwrap();
    room.fake.busy.notified().await;
    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    // The input is still open: nothing waits for a line that never comes.
    let status = child.wait().await.unwrap();
    let mut out = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .await
        .unwrap();
    assert_eq!(status.code(), Some(0), "{out}");
    assert!(out.contains(&format!("--thread {THREAD}")), "{out}");
    drop(input);
}
