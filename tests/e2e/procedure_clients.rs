//! The simulators of docs/examples, as a user runs them: each plays its procedure to the end, without a model.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use turnwise::data_dir::DevToken;
use turnwise_proto::procedure::v1::{GetHelpSessionRequest, Overlay, OverlayIntent, OverlayState};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    procedure::{TITRATION, client},
    process::repository,
    student::{DEMO_COURSE, Student},
};

use crate::python::python;

in_both_deployments!(simulators_play_their_procedures_to_the_end);

/// A simulator of docs/examples.
struct Simulator {
    script: &'static str,
    procedure: &'static str,
    /// What the learner changes last.
    last: &'static str,
    /// The element that is highlighted and that it does not have.
    missing: Option<&'static str>,
}

const SIMULATORS: [Simulator; 2] = [
    Simulator {
        script: "titration.py",
        procedure: TITRATION,
        last: "NOTES.END",
        missing: Some("lab-goggles"),
    },
    Simulator {
        script: "bouncing_ball.py",
        procedure: "bouncing-ball",
        last: "stage.best_score",
        missing: None,
    },
];

async fn simulators_play_their_procedures_to_the_end(kind: Kind) {
    let Some(python) = python() else {
        return;
    };
    let options = Options::new().env("HELPER_LLM_BACKEND", "none");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let token = suite
        .data_dir
        .mint(&DevToken {
            tenant: "default".to_owned(),
            subject: "laboratory".to_owned(),
            role: "service".to_owned(),
            classes: vec![Student::CLASS.to_owned()],
            on_behalf_of: Some(ada.id.clone()),
            ttl_seconds: 3600,
        })
        .unwrap();
    // Both at once: they play in real time.
    let played = SIMULATORS.map(|simulator| {
        let child = start(&python, &simulator, &suite, &token);
        (simulator, child)
    });
    for (simulator, child) in played {
        let output = child.wait_with_output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{shown}\n{said}");
        let session_id = shown
            .lines()
            .find_map(|line| line.strip_prefix("session "))
            .unwrap_or_else(|| panic!("no session in\n{shown}"));
        assert!(
            shown.contains("help (all is done):\n  Every step of this procedure is complete."),
            "{shown}"
        );
        check(&simulator, &ada, session_id).await;
    }
    suite.stop();
}

fn start(python: &Path, simulator: &Simulator, suite: &Deployment, token: &str) -> Child {
    Command::new(python)
        .arg(repository().join("docs/examples").join(simulator.script))
        .env("TURNWISE", suite.address().to_string())
        .env("TOKEN", token)
        .env("COURSE", DEMO_COURSE)
        .env("CLASS", Student::CLASS)
        // The checkout stays as it is.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the session says afterwards, to its learner.
async fn check(simulator: &Simulator, ada: &Student, session_id: &str) {
    let request = ada.request(GetHelpSessionRequest {
        session_id: session_id.to_owned(),
        page_size: 200,
        ..GetHelpSessionRequest::default()
    });
    let read = client(ada).get_help_session(request).await;
    let read = read.unwrap().into_inner();
    let session = read.session.unwrap();
    assert_eq!(session.procedure_id, simulator.procedure);
    assert_eq!(session.student_id, ada.id);
    assert!(
        session.stored_sequence > 300,
        "thirty observations a second"
    );
    let known = session.variables.iter();
    let last = known.clone().find(|known| known.name == simulator.last);
    assert!(last.is_some_and(|last| last.value.is_some()));
    assert!(session.recent_deltas.len() <= 5);

    let events = read.events;
    assert!(read.next_page_token.is_empty());
    let of_kind = |kind: &'static str| events.iter().filter(move |event| event.kind == kind);
    // The last answer is that nothing is left to do.
    let last = of_kind("tutor_response").next_back().unwrap();
    assert_eq!((last.detail.as_str(), last.step_id.as_str()), ("ok", ""));
    let shown = |state: OverlayState, intent: OverlayIntent| {
        move |overlay: &&Overlay| overlay.state() == state && overlay.intent() == intent
    };
    let applied: Vec<Overlay> = of_kind("overlay_applied")
        .filter_map(|event| event.overlay.clone())
        .collect();
    for intent in [OverlayIntent::Highlight, OverlayIntent::Clear] {
        let count = applied
            .iter()
            .filter(shown(OverlayState::Applied, intent))
            .count();
        assert!(count >= 3, "{intent:?}: {count} of {applied:?}");
    }
    // It has failed where the simulator has no such element, and nowhere else.
    let failed: Vec<(String, &str)> = of_kind("overlay_failed")
        .map(|event| {
            let overlay = event.overlay.clone().unwrap();
            (overlay.element_id, event.detail.as_str())
        })
        .collect();
    let missing = simulator
        .missing
        .map(|element| (element.to_owned(), "no_such_element"));
    assert_eq!(failed, Vec::from_iter(missing));
}
