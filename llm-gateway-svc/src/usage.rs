//! What a call to a model cost, charged when it ends, in whatever way it ends.

use turnwise_kit::TaskTracker;

use crate::{
    admission::Admission,
    job::{Job, Requester},
};

/// The rough size of a token, where the backend counts none or the call was cut off before it told.
const BYTES_PER_TOKEN: usize = 4;

/// The cost of a call. Dropping it charges it.
pub(crate) struct Usage(Option<Cost>);

struct Cost {
    admission: Admission,
    requester: Requester,
    tasks: TaskTracker,
    input_bytes: usize,
    output_bytes: usize,
    counted: (u32, u32),
}

impl Usage {
    /// A call that begins now.
    pub(crate) fn new(admission: &Admission, job: &Job, tasks: &TaskTracker) -> Self {
        Self(admission.charges().then(|| Cost {
            admission: admission.clone(),
            requester: job.requester.clone(),
            tasks: tasks.clone(),
            input_bytes: job.work.bytes(),
            output_bytes: 0,
            counted: (0, 0),
        }))
    }

    /// No model worked on it.
    pub(crate) fn forgive(&mut self) {
        self.0 = None;
    }

    /// The model wrote so many bytes more.
    pub(crate) fn wrote(&mut self, bytes: usize) {
        if let Some(cost) = &mut self.0 {
            cost.output_bytes += bytes;
        }
    }

    /// The backend counted so many tokens of the prompt and of the completion; 0: it did not.
    pub(crate) fn counted(&mut self, input: u32, output: u32) {
        if let Some(cost) = &mut self.0 {
            cost.counted = (input, output);
        }
    }
}

impl Drop for Usage {
    fn drop(&mut self) {
        let Some(cost) = self.0.take() else {
            return;
        };
        let tokens = tokens(cost.counted.0, cost.input_bytes)
            .saturating_add(tokens(cost.counted.1, cost.output_bytes));
        let (admission, requester) = (cost.admission, cost.requester);
        // The caller need not wait for it, and may be gone.
        cost.tasks
            .spawn(async move { admission.charge(&requester, tokens).await });
    }
}

fn tokens(counted: u32, bytes: usize) -> u32 {
    if counted > 0 {
        return counted;
    }
    u32::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u32::MAX)
}
