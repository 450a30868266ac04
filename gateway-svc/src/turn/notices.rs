//! What a client says of results and cards, compared with the record. It is never believed; where it differs, the client is
//! told.

use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{QuestionState, QuestionStatus},
    explain::v1::TurnTexts,
    policy::v1::OpenDrill,
    session::v1::{GradedDrill, StudentSnapshot},
    tutor::v1::{ClientEvent, ClientEventKind, DrillResult, ExamResult},
};

use crate::open_card;

/// What to tell the client of its event. `open` is the drill that was not graded yet.
pub(super) fn notices(
    event: Option<&ClientEvent>,
    snapshot: Option<&StudentSnapshot>,
    open: Option<&OpenDrill>,
    statuses: &[QuestionStatus],
    texts: &TurnTexts,
) -> Vec<ErrorReason> {
    let mismatch = event.is_some_and(|event| match event.kind() {
        ClientEventKind::DrillContinue => {
            // Which of the two is gone on from is not said.
            !open_card::is_graded_before(Some(event), texts)
                && drill_differs(event, snapshot, open, texts.graded.as_deref())
        }
        ClientEventKind::ExamContinue => exam_differs(event, statuses),
        _ => false,
    });
    let forged = open_card::is_forged(event, texts);
    let told = [
        mismatch.then_some(ErrorReason::ResultMismatch),
        forged.then_some(ErrorReason::DrillTokenInvalid),
    ];
    told.into_iter().flatten().collect()
}

/// The thread knows how its last drill went. Where that is of another unit, the unit's last drill was right if it
/// lengthened the streak, and wrong if it ended it. Of a drill that was not graded nothing is known, so nothing differs.
fn drill_differs(
    event: &ClientEvent,
    snapshot: Option<&StudentSnapshot>,
    open: Option<&OpenDrill>,
    graded: Option<&GradedDrill>,
) -> bool {
    let claimed = event.drill_result();
    if claimed == DrillResult::Unspecified || open.is_some_and(|open| open.unit_id == event.unit_id)
    {
        return false;
    }
    if let Some(graded) = graded.filter(|graded| graded.unit_id == event.unit_id) {
        return claimed != graded.result();
    }
    let drill = snapshot
        .and_then(|snapshot| snapshot.evidence.as_ref())
        .and_then(|evidence| {
            let mut units = evidence.unit_progress.iter();
            units.find(|unit| unit.unit_id == event.unit_id)
        })
        .and_then(|unit| unit.drill)
        .unwrap_or_default();
    let recorded = match (drill.streak_correct > 0, drill.streak_wrong > 0) {
        (true, _) => DrillResult::Correct,
        (false, true) => DrillResult::Incorrect,
        (false, false) => return false,
    };
    claimed != recorded
}

fn exam_differs(event: &ClientEvent, statuses: &[QuestionStatus]) -> bool {
    let state = statuses
        .iter()
        .find(|status| status.question_id == event.question_id)
        .map(QuestionStatus::state);
    match (event.exam_result(), state) {
        // What was not said, or cannot be known, does not differ.
        (ExamResult::Unspecified, _) | (_, None | Some(QuestionState::Unspecified)) => false,
        (ExamResult::Passed, Some(state)) => state != QuestionState::Passed,
        (ExamResult::Locked, Some(state)) => state != QuestionState::Locked,
    }
}
