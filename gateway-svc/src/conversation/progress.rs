//! How far a turn is, for whoever watches it.

use turnwise_proto::{
    llm::v1::QueuePlace,
    tutor::v1::{TurnProgress, TurnStage},
};

/// Tells how far a turn is. What is told is no text and no verdict: those are in the answer.
pub(crate) type Tell = Box<dyn Fn(TurnProgress) + Send + Sync>;

/// Who watches a turn.
#[derive(Default)]
pub(crate) struct Progress {
    tell: Option<Tell>,
}

impl Progress {
    /// Somebody who is told.
    pub(crate) fn watched(tell: Tell) -> Self {
        Self { tell: Some(tell) }
    }

    /// Nobody listens, but the work may take as long as its deadline allows.
    pub(crate) fn unheard() -> Self {
        Self::watched(Box::new(|_| ()))
    }

    /// Whether anybody watches.
    pub(super) fn is_watched(&self) -> bool {
        self.tell.is_some()
    }

    /// The turn has come to a stage.
    pub(crate) fn stage(&self, stage: TurnStage) {
        self.send(TurnProgress {
            stage: stage.into(),
            ..TurnProgress::default()
        });
    }

    /// The turn waits in a queue.
    pub(super) fn place(&self, place: QueuePlace) {
        self.send(TurnProgress {
            stage: TurnStage::Waiting.into(),
            queue_position: place.position,
            queue_wait: place.wait,
        });
    }

    fn send(&self, progress: TurnProgress) {
        if let Some(tell) = &self.tell {
            tell(progress);
        }
    }
}
