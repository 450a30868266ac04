//! A queue and those who use it: each step moves the clock, does one thing, and sees who starts.

use std::{
    collections::{BTreeMap, HashMap},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};
use turnwise_llm_queue::{
    Band, Place, PlaceWatch, Queue, QueueOptions, Refusal, Slot, SlotRequest,
};

/// The id of a request.
pub type Request = u64;

/// A student of a class and a band; of one class all students have one band.
pub type Student = (String, String);

/// One who waits.
struct Waiter {
    student: Student,
    slot: Pin<Box<dyn Future<Output = Result<Slot, Refusal>>>>,
    places: Option<PlaceWatch>,
    announced: Vec<Place>,
    until: Instant,
}

impl Waiter {
    /// Remembers what is announced to it.
    fn listen(&mut self, first: bool) {
        if let Some(places) = &mut self.places
            && (first || places.has_changed().unwrap_or(false))
        {
            self.announced.extend(*places.borrow_and_update());
        }
    }
}

/// A request that has started.
#[derive(Debug, Clone)]
pub struct Started {
    pub request: Request,
    pub student: Student,
    pub at: Instant,
    /// The places that were announced to it.
    pub announced: Vec<Place>,
}

/// How a step ended for a request.
#[derive(Debug)]
pub enum Ended {
    Started(Started),
    Refused(Request, Refusal),
}

/// A queue and those who use it.
pub struct World {
    pub queue: Queue,
    slots: usize,
    waiting: BTreeMap<Request, Waiter>,
    running: HashMap<Request, (Slot, Instant)>,
    last_request: Request,
    step: u64,
    /// The steps at which each student started, by class.
    starts: HashMap<String, Vec<(u64, String)>>,
    /// Since which step each student who waits has waited without a start.
    waiting_since: HashMap<Student, u64>,
    /// When requests of each class came.
    pub arrivals: Vec<(Instant, String)>,
}

impl World {
    pub fn new(options: QueueOptions) -> Self {
        Self {
            slots: options.slots,
            queue: Queue::local(options).expect("options within their bounds"),
            waiting: BTreeMap::new(),
            running: HashMap::new(),
            last_request: 0,
            step: 0,
            starts: HashMap::new(),
            waiting_since: HashMap::new(),
            arrivals: Vec::new(),
        }
    }

    /// Lets time pass.
    pub async fn advance(&mut self, to: Instant) {
        sleep_until(to).await;
    }

    /// When somebody's patience ends next.
    pub fn next_end(&self) -> Option<Instant> {
        self.waiting.values().map(|waiter| waiter.until).min()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    pub fn is_waiting(&self, request: Request) -> bool {
        self.waiting.contains_key(&request)
    }

    /// Somebody comes; `watches` its place or not.
    pub async fn enter(&mut self, ask: SlotRequest, watches: bool) -> (Request, Vec<Ended>) {
        self.last_request += 1;
        let request = self.last_request;
        let class = ask.owner.class.clone();
        let student = match ask.owner.student.as_str() {
            "" => format!("nobody {request}"),
            student => student.to_owned(),
        };
        let student = (class.clone(), student);
        assert!(
            ask.band == Band::Batch || !class.starts_with("batch"),
            "a class has one band"
        );
        self.step += 1;
        self.arrivals.push((Instant::now(), class));
        let until = Instant::now() + ask.max_wait;
        let mut ended = Vec::new();
        match self.queue.enter(ask).await {
            Ok(waiting) => {
                let places = watches.then(|| waiting.place());
                let slot = Box::pin(waiting.slot());
                let step = self.step;
                self.waiting_since.entry(student.clone()).or_insert(step);
                let mut waiter = Waiter {
                    student,
                    slot,
                    places,
                    announced: Vec::new(),
                    until,
                };
                waiter.listen(true);
                self.waiting.insert(request, waiter);
            }
            Err(refusal) => ended.push(Ended::Refused(request, refusal)),
        }
        ended.extend(self.look());
        (request, ended)
    }

    /// One who waits leaves.
    pub fn leave(&mut self, request: Request) -> Vec<Ended> {
        self.step += 1;
        if let Some(waiter) = self.waiting.remove(&request) {
            self.has_left(&waiter.student);
        }
        self.look()
    }

    /// A call ends, and is measured or not.
    pub fn finish(&mut self, request: Request, measured: bool) -> Vec<Ended> {
        self.step += 1;
        if let Some((slot, since)) = self.running.remove(&request) {
            slot.done(measured.then(|| since.elapsed()));
        }
        self.look()
    }

    /// Time has passed.
    pub fn tick(&mut self) -> Vec<Ended> {
        self.step += 1;
        self.look()
    }

    /// Sees for whom something has ended, and checks what must hold after each step.
    fn look(&mut self) -> Vec<Ended> {
        let mut context = Context::from_waker(Waker::noop());
        let mut ended = Vec::new();
        for (request, waiter) in &mut self.waiting {
            waiter.listen(false);
            if let Poll::Ready(result) = waiter.slot.as_mut().poll(&mut context) {
                ended.push((*request, result));
            }
        }
        let ended = ended
            .into_iter()
            .filter_map(|(request, result)| self.end(request, result))
            .collect();
        assert!(self.running.len() <= self.slots, "more calls than slots");
        assert!(
            self.running.len() == self.slots || self.waiting.is_empty(),
            "a slot idles while somebody waits"
        );
        ended
    }

    fn end(&mut self, request: Request, result: Result<Slot, Refusal>) -> Option<Ended> {
        let waiter = self.waiting.remove(&request)?;
        let now = Instant::now();
        match result {
            Ok(slot) => {
                self.running.insert(request, (slot, now));
                self.note_start(&waiter.student);
                Some(Ended::Started(Started {
                    request,
                    student: waiter.student,
                    at: now,
                    announced: waiter.announced,
                }))
            }
            Err(refusal) => {
                if matches!(refusal, Refusal::TooLong(_)) {
                    assert!(now >= waiter.until, "refused before its time was over");
                }
                self.has_left(&waiter.student);
                Some(Ended::Refused(request, refusal))
            }
        }
    }

    /// Since a student came or last started, each other student of the class has started at most once.
    fn note_start(&mut self, student: &Student) {
        let since = self.waiting_since.remove(student).expect("it waited");
        let starts = self.starts.entry(student.0.clone()).or_default();
        let mut others = HashMap::new();
        for (_, other) in starts.iter().rev().take_while(|(step, _)| *step > since) {
            let count = others.entry(other.as_str()).or_insert(0);
            *count += 1;
            assert!(
                *count <= 1 || *other == student.1,
                "{other} started twice before {student:?}"
            );
        }
        starts.push((self.step, student.1.clone()));
        self.still(student, self.step);
    }

    fn has_left(&mut self, student: &Student) {
        if let Some(since) = self.waiting_since.remove(student) {
            self.still(student, since);
        }
    }

    /// If others of the student wait on, they do so since then.
    fn still(&mut self, student: &Student, since: u64) {
        if self
            .waiting
            .values()
            .any(|waiter| waiter.student == *student)
        {
            self.waiting_since.insert(student.clone(), since);
        }
    }
}

/// A request without patience's end.
pub fn ask(class: &str, student: &str, thread: usize) -> SlotRequest {
    let mut ask = crate::conformance::ask(class, student);
    ask.owner.thread = thread.to_string();
    ask.max_wait = Duration::from_secs(1_000_000);
    ask
}
