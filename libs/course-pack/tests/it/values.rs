//! What a good pack holds once it is loaded.

use crate::fixture::{COURSE, EXAMS, LESSON, UNITS, good, one, pack, write};
use turnwise_course_pack::{
    DrillChoice, LessonHelp, LlmGrades, PrereqWalk, StuckRule, SupportKind, Tier,
};

#[test]
fn the_good_pack() {
    let dir = pack();
    let pack = good(dir.path());
    assert_eq!(pack.course.id, "tiny");
    assert_eq!(pack.course.entry_unit, "ENTRY-00");
    assert_eq!(pack.course.policy, Default::default());
    let ids: Vec<_> = pack.units.iter().map(|u| u.id.as_str()).collect();
    assert_eq!(ids, ["ENTRY-00", "A", "B"]);
    assert!(!pack.units[0].assessable && pack.units[1].assessable);
    assert_eq!(pack.units[2].prerequisites, ["ENTRY-00", "A"]);
    assert_eq!(pack.units[1].mistake_tags[0].id, "off_by_one");
    assert_eq!(pack.units[1].drills[0].question_latex, "2 + 3");
    assert_eq!(pack.units[1].key_idea, None);

    assert!(pack.questions[0].is_multiple_choice());
    assert_eq!(pack.questions[0].answer, "a");
    assert!(!pack.questions[1].is_multiple_choice());
    assert_eq!(
        pack.questions[1].answer, "1.50",
        "a number keeps its spelling"
    );
    assert_eq!(pack.questions[1].units, ["B"]);
    assert_eq!(pack.questions[1].tier, Tier::Bronze);

    assert_eq!(pack.support[0].id, "A-B1");
    assert_eq!(pack.support[0].kind, SupportKind::Memo);
    assert_eq!(pack.support[0].text, "Use your fingers.");
    assert_eq!(pack.references["sums"], "2 + 2 is 4.");
}

#[test]
fn what_a_tutor_teaches_with() {
    let dir = pack();
    let units = UNITS
        .replace(
            "        meaning: One too many or too few.\n",
            "        meaning: One too many or too few.\n        feedback: Count again.\n    \
             misconceptions:\n      - More is always more.\n      - text: Zero is nothing.\n        \
             question: How many are none?\n    key_idea:\n      text: Put together.\n      chunk: a-c1\n",
        )
        .replace(
            "        answer: '5'\n",
            "        answer: '5'\n        hints: [Use your fingers.]\n        solution: ['$2 + 3$', '$= 5$']\n",
        );
    write(dir.path(), "units/10-all.yaml", units);
    let pack = good(dir.path());
    let unit = &pack.units[1];
    let wrong: Vec<_> = (unit.misconceptions.iter())
        .map(|wrong| (wrong.text.as_str(), wrong.question.as_str()))
        .collect();
    assert_eq!(
        wrong,
        [
            ("More is always more.", ""),
            ("Zero is nothing.", "How many are none?")
        ]
    );
    assert_eq!(unit.mistake_tags[0].feedback, "Count again.");
    let idea = unit.key_idea.as_ref().unwrap();
    assert_eq!(
        (idea.text.as_str(), idea.chunk.as_str()),
        ("Put together.", "a-c1")
    );
    assert_eq!(unit.drills[0].hints, ["Use your fingers."]);
    assert_eq!(unit.drills[0].solution, ["$2 + 3$", "$= 5$"]);
}

#[test]
fn a_course_and_a_lesson_name_their_references() {
    let dir = pack();
    let pack = good(dir.path());
    assert_eq!(pack.course.reference, "");
    assert_eq!(pack.lessons[0].reference, "sums");
    assert_eq!(pack.lessons[0].slug(), "lesson-a");

    write(
        dir.path(),
        "course.yaml",
        format!("{COURSE}helper_reference: sums\n"),
    );
    write(
        dir.path(),
        "content/a.md",
        LESSON
            .replace("reference:", "helper_reference:")
            .replace("source: lesson-a", "source: Lesson~A_1.b"),
    );
    let pack = good(dir.path());
    assert_eq!(pack.course.reference, "sums");
    assert_eq!(pack.lessons[0].reference, "sums");
    assert_eq!(pack.lessons[0].slug(), "lesson-a_1-b");
}

#[test]
fn a_lesson_speaks_to_the_helper() {
    let dir = pack();
    assert_eq!(good(dir.path()).lessons[0].help, LessonHelp::default());
    let front = "\
helper_allowed_topics: [adding, 'whole numbers']
helper_topic_synonyms:
  adding: [plus, put together]
  Whole numbers:
    - counting numbers
helper_redirect: 'Ask me about sums: that is what we do here.'
helper_check_question: Which two numbers do you add first?";
    write(
        dir.path(),
        "content/a.md",
        LESSON.replace("allowed_topics: [adding]", front),
    );
    let pack = good(dir.path());
    let lesson = &pack.lessons[0];
    assert_eq!(lesson.allowed_topics, ["adding", "whole numbers"]);
    let synonyms = &lesson.help.topic_synonyms;
    assert_eq!(synonyms["adding"], ["plus", "put together"]);
    assert_eq!(synonyms["Whole numbers"], ["counting numbers"]);
    assert!(lesson.help.redirect.starts_with("Ask me about sums: "));
    assert!(lesson.help.check_question.ends_with("first?"));
}

#[test]
fn synonyms_may_stand_in_another_file_of_the_lesson() {
    let dir = pack();
    let second = LESSON
        .replace(
            "allowed_topics: [adding]",
            "helper_topic_synonyms: {adding: [plus]}",
        )
        .replace("#a-c1", "#a-c9")
        .replace("## How to add", "## How to add {#a-c8}");
    write(dir.path(), "content/b.md", second);
    assert_eq!(good(dir.path()).lessons.len(), 2);
}

#[test]
fn the_policy_of_the_course() {
    let dir = pack();
    let policy = "policy: {stuck_rule: consecutive_wrong, prereq_walk: first, llm_grades: feedback_only, target_confidence: 0.6, ready_streak: 3}\n";
    write(dir.path(), "course.yaml", format!("{COURSE}{policy}"));
    let policy = good(dir.path()).course.policy;
    assert_eq!(policy.stuck_rule, StuckRule::ConsecutiveWrong);
    assert_eq!(policy.prereq_walk, PrereqWalk::First);
    assert_eq!(policy.llm_grades, LlmGrades::FeedbackOnly);
    assert_eq!(policy.target_confidence, Some(0.6));
    assert_eq!(policy.ready_streak, Some(3));
    assert_eq!(policy.stuck_attempts, None);
}

#[test]
fn drills_are_checkable_where_the_pack_has_mathematics() {
    let dir = pack();
    assert_eq!(good(dir.path()).drill_choice(), DrillChoice::Checkable);
    write(
        dir.path(),
        "course.yaml",
        format!("{COURSE}policy: {{drills: any}}\n"),
    );
    assert_eq!(good(dir.path()).drill_choice(), DrillChoice::Any);
    let without = |text: &str| -> String {
        let lines = text.lines().filter(|line| !line.contains("question_latex"));
        lines.map(|line| format!("{line}\n")).collect()
    };
    write(dir.path(), "course.yaml", COURSE);
    write(dir.path(), "units/10-all.yaml", without(UNITS));
    assert_eq!(good(dir.path()).drill_choice(), DrillChoice::Checkable);
    write(dir.path(), "exams/10-all.yaml", without(EXAMS));
    assert_eq!(good(dir.path()).drill_choice(), DrillChoice::Any);
    let checkable = format!("{COURSE}policy: {{drills: checkable}}\n");
    write(dir.path(), "course.yaml", checkable);
    assert_eq!(good(dir.path()).drill_choice(), DrillChoice::Checkable);
    // Drills with parameters count as well.
    write(dir.path(), "course.yaml", COURSE);
    let parameters = "        parameters: [a in 2..3]\n        prompt: Work it out.\n        question_latex: '2 + [[a]]'\n        \
                      answer: '[[a + 2]]'\n";
    let written = "        prompt: Work it out.\n        answer: '5'\n";
    let units = without(UNITS).replace(written, parameters);
    assert!(units.contains(parameters));
    write(dir.path(), "units/10-all.yaml", units);
    assert_eq!(good(dir.path()).drill_choice(), DrillChoice::Checkable);
}

#[test]
fn a_models_drills_are_held_against_mathematics_in_every_language() {
    let dir = pack();
    let german = COURSE.replace("locale: en", "locale: de-CH");
    for (policy, choice) in [
        ("", DrillChoice::Checkable),
        ("policy:\n  drills: any\n", DrillChoice::Any),
        ("policy:\n  drills: checkable\n", DrillChoice::Checkable),
    ] {
        write(dir.path(), "course.yaml", format!("{german}{policy}"));
        let pack = good(dir.path());
        assert_eq!(pack.drill_choice(), choice, "{policy}");
        assert!(pack.warnings.is_empty(), "{:?}", pack.warnings);
    }
}

#[test]
fn units_drills_that_are_written_out_and_own_texts_have_their_places() {
    let dir = pack();
    write(
        dir.path(),
        "texts.yaml",
        "exam-passed:\n  de: Gut.\n  en: Good.\n",
    );
    let pack = good(dir.path());
    let units = dir.path().join("units/10-all.yaml");
    for (places, id) in [(&pack.places.units, "A"), (&pack.places.drills, "A-D1")] {
        let (file, line) = &places[id];
        assert_eq!(*file, units);
        let says = format!("- id: {id}");
        let at = UNITS.lines().position(|text| text.trim() == says);
        assert_eq!(Some(line - 1), at, "{id}");
    }
    let texts = dir.path().join("texts.yaml");
    assert_eq!(pack.places.texts["exam-passed"], (texts, 3));
}

#[test]
fn a_models_grade_counts_only_where_tasks_are_read() {
    let dir = pack();
    let policy = "policy:\n  llm_grades: count\n";
    for (locale, grades, warned) in [
        ("en", LlmGrades::Count, false),
        ("en-GB", LlmGrades::Count, false),
        ("de-CH", LlmGrades::FeedbackOnly, true),
    ] {
        let course = COURSE.replace("locale: en", &format!("locale: {locale}"));
        write(dir.path(), "course.yaml", format!("{course}{policy}"));
        let pack = good(dir.path());
        assert_eq!(pack.course.policy.llm_grades, grades, "{locale}");
        let warning = pack.warnings.first();
        let says = |text: &str| warning.is_some_and(|found| found.message.contains(text));
        assert_eq!(says("a model's grade does not count"), warned, "{locale}");
        assert_eq!(warning.and_then(|found| found.line), warned.then_some(7));
    }
}

#[test]
fn a_question_may_leave_its_words_to_the_exam_system() {
    let dir = pack();
    let more = "  - {id: A-B2, units: [A], tier: bronze, tags: [sums]}\n";
    write(dir.path(), "exams/10-all.yaml", format!("{EXAMS}{more}"));
    let pack = good(dir.path());
    let question = pack.questions.last().unwrap();
    assert_eq!(question.id, "A-B2");
    assert_eq!(question.tier, Tier::Bronze);
    assert_eq!(
        (question.prompt.as_str(), question.answer.as_str()),
        ("", "")
    );
    assert_eq!(question.tags, ["sums"]);
    let warning = &pack.warnings[0];
    assert_eq!(warning.line, Some(16));
    assert!(
        warning
            .message
            .contains("leave their words to an exam system: 1"),
        "{warning}"
    );
    assert!(warning.remedy.contains("EXAM_ENDPOINT"), "{warning}");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark() {
    let dir = pack();
    for name in [
        "course.yaml",
        "content/a.md",
        "support/A-B1.md",
        "units/10-all.yaml",
        "exams/10-all.yaml",
    ] {
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        write(
            dir.path(),
            name,
            format!("\u{feff}{}", text.replace('\n', "\r\n")),
        );
    }
    let (windows, plain) = (good(dir.path()), good(pack().path()));
    assert_eq!(windows.units, plain.units);
    assert_eq!(windows.chunks, plain.chunks);
    assert_eq!(windows.questions, plain.questions);
    assert_eq!(windows.support, plain.support);
}

#[test]
fn a_course_of_one_unit() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "course.yaml", COURSE);
    let unit = "units:\n  - {id: ENTRY-00, title: Welcome, assessable: false}\n";
    write(dir.path(), "units/all.yaml", unit);
    assert_eq!(good(dir.path()).units.len(), 1);

    write(
        dir.path(),
        "units/all.yaml",
        unit.replace(", assessable: false", ""),
    );
    one(dir.path(), "units/all.yaml", 2, "no bronze question");
    let question =
        "questions:\n  - {id: Q, units: [ENTRY-00], tier: bronze, prompt: What?, answer: '1'}\n";
    write(dir.path(), "exams/all.yaml", question);
    assert_eq!(good(dir.path()).questions.len(), 1);
}

#[test]
fn yaml_as_teachers_write_it() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "course.yaml", COURSE);
    let units = "\
# A file of units.
---
units:
  - id: ENTRY-00   # the first
    title: What is 2 + 2?
    summary: Adding numbers,
      one line after
      the other.
    assessable: false
    tags: [numbers, 'B 2', \"C\",]
    anchors:
    - add two numbers
    -   it's 3# # the third

    - '-3 + 8 isn''t: 6'
    - 'so long that: it
      isn''t on one line' # but on two
    - \"as long as
      this \\\"one\\\"\"
    - −3 äöü 日本 😀
    drills:
      - id: D1
        prompt: |
          Work it out.
            Twice: yes # really

          All of it.
        question_latex: \"4 + 5 \\\\times 3\"
        answer: -1.50
      - {id: D2, prompt: '8, or so', answer: 12}
      - id: D3
        prompt: >-
          Folded
          lines.

          And more.
        answer: 'null'
";
    write(dir.path(), "units/all.yaml", units);
    let unit = good(dir.path()).units.remove(0);
    assert_eq!(unit.title, "What is 2 + 2?");
    assert_eq!(unit.summary, "Adding numbers, one line after the other.");
    assert_eq!(unit.tags, ["numbers", "B 2", "C"]);
    assert_eq!(
        unit.anchors,
        [
            "add two numbers",
            "it's 3#",
            "-3 + 8 isn't: 6",
            "so long that: it isn't on one line",
            "as long as this \"one\"",
            "−3 äöü 日本 😀",
        ]
    );
    let drills: Vec<_> = unit
        .drills
        .iter()
        .map(|drill| [&drill.prompt, &drill.question_latex, &drill.answer].map(String::as_str))
        .collect();
    assert_eq!(
        drills,
        [
            [
                "Work it out.\n  Twice: yes # really\n\nAll of it.",
                "4 + 5 \\times 3",
                "-1.50"
            ],
            ["8, or so", "", "12"],
            ["Folded lines.\nAnd more.", "", "null"],
        ]
    );
}
