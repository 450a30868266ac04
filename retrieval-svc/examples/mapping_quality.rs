//! Prints how well messages are mapped to units, how well the confidences hold, how well chunks are ranked in a scope,
//! and how long it takes. Reads the development queries and the real course from the shared data.
//!
//! `cargo run --release -p turnwise-retrieval-svc --example mapping_quality`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../tests/it/quality.rs"]
mod quality;
#[path = "../tests/it/shared_data.rs"]
mod shared_data;

use std::collections::{BTreeMap, BTreeSet};

use quality::Quality;
use shared_data::DevelopmentQuery;
use tokio::time::Instant;
use turnwise_retrieval_svc::index::CourseIndex;

/// What a message is asked with.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// What was really said before it, if that is known.
    Real,
    /// Nothing, though something was said.
    Nothing,
    /// Two queries on other topics.
    OtherTopics,
}

fn main() {
    let Some(data) = shared_data::folder() else {
        println!("no shared data: set TURNWISE_SHARED_DIR to the folder that holds `data`");
        return;
    };
    let queries = shared_data::queries(&data);
    let mut courses = BTreeMap::new();
    for pack in shared_data::packs(&data) {
        let (id, chunks, questions) = (
            pack.course.id.clone(),
            pack.chunks.len(),
            pack.questions.len(),
        );
        let start = Instant::now();
        let index = CourseIndex::new(pack);
        println!(
            "{id}: {chunks} chunks, {questions} questions, indexed in {:?}",
            start.elapsed()
        );
        courses.insert(id, index);
    }

    println!(
        "\n{:<44} {:>5}  R@1   hit@3 hit@6 MRR",
        "messages to units", "n"
    );
    let mut confidences = BTreeMap::new();
    for (before, what) in [
        (Before::Real, "as it is"),
        (Before::Nothing, "alone"),
        (Before::OtherTopics, "after another topic"),
    ] {
        for source in ["oatutor-problem", "openstax-writing", "bridge-chat"] {
            mapping(&courses, &queries, source, before, what, &mut confidences);
        }
    }

    for (what, rows) in &confidences {
        reliability(what, rows);
    }
    chunks(&courses, &queries, &shared_data::best_chunks(&data));
    speed(&courses, &queries);
}

fn mapping(
    courses: &BTreeMap<String, CourseIndex>,
    queries: &[DevelopmentQuery],
    source: &str,
    before: Before,
    what: &str,
    confidences: &mut BTreeMap<String, Vec<(f64, bool)>>,
) {
    let mut quality = Quality::default();
    let mut empty = 0;
    for (number, query) in queries
        .iter()
        .enumerate()
        .filter(|(_, q)| q.source == source)
    {
        let recent = match before {
            Before::Real => query.context.clone(),
            Before::Nothing if query.context.is_empty() => continue,
            Before::Nothing => Vec::new(),
            Before::OtherTopics if !query.context.is_empty() => continue,
            Before::OtherTopics => others(queries, number),
        };
        let mapped = courses[&query.course].map_message(&query.text, &recent);
        empty += usize::from(mapped.is_empty());
        quality.add(mapped.iter().map(|m| m.unit.id.as_str()), &query.units);
        let kind = if before == Before::OtherTopics {
            "after another topic"
        } else {
            source
        };
        let first = confidences
            .entry(format!("first unit, {kind}"))
            .or_default();
        first.extend(
            mapped
                .first()
                .map(|m| (m.confidence, query.units.contains(&m.unit.id))),
        );
        let all = confidences
            .entry("all six units, all messages".to_owned())
            .or_default();
        all.extend(
            mapped
                .iter()
                .map(|m| (m.confidence, query.units.contains(&m.unit.id))),
        );
    }
    if quality.queries > 0 {
        println!(
            "{:<44} {:>5}  {:.3} {:.3} {:.3} {:.3}  ({empty} mapped to nothing)",
            format!("{source}, {what}"),
            quality.queries,
            quality.recall_at_1(),
            quality.hit_at_3(),
            quality.hit_at_6(),
            quality.mrr(),
        );
    }
}

/// Two queries of the same course from far away in the list.
fn others(queries: &[DevelopmentQuery], number: usize) -> Vec<String> {
    let course = &queries[number].course;
    [257, 401]
        .iter()
        .filter_map(|step| {
            queries
                .iter()
                .cycle()
                .skip(number + step)
                .take(queries.len())
                .find(|other| other.course == *course && other.context.is_empty())
        })
        .map(|other| other.text.clone())
        .collect()
}

/// Among mappings with a confidence around c, a part of c should be right.
fn reliability(what: &str, rows: &[(f64, bool)]) {
    println!("\nconfidence: {what}\n  from    n     mean  right");
    let mut off = 0.0;
    for tenth in 0..10 {
        let within: Vec<&(f64, bool)> = rows
            .iter()
            .filter(|(c, _)| (c * 10.0).floor().min(9.0) == f64::from(tenth))
            .collect();
        if within.is_empty() {
            continue;
        }
        let n = within.len() as f64;
        let mean = within.iter().map(|(c, _)| c).sum::<f64>() / n;
        let right = within.iter().filter(|(_, right)| *right).count() as f64 / n;
        off += n * (mean - right).abs();
        println!("  0.{tenth} {:>6}    {mean:.2}  {right:.2}", within.len());
    }
    println!(
        "  expected calibration error {:.3}",
        off / rows.len() as f64
    );
    let sure: Vec<_> = rows.iter().filter(|(c, _)| *c >= 0.55).collect();
    println!(
        "  at 0.55 and above: {} of {}, {:.2} right",
        sure.len(),
        rows.len(),
        sure.iter().filter(|(_, right)| *right).count() as f64 / sure.len().max(1) as f64
    );
}

/// The ranking of chunks in the scope of a right unit and the five best others.
fn chunks(
    courses: &BTreeMap<String, CourseIndex>,
    queries: &[DevelopmentQuery],
    best: &BTreeMap<String, BTreeSet<String>>,
) {
    println!("\nchunks in a scope of six: nDCG at 8 (grade 2: the query's heading; 1: its unit)");
    for source in ["oatutor-problem", "openstax-writing", "bridge-chat"] {
        let (mut sum, mut count) = (0.0, 0);
        for query in queries.iter().filter(|query| query.source == source) {
            let course = &courses[&query.course];
            let mut scope: Vec<_> = query
                .units
                .iter()
                .filter_map(|unit| course.unit(unit))
                .take(6)
                .collect();
            for mapped in course.map_message(&query.text, &query.context) {
                let unit = course.unit(&mapped.unit.id).unwrap();
                if scope.len() < 6 && !scope.contains(&unit) {
                    scope.push(unit);
                }
            }
            let empty = BTreeSet::new();
            let best = best.get(&query.id).unwrap_or(&empty);
            let grade = |chunk: &turnwise_course_pack::Chunk| {
                f64::from(
                    u8::from(query.units.contains(&chunk.unit))
                        + u8::from(best.contains(&chunk.id)),
                )
            };
            let gain = |grades: &[f64]| -> f64 {
                grades
                    .iter()
                    .enumerate()
                    .map(|(place, grade)| (grade.exp2() - 1.0) / ((place + 2) as f64).log2())
                    .sum()
            };
            let found: Vec<f64> = course
                .chunks(&course.query(&query.text), &scope)
                .iter()
                .map(|hit| grade(hit.item))
                .collect();
            let mut ideal: Vec<f64> = course.pack().chunks.iter().map(grade).collect();
            ideal.sort_by(|a, b| b.total_cmp(a));
            ideal.truncate(8);
            sum += gain(&found) / gain(&ideal);
            count += 1;
        }
        println!("  {source:<20} {:.3}", sum / f64::from(count));
    }
}

fn speed(courses: &BTreeMap<String, CourseIndex>, queries: &[DevelopmentQuery]) {
    let mut times: Vec<_> = queries
        .iter()
        .map(|query| {
            let start = Instant::now();
            let mapped = courses[&query.course].map_message(&query.text, &query.context);
            std::hint::black_box(mapped);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!(
        "\nmapping: p50 {:?}, p99 {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
    let mut times: Vec<_> = queries
        .iter()
        .map(|query| {
            let course = &courses[&query.course];
            let scope: Vec<_> = course.pack().units[..6]
                .iter()
                .filter_map(|unit| course.unit(&unit.id))
                .collect();
            let start = Instant::now();
            let text = course.query(&query.text);
            std::hint::black_box((course.anchors(&text, &scope), course.chunks(&text, &scope)));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!(
        "search in six units: p50 {:?}, p99 {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}
