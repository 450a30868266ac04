//! All that a student can see of what the suite keeps of them: equal before and after where nothing was written.

use turnwise_proto::tutor::v1::{SnapshotLite, Thread};

use crate::student::{DEMO_COURSE, Student};

/// A student's threads and standing in the demo course.
#[derive(Debug, PartialEq)]
pub struct VisibleState {
    threads: Vec<Thread>,
    standing: SnapshotLite,
}

/// What is kept of the student now.
pub async fn visible_state(student: &Student) -> VisibleState {
    VisibleState {
        threads: student.threads(100).await,
        standing: student.standing(DEMO_COURSE).await.unwrap(),
    }
}
