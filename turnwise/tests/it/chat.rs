//! `turnwise chat`, run as a pupil runs it, over a pipe, against a tutor in this process.

mod desk;
mod fake;
mod progress;
mod scripted_tutor;
mod trouble;
mod typed;

use std::process::{ExitStatus, Stdio};

use tempfile::TempDir;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};
use turnwise_proto::{
    exam::v1::SupportKind,
    tutor::v1::{
        ClientEventKind, DrillResult, ExamResult, MasteryTier, submit_exam_answer_request::Answer,
    },
};

use fake::{Fake, STAFF_TOKEN, THREAD, TOKEN};

/// A folder with tokens, and a tutor to talk to.
struct Room {
    dir: TempDir,
    fake: Fake,
}

struct Told {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Told {
    /// What was shown after this line was typed, up to the next prompt.
    fn after(&self, typed: &str) -> &str {
        let (_, rest) = self
            .out
            .split_once(&format!("› {typed}\n"))
            .unwrap_or_else(|| panic!("`{typed}` is not in\n{}", self.out));
        rest.split(" › ").next().unwrap_or(rest)
    }
}

impl Room {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), TOKEN).unwrap();
        std::fs::write(dir.path().join("staff-token"), STAFF_TOKEN).unwrap();
        Self {
            dir,
            fake: Fake::start().await,
        }
    }

    fn start(&self, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args([
                "chat",
                "--student",
                "ada",
                "--class",
                "7b",
                "--course",
                "algebra",
            ])
            .args(["--endpoint", &self.fake.endpoint()])
            .arg("--token-file")
            .arg(self.dir.path().join("token"))
            .args(more)
            .env("HOME", self.dir.path())
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("TURNWISE_DATA_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Types these lines, one after the other, and ends.
    async fn chat_with(&self, more: &[&str], typed: &[&str]) -> Told {
        let mut child = self.start(more);
        let mut input = child.stdin.take().unwrap();
        let typed: String = typed.iter().map(|line| format!("{line}\n")).collect();
        input.write_all(typed.as_bytes()).await.unwrap();
        drop(input);
        let output = child.wait_with_output().await.unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        Told {
            status: output.status,
            // Each run has a port and a folder of its own.
            out: out
                .replace(&self.fake.endpoint(), "http://127.0.0.1:PORT")
                .replace(&self.dir.path().display().to_string(), "DIR"),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    async fn chat(&self, typed: &[&str]) -> Told {
        let told = self.chat_with(&[], typed).await;
        assert!(told.status.success(), "{}{}", told.out, told.err);
        assert_eq!(told.err, "");
        told
    }
}

/// From the first message over drills and the exam question to the badge, with nothing but lines and Enter.
#[tokio::test]
async fn the_whole_loop_to_a_badge() {
    let room = Room::new().await;
    let told = room
        .chat(&[
            "how do I solve two-step equations?",
            "/1",
            "/2",
            "take the 6 away",
            "check 7",
            "2",
            "x = 4",
            "",
            "$ 4",
            "",
            "a",
            "c",
            "",
            "",
            "/standing",
            "/quit",
        ])
        .await;
    insta::assert_snapshot!("the_whole_loop_to_a_badge", told.out);
    assert!(
        !told.out.contains('\u{1b}'),
        "no control codes where there is no terminal"
    );

    let fake = &room.fake;
    let grades = fake.grades();
    let answers: Vec<_> = grades
        .iter()
        .map(|grade| grade.answer.clone().unwrap())
        .collect();
    assert_eq!(answers[0].text, "7");
    assert_eq!(answers[1].text, "x = 4");
    assert_eq!(answers[2].latex, "4");
    for grade in &grades {
        assert_eq!(grade.thread_id, THREAD);
        assert_eq!(grade.course_id, "algebra");
        assert_eq!(grade.unit_id, scripted_tutor::UNIT);
        let drill = grade.drill.clone().unwrap();
        assert_eq!(drill.drill_token, "proof-of-the-drill");
        assert_eq!(drill.prompt, "Solve for $x$.");
        assert!(!grade.idempotency_key.is_empty());
    }
    // Buttons send the event that they carry, whole.
    let events: Vec<_> = fake.turns().into_iter().map(|turn| turn.event).collect();
    let kind = |at: usize| events[at].as_ref().map(|event| event.kind());
    assert_eq!(kind(0), None);
    assert_eq!(kind(1), Some(ClientEventKind::RequestDrill));
    assert_eq!(kind(2), Some(ClientEventKind::StuckHint));
    assert_eq!(kind(3), None);
    assert_eq!(kind(4), Some(ClientEventKind::RequestDrill));
    assert_eq!(kind(5), Some(ClientEventKind::DrillContinue));
    let after_drill = events[5].as_ref().unwrap();
    assert_eq!(after_drill.drill_result(), DrillResult::Correct);
    let after_exam = events.last().unwrap().as_ref().unwrap();
    assert_eq!(after_exam.kind(), ClientEventKind::ExamContinue);
    assert_eq!(after_exam.exam_result(), ExamResult::Passed);
    assert_eq!(after_exam.question_id, "ALG-11-B1");

    // Only what was handed in counts, once.
    let submits = fake.submits();
    assert_eq!(submits.len(), 1);
    assert_eq!(submits[0].answer, Some(Answer::OptionId("c".to_owned())));
    assert_eq!(submits[0].tier(), MasteryTier::Bronze);
    assert_eq!(submits[0].offer_token, "proof-of-the-offer");
    assert_eq!(submits[0].is_correct, None);
}

/// A wrong answer locks; the countdown, the way on and what to come back to are shown.
#[tokio::test]
async fn a_wrong_answer_locks_and_comes_back() {
    let room = Room::new().await;
    let told = room
        .chat(&[
            "/say hello",
            "/1",
            "check 4",
            "/1",
            "4",
            "1",
            "submit a",
            "/standing",
            "",
            "/card",
        ])
        .await;
    insta::assert_snapshot!("a_wrong_answer_locks_and_comes_back", told.out);
    let submits = room.fake.submits();
    assert_eq!(submits.len(), 1);
    assert_eq!(submits[0].answer, Some(Answer::OptionId("a".to_owned())));
}

/// An explanation in the middle of a drill shows each of its buttons once, and `/card` brings the drill's back.
#[tokio::test]
async fn an_explanation_leaves_the_drill_open() {
    let room = Room::new().await;
    let told = room
        .chat(&["hello", "/1", "/say explain", "/card", "4", "/quit"])
        .await;
    let shown = told.after("/say explain");
    assert_eq!(shown.matches("Ask a follow-up").count(), 1, "{shown}");
    assert!(
        shown.contains("`check …` answers it; /card brings it back."),
        "{shown}"
    );
    let card = told.after("/card");
    assert!(
        card.contains("[/1] Check answer   [/2] I'm stuck"),
        "{card}"
    );
    assert!(!card.contains("Ask a follow-up"), "{card}");
    assert!(told.after("4").contains("[✓ Correct]"), "{}", told.out);
}

/// Help for an exam question locks it: it is fetched after a yes and not before.
#[tokio::test]
async fn a_memo_is_shown_after_a_yes() {
    let room = Room::new().await;
    let to_the_exam = ["hello", "/1", "4", "", "4", ""];
    let mut typed = to_the_exam.to_vec();
    typed.extend(["/2", "n", "/3", "/card", "/2", "y", "/quit"]);
    let told = room.chat(&typed).await;
    assert!(
        told.after("/2")
            .contains("Looking at the memo locks this question for a while. Look all the same?"),
        "{}",
        told.out
    );
    assert!(told.after("n").contains("Left as it is."));
    let seen = told.after("y");
    assert!(
        seen.contains("Add 3 to both sides, then divide by 5."),
        "{seen}"
    );
    assert!(seen.contains("[Locked] Available in 23h 59m"), "{seen}");
    assert!(seen.contains("[/1] Continue ⏎"), "{seen}");
    let views = room.fake.views();
    assert_eq!(
        views.len(),
        1,
        "neither the no nor the other command looked"
    );
    assert_eq!(views[0].kind(), SupportKind::Memo);
    assert_eq!(views[0].offer_token, "proof-of-the-offer");
}

#[tokio::test]
async fn staff_see_why() {
    let room = Room::new().await;
    let staff = room.dir.path().join("staff-token");
    let told = room
        .chat_with(
            &["--staff-token-file", staff.to_str().unwrap()],
            &["/why", "hello", "/why", "/why json", "/quit"],
        )
        .await;
    assert!(told.status.success(), "{}", told.err);
    assert!(
        told.after("/why")
            .contains("There was no turn in this session yet.")
    );
    let (_, drawer) = told.out.split_once("  why · turn turn-1\n").unwrap();
    let (drawer, json) = drawer.split_once("you › /why json\n").unwrap();
    insta::assert_snapshot!("staff_see_why", drawer.trim_end());
    let (json, _) = json.split_once("\nyou ›").unwrap();
    let policy: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(policy["focusUnitId"], "ALG-11");
    assert_eq!(policy["allowedActions"][1], "TUTOR_ACTION_DRILL_CARD");
    let explained = room.fake.explained();
    assert_eq!(explained[0].student_id, "ada");
    assert_eq!(explained[0].turn_id, "turn-1");
}

/// Neither a student's token nor none opens the drawer, and the reason is said.
#[tokio::test]
async fn a_student_does_not_see_why() {
    let room = Room::new().await;
    let told = room.chat(&["hello", "/why", "/quit"]).await;
    let shown = told.after("/why");
    assert!(shown.contains("The drawer is for staff"), "{shown}");
    assert!(shown.contains("--staff-token-file"), "{shown}");
    assert!(room.fake.explained().is_empty());

    let student = room.dir.path().join("token");
    let told = room
        .chat_with(
            &["--staff-token-file", student.to_str().unwrap()],
            &["hello", "/why", "/quit"],
        )
        .await;
    let shown = told.after("/why");
    assert!(shown.contains("refused: PERMISSION_DENIED"), "{shown}");
    assert!(shown.contains("it takes role staff."), "{shown}");
}

/// A thread goes on where it stood: its last message, its open card, its buttons.
#[tokio::test]
async fn a_thread_goes_on() {
    let room = Room::new().await;
    let told = room.chat(&["hello", "/1"]).await;
    assert!(
        told.out.contains(&format!(
            "turnwise chat --thread {THREAD} --student ada --class 7b --course algebra \
             --endpoint http://127.0.0.1:PORT --token-file DIR/token\n"
        )),
        "{}",
        told.out
    );
    let told = room
        .chat_with(&["--thread", THREAD], &["4", "/history 3", "/quit"])
        .await;
    assert!(told.status.success(), "{}", told.err);
    assert!(told.after("4").contains("[✓ Correct]"), "{}", told.out);
    let history = told.after("/history 3");
    assert!(
        history.starts_with(" tutor  What would you do to both sides first?\n"),
        "{history}"
    );
    assert!(
        history.contains("   you  [request drill] ALG-11"),
        "{history}"
    );
    assert!(history.contains("┌─ Drill · ALG-11 ─"), "{history}");
    assert_eq!(room.fake.grades().len(), 1);
}

/// What is typed wrong is said so, and nothing is sent.
#[tokio::test]
async fn what_means_nothing_is_not_sent() {
    let room = Room::new().await;
    let told = room
        .chat(&[
            "",
            "/again",
            "/3",
            "/frobnicate",
            "/card",
            "/history",
            "hello",
            "/3",
            "/help",
        ])
        .await;
    assert!(
        told.after("/again")
            .contains("There is nothing to send again.")
    );
    assert!(told.out.contains("There is no button now."));
    assert!(told.out.contains("There is no /3; there are /1 to /2."));
    assert!(
        told.after("/frobnicate")
            .contains("`/frobnicate` is no command")
    );
    assert!(told.after("/card").contains("No card is open."));
    assert!(
        told.after("/history")
            .contains("Nothing has been said yet.")
    );
    assert!(told.after("/help").contains("/standing"));
    assert_eq!(room.fake.turns().len(), 1);
}
