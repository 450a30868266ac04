//! A small course with needs of every kind.

use turnwise_context_needs::{Input, Present};
use turnwise_course_pack::{
    ArtifactFormat, ArtifactType, ContextCourse, ContextNeed, ContextPhase, Friction, LocalText,
    MessageIntent::{self, Debug, Plan, Question, Review},
    Supplier,
    Urgency::{self, MustHave, NiceToHave},
};

pub fn need(id: &str, artifact: &str, urgency: Urgency) -> ContextNeed {
    ContextNeed {
        id: id.to_owned(),
        artifact: artifact.to_owned(),
        phase: None,
        intents: Vec::new(),
        units: Vec::new(),
        key_path: None,
        urgency,
        why: LocalText {
            en: format!("Why {id}?"),
            de: format!("Warum {id}?"),
        },
    }
}

fn phase(id: &str, units: &[&str]) -> ContextPhase {
    ContextPhase {
        id: id.to_owned(),
        title: id.to_owned(),
        units: units.iter().map(|unit| (*unit).to_owned()).collect(),
    }
}

fn artifact(id: &str, size_limit: u32, suppliers: &[Supplier]) -> ArtifactType {
    ArtifactType {
        id: id.to_owned(),
        title: id.to_owned(),
        description: id.to_owned(),
        format: ArtifactFormat::Json,
        size_limit,
        schema: None,
        suppliers: suppliers.to_vec(),
    }
}

/// The needs, in order: of the phase `budget`, of intents, of units, of all three.
pub fn course() -> ContextCourse {
    let intents = |intents: &[MessageIntent]| intents.to_vec();
    ContextCourse {
        phases: vec![
            phase("budget", &["SUMS"]),
            phase("plan", &["LINES", "SUMS"]),
        ],
        artifacts: vec![
            artifact("budget", 8_192, &[Supplier::Student]),
            artifact("offers", 16_384, &[Supplier::Teacher, Supplier::Staff]),
            artifact("notes", 100, &Supplier::ALL),
        ],
        needs: vec![
            ContextNeed {
                phase: Some("budget".to_owned()),
                intents: intents(&[Review]),
                ..need("notes-of-the-budget", "notes", NiceToHave)
            },
            ContextNeed {
                phase: Some("budget".to_owned()),
                intents: intents(&[Debug, Review]),
                key_path: Some("costs".to_owned()),
                ..need("costs", "budget", MustHave)
            },
            ContextNeed {
                units: vec!["LINES".to_owned()],
                ..need("offers", "offers", MustHave)
            },
            ContextNeed {
                intents: intents(&[Plan]),
                ..need("notes-to-plan", "notes", NiceToHave)
            },
            ContextNeed {
                phase: Some("plan".to_owned()),
                intents: intents(&[Question]),
                units: vec!["SUMS".to_owned()],
                ..need("whole-budget", "budget", MustHave)
            },
        ],
        friction: Friction::default(),
    }
}

/// A message in the phase `budget`.
pub fn input(message: &str) -> Input<'_> {
    Input {
        on: true,
        in_project: true,
        phase: Some("budget"),
        message,
        locale: "en",
        ..Input::default()
    }
}

pub fn present(artifact: &str, key_paths: &[&str]) -> Present {
    Present {
        artifact: artifact.to_owned(),
        key_paths: key_paths.iter().map(|path| (*path).to_owned()).collect(),
    }
}
