//! A student who asks for something far off is told the way, led to what comes first and back to what was asked for, by the
//! primary button alone; in two threads with two targets each keeps its own; and who cannot be placed is asked what it is
//! about.

use turnwise_proto::tutor::v1::{ClientEventKind, MasteryTier, TakeTurnResponse, TutorAction};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    student::DEMO_COURSE,
};

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
    two_threads_have_two_targets,
    a_first_message_that_cannot_be_placed_is_asked_about,
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

/// Insists that an answer tells the way in its first sentence and in its data; gives the number of steps.
fn told(answer: &TakeTurnResponse, title: &str) -> i32 {
    let standing = answer.snapshot_lite.as_ref().unwrap();
    let target = standing.target.as_ref().expect("what was asked for");
    assert_eq!((&*target.unit_id, &*target.title), (FAR, title));
    let last = target.path.last().unwrap();
    assert_eq!((&*last.unit_id, &*last.title), (FAR, title));
    let text = &tutor(answer).text;
    let first = text.lines().next().unwrap();
    assert!(first.contains(title), "{text}");
    target.steps_to_go
}

async fn led_there(mut suite: Deployment) {
    let answers = Answers::of_demo_course();
    let mut units = answers.pack.units.iter();
    let title = units.find(|unit| unit.id == FAR).unwrap().title.clone();
    let mut knows = Knows(&answers);
    let mut simulated = SimulatedStudent::start(&suite, "led").await;

    let answer = simulated.say(ASKS).await;
    let first = simulated.standing.focus.clone().unwrap().title;
    let sentence = format!("Before {title}: {first}. Four steps to go.");
    let text = &tutor(&answer).text;
    assert!(text.starts_with(&sentence), "{text}");
    let mut steps = told(&answer, &title);
    assert_eq!(steps, 4);

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
        let came = simulated.press(&button, &mut knows).await;
        if let Came::Message(answer) = came
            && simulated.focus() != FAR
        {
            let now = told(&answer, &title);
            assert!(now <= steps, "{steps} steps became {now}");
            steps = now;
        }
        // What comes first is still to be seen after the next read.
        let read = simulated.student.standing(DEMO_COURSE).await.unwrap();
        assert_eq!(read.prereq_nudge, simulated.standing.prereq_nudge);
        assert_eq!(read.target, simulated.standing.target);
    }
    let met: Vec<_> = simulated.badges.iter().collect();
    let bronze = BEFORE.map(|unit| (unit.to_owned(), MasteryTier::Bronze));
    assert_eq!(
        met,
        bronze
            .iter()
            .map(|(unit, tier)| (unit, tier))
            .collect::<Vec<_>>()
    );
    assert_eq!(simulated.standing.target, None, "it is reached");
    assert_eq!(simulated.standing.prereq_nudge, None);
    suite.stop();
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

async fn a_first_message_that_cannot_be_placed_is_asked_about(kind: Kind) {
    let options = Options::new()
        .model("mock:status:503")
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let student = suite.student("vague");
    let thread = student.open(DEMO_COURSE).await;
    let answer = student.say(&thread, "quadratics").await;
    let message = tutor(&answer);
    assert_eq!(shown_action(message), TutorAction::SocraticQuestion);
    let offered = message.buttons.iter();
    let offered: Vec<_> = offered.filter(|b| b.label_key == "choose_unit").collect();
    assert!((1..=3).contains(&offered.len()), "{message:?}");
    assert!(offered[0].primary);
    for button in &offered {
        assert!(message.text.contains(&button.unit_title), "{message:?}");
    }
    let event = offered[0].event.as_ref().unwrap();
    assert_eq!(event.kind(), ClientEventKind::ChooseUnit);
    let chosen = student
        .press(&thread, ClientEventKind::ChooseUnit, &event.unit_id)
        .await;
    let standing = chosen.snapshot_lite.unwrap();
    let target = standing.target.expect("units come before it");
    assert_eq!(target.unit_id, event.unit_id);
    suite.stop();
}
