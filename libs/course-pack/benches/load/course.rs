//! The packs that are loaded: written as a teacher would have them.
//!
//! 500 units a file. A unit has a title, one or two prerequisites, tags, two anchors, a misconception, two mistake tags
//! and two drills; it has a bronze question with four options and a typed silver and gold one. Every twentieth unit has a
//! lesson of two sections. That makes some 1.6 kB a unit. A rich pack is as rich as the demo course, with some 6 kB a
//! unit: six anchors, three misconceptions and four drills, two questions of each tier, and a lesson for every unit.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// How the units hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Chapters of twenty units, each unit after the one before it and every other one after one more.
    Book,
    /// Each unit after the one before it.
    Chain,
    /// All units in one circle, which is one fault.
    Ring,
    /// A book without any question: a fault for each unit.
    Unexamined,
    /// A book as rich as the demo course.
    Rich,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written {
    /// Files.
    pub files: usize,
    /// Bytes in them.
    pub bytes: usize,
}

const UNITS_A_FILE: usize = 500;
const UNITS_A_CHAPTER: usize = 20;

const TITLES: [&str; 5] = [
    "Adding and subtracting negative numbers",
    "Collecting like terms",
    "Two-step equations",
    "The slope of a line",
    "Factoring quadratic expressions",
];
const ANCHORS: [&str; 5] = [
    "why does minus a minus make a plus",
    "which terms can I put together",
    "what do I undo first, the times or the plus",
    "how steep is this line, and is it going up or down",
    "which two numbers multiply to the last one and add to the middle one",
];
const MISCONCEPTIONS: [&str; 3] = [
    "Two minus signs always make a plus, even when they are not next to each other.",
    "'Terms with different letters can be added: 2a + 3b is 5ab.'",
    "What is done first must be undone first, so in 3x + 4 = 19 one divides by 3 before taking 4 away.",
];
const TERMS: [&str; 4] = [r"-3 + 8", r"6 - (-3)", r"-8 \times 4", r"-35 \div (-5)"];

/// Writes a pack of so many units, the entry unit besides.
pub fn write(dir: &Path, shape: Shape, units: usize) -> Written {
    let mut pack = Pack {
        dir,
        written: Written::default(),
    };
    pack.file(
        "course.yaml",
        "format: 1\nid: figures\ntitle: A course for figures\nlocale: en\nentry_unit: ENTRY-00\n",
    );
    pack.file(
        "units/0000-entry.yaml",
        "units:\n  - id: ENTRY-00\n    title: Welcome\n    assessable: false\n",
    );
    for first in (0..units).step_by(UNITS_A_FILE) {
        let numbers = first..units.min(first + UNITS_A_FILE);
        let name = format!("{:04}-part.yaml", 1 + first / UNITS_A_FILE);
        let mut text = "units:\n".to_owned();
        for n in numbers.clone() {
            unit(&mut text, n, &prerequisites(shape, n, units), shape);
        }
        pack.file(&format!("units/{name}"), &text);
        if shape != Shape::Unexamined {
            let mut text = "questions:\n".to_owned();
            for n in numbers.clone() {
                questions(&mut text, n, shape);
            }
            pack.file(&format!("exams/{name}"), &text);
        }
        let a_lesson = if shape == Shape::Rich {
            1
        } else {
            UNITS_A_CHAPTER
        };
        for n in numbers.step_by(a_lesson) {
            let name = format!("content/part-{}/U-{n:06}.md", first / UNITS_A_FILE);
            pack.file(&name, &lesson(n, shape));
        }
    }
    pack.written
}

struct Pack<'a> {
    dir: &'a Path,
    written: Written,
}

impl Pack<'_> {
    fn file(&mut self, name: &str, text: &str) {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self.written.files += 1;
        self.written.bytes += text.len();
    }
}

fn prerequisites(shape: Shape, n: usize, units: usize) -> String {
    let id = |n: usize| format!("U-{n:06}");
    let mut ids = match (shape, n) {
        (Shape::Ring, 0) => vec!["ENTRY-00".to_owned(), id(units - 1)],
        (_, 0) => vec!["ENTRY-00".to_owned()],
        (Shape::Chain | Shape::Ring, _) => vec![id(n - 1)],
        (_, n) if n < UNITS_A_CHAPTER || n % UNITS_A_CHAPTER > 0 => vec![id(n - 1)],
        (_, n) => vec![id(n - UNITS_A_CHAPTER)],
    };
    if !matches!(shape, Shape::Chain | Shape::Ring) && n >= UNITS_A_CHAPTER && n % 2 == 1 {
        ids.push(id(n - 7));
    }
    ids.join(", ")
}

/// How many times as much a rich pack has of most things.
fn times(shape: Shape, rich: usize) -> usize {
    if shape == Shape::Rich { rich } else { 1 }
}

fn unit(text: &mut String, n: usize, prerequisites: &str, shape: Shape) {
    let more = times(shape, 3);
    let anchors: String = (0..more)
        .map(|m| {
            let anchor = ANCHORS[(n + m) % ANCHORS.len()];
            format!("      - {anchor}\n      - exercise {n}.{m} of the book\n")
        })
        .collect();
    let misconceptions: String = (0..more)
        .map(|m| {
            format!(
                "      - {}\n",
                MISCONCEPTIONS[(n + m) % MISCONCEPTIONS.len()]
            )
        })
        .collect();
    write!(
        text,
        "  - id: U-{n:06}
    title: {title}, part {n}
    prerequisites: [{prerequisites}]
    tags: [numbers, part {n}]
    anchors:
{anchors}    misconceptions:
{misconceptions}    mistake_tags:
      - id: sign_error
        meaning: The size is right, the sign is wrong.
      - id: left_to_right
        meaning: Worked strictly left to right and ignored priority.
    drills:
",
        title = TITLES[n % TITLES.len()],
    )
    .unwrap();
    for drill in 1..=times(shape, 2) * 2 {
        write!(
            text,
            "      - id: U-{n:06}-D{drill}
        prompt: Work out the value.
        question_latex: '{term} + {n}'
        answer: '{answer}'
",
            term = TERMS[(n + drill) % TERMS.len()],
            answer = n + drill,
        )
        .unwrap();
    }
}

fn questions(text: &mut String, n: usize, shape: Shape) {
    let tiers = [('B', "bronze"), ('S', "silver"), ('G', "gold")];
    for (number, (letter, tier)) in
        (1..=times(shape, 2)).flat_map(|number| tiers.map(|tier| (number, tier)))
    {
        write!(
            text,
            "  - id: U-{n:06}-{letter}{number}
    units: [U-{n:06}]
    tier: {tier}
    tags: [numbers]
    prompt: Work out the value of the expression.
    question_latex: '{term} + {n}'
",
            term = TERMS[n % TERMS.len()],
        )
        .unwrap();
        if tier == "bronze" || shape == Shape::Rich {
            text.push_str("    options:\n");
            for (option, id) in ["a", "b", "c", "d"].iter().enumerate() {
                writeln!(text, "      - {{id: {id}, text: '{}'}}", n + option).unwrap();
            }
            text.push_str("    answer: c\n");
        } else {
            writeln!(text, "    answer: '{n}'").unwrap();
        }
    }
}

fn lesson(n: usize, shape: Shape) -> String {
    let sentences = "Start at the first number and move. Adding a positive number moves you right; subtracting a \
                     positive number moves you left. Splitting the move at zero makes it easy to do in your head. ";
    format!(
        "\
---
unit: U-{n:06}
source: lesson-{n:06}
type: text
title: {title}, part {n}
allowed_topics: [numbers, signs]
---
## What it is about {{#l-{n:06}-1 .explanation}}

{text}

## How to do it {{#l-{n:06}-2 .example}}

{text}
",
        title = TITLES[n % TITLES.len()],
        text = sentences.repeat(times(shape, 2) * 3).trim(),
    )
}
