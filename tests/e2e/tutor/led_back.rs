//! A student who asks for something far off is told the way, led to what comes first and back to what was asked for, by the
//! primary button alone; a placement shortens the way; in two threads with two targets each keeps its own; and who cannot
//! be placed is asked what it is about.

use turnwise_proto::tutor::v1::{
    ClientEventKind, DrillCard, MasteryTier, PlacementState, SnapshotLite, TakeTurnResponse,
    TutorAction,
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    student::DEMO_COURSE,
};

use crate::placement;

use super::{
    always_right::Knows,
    answers::Answers,
    simulated_student::{Came, SimulatedStudent},
};

/// Slope, which four units come before.
const FAR: &str = "ALG-14";
const BEFORE: [&str; 4] = ["ALG-01", "ALG-03", "ALG-05", "ALG-13"];
/// What a student says who wants it.
const ASKS: &str = "rise over run";
/// Presses for each unit of the way: drills and an exam question are asked for, answered and gone on from.
const MOST_PRESSES: usize = 20;

in_both_deployments!(
    the_primary_button_leads_there_with_a_model,
    the_primary_button_leads_there_without_one,
    a_placement_shortens_the_way,
    two_threads_have_two_targets,
    a_first_message_of_few_words_does_not_stay_on_the_welcome_unit,
);

async fn the_primary_button_leads_there_with_a_model(kind: Kind) {
    led_there(Deployment::start(kind, Options::new()).await).await;
}

async fn the_primary_button_leads_there_without_one(kind: Kind) {
    let options = Options::new()
        .model("mock:status:503")
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1");
    led_there(Deployment::start(kind, options).await).await;
}

/// Insists that an answer tells the way in its data, and in its first sentence if it is new that the focus comes first;
/// gives the number of steps.
fn told(answer: &TakeTurnResponse, title: &str, is_new: bool) -> i32 {
    let standing = answer.snapshot_lite.as_ref().unwrap();
    let target = standing.target.as_ref().expect("what was asked for");
    assert_eq!((&*target.unit_id, &*target.title), (FAR, title));
    let last = target.path.last().unwrap();
    assert_eq!((&*last.unit_id, &*last.title), (FAR, title));
    let text = &tutor(answer).text;
    let first = text.lines().next().unwrap();
    let focus = &standing.focus.as_ref().unwrap().title;
    let sentence = format!("For {title} you need {focus} first");
    assert_eq!(first.starts_with(&sentence), is_new, "{text}");
    target.steps_to_go
}

/// The title of a unit.
fn title(answers: &Answers, unit_id: &str) -> String {
    let mut units = answers.pack.units.iter();
    let unit = units.find(|unit| unit.id == unit_id).unwrap();
    unit.title.clone()
}

/// A student who has just asked for slope, and was told that all of [`BEFORE`] comes first.
async fn asks_for_slope(suite: &Deployment, id: &str, answers: &Answers) -> SimulatedStudent {
    let title = title(answers, FAR);
    let mut simulated = SimulatedStudent::start(suite, id).await;
    let answer = simulated.say(ASKS).await;
    let first = simulated.standing.focus.clone().unwrap().title;
    let sentence = format!("For {title} you need {first} first. Four steps to go.");
    let text = &tutor(&answer).text;
    assert!(text.starts_with(&sentence), "{text}");
    assert_eq!(told(&answer, &title, true), 4);
    simulated
}

/// Presses the primary button until slope is worked on; gives the number of presses.
async fn led_on(simulated: &mut SimulatedStudent, answers: &Answers) -> usize {
    let title = title(answers, FAR);
    let mut knows = Knows(answers);
    let mut steps = simulated.standing.target.as_ref().unwrap().steps_to_go;
    let mut presses = 0;
    while simulated.focus() != FAR {
        presses += 1;
        assert!(
            presses <= MOST_PRESSES * BEFORE.len(),
            "still {:?}, in front of {:?}",
            simulated.standing,
            simulated.buttons()
        );
        let button = simulated.primary().expect("there is always a way on");
        let focus = simulated.focus().to_owned();
        let came = simulated.press(&button, &mut knows).await;
        if let Came::Message(answer) = came
            && simulated.focus() != FAR
        {
            let now = told(&answer, &title, simulated.focus() != focus);
            assert!(now <= steps, "{steps} steps became {now}");
            steps = now;
        }
        // What comes first is still to be seen after the next read.
        let read = simulated.student.standing(DEMO_COURSE).await.unwrap();
        assert_eq!(read.prereq_nudge, simulated.standing.prereq_nudge);
        assert_eq!(read.target, simulated.standing.target);
    }
    assert_eq!(simulated.standing.target, None, "it is reached");
    assert_eq!(simulated.standing.prereq_nudge, None);
    presses
}

async fn led_there(mut suite: Deployment) {
    let answers = Answers::of_demo_course();
    let mut simulated = asks_for_slope(&suite, "led", &answers).await;
    led_on(&mut simulated, &answers).await;
    let met: Vec<_> = simulated.badges.iter().collect();
    let bronze = BEFORE.map(|unit| (unit.to_owned(), MasteryTier::Bronze));
    assert_eq!(
        met,
        bronze
            .iter()
            .map(|(unit, tier)| (unit, tier))
            .collect::<Vec<_>>()
    );
    suite.stop();
}

async fn a_placement_shortens_the_way(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let mut knows = Knows(&answers);
    let mut unplaced = asks_for_slope(&suite, "unplaced", &answers).await;
    let without = led_on(&mut unplaced, &answers).await;

    // Who knows what comes before is placed on it, asks, and is there.
    let mut first = SimulatedStudent::start(&suite, "placed-first").await;
    let questions = placed_before_slope(&mut first, &answers).await;
    let answer = first.say(ASKS).await;
    assert_eq!(first.focus(), FAR);
    assert_eq!(first.standing.target, None);
    assert_eq!(first.standing.prereq_nudge, None);
    assert_eq!(placed(answer.snapshot_lite.as_ref().unwrap()), BEFORE);
    first.press_labelled("try_drill", &mut knows).await;
    assert_eq!(first.unit_id(), FAR);

    // Who was led to what comes first, and drills there, is led on to slope by a placement in the middle of it.
    let mut later = asks_for_slope(&suite, "placed-later", &answers).await;
    let on = later.focus().to_owned();
    let mut before = 0;
    loop {
        before += 1;
        assert!(before <= MOST_PRESSES, "no drill was graded");
        let button = later.primary().expect("there is always a way on");
        if let Came::Grade(_) = later.press(&button, &mut knows).await {
            break;
        }
    }
    placed_before_slope(&mut later, &answers).await;
    assert_eq!(later.focus(), on);
    let target = later.standing.target.as_ref().unwrap();
    assert_eq!((&*target.unit_id, target.steps_to_go), (FAR, 0));
    let path: Vec<_> = target.path.iter().map(|step| &*step.unit_id).collect();
    assert_eq!(path, [FAR]);
    assert_eq!(later.standing.prereq_nudge, None);
    let with = before + led_on(&mut later, &answers).await;
    let progress = later.progress();
    assert_eq!((progress.placed, progress.bronze), (4, 0));

    // An answer to a placement's question is a press, too.
    let saved = without.saturating_sub(questions);
    println!(
        "figure slope_presses_without_placement {without} report\n\
         figure slope_presses_with_placement {with} <{without}\n\
         figure slope_placement_questions {questions} <{without}\n\
         figure slope_turns_saved {saved} >=1"
    );
    assert!(with < without && saved > 0);
    suite.stop();
}

/// Takes a student who knows [`BEFORE`] and nothing else through a placement; gives the number of its questions.
async fn placed_before_slope(simulated: &mut SimulatedStudent, answers: &Answers) -> usize {
    let (student, thread) = (&simulated.student, &simulated.thread);
    let mut run = placement::begin(student, thread).await;
    while let Some(card) = run.question.clone() {
        let drill = DrillCard {
            prompt: card.prompt.clone(),
            question_latex: card.question_latex.clone(),
            ..DrillCard::default()
        };
        let is_known = BEFORE.contains(&&*card.unit_id);
        let text = is_known.then(|| answers.drill(&drill).text);
        let request = placement::answering(thread, &card, text.as_deref());
        run = placement::answer(student, request).await.unwrap();
    }
    assert_eq!(run.state(), PlacementState::Ended);
    assert_eq!(placement::placed(&run), BEFORE);
    let standing = student.standing(DEMO_COURSE).await.unwrap();
    assert_eq!(placed(run.snapshot_lite.as_ref().unwrap()), BEFORE);
    assert_eq!(placed(&standing), BEFORE);
    simulated.standing = standing;
    usize::try_from(run.answered).unwrap()
}

/// The units that a standing names as placed.
fn placed(standing: &SnapshotLite) -> Vec<&str> {
    let units = standing.placed.iter();
    units.map(|unit| &*unit.unit_id).collect()
}

async fn two_threads_have_two_targets(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let anchor = |id: &str| {
        let mut units = answers.pack.units.iter();
        units.find(|unit| unit.id == id).unwrap().anchors[0].clone()
    };
    // Each has one unit before it, and not the same.
    let asked = [("ALG-13", "ALG-01"), ("ALG-05", "ALG-03")];
    let mut threads = Vec::new();
    for (target, _) in asked {
        let mut thread = SimulatedStudent::start(&suite, "of-two-minds").await;
        thread.say(&anchor(target)).await;
        threads.push(thread);
    }
    let mut knows = Knows(&answers);
    for _ in 0..2 {
        for (thread, (target, first)) in threads.iter_mut().zip(asked) {
            for said in ["I don't get it.", "Can you help me?"] {
                let answer = thread.say(said).await;
                assert_eq!(thread.focus(), first, "{said}");
                let standing = answer.snapshot_lite.unwrap();
                assert_eq!(standing.target.unwrap().unit_id, target);
                assert_eq!(standing.prereq_nudge.unwrap().unit_id, first);
            }
            thread.press_labelled("try_drill", &mut knows).await;
            assert_eq!(thread.unit_id(), first);
            // The record has the latest of both.
            let latest = thread.student.standing(DEMO_COURSE).await.unwrap();
            assert_eq!(latest.target.unwrap().unit_id, target);
        }
    }
    suite.stop();
}

/// First messages of few words, and the units that each may be about.
const VAGUE: [(&str, &[&str]); 3] = [
    ("quadratics", &["ALG-18", "ALG-19"]),
    ("FOIL", &["ALG-17"]),
    ("simplify 6/8", &["ALG-03"]),
];

/// The unit that a student is led to.
fn led_to(standing: &SnapshotLite) -> &str {
    match &standing.target {
        Some(target) => &target.unit_id,
        None => &standing.focus.as_ref().unwrap().unit_id,
    }
}

async fn a_first_message_of_few_words_does_not_stay_on_the_welcome_unit(kind: Kind) {
    let options = Options::new()
        .model("mock:status:503")
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let mut asked_about = Vec::new();
    for (at, (said, units)) in VAGUE.into_iter().enumerate() {
        let student = suite.student(&format!("vague-{at}"));
        let thread = student.open(DEMO_COURSE).await;
        let answer = student.say(&thread, said).await;
        let message = tutor(&answer);
        assert_eq!(shown_action(message), TutorAction::SocraticQuestion);
        if units.contains(&led_to(answer.snapshot_lite.as_ref().unwrap())) {
            continue;
        }
        asked_about.push(said);
        let offered = message.buttons.iter();
        let offered: Vec<_> = offered.filter(|b| b.label_key == "choose_unit").collect();
        assert!((1..=3).contains(&offered.len()), "{said}: {message:?}");
        assert!(offered[0].primary);
        for button in &offered {
            assert!(message.text.contains(&button.unit_title), "{message:?}");
        }
        let events: Vec<_> = offered.iter().flat_map(|button| &button.event).collect();
        assert_eq!(events.len(), offered.len(), "{message:?}");
        for event in &events {
            assert_eq!(event.kind(), ClientEventKind::ChooseUnit);
        }
        let mut its_own = events.iter();
        let its_own = its_own.find(|event| units.contains(&&*event.unit_id));
        let its_own = its_own.unwrap_or_else(|| panic!("{said}: {message:?}"));
        let chosen = student
            .press(&thread, ClientEventKind::ChooseUnit, &its_own.unit_id)
            .await;
        let standing = chosen.snapshot_lite.unwrap();
        assert_eq!(led_to(&standing), its_own.unit_id, "{said}");
    }
    println!("asked about: {asked_about:?}");
    assert!(asked_about.contains(&"quadratics"), "it names no one unit");
    suite.stop();
}
