//! All that a student can see of what the suite keeps of them: to see that nothing was written.

use turnwise_proto::tutor::v1::{SnapshotLite, Thread};

use crate::student::{DEMO_COURSE, Student};

/// A student's threads and standing in the demo course.
#[derive(Debug, PartialEq)]
pub struct Kept {
    threads: Vec<Thread>,
    standing: SnapshotLite,
}

/// What is kept of the student now.
pub async fn kept(student: &Student) -> Kept {
    Kept {
        threads: student.threads(100).await,
        standing: student.standing(DEMO_COURSE).await.unwrap(),
    }
}
