//! The report of a class equals what a test makes of its own log of what was done, by the slowest way there is. A reset
//! leaves the counts; an erasure takes a student's.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{prelude::*, test_runner::TestRunner};
use turnwise_kit::Clock;
use turnwise_proto::{
    classes::v1::ResetState,
    school::v1::{
        ClassReportRequest, DayCount, EraseStudentRequest, FallbackCount, ListStuckStudentsRequest,
        MistakeCount, Report, ResetClassConversationsRequest, StuckStudent,
    },
    session::v1::{DrillActivity, DrillCounters, Evidence, TurnActivity, UnitProgress},
};
use turnwise_tests::{
    classroom::{Classroom, request_as},
    student::{DEMO_COURSE, Student, fresh_key},
};

const DAY: i64 = 86_400_000_000;
const UNITS: [&str; 3] = ["ALG-01", "ALG-02", "ALG-03"];
const TAGS: [&str; 3] = ["", "SIGN", "ORDER"];

#[derive(Debug, Clone)]
enum Op {
    Turn {
        student: u8,
        stuck: Option<u8>,
        hint: Option<u8>,
        fallback: i32,
    },
    Drill {
        student: u8,
        unit: u8,
        correct: bool,
        tag: u8,
    },
    Days(i64),
    Reset,
    Erase(u8),
}

fn op() -> impl Strategy<Value = Op> {
    let unit = || proptest::option::of(0..3u8);
    prop_oneof![
        4 => (0..5u8, unit(), unit(), 0..4i32).prop_map(|(student, stuck, hint, fallback)| Op::Turn { student, stuck, hint, fallback }),
        5 => (0..5u8, 0..3u8, any::<bool>(), 0..3u8).prop_map(|(student, unit, correct, tag)| Op::Drill { student, unit, correct, tag }),
        3 => (1..30i64).prop_map(Op::Days),
        1 => Just(Op::Reset),
        1 => (0..5u8).prop_map(Op::Erase),
    ]
}

/// What happened, and on which day since 1970.
#[derive(Debug, Clone)]
struct Entry {
    day: i64,
    student: String,
    op: Op,
}

#[derive(Default)]
struct Log {
    entries: Vec<Entry>,
    threads: BTreeMap<String, String>,
}

fn id(number: u8) -> String {
    format!("student-{number}")
}

fn day(class: &Classroom) -> i64 {
    class.clock.now().as_second().div_euclid(86_400)
}

impl Log {
    /// A student's evidence by the log.
    fn evidence(&self, student: &str) -> Evidence {
        let mut units: BTreeMap<&str, DrillCounters> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry.student == student) {
            let Op::Drill { unit, correct, .. } = entry.op else {
                continue;
            };
            let drill = units.entry(UNITS[usize::from(unit)]).or_default();
            drill.attempts += 1;
            if correct {
                drill.correct += 1;
                drill.streak_correct += 1;
                drill.streak_wrong = 0;
            } else {
                drill.streak_wrong += 1;
                drill.streak_correct = 0;
            }
        }
        let units = units.into_iter().map(|(unit, drill)| UnitProgress {
            unit_id: unit.to_owned(),
            drill: Some(drill),
            ..UnitProgress::default()
        });
        Evidence {
            unit_progress: units.collect(),
            ..Evidence::default()
        }
    }

    /// The units on which a student is stuck, with the wrong answers in a row.
    fn stuck(&self, student: &str) -> Vec<(String, i32)> {
        let units = self.evidence(student).unit_progress.into_iter();
        let drills = units.map(|unit| (unit.unit_id, unit.drill.unwrap()));
        drills
            .filter(|(_, drill)| drill.attempts >= 2 && drill.streak_correct == 0)
            .map(|(unit, drill)| (unit, drill.streak_wrong))
            .collect()
    }

    async fn apply(&mut self, class: &Classroom, op: Op) {
        let student = match op {
            Op::Turn { student, .. } | Op::Drill { student, .. } | Op::Erase(student) => {
                id(student)
            }
            Op::Days(days) => return class.clock.advance(days * DAY + 7_000_000),
            Op::Reset => return reset(class).await,
        };
        if let Op::Erase(_) = op {
            let request = EraseStudentRequest {
                student_id: student.clone(),
                reason: String::new(),
            };
            let request = request_as("staff", "principal", request);
            class.records.clone().erase_student(request).await.unwrap();
            self.entries.retain(|entry| entry.student != student);
            self.threads.remove(&student);
            return;
        }
        if !self.threads.contains_key(&student) {
            let thread = class.open(&student).await;
            self.threads.insert(student.clone(), thread);
        }
        self.entries.push(Entry {
            day: day(class),
            student: student.clone(),
            op: op.clone(),
        });
        match op {
            Op::Turn {
                stuck,
                hint,
                fallback,
                ..
            } => {
                let name =
                    |unit: Option<u8>| unit.map_or("", |unit| UNITS[usize::from(unit)]).to_owned();
                let activity = TurnActivity {
                    stuck_unit_id: name(stuck),
                    hint_unit_id: name(hint),
                    fallback_reason: fallback,
                };
                class
                    .turn(&student, &self.threads[&student], activity)
                    .await;
            }
            Op::Drill {
                unit, correct, tag, ..
            } => {
                let drill = DrillActivity {
                    class_id: Student::CLASS.to_owned(),
                    unit_id: UNITS[usize::from(unit)].to_owned(),
                    correct,
                    mistake_tag: if correct {
                        String::new()
                    } else {
                        TAGS[usize::from(tag)].to_owned()
                    },
                };
                class.drill(&student, drill, self.evidence(&student)).await;
            }
            Op::Days(_) | Op::Reset | Op::Erase(_) => unreachable!(),
        }
    }
}

async fn reset(class: &Classroom) {
    let request = ResetClassConversationsRequest {
        class_id: Student::CLASS.to_owned(),
        reason: String::new(),
        idempotency_key: fresh_key(),
    };
    let request = request_as("teacher", "ms-hopper", request);
    let done = class
        .classes
        .clone()
        .reset_class_conversations(request)
        .await;
    assert_eq!(done.unwrap().into_inner().state(), ResetState::Done);
}

/// The mistakes of these entries in the weeks of a report, the most frequent first.
fn mistakes<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    unit: Option<usize>,
    first: i64,
    weeks: i64,
) -> Vec<MistakeCount> {
    let mut found: Vec<MistakeCount> = Vec::new();
    for entry in entries {
        let Op::Drill {
            unit: of,
            correct: false,
            tag,
            ..
        } = entry.op
        else {
            continue;
        };
        if tag == 0 || unit.is_some_and(|unit| unit != usize::from(of)) {
            continue;
        }
        let week = (entry.day - 4).div_euclid(7) - first;
        let tag = TAGS[usize::from(tag)];
        let at = found
            .iter()
            .position(|mistake| mistake.tag == tag)
            .unwrap_or_else(|| {
                found.push(MistakeCount {
                    tag: tag.to_owned(),
                    ..MistakeCount::default()
                });
                found.len() - 1
            });
        found[at].count += 1;
        found[at].earlier += i64::from(week < weeks / 2);
        found[at].recent += i64::from(week >= weeks - weeks / 2);
    }
    found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.tag.cmp(&b.tag)));
    found
}

fn check(report: &Report, log: &Log, today: i64, weeks: i64) {
    let first = (today - 4).div_euclid(7) - weeks + 1;
    let shown: Vec<&Entry> = log
        .entries
        .iter()
        .filter(|entry| (entry.day - 4).div_euclid(7) >= first)
        .collect();
    let is_turn = |entry: &&&Entry| matches!(entry.op, Op::Turn { .. });
    let is_drill = |entry: &&&Entry| matches!(entry.op, Op::Drill { .. });
    let ids: Vec<_> = report
        .students
        .iter()
        .map(|student| student.student_id.clone())
        .collect();
    assert_eq!(ids, log.threads.keys().cloned().collect::<Vec<_>>());
    assert_eq!(usize::try_from(report.student_count).unwrap(), ids.len());
    for student in &report.students {
        let theirs: Vec<&Entry> = shown
            .iter()
            .copied()
            .filter(|entry| entry.student == student.student_id)
            .collect();
        let count =
            |of: &dyn Fn(&Op) -> bool| theirs.iter().filter(|entry| of(&entry.op)).count() as i64;
        assert_eq!(student.turns, count(&|op| matches!(op, Op::Turn { .. })));
        assert_eq!(student.drills, count(&|op| matches!(op, Op::Drill { .. })));
        assert_eq!(
            student.wrong_drills,
            count(&|op| matches!(op, Op::Drill { correct: false, .. }))
        );
        assert_eq!(
            student.stuck_presses,
            count(&|op| matches!(op, Op::Turn { stuck: Some(_), .. }))
        );
        assert_eq!(
            student.hints,
            count(&|op| matches!(op, Op::Turn { hint: Some(_), .. }))
        );
        assert_eq!(
            student.fallbacks,
            count(&|op| matches!(op, Op::Turn { fallback: 1.., .. }))
        );
        assert_eq!(
            student.mistakes,
            mistakes(theirs.iter().copied(), None, first, weeks)
        );
        let stuck = log.stuck(&student.student_id);
        assert_eq!(
            student.stuck_unit_ids,
            stuck
                .iter()
                .map(|(unit, _)| unit.clone())
                .collect::<Vec<_>>()
        );
        assert_eq!(
            student.wrong_in_a_row,
            stuck.iter().map(|(_, wrong)| *wrong).max().unwrap_or(0)
        );
    }
    let totals = report.totals.as_ref().unwrap();
    let days: BTreeSet<i64> = shown.iter().map(|entry| entry.day).collect();
    let days: Vec<DayCount> = days
        .into_iter()
        .map(|day| DayCount {
            date: jiff::Timestamp::from_second(day * 86_400)
                .unwrap()
                .to_string()[..10]
                .to_owned(),
            turns: shown
                .iter()
                .filter(|entry| entry.day == day)
                .filter(is_turn)
                .count() as i64,
            drills: shown
                .iter()
                .filter(|entry| entry.day == day)
                .filter(is_drill)
                .count() as i64,
        })
        .collect();
    assert_eq!(totals.days, days);
    let fallbacks: Vec<FallbackCount> = (1..4)
        .map(|reason| FallbackCount {
            reason,
            count: shown
                .iter()
                .filter(|entry| matches!(entry.op, Op::Turn { fallback, .. } if fallback == reason))
                .count() as i64,
        })
        .filter(|fallback| fallback.count > 0)
        .collect();
    assert_eq!(totals.fallbacks, fallbacks);
    for unit in &report.units {
        let at = UNITS.iter().position(|name| *name == unit.unit_id);
        let presses = shown.iter().filter(|entry| matches!(entry.op, Op::Turn { stuck: Some(on), .. } if Some(usize::from(on)) == at)).count();
        let hints = shown.iter().filter(|entry| matches!(entry.op, Op::Turn { hint: Some(on), .. } if Some(usize::from(on)) == at)).count();
        assert_eq!(
            (unit.stuck_presses, unit.hints),
            (presses as i64, hints as i64)
        );
        let expected = match at {
            Some(at) => mistakes(shown.iter().copied(), Some(at), first, weeks),
            None => Vec::new(),
        };
        assert_eq!(unit.mistakes, expected);
        let on = |name: &&String| {
            log.stuck(name)
                .iter()
                .any(|(stuck, _)| *stuck == unit.unit_id)
        };
        let worked = |name: &&String| {
            log.evidence(name)
                .unit_progress
                .iter()
                .any(|p| p.unit_id == unit.unit_id)
        };
        assert_eq!(unit.stuck, log.threads.keys().filter(on).count() as i32);
        assert_eq!(unit.none, log.threads.keys().filter(worked).count() as i32);
    }
}

async fn whole(class: &Classroom, weeks: i32) -> Report {
    let mut whole: Option<Report> = None;
    let mut page_token = String::new();
    loop {
        let request = ClassReportRequest {
            class_id: Student::CLASS.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            weeks,
            page_size: 2,
            page_token,
        };
        let request = request_as("teacher", "ms-hopper", request);
        let page = class
            .classes
            .clone()
            .class_report(request)
            .await
            .unwrap()
            .into_inner();
        let report = page.report.unwrap();
        match &mut whole {
            None => whole = Some(report),
            Some(whole) => {
                assert_eq!(
                    (&whole.units, &whole.totals),
                    (&report.units, &report.totals)
                );
                whole.students.extend(report.students);
            }
        }
        if page.next_page_token.is_empty() {
            return whole.unwrap();
        }
        page_token = page.next_page_token;
    }
}

async fn stuck(class: &Classroom) -> Vec<StuckStudent> {
    let mut all = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListStuckStudentsRequest {
            class_id: Student::CLASS.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            page_size: 1,
            page_token,
        };
        let request = request_as("teacher", "ms-hopper", request);
        let page = class
            .classes
            .clone()
            .list_stuck_students(request)
            .await
            .unwrap()
            .into_inner();
        all.extend(page.students);
        if page.next_page_token.is_empty() {
            return all;
        }
        page_token = page.next_page_token;
    }
}

async fn run(ops: Vec<Op>, weeks: i32) {
    let class = Classroom::start("2026-03-02T08:00:00Z").await;
    let mut log = Log::default();
    for op in ops {
        log.apply(&class, op).await;
    }
    check(
        &whole(&class, weeks).await,
        &log,
        day(&class),
        i64::from(weeks),
    );
    let mut expected: Vec<_> = log
        .threads
        .keys()
        .map(|student| (student.clone(), log.stuck(student)))
        .filter(|(_, stuck)| !stuck.is_empty())
        .map(|(student, stuck)| {
            let wrong = stuck.iter().map(|(_, wrong)| *wrong).max().unwrap_or(0);
            (
                -wrong,
                student,
                stuck.into_iter().map(|(unit, _)| unit).collect::<Vec<_>>(),
            )
        })
        .collect();
    expected.sort();
    let found: Vec<_> = stuck(&class)
        .await
        .into_iter()
        .map(|student| {
            (
                -student.wrong_in_a_row,
                student.student_id,
                student.unit_ids,
            )
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_report_is_what_was_done() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ProptestConfig {
        cases: 24,
        ..ProptestConfig::default()
    };
    let strategy = (proptest::collection::vec(op(), 1..40), 1..=26i32);
    TestRunner::new(config)
        .run(&strategy, |(ops, weeks)| {
            runtime.block_on(run(ops, weeks));
            Ok(())
        })
        .unwrap();
}
