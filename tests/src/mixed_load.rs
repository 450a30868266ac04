//! What students do in a lesson, by public calls alone: they write, ask for drills, answer them, take exams and read.
//! Everything they write stands here, so that what a suite stores of it may be kept, measured and trained on.

use tokio::task::JoinSet;
use turnwise_proto::tutor::v1::{
    ClientEventKind, GradeDrillRequest, StudentInput, SubmitExamAnswerRequest, TakeTurnResponse,
    Thread, submit_exam_answer_request::Answer, tutor_card::Content,
};

use crate::{
    answer::tutor,
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::Options,
    patient::Patient,
    student::{DEMO_COURSE, Student, fresh_key, new_thread, pressing, saying},
};

/// The unit that every student has drilled already.
const UNIT: &str = "ALG-01";
/// The answers that are tried on a drill, one after another, each under a key of its own.
const TRIED: [&str; 3] = ["5", "x = 4", "it is 12, I think"];

const SAID: [&str; 24] = [
    "why?",
    "hm, what is a negative number",
    "-3 + 8",
    "I don't get how you add two negative numbers",
    "can you show me an example with brackets?",
    "3(x + 4) = 3x + 4, right?",
    "how do I take out the greatest common factor of 20n + 35?",
    "what do I do with the minus in front of a bracket",
    "I got x = 7 but my friend has 9",
    "so a slope is how steep a line is?",
    "how do you factor x^2 + 5x + 6",
    "is 2/3 + 1/4 = 3/7",
    "no idea",
    "what is the difference between a term and a factor?",
    "x - 12 = 30, do I add 12 on both sides?",
    "how can I check whether my solution is right",
    "5 to the power of 0 is 0?",
    "I have to simplify 4x + 3y - 2x + y and I don't know where to start",
    "ok that makes sense. another one please",
    "does it matter which number I subtract first?",
    "how do I solve two equations with x and y at once",
    "what does it mean that an equation has no solution?",
    "the root of 49 is 7 and -7 or only 7?",
    "yes",
];

/// A student of the load.
fn name(number: usize) -> String {
    format!("learner-{number:0>4}")
}

/// Options for a suite that takes the load of so many students.
pub fn options(students: usize) -> Options {
    let seeds = (0..students).map(|n| Seed::units(&name(n), DEMO_COURSE, vec![drilled(UNIT)]));
    seeds.fold(Options::new(), Options::evidence)
}

/// All students at once, so many rounds each. How many calls were answered.
pub async fn run(suite: &Deployment, students: usize, rounds: usize) -> usize {
    let mut lessons = JoinSet::new();
    for number in 0..students {
        let pupil = Patient::new(vec![suite.student(&name(number))], 0);
        lessons.spawn(async move {
            let thread = open(&pupil).await;
            for round in 0..rounds {
                one_round(&pupil, &thread, number + round).await;
            }
            pupil.into_met().calls
        });
    }
    lessons.join_all().await.into_iter().sum()
}

/// A student of the load, with ways to these gateways.
pub fn pupil(suite: &Deployment, number: usize) -> Patient {
    let student = suite.student(&name(number));
    let second = suite.at_second_gateway(&student);
    Patient::new(vec![student, second], number)
}

/// Opens the student's thread.
pub async fn open(pupil: &Patient) -> Thread {
    let thread = new_thread(DEMO_COURSE);
    let ask = |student: Student| {
        let thread = thread.clone();
        async move { student.create_thread(thread).await }
    };
    pupil.insist(ask).await
}

/// Two turns of text, a drill that is answered three times, an exam question where one is offered, and reads.
pub async fn one_round(pupil: &Patient, thread: &Thread, round: usize) {
    for said in [2 * round, 2 * round + 1] {
        pupil.turn(saying(thread, SAID[said % SAID.len()])).await;
    }
    let drill = pressing(thread, ClientEventKind::RequestDrill, UNIT);
    answer_drill(pupil, thread, &pupil.turn(drill).await).await;
    let exam = pressing(thread, ClientEventKind::RequestExam, UNIT);
    answer_exam(pupil, thread, &pupil.turn(exam).await).await;
    let id = &thread.thread_id;
    pupil
        .insist(|student| {
            let id = id.clone();
            async move { student.thread(&id).await }
        })
        .await;
    pupil
        .insist(|student| async move { student.standing(DEMO_COURSE).await })
        .await;
}

async fn answer_drill(pupil: &Patient, thread: &Thread, came: &TakeTurnResponse) {
    let Some(card) = &tutor(came).card else {
        return;
    };
    let Some(Content::Drill(drill)) = &card.content else {
        return;
    };
    for text in TRIED {
        let answer = StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        };
        let grading = GradeDrillRequest {
            thread_id: thread.thread_id.clone(),
            course_id: thread.course_id.clone(),
            unit_id: card.unit_id.clone(),
            drill: Some(drill.clone()),
            answer: Some(answer),
            idempotency_key: fresh_key(),
        };
        pupil.grade_drill(grading).await;
    }
}

async fn answer_exam(pupil: &Patient, thread: &Thread, came: &TakeTurnResponse) {
    let Some(card) = &tutor(came).card else {
        return;
    };
    let Some(Content::Exam(exam)) = &card.content else {
        return;
    };
    let answer = match exam.options.first() {
        Some(option) => Answer::OptionId(option.option_id.clone()),
        None => Answer::AnswerText("x = 5".to_owned()),
    };
    let submission = SubmitExamAnswerRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        unit_id: card.unit_id.clone(),
        question_id: exam.question_id.clone(),
        tier: exam.tier,
        answer: Some(answer),
        is_correct: None,
        offer_token: exam.offer_token.clone(),
        idempotency_key: fresh_key(),
    };
    pupil.submit_exam(submission).await;
}
