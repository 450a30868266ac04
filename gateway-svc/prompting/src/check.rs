//! Tries a sheet when it is loaded, so that it does not fail in the middle of a turn.

use std::{collections::BTreeSet, path::Path};

use minijinja::{Environment, Template, Value, context};
use turnwise_proto::{
    classes::v1::{ScopeMode, Strictness, TopicFilter},
    explain::v1::{ContextAttachment, ContextBundle},
    policy::v1::{
        ChatDecision, Constraints, Policy, ProcedureHelpPlan, ProcedureStepSummary, SnapshotSummary,
    },
    retrieval::v1::{Anchor, Chunk},
    session::v1::{Clarification, ClarificationAnswer, ConversationMemory, MemoryTurn},
    tutor::v1::{
        ClientEvent, ClientEventKind, MasteryTier, Project, Role, StudentInput, TutorAction,
        TutorMessage,
    },
};

use crate::{
    budget::BudgetedParts,
    chat::{self, ChatParts, ChatPrompt},
    conversation::Conversation,
    fault::{RenderError, SheetError, SheetFault, engine_fault},
    grade::{self, GradePrompt, MistakeTag},
    help::{self, HelpParts, HelpPrompt},
    name::{Kind, Mode, Part, SheetName},
    translate::{self, TranslatePrompt},
    turn::{self, TurnPrompt},
    unit::KnownUnits,
};

/// What is wrong with a compiled sheet.
pub(crate) fn faults(
    environment: &Environment<'static>,
    name: &SheetName,
    file: &Path,
) -> Result<Vec<SheetFault>, SheetError> {
    let sheet = match environment.get_template(&name.to_string()) {
        Ok(sheet) => sheet,
        Err(error) => return Ok(vec![engine_fault(file, &error)]),
    };
    let samples = samples(name).map_err(|error| {
        SheetError::Faulty(vec![SheetFault {
            file: file.to_owned(),
            line: None,
            message: error.to_string(),
        }])
    })?;
    let unknown = unknown_variables(&sheet, &samples, file);
    if !unknown.is_empty() {
        return Ok(unknown);
    }
    let mut faults: Vec<SheetFault> = Vec::new();
    for sample in &samples {
        let found = match sheet.render(sample) {
            Ok(text) => missing_block(name, sample, &text, file),
            Err(error) => Some(engine_fault(file, &error)),
        };
        // The samples show the same fault again and again.
        faults.extend(found.filter(|fault| !faults.contains(fault)));
    }
    Ok(faults)
}

fn unknown_variables(sheet: &Template<'_, '_>, samples: &[Value], file: &Path) -> Vec<SheetFault> {
    let known: BTreeSet<String> = samples
        .iter()
        .filter_map(|sample| sample.try_iter().ok())
        .flatten()
        .map(|key| key.to_string())
        .collect();
    let unknown: BTreeSet<String> = sheet
        .undeclared_variables(false)
        .into_iter()
        .filter(|variable| !known.contains(variable))
        .collect();
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    unknown
        .into_iter()
        .map(|variable| SheetFault {
            file: file.to_owned(),
            line: line_of(sheet.source(), &variable),
            message: format!(
                "there is no variable `{variable}`; this sheet may use {}",
                names.join(", ")
            ),
        })
        .collect()
}

/// The first line with the variable inside an expression or a statement.
fn line_of(source: &str, variable: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(open) = source[at..].find(['{']).map(|found| at + found) {
        at = open + 1;
        let close = match source.as_bytes().get(at) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            _ => continue,
        };
        let end = source[at..]
            .find(close)
            .map_or(source.len(), |found| at + found);
        let inside = &source[at..end];
        for (found, _) in inside.match_indices(variable) {
            let before = inside[..found].chars().next_back();
            let after = inside[found + variable.len()..].chars().next();
            if !before.is_some_and(|c| is_word(c) || c == '.') && !after.is_some_and(is_word) {
                return Some(source[..at + found].matches('\n').count() + 1);
            }
        }
        at = end;
    }
    None
}

/// The block that the sheet must show and does not.
fn missing_block(name: &SheetName, sample: &Value, text: &str, file: &Path) -> Option<SheetFault> {
    let Kind::Message(mode, part) = name.kind else {
        return None;
    };
    let required: &[&str] = match (mode, part) {
        (Mode::Turn, Part::System) => &[],
        (Mode::Turn, Part::Policy) => &["policy"],
        (Mode::Turn, Part::Input) => &["student_input"],
        (Mode::Turn, Part::User) => &[
            "context",
            "clarification",
            "external_context",
            "project",
            "style",
            "student_input",
            "unit_context",
        ],
        (Mode::Grade, Part::System) => &[],
        (Mode::Grade, Part::User) => &["task", "student_answer"],
        (Mode::Chat, Part::System) => &["lesson", "reference"],
        (Mode::Chat, Part::User) => &["sources", "conversation", "clarification", "student_input"],
        (Mode::Translate, Part::System) => &[],
        (Mode::Translate, Part::User) => &["question"],
        (Mode::Help, Part::System) => &[],
        (Mode::Help, Part::User) => &["situation"],
        // No name of a sheet says so.
        (_, Part::Policy | Part::Input) => &[],
    };
    required.iter().find_map(|variable| {
        let value = sample.get_attr(variable).ok()?;
        let block = value.as_str()?;
        (!text.contains(block)).then(|| SheetFault {
            file: file.to_owned(),
            line: None,
            message: format!("`{{{{ {variable} }}}}` must always be in this sheet; put it in"),
        })
    })
}

/// Variables as turns and grades of all kinds would set them.
fn samples(name: &SheetName) -> Result<Vec<Value>, RenderError> {
    let locale = if name.locale.is_empty() {
        "en"
    } else {
        &name.locale
    };
    match name.kind {
        Kind::Message(Mode::Turn, part) => turn_samples(part, locale),
        Kind::Message(Mode::Grade, part) => grade_samples(part, locale),
        Kind::Message(Mode::Chat, part) => chat_samples(part, locale),
        Kind::Message(Mode::Translate, part) => translate_samples(part, locale),
        Kind::Message(Mode::Help, part) => help_samples(part, locale),
        Kind::Style(_) => Ok(vec![context! { locale }]),
    }
}

fn turn_samples(part: Part, locale: &str) -> Result<Vec<Value>, RenderError> {
    let everything = Policy {
        scoped_unit_ids: vec!["U-1".to_owned()],
        allowed_actions: (1..)
            .take_while(|action| TutorAction::try_from(*action).is_ok())
            .collect(),
        stuck: true,
        desired_exam_tier: MasteryTier::Bronze.into(),
        exam_candidate_ids: vec!["Q-1".to_owned()],
        prereq_blocking_unit_id: "U-1".to_owned(),
        choice_unit_ids: vec!["U-1".to_owned()],
        constraints: Some(Constraints {
            max_concept_words: 170,
            max_worked_examples: 1,
            drill_max_steps: 2,
            max_key_ideas: 3,
        }),
        ..Policy::default()
    };
    let question_only = Policy {
        allowed_actions: vec![TutorAction::SocraticQuestion.into()],
        ..Policy::default()
    };
    let policies = [&everything, &question_only].into_iter();
    match part {
        Part::System => {
            let bounds = everything.constraints.unwrap_or_default();
            return Ok(vec![turn::system_variables(&bounds, locale)]);
        }
        Part::Policy => {
            return policies
                .map(|policy| turn::policy_variables(policy, locale))
                .collect();
        }
        Part::User | Part::Input => {}
    }
    let summary = SnapshotSummary::default();
    let recent = [TutorMessage {
        role: Role::User.into(),
        text: "What is x?".to_owned(),
        ..TutorMessage::default()
    }];
    let said = StudentInput {
        text: "x = 4".to_owned(),
        ..StudentInput::default()
    };
    let event = ClientEvent {
        kind: ClientEventKind::RequestDrill.into(),
        unit_id: "U-1".to_owned(),
        ..ClientEvent::default()
    };
    let clarification = clarification();
    let supplied = ContextBundle {
        attachments: vec![ContextAttachment {
            artifact_type: "budget".to_owned(),
            body: "The bus is 480.".to_owned(),
            ..ContextAttachment::default()
        }],
        missing: vec!["The plan".to_owned()],
        project: None,
    };
    let of_project = ContextBundle {
        project: Some(Project {
            phase: "budget".to_owned(),
            goal: "A day that all can pay.".to_owned(),
            ..Project::default()
        }),
        ..supplied.clone()
    };
    let anchors = [Anchor {
        title: "Equations".to_owned(),
        ..Anchor::default()
    }];
    let message = TurnPrompt {
        policy: &everything,
        summary: &summary,
        anchors: &anchors,
        unit_chunks: &[],
        chunks: &[],
        recent: &recent,
        input: &said,
        clarification: Some(&clarification),
        context: Some(&supplied),
        event: None,
        candidates: &[],
        conversation: Conversation::default(),
    };
    let button = TurnPrompt {
        policy: &question_only,
        anchors: &[],
        recent: &[],
        input: &StudentInput::default(),
        clarification: None,
        context: None,
        event: Some(&event),
        ..message
    };
    let project = TurnPrompt {
        context: Some(&of_project),
        ..message
    };
    [
        (message, ""),
        (button, ""),
        (project, "Write short sentences."),
    ]
    .iter()
    .map(|(input, style)| match part {
        Part::Input => turn::input_variables(input, locale),
        _ => turn::user_variables(
            input,
            &BudgetedParts::all(input, &KnownUnits::default(), usize::MAX)?,
            style,
            locale,
        ),
    })
    .collect()
}

fn grade_samples(part: Part, locale: &str) -> Result<Vec<Value>, RenderError> {
    let tags = [MistakeTag {
        tag: "sign",
        meaning: "A sign was lost.",
    }];
    let mut samples = Vec::new();
    for verdict in [None, Some(false), Some(true)] {
        for mistake_tags in [&tags[..], &[]] {
            let input = GradePrompt {
                unit_title: "Equations",
                prompt: "Solve for x.",
                question_latex: "2x = 8",
                answer: "4",
                verdict,
                mistake_tags,
                key: verdict.is_none().then_some("4"),
            };
            let parts = grade::BudgetedParts::all(&input);
            samples.push(match part {
                Part::System => grade::system_variables(&input, &parts, locale)?,
                _ => grade::user_variables(&input, &parts, locale)?,
            });
        }
    }
    Ok(samples)
}

fn chat_samples(part: Part, locale: &str) -> Result<Vec<Value>, RenderError> {
    let chunks = [Chunk {
        section: "Two steps".to_owned(),
        text: "Undo the sum first.".to_owned(),
        ..Chunk::default()
    }];
    let memory = ConversationMemory {
        turns: vec![MemoryTurn {
            role: Role::User.into(),
            text: "2x + 3 = 11".to_owned(),
        }],
        ..ConversationMemory::default()
    };
    let nothing = ConversationMemory::default();
    let clarification = clarification();
    let mut samples = Vec::new();
    for strict in [false, true] {
        let decision = ChatDecision {
            strictness: if strict {
                Strictness::Strict
            } else {
                Strictness::Light
            }
            .into(),
            scope_mode: if strict {
                ScopeMode::Strict
            } else {
                ScopeMode::Soft
            }
            .into(),
            topic_filter: if strict {
                TopicFilter::Strict
            } else {
                TopicFilter::Soft
            }
            .into(),
            off_topic: !strict,
            topics: vec!["equations".to_owned()],
            writes_programs: strict,
            ..ChatDecision::default()
        };
        for full in [false, true] {
            let input = ChatPrompt {
                decision: &decision,
                lesson: if full { "two-step-equations" } else { "" },
                reference: if full {
                    "Do the same on both sides."
                } else {
                    ""
                },
                chunks: if full { &chunks } else { &[] },
                clarification: full.then_some(&clarification),
                memory: if full { &memory } else { &nothing },
                message: "What comes first?",
            };
            let parts = ChatParts::all(&input);
            samples.push(match part {
                Part::System => chat::system_variables(&input, &parts, locale)?,
                _ => chat::user_variables(&input, &parts, locale)?,
            });
        }
    }
    Ok(samples)
}

fn translate_samples(part: Part, locale: &str) -> Result<Vec<Value>, RenderError> {
    let input = TranslatePrompt {
        question: "What do you want to scale?",
        source_locale: "en",
    };
    Ok(vec![match part {
        Part::System => translate::system_variables(&input, locale),
        _ => translate::user_variables(&input, locale)?,
    }])
}

fn help_samples(part: Part, locale: &str) -> Result<Vec<Value>, RenderError> {
    let plan = ProcedureHelpPlan {
        step: Some(ProcedureStepSummary {
            step_id: "open-tap".to_owned(),
            ..ProcedureStepSummary::default()
        }),
        ..ProcedureHelpPlan::default()
    };
    let input = HelpPrompt {
        plan: &plan,
        recent_deltas: &[],
        chunks: &[],
    };
    Ok(vec![match part {
        Part::System => help::system_variables(locale),
        _ => help::user_variables(&input, &HelpParts::all(&input), locale)?,
    }])
}

fn clarification() -> Clarification {
    Clarification {
        document_title: "A plan of your own".to_owned(),
        original_doc_content: "Divide the new size by the old one.".to_owned(),
        answers: vec![ClarificationAnswer {
            question: "What do you want to scale?".to_owned(),
            answer: "A recipe.".to_owned(),
            ..ClarificationAnswer::default()
        }],
        ..Clarification::default()
    }
}
