//! How students are taught without a model, each in the language of the course.

use turnwise_course_pack::{Pack, Unit, load};
use turnwise_proto::tutor::v1::{
    ClientEventKind, DrillCard, DrillResult, GradeDrillRequest, StudentInput, TakeTurnRequest,
    Thread, TutorMessage, tutor_card::Content,
};
use turnwise_tests::{
    answer::tutor,
    options::Kind,
    process::repository,
    student::{DEMO_COURSE, Student, fresh_key, pressing, saying},
};

use super::WithoutModel;

in_both_deployments!(
    a_stuck_student_gets_an_explanation_an_example_and_a_drill,
    who_is_always_wrong_reads_no_sentence_twice_in_a_row,
);

/// The courses that come with the project.
const COURSES: [Spoken; 2] = [
    Spoken {
        course_id: DEMO_COURSE,
        units: ["ALG-01", "ALG-03"],
        idea: [
            "Here is the idea behind ",
            "You will find more in your lesson: ",
        ],
        example: "Here is a worked example. ",
        sibling: "Here is an exercise like yours, with other numbers.",
        drills: [
            "Here is a short exercise on ",
            "Now one for you. ",
            "Try this one. ",
        ],
        stuck: "I am stuck",
    },
    Spoken {
        course_id: "terme-und-gleichungen",
        units: ["TG-01", "TG-02"],
        idea: [
            "Hier ist die Idee hinter ",
            "Mehr findest du in deiner Lektion: ",
        ],
        example: "Hier ist ein gelöstes Beispiel. ",
        sibling: "Hier ist eine Aufgabe wie deine, mit anderen Zahlen.",
        drills: [
            "Hier ist eine kurze Aufgabe zu ",
            "Jetzt eine für dich. ",
            "Versuch diese hier. ",
        ],
        stuck: "Ich stecke fest",
    },
];

/// The answer to no drill of the courses.
const WRONG: &str = "777";

/// The most hints on a drill.
const MOST_HINTS: usize = 3;

/// Shorter pieces are no sentences.
const LEAST_CHARS: usize = 12;

/// A course, and how the tutor begins what it says there.
struct Spoken {
    course_id: &'static str,
    /// Units without a missing prerequisite.
    units: [&'static str; 2],
    /// Before the unit's title, and before the source.
    idea: [&'static str; 2],
    example: &'static str,
    sibling: &'static str,
    drills: [&'static str; 3],
    /// Says that its student is stuck.
    stuck: &'static str,
}

impl Spoken {
    fn pack(&self) -> Pack {
        load(&repository().join("courses").join(self.course_id)).unwrap()
    }
}

/// A student who works on a unit, and all that the tutor said to them, in order.
struct Talk {
    student: Student,
    thread: Thread,
    unit: &'static str,
    heard: Vec<String>,
}

impl Talk {
    /// A student of their own in a new thread.
    async fn begin(without: &WithoutModel, spoken: &Spoken, unit: &'static str) -> Self {
        let student = without.suite.student(&format!("talks-{unit}"));
        let thread = student.open(spoken.course_id).await;
        Self {
            student,
            thread,
            unit,
            heard: Vec::new(),
        }
    }

    async fn take(&mut self, turn: TakeTurnRequest) -> TutorMessage {
        let answer = self.student.turn(turn).await.unwrap();
        assert_eq!(answer.degraded_reasons().count(), 0, "{answer:?}");
        let message = tutor(&answer).clone();
        let mut heard = message.text.clone();
        for idea in key_ideas(&message) {
            heard = format!("{heard}\n\n{idea}");
        }
        self.heard.push(heard);
        message
    }

    async fn press(&mut self, kind: ClientEventKind) -> TutorMessage {
        let turn = pressing(&self.thread, kind, self.unit);
        self.take(turn).await
    }

    async fn say(&mut self, text: &str) -> TutorMessage {
        let turn = saying(&self.thread, text);
        self.take(turn).await
    }

    /// Asks for a drill.
    async fn ask(&mut self) -> DrillCard {
        let set = self.press(ClientEventKind::RequestDrill).await;
        drill(&set, self.unit).clone()
    }

    /// Answers a drill wrongly.
    async fn fail(&mut self, drill: DrillCard) {
        let request = GradeDrillRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: self.thread.course_id.clone(),
            unit_id: self.unit.to_owned(),
            drill: Some(drill),
            answer: Some(StudentInput {
                text: WRONG.to_owned(),
                ..StudentInput::default()
            }),
            idempotency_key: fresh_key(),
        };
        let graded = self.student.grade_drill(request).await.unwrap();
        assert_eq!(graded.result(), DrillResult::Incorrect, "{graded:?}");
        self.heard.push(graded.feedback_text);
    }

    /// Asks for help and for nothing, types the answer and has it graded, at once and after another drill was set.
    async fn err(&mut self, stuck: &str) {
        let drill = self.ask().await;
        self.press(ClientEventKind::StuckHint).await;
        self.fail(drill).await;
        self.press(ClientEventKind::DrillContinue).await;

        let drill = self.ask().await;
        self.say(stuck).await;
        self.say(WRONG).await;
        self.fail(drill).await;

        let (before, after) = (self.ask().await, self.ask().await);
        self.fail(before).await;
        self.fail(after).await;
        for _ in 0..2 {
            self.press(ClientEventKind::DrillContinue).await;
        }
    }
}

async fn a_stuck_student_gets_an_explanation_an_example_and_a_drill(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    for spoken in &COURSES {
        let pack = spoken.pack();
        let unit_id = spoken.units[0];
        let unit = pack.units.iter().find(|unit| unit.id == unit_id).unwrap();
        let mut talk = Talk::begin(&without, spoken, unit_id).await;
        for _ in 0..2 {
            let drill = talk.ask().await;
            talk.fail(drill).await;
        }

        let explained = talk.press(ClientEventKind::DrillContinue).await;
        let idea = unit.key_idea.as_ref().unwrap();
        assert_eq!(key_ideas(&explained), [idea.text.as_str()], "{explained:?}");
        assert_eq!(explained.card.as_ref().unwrap().unit_id, unit_id);
        let source = pack.chunks.iter().find(|chunk| chunk.id == idea.chunk);
        let [before, after] = spoken.idea;
        let source = format!("{after}{}.", source.unwrap().section);
        let text = &explained.text;
        assert!(
            text.starts_with(before) && text.ends_with(&source),
            "{text}"
        );

        let example = talk.press(ClientEventKind::DrillContinue).await;
        let text = &example.text;
        assert!(text.starts_with(spoken.example), "{text}");
        let shown = worked_out(text, unit).to_owned();

        let set = talk.press(ClientEventKind::DrillContinue).await;
        let text = &set.text;
        let mut begins = spoken.drills.iter();
        assert!(begins.any(|begin| text.starts_with(*begin)), "{text}");
        let drill = drill(&set, unit_id);
        let mut drills = unit.all_drills();
        let set_here = exercise(&drill.prompt, &drill.question_latex);
        assert!(
            drills.any(|own| exercise(&own.prompt, &own.question_latex) == set_here),
            "{drill:?}"
        );
        assert_ne!(
            set_here, shown,
            "what was worked out is no exercise any more"
        );

        // The last rung of the hints is the sibling.
        let mut hints = 0;
        let sibling = loop {
            let helped = talk.press(ClientEventKind::StuckHint).await.text;
            if helped.starts_with(spoken.sibling) {
                break helped;
            }
            hints += 1;
            assert!(hints <= MOST_HINTS, "{helped}");
        };
        assert!(hints > 0, "{sibling}");
        assert_ne!(worked_out(&sibling, unit), set_here);
    }
    without.stop().await;
}

async fn who_is_always_wrong_reads_no_sentence_twice_in_a_row(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    for spoken in &COURSES {
        for unit in spoken.units {
            let mut talk = Talk::begin(&without, spoken, unit).await;
            for _ in 0..3 {
                talk.err(spoken.stuck).await;
            }
            for pair in talk.heard.windows(2) {
                for sentence in sentences(&pair[1]) {
                    assert!(!pair[0].contains(sentence), "{sentence}\n{pair:#?}");
                }
            }
        }
    }
    without.stop().await;
}

/// The key ideas on a message's card.
fn key_ideas(message: &TutorMessage) -> Vec<&str> {
    let card = message.card.as_ref();
    match card.and_then(|card| card.content.as_ref()) {
        Some(Content::Concept(concept)) => concept.key_ideas.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The drill of this unit that a message sets.
fn drill<'m>(message: &'m TutorMessage, unit_id: &str) -> &'m DrillCard {
    let card = message
        .card
        .as_ref()
        .unwrap_or_else(|| panic!("{message:?}"));
    assert_eq!(card.unit_id, unit_id);
    match card.content.as_ref() {
        Some(Content::Drill(drill)) => drill,
        other => panic!("no drill, but {other:?}"),
    }
}

/// An exercise as it stands in a text.
fn exercise(prompt: &str, question_latex: &str) -> String {
    match question_latex {
        "" => prompt.to_owned(),
        formula => format!("{prompt} ${formula}$"),
    }
}

/// Insists that a text works out a drill of the unit as the course does, and gives its exercise.
fn worked_out<'t>(text: &'t str, unit: &Unit) -> &'t str {
    let worked = text
        .split("\n\n")
        .nth(1)
        .unwrap_or_else(|| panic!("{text}"));
    let (exercise_line, lines) = worked.split_once('\n').unwrap_or_else(|| panic!("{text}"));
    let mut drills = unit.all_drills();
    let is_the_courses = drills.any(|drill| {
        exercise(&drill.prompt, &drill.question_latex) == exercise_line
            && drill.solution.join("\n") == lines
    });
    assert!(is_the_courses, "{text}");
    exercise_line
}

/// The sentences of a text, without the lines of what is worked out: their steps look alike.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n")
        .filter(|paragraph| !paragraph.contains('\n'))
        .flat_map(|paragraph| paragraph.split(['.', '?', '!']))
        .map(str::trim)
        .filter(|sentence| sentence.chars().count() >= LEAST_CHARS)
}
