//! Courses and inputs for tests.

use std::collections::BTreeMap;

use turnwise_lesson_policy::{
    Course, Defaults, Input, Lesson, Memory, Scope, ScopeMode, Strictness, TopicFilter,
};

/// Slug, title, topics, synonyms, texts of the units.
type Sketch = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static [&'static str])],
    &'static [&'static str],
);

const ENGLISH: [Sketch; 6] = [
    (
        "fractions",
        "Adding and subtracting fractions",
        &["fractions", "common denominator", "adding fractions"],
        &[],
        &[
            "add fractions with different denominators",
            "subtract fractions",
        ],
    ),
    (
        "equations",
        "Two-step equations",
        &["equations", "two-step equations", "solving"],
        &[],
        &[
            "solve 3x + 5 = 20",
            "which step do I undo first",
            "equation with two operations",
        ],
    ),
    (
        "scratch",
        "Moving sprites in Scratch",
        &["motion", "loops", "variables", "events"],
        &[
            ("motion", &["steps", "glide", "x and y"]),
            ("variables", &["score"]),
        ],
        &["make a sprite move with the arrow keys"],
    ),
    (
        "python",
        "Python lists and loops",
        &["lists", "for loops", "range"],
        &[("lists", &["index", "append", "sort"])],
        &["add an element to a list", "loop over a list"],
    ),
    (
        "history",
        "The French Revolution",
        &[
            "French Revolution",
            "the three estates",
            "storming of the Bastille",
        ],
        &[
            (
                "French Revolution",
                &["Louis XVI", "Marie Antoinette", "Robespierre", "guillotine"],
            ),
            ("the three estates", &["nobility", "clergy", "privileges"]),
        ],
        &[
            "why the third estate was angry",
            "declaration of the rights of man",
        ],
    ),
    (
        "biology",
        "Photosynthesis in plant cells",
        &["photosynthesis", "chlorophyll", "plant cells"],
        &[(
            "photosynthesis",
            &["light", "oxygen", "carbon dioxide", "glucose", "sugar"],
        )],
        &[
            "why leaves are green",
            "what a plant needs: water and light",
        ],
    ),
];

const GERMAN: [Sketch; 6] = [
    (
        "fractions",
        "Brüche addieren und subtrahieren",
        &["Brüche", "gemeinsamer Nenner", "Brüche addieren"],
        &[],
        &[
            "Brüche mit verschiedenen Nennern addieren",
            "Brüche subtrahieren",
        ],
    ),
    (
        "equations",
        "Gleichungen mit zwei Schritten",
        &["Gleichungen", "zweischrittige Gleichungen", "Lösen"],
        &[],
        &[
            "3x + 5 = 20 lösen",
            "welchen Schritt zuerst umkehren",
            "Gleichung mit zwei Rechenarten",
        ],
    ),
    (
        "scratch",
        "Figuren in Scratch bewegen",
        &["Bewegung", "Schleifen", "Variablen", "Ereignisse"],
        &[
            ("Bewegung", &["Schritte", "gleiten", "x und y"]),
            ("Variablen", &["Punktestand"]),
        ],
        &["eine Figur mit den Pfeiltasten bewegen"],
    ),
    (
        "python",
        "Listen und Schleifen in Python",
        &["Listen", "for-Schleifen", "range"],
        &[("Listen", &["Index", "anhängen", "sortieren"])],
        &[
            "ein Element an eine Liste anhängen",
            "mit einer Schleife durch eine Liste gehen",
        ],
    ),
    (
        "history",
        "Die Französische Revolution",
        &[
            "Französische Revolution",
            "die drei Stände",
            "Sturm auf die Bastille",
        ],
        &[
            (
                "Französische Revolution",
                &[
                    "Ludwig XVI.",
                    "Marie Antoinette",
                    "Robespierre",
                    "Guillotine",
                ],
            ),
            ("die drei Stände", &["Adel", "Klerus", "Privilegien"]),
        ],
        &[
            "warum der dritte Stand wütend war",
            "Erklärung der Menschenrechte",
        ],
    ),
    (
        "biology",
        "Photosynthese in Pflanzenzellen",
        &["Photosynthese", "Chlorophyll", "Pflanzenzellen"],
        &[(
            "Photosynthese",
            &[
                "Fotosynthese",
                "Licht",
                "Sauerstoff",
                "Kohlendioxid",
                "Traubenzucker",
                "Zucker",
            ],
        )],
        &[
            "warum Blätter grün sind",
            "was eine Pflanze braucht: Wasser und Licht",
        ],
    ),
];

pub fn course(locale: &str) -> Course {
    let sketches = if locale == "de" { GERMAN } else { ENGLISH };
    let mut course = Course {
        id: "all".to_owned(),
        pack_hash: "hash".to_owned(),
        locale: locale.to_owned(),
        lessons: Vec::new(),
    };
    let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    for (slug, title, topics, synonyms, units) in sketches {
        let synonyms: BTreeMap<_, _> = synonyms
            .iter()
            .map(|(topic, of)| ((*topic).to_owned(), owned(of)))
            .collect();
        course.add(Lesson {
            slug: slug.to_owned(),
            title: title.to_owned(),
            unit_ids: vec![slug.to_owned()],
            allowed_topics: owned(topics),
            synonyms,
            reference: format!("{slug}-facts"),
            unit_texts: owned(units).into(),
            ..Lesson::default()
        });
    }
    course
}

pub fn defaults() -> Defaults {
    Defaults {
        strictness: Strictness::Light,
        scope_mode: ScopeMode::Strict,
        topic_filter: TopicFilter::Strict,
        text_languages: [
            "pascal", "python", "java", "c++", "c#", "go", "rust", "swift", "kotlin",
        ]
        .map(str::to_owned)
        .into(),
        suggestions_max: 3,
    }
}

pub fn input<'a>(course: &'a Course, lesson: &str, message: &str) -> Input<'a> {
    Input {
        course: Some(course),
        scope: Some(Scope {
            context: lesson.to_owned(),
            ..Scope::default()
        }),
        message: message.to_owned(),
        ..Input::default()
    }
}

/// What was said, the student first, in turns.
pub fn memory(turns: &[&str]) -> Memory {
    Memory {
        summary: String::new(),
        turns: turns
            .iter()
            .enumerate()
            .map(|(n, text)| (n % 2 == 0, (*text).to_owned()))
            .collect(),
    }
}
