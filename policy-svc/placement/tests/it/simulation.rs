//! Placement of pupils whose knowledge is known. `PLACEMENT_PUPILS` says how many try each random course. The tables of
//! `docs/placement.md` are made here, of 2,000 on each: run with `UPDATE_DOCS=1` to make them again.

use std::{fs, path::Path};

use turnwise_placement::{Graph, Placement, Unit};

use crate::{
    fixture::{demo, play},
    pupils::{ASSUMED, CARELESS, Dice, Kind, Pupil, random_course},
};

/// Pupils on the demo course, and on each random one of the document.
const DOCUMENTED: usize = 2_000;
/// The answers that a badge takes at least: two drills in a row, and an exam question.
const ANSWERS_OF_A_BADGE: usize = 3;
/// Where the tables begin and end in the document.
const BEGIN: &str = "<!-- made by the simulation: begin -->\n";
const END: &str = "<!-- made by the simulation: end -->\n";

/// What became of some pupils.
#[derive(Default)]
struct Tally {
    pupils: usize,
    units: usize,
    /// Units that were placed and are known, or neither.
    judged_rightly: usize,
    known: usize,
    placed_known: usize,
    placed_unknown: usize,
    questions: usize,
    most_questions: usize,
    /// Drills until two were wrong, of all units that were placed wrongly, and of the one that took the most.
    drills_to_undo: usize,
    most_drills_to_undo: usize,
}

impl Tally {
    /// Places one pupil, who then works on what was placed wrongly.
    fn add(&mut self, units: &[Unit], graph: &Graph, kind: Kind, dice: &mut Dice) {
        let pupil = Pupil::of(units, kind, dice);
        let mut placement = Placement::new(graph);
        let asked = play(&mut placement, |unit| pupil.answers_rightly(unit, dice)).len();
        let placed = placement.placed();
        for unit in units {
            let is_placed = placed.contains(&unit.id.as_str());
            let is_known = pupil.knows(&unit.id);
            self.judged_rightly += usize::from(is_placed == is_known);
            self.known += usize::from(is_known);
            self.placed_known += usize::from(is_placed && is_known);
            if is_placed && !is_known {
                self.placed_unknown += 1;
                let mut wrong = 0;
                let mut drills = 0;
                while wrong < 2 {
                    wrong += usize::from(!pupil.answers_rightly(&unit.id, dice));
                    drills += 1;
                }
                self.drills_to_undo += drills;
                self.most_drills_to_undo = self.most_drills_to_undo.max(drills);
            }
        }
        self.pupils += 1;
        self.units += units.len();
        self.questions += asked;
        self.most_questions = self.most_questions.max(asked);
    }

    /// Of a hundred units, how many were judged rightly, and so on for the other shares.
    fn judged(&self) -> f64 {
        percent(self.judged_rightly, self.units)
    }

    fn found(&self) -> f64 {
        percent(self.placed_known, self.known)
    }

    fn placed_wrongly(&self) -> f64 {
        percent(self.placed_unknown, self.placed_known + self.placed_unknown)
    }

    fn row(&self, course: &str, kind: Kind) -> String {
        let each = |all: usize| ratio(all, self.pupils);
        let saved =
            ratio(ANSWERS_OF_A_BADGE * self.placed_known, self.pupils) - each(self.questions);
        format!(
            "| {course} | {} | {} | {:.1} % | {:.1} % | {:.1} % | {:.2} | {:.1} | {saved:.1} | {:.1}, {} |\n",
            kind.name,
            self.pupils,
            self.judged(),
            self.found(),
            self.placed_wrongly(),
            each(self.placed_unknown),
            each(self.questions),
            ratio(self.drills_to_undo, self.placed_unknown),
            self.most_drills_to_undo,
        )
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap());
    number(part) / number(whole.max(1))
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * ratio(part, whole)
}

fn on_demo(kind: Kind) -> Tally {
    let units = demo();
    let graph = Graph::new(units.iter().cloned());
    let mut dice = Dice::of(1);
    let mut tally = Tally::default();
    for _ in 0..DOCUMENTED {
        tally.add(&units, &graph, kind, &mut dice);
    }
    tally
}

/// Pupils on each random course.
fn on_each() -> usize {
    if updates_docs() {
        return DOCUMENTED;
    }
    let count = std::env::var("PLACEMENT_PUPILS");
    count.map_or(200, |count| {
        count.parse().expect("PLACEMENT_PUPILS is a number")
    })
}

fn updates_docs() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Ten random courses, of as many units as each number says, with so many pupils each.
fn on_random(sizes: std::ops::Range<usize>, pupils: usize, kind: Kind) -> Tally {
    let mut tally = Tally::default();
    for size in sizes {
        let mut dice = Dice::of(u64::try_from(size).unwrap());
        let units = random_course(size, &mut dice);
        let graph = Graph::new(units.iter().cloned());
        for _ in 0..pupils {
            tally.add(&units, &graph, kind, &mut dice);
        }
    }
    tally
}

#[test]
fn pupils_are_placed_as_the_document_says() {
    let pupils = on_each();
    let mut table = String::from(
        "| course | pupils answer | pupils | judged rightly | of the known, placed | of the placed, not known | the same, each pupil | questions | answers saved | drills until undone: mean, most |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (kind, on_demo_at_least, at_least, wrongly_at_most) in
        [(ASSUMED, 95.0, 88.0, 2.5), (CARELESS, 87.0, 83.0, 8.0)]
    {
        let demo = on_demo(kind);
        table.push_str(&demo.row("the demo course, 19 units", kind));
        assert!(demo.judged() >= on_demo_at_least, "{table}");
        assert!(demo.placed_wrongly() <= wrongly_at_most, "{table}");
        assert!(demo.most_questions <= Placement::MOST_QUESTIONS);
        for sizes in [10..20, 20..30, 30..40] {
            let name = format!(
                "ten random ones, {} to {} units",
                sizes.start,
                sizes.end - 1
            );
            let random = on_random(sizes, pupils, kind);
            table.push_str(&random.row(&name, kind));
            assert!(random.judged() >= at_least, "{table}");
            assert!(random.placed_wrongly() <= wrongly_at_most, "{table}");
            assert!(random.most_questions <= Placement::MOST_QUESTIONS);
        }
    }
    println!("{table}");
    if pupils != DOCUMENTED {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/placement.md");
    let text = fs::read_to_string(&file).unwrap();
    let (head, rest) = text.split_once(BEGIN).unwrap();
    let (written, tail) = rest.split_once(END).unwrap();
    if updates_docs() {
        fs::write(&file, format!("{head}{BEGIN}{table}{END}{tail}")).unwrap();
    } else {
        assert!(
            written == table,
            "docs/placement.md is out of date: run with UPDATE_DOCS=1\n{table}"
        );
    }
}
