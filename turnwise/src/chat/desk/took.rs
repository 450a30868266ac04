//! What the answers of calls leave on the desk.

use turnwise_proto::tutor::v1::{
    Button, DrillResult, ExamResult, Role, TakeTurnRequest, TakeTurnResponse, tutor_card,
};

use super::{Call, Desk, fresh_key};
use crate::{
    chat::calls::Answer,
    render::buttons::{Choice, Place},
};

impl Desk {
    /// Takes what came of a call.
    pub fn took(&mut self, call: &Call, answer: &Answer) {
        self.again = None;
        self.confirm = None;
        match answer {
            Answer::Turn(answer) => self.took_turn(call, answer),
            Answer::Graded(graded) => {
                let done = graded.result() != DrillResult::Unspecified;
                self.finish(done, &graded.buttons);
            }
            Answer::Submitted(submitted) => {
                let done = submitted.result() != ExamResult::Unspecified;
                self.finish(done, &submitted.buttons);
            }
            Answer::Viewed(viewed) => self.finish(viewed.locked, &viewed.buttons),
        }
    }

    fn took_turn(&mut self, call: &Call, answer: &TakeTurnResponse) {
        self.last_turn = Some(answer.turn_id.clone());
        self.place_ticket.clone_from(&answer.place_ticket);
        if let Call::Turn(turn) = call {
            if answer.retry_after.is_some() {
                // The same message as a new turn, which keeps its place in line.
                self.again = Some(Call::Turn(TakeTurnRequest {
                    idempotency_key: fresh_key(),
                    place_ticket: answer.place_ticket.clone(),
                    ..turn.clone()
                }));
            }
            let unit = turn.event.as_ref().map(|event| &event.unit_id);
            let open = self.card.as_ref().map(|card| &card.unit_id);
            if unit.is_some() && unit != open {
                // The student has gone on to another unit.
                self.put_away();
            }
        }
        // A message that waits has no answer yet.
        let last = answer.messages.last();
        if let Some(message) = last.filter(|message| message.role() == Role::Assistant) {
            self.show(message);
        }
    }

    /// A result is there, and the card is done with or not.
    fn finish(&mut self, done: bool, buttons: &[Button]) {
        self.chosen = None;
        if done {
            self.put_away();
        } else if let Some(tutor_card::Content::Drill(_)) = self.content() {
            // It could not be checked: the next line is another try.
            self.answering = true;
        }
        self.result = true;
        let card = self.card.as_ref().map_or(&[][..], |card| &card.buttons);
        self.choices = Choice::all(card, Place::Card)
            .chain(Choice::all(buttons, Place::Result))
            .collect();
    }
}
