//! The line that says how far a call is.

use std::time::Duration;

use turnwise::{
    chat::progress::{Progress, words},
    render::Ink,
};
use turnwise_proto::tutor::v1::{TurnProgress, TurnStage};

fn news(stage: TurnStage, place: i32, wait_ms: Option<i64>) -> TurnProgress {
    TurnProgress {
        stage: stage.into(),
        queue_position: place,
        queue_wait: wait_ms.map(|ms| prost_types::Duration {
            seconds: ms / 1000,
            nanos: i32::try_from(ms % 1000).unwrap() * 1_000_000,
        }),
    }
}

#[test]
fn the_stages_in_words() {
    for (news, said) in [
        (news(TurnStage::Reading, 0, None), "reading your message"),
        (news(TurnStage::Waiting, 0, None), "waiting for a tutor"),
        (
            news(TurnStage::Waiting, 3, None),
            "waiting for a tutor: place 3",
        ),
        (
            news(TurnStage::Waiting, 0, Some(4_000)),
            "waiting for a tutor: about 4 s",
        ),
        // Rounded up: nobody minds a shorter wait.
        (
            news(TurnStage::Waiting, 3, Some(11_001)),
            "waiting for a tutor: place 3, about 12 s",
        ),
        (
            news(TurnStage::Waiting, 1, Some(0)),
            "waiting for a tutor: place 1, about 1 s",
        ),
        (
            news(TurnStage::Waiting, 40, Some(121_000)),
            "waiting for a tutor: place 40, about 3 min",
        ),
        (news(TurnStage::Writing, 0, None), "the tutor is writing"),
        (news(TurnStage::Checking, 0, None), "checking the answer"),
    ] {
        assert_eq!(words(&news), said);
    }
}

fn drawn(live: bool) -> String {
    let mut out = Vec::new();
    let mut progress = Progress::new(&mut out, live, Ink::PLAIN);
    let second = Duration::from_secs(1);
    progress.stage(&news(TurnStage::Reading, 0, None), Duration::ZERO);
    progress.stage(&news(TurnStage::Waiting, 0, None), second);
    progress.stage(&news(TurnStage::Waiting, 2, Some(9_000)), second);
    progress.stage(&news(TurnStage::Waiting, 2, Some(9_000)), second * 2);
    progress.stage(&news(TurnStage::Writing, 0, None), second * 4);
    progress.note("something");
    progress.clear();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_terminal_shows_one_line_over_itself() {
    let line = "\r\x1b[2K";
    assert_eq!(
        drawn(true),
        format!(
            "{line}  reading your message …{line}  waiting for a tutor …{line}  waiting for a tutor: place 2, about 9 s …{line}  waiting for a tutor: \
             place 2, about 9 s …{line}  the tutor is writing … 4 s{line}  (something)\n"
        )
    );
}

#[test]
fn elsewhere_only_news_of_the_line_is_printed() {
    assert_eq!(
        drawn(false),
        "  (waiting for a tutor: place 2, about 9 s)\n  (something)\n"
    );
}
