//! What a student asks of this program and not of the tutor: `/standing`, `/card`, `/history`, `/why`, `/help`.

use anyhow::Result;
use jiff::Timestamp;
use turnwise_kit::Fault;
use turnwise_proto::tutor::v1::{
    GetExamQuestionRequest, GetSnapshotLiteRequest, GetThreadRequest, TutorMessage, tutor_card,
};

use super::{Chat, drawer, typed::Command};
use crate::render::{self, result::simpler};

/// Messages on one page of a thread.
const PAGE: i32 = 100;

impl Chat<'_> {
    /// Does what is asked. The inner error is a refusal of the suite's.
    pub(super) async fn command(&mut self, command: Command) -> Result<Result<(), Fault>> {
        let text = match command {
            Command::Help => Ok(format!("{HELP}\n")),
            Command::Standing => self.ask_standing().await,
            Command::History(most) => self.messages().await.map(|all| self.history(&all, most)),
            Command::Card => self.look_at_card().await,
            Command::Why => self.drawer(false).await,
            Command::WhyJson => self.drawer(true).await,
            Command::Pieces => self.list_pieces().await,
            Command::Without => self.end_waiting(true).await,
            Command::Withdraw => self.end_waiting(false).await,
            // The loop knows what to do with these.
            Command::Again | Command::Quit => Ok(String::new()),
        };
        let text = match text {
            Ok(text) => text,
            Err(fault) => return Ok(Err(fault)),
        };
        write!(self.out, "{text}")?;
        if command == Command::Card {
            self.help_line()?;
        }
        Ok(Ok(()))
    }

    fn history(&self, all: &[TutorMessage], most: usize) -> String {
        if all.is_empty() {
            return "  Nothing has been said yet.\n".to_owned();
        }
        let now = Timestamp::now();
        all[all.len().saturating_sub(most)..]
            .iter()
            .map(|message| render::message(message, &[], now, self.ink))
            .collect()
    }

    async fn drawer(&self, json: bool) -> Result<String, Fault> {
        let Some(turn) = self.desk.last_turn() else {
            return Ok("  There was no turn in this session yet.\n".to_owned());
        };
        let access = drawer::Access {
            connect: self.student.args(),
            staff_token_file: self.staff_token_file.as_deref(),
        };
        access.open(turn, json, self.ink).await
    }

    async fn ask_standing(&mut self) -> Result<String, Fault> {
        let request = GetSnapshotLiteRequest {
            course_id: self.student.args().course.clone(),
        };
        let request = self.student.request(request, self.student.timeout());
        let answer = self
            .student
            .client
            .get_snapshot_lite(request)
            .await
            .map_err(|status| Fault::from_status(&status))?
            .into_inner();
        let now = Timestamp::now();
        let standing = answer.snapshot_lite.as_ref().map_or_else(
            || "  It is not known where you stand.\n".to_owned(),
            |standing| render::standing::standing(standing, now),
        );
        Ok(standing + &simpler(answer.degraded_reasons(), self.ink))
    }

    /// The open card as it is now, with its buttons; of an exam question the state is asked for.
    async fn look_at_card(&mut self) -> Result<String, Fault> {
        let Some(mut card) = self.desk.card().cloned() else {
            return Ok("  No card is open.\n".to_owned());
        };
        let mut remark = String::new();
        if let Some(tutor_card::Content::Exam(exam)) = &card.content {
            let request = GetExamQuestionRequest {
                thread_id: self.desk.thread_id().to_owned(),
                course_id: self.student.args().course.clone(),
                unit_id: card.unit_id.clone(),
                question_id: exam.question_id.clone(),
                tier: exam.tier,
                offer_token: exam.offer_token.clone(),
            };
            let request = self.student.request(request, self.student.timeout());
            let answer = self
                .student
                .client
                .get_exam_question(request)
                .await
                .map_err(|status| Fault::from_status(&status))?
                .into_inner();
            remark = simpler(answer.degraded_reasons(), self.ink);
            if let Some(now) = answer.card {
                card = now;
            }
        }
        self.desk.reopen(card.clone());
        let choices = self.desk.choices();
        Ok(render::card::card(&card, choices, Timestamp::now(), self.ink) + &remark)
    }

    /// The whole timeline, oldest first.
    pub(super) async fn messages(&mut self) -> Result<Vec<TutorMessage>, Fault> {
        let mut messages = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = GetThreadRequest {
                thread_id: self.desk.thread_id().to_owned(),
                page_size: PAGE,
                page_token,
            };
            let request = self.student.request(request, self.student.timeout());
            let page = self
                .student
                .client
                .get_thread(request)
                .await
                .map_err(|status| Fault::from_status(&status))?
                .into_inner();
            messages.extend(page.messages);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(messages);
            }
        }
    }
}

/// What `/help` says.
const HELP: &str = "  \
  Who gets a line stands before it: `you ›` goes to the tutor, `answer ›` to the open card.
  /1 /2 …        press the button with this number; after a result the number alone will do,
                 and Enter presses the one with ⏎
  $ x^2 = 4      LaTeX, in a message or an answer
  check 4        answer the open drill, whoever gets the line
  submit b       answer the open exam question at once
  /say …         say it to the tutor while a card is open; a line that ends in ? goes there, too
  /later …       say it to the tutor, to be answered when there is time; a bell rings then
  /card          the open card again, an exam question with its lock as it is now
  /standing      your badges, and what to come back to
  /history 20    the last messages
  /attach 1 FILE give what a message waits for, by the number on its list
  /pieces        pieces of what is kept that fit; /attach 1 a gives the first
  /without       have it answered without; /withdraw: it needs no answer
  /again         send the last call once more, where it got no answer
  /why           why the tutor did what it did, for staff; /why json: its policy as JSON
  /quit          end; the conversation is kept";
