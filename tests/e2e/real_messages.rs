//! What real students wrote, as turns through both deployments: every reply valid against its policy, none lost.

use futures_util::{StreamExt, stream};
use turnwise_proto::tutor::v1::TakeTurnResponse;
use turnwise_tests::{
    answer::check_model_answer,
    deployment::Deployment,
    options::{Kind, Options},
    process::repository,
    shared_data,
    student::{DEMO_COURSE, Student},
};

use crate::real_courses::import;

const MESSAGES: usize = 200;
const STUDENTS: usize = 20;
const THREADS_EACH: usize = 2;
const CONCURRENCY: usize = 8;

in_both_deployments!(two_hundred_real_messages);

async fn two_hundred_real_messages(kind: Kind) {
    let Some(data) = shared_data::folder() else {
        return;
    };
    let courses = tempfile::tempdir().unwrap();
    let mut course_ids = import(&data, courses.path());
    assert!(!course_ids.is_empty());
    std::os::unix::fs::symlink(
        repository().join("courses").join(DEMO_COURSE),
        courses.path().join(DEMO_COURSE),
    )
    .unwrap();
    course_ids.push(DEMO_COURSE.to_owned());

    // A slot for everybody. With fewer, some would be told to come back, and rightly, where all of them ask before the
    // first call is measured, or where calls are slow on a busy machine.
    let options = Options::new()
        .courses(courses.path())
        .env("HELPER_MAX_CONCURRENCY", CONCURRENCY.to_string());
    let mut suite = Deployment::start(kind, options).await;
    let messages = shared_data::student_messages(&data, MESSAGES);
    let mut conversations = Vec::new();
    for (i, said) in messages
        .chunks(MESSAGES / (STUDENTS * THREADS_EACH))
        .enumerate()
    {
        let student = suite.student(&format!("student-{}", i % STUDENTS));
        // The demo course stands last in the list and gets its share, too.
        let course_id = course_ids[i % course_ids.len()].clone();
        conversations.push((student, course_id, said.to_vec()));
    }
    assert_eq!(conversations.len(), STUDENTS * THREADS_EACH);
    let done: Vec<_> = stream::iter(conversations)
        .map(|(student, course_id, said)| tokio::spawn(converse(student, course_id, said)))
        .buffer_unordered(CONCURRENCY)
        .map(Result::unwrap)
        .collect()
        .await;

    let mut turns = 0;
    for conversation in &done {
        let Conversation {
            student,
            course_id,
            thread_id,
            said,
            answers,
        } = conversation;
        let mut thread = student.thread(thread_id).await.unwrap();
        assert_eq!(thread.message_count, 2 * said.len() as i64);
        let stored = student.messages(thread_id, 7).await;
        let answered: Vec<_> = answers.iter().flat_map(|a| a.messages.clone()).collect();
        assert_eq!(stored, answered);
        thread.message_count = 0;
        for (text, answer) in said.iter().zip(answers) {
            let decision = suite.decision(&answer.turn_id);
            check_model_answer(&thread, answer, &decision);
            assert_eq!(&answer.messages[0].text, text, "in {course_id}");
            thread.message_count += 2;
            turns += 1;
        }
    }
    assert_eq!(turns, MESSAGES);
    for i in 0..STUDENTS {
        let threads = suite.student(&format!("student-{i}")).threads(100).await;
        assert_eq!(threads.len(), THREADS_EACH);
    }
    suite.stop();
}

struct Conversation {
    student: Student,
    course_id: String,
    thread_id: String,
    said: Vec<String>,
    answers: Vec<TakeTurnResponse>,
}

async fn converse(student: Student, course_id: String, said: Vec<String>) -> Conversation {
    let thread = student.open(&course_id).await;
    let mut answers = Vec::new();
    for text in &said {
        answers.push(student.say(&thread, text).await);
    }
    Conversation {
        thread_id: thread.thread_id,
        student,
        course_id,
        said,
        answers,
    }
}
