//! Turns are answered, as well as ever, while uploads are staged and committed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    options::Kind,
    student::{DEMO_COURSE, Student, saying},
    upload::Upload,
};

use super::public::{begin, keeping_uploads, somebody};

in_both_deployments!(retrieval_serves_turns_while_it_indexes);

const STUDENTS: usize = 3;
/// Chunks of one upload.
const CHUNKS: usize = 400;
/// Turns that are answered while uploads go on.
const TURNS: usize = 24;
/// Uploads that are committed meanwhile, at least.
const UPLOADS: u64 = 2;

async fn retrieval_serves_turns_while_it_indexes(kind: Kind) {
    let mut suite = Deployment::start(kind, keeping_uploads()).await;
    let (answered, stop) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let students: Vec<_> = (0..STUDENTS)
        .map(|n| {
            let student = suite.student(&format!("student-{n}"));
            tokio::spawn(talk(student, Arc::clone(&answered), Arc::clone(&stop)))
        })
        .collect();
    let staff = somebody(&suite, "default", "staff");
    let mut uploads = 0;
    while uploads < UPLOADS || answered.load(Ordering::SeqCst) < TURNS {
        if students.iter().any(|student| student.is_finished()) {
            break;
        }
        uploads += 1;
        let units = ["ALG-01", "ALG-03", "ALG-14"];
        let upload = Upload::new(DEMO_COURSE, "film", uploads, &units, CHUNKS);
        let (mut uploading, resume) = begin(&staff, &upload).await.unwrap();
        uploading.finish(&upload, &resume, 100).await.unwrap();
    }
    stop.store(true, Ordering::SeqCst);
    for student in students {
        student.await.unwrap();
    }
    println!(
        "{uploads} uploads, {} turns",
        answered.load(Ordering::SeqCst)
    );
    suite.stop();
}

/// Takes turns, none of which may be degraded.
async fn talk(student: Student, answered: Arc<AtomicUsize>, stop: Arc<AtomicBool>) {
    let thread = student.open(DEMO_COURSE).await;
    let mut n = 0;
    while !stop.load(Ordering::SeqCst) {
        n += 1;
        let now = student.thread(&thread.thread_id).await.unwrap();
        let turn = saying(&thread, &format!("is the slope of y = {n}x negative?"));
        let answer = student.turn(turn).await.unwrap();
        check_answer(&now, &answer);
        assert_eq!(answer.degraded_reasons().count(), 0, "{answer:?}");
        answered.fetch_add(1, Ordering::SeqCst);
    }
}
