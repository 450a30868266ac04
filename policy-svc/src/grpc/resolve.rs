//! What comes of a model's reply: set by the rules, judged by the guard, with the policy's own words where they belong.

use std::cell::LazyCell;

use tonic::Status;
use turnwise_decisions::{
    self as decisions, Asks,
    teaching::{Choice, answer_elsewhere},
};
use turnwise_grading::{Task, goes_on};
use turnwise_messages::keys;
use turnwise_proto::{
    policy::v1::{
        OpenDrill, Passage, ResolveReplyRequest, ResolveReplyResponse, resolve_reply_request,
    },
    tutor::v1::{ClientEventKind, DegradedReason},
};

use super::{
    Policies, announcement,
    asks::{Said, asks, is_only_stuck, is_own_work, is_why, word_back},
    guard::{self, Known, Open},
    own_exercise::OwnExercise,
    passages, read, reply,
};
use crate::{courses::LoadedCourse, error::PolicyError};

/// The most texts of the tutor's that are looked at.
const MOST_SAID: usize = 16;
/// The most other drills that a reply is held against.
const MOST_OTHERS: usize = 3;

impl Policies {
    /// The reply that the policy allows, whatever came of the model.
    pub(super) fn resolved(
        &self,
        request: ResolveReplyRequest,
    ) -> Result<ResolveReplyResponse, Status> {
        let ResolveReplyRequest {
            policy,
            outcome,
            known,
            open_drill,
            course_drills,
            counted,
            typed,
            placement_question,
            no_model,
            hints_given,
            pressed,
            said,
            passage,
            quotable,
            question,
            passage_elsewhere,
            more_passages,
            more_passages_elsewhere,
            own_exercises,
            prompt_runs_name,
            graded,
            exam_question,
            other_drills,
            next_leads_to_target,
        } = request;
        let answered = graded.as_ref().map_or("", |graded| graded.answer.as_str());
        read::bounded("graded.answer", answered, guard::MOST_CHARS)?;
        check_said(&said)?;
        let passages = passages::read("passage", passage, more_passages)?;
        let elsewhere = (passage_elsewhere, more_passages_elsewhere);
        let elsewhere = passages::read("passage_elsewhere", elsewhere.0, elsewhere.1)?;
        let known = Known::read(known)?.with_named(&self.prompt_runs, prompt_runs_name);
        let Some(known) = known else {
            // Nothing is said that was not held against them.
            return Ok(ResolveReplyResponse::default());
        };
        guard::check_drill("open_drill", open_drill.as_ref())?;
        guard::check_drill("placement_question", placement_question.as_ref())?;
        guard::check_drill("exam_question", exam_question.as_ref())?;
        check_others(&other_drills)?;
        guard::check_quotable("quotable", &quotable)?;
        let mut policy = policy.ok_or_else(|| PolicyError::missing("policy"))?;
        let fields = ("policy.course_id", "policy.pack_hash");
        let loaded = self.version(fields, &policy.course_id, &policy.pack_hash)?;
        let announcement = std::mem::take(&mut policy.announcement);
        let policy = read::policy(policy)?;
        let course_drills = course_drills || known.exams_unknown();
        let (asked_drills, exam_expressions) = known.asked_drills(&loaded);
        let placement = placement_question.as_ref();
        let terms = decisions::DrillTerms {
            exams_unknown: known.exams_unknown(),
            placement: placement
                .map(|asked| decisions::exercise(&asked.prompt, &asked.question_latex)),
            ..read::drill_terms(&loaded, course_drills, counted, asked_drills)?
        };
        read::bounded("question", &question, guard::MOST_CHARS)?;
        let message = typed.as_ref().map_or("", |typed| typed.text.as_str());
        read::bounded("typed", message, guard::MOST_CHARS)?;
        let message = if message.is_empty() {
            question
        } else {
            message.to_owned()
        };
        let formula = typed.as_ref().map_or("", |typed| typed.latex.as_str());
        read::bounded("typed", formula, guard::MOST_CHARS)?;
        let is_word = pressed == 0 && formula.is_empty();
        let is_chosen = pressed == i32::from(ClientEventKind::ChooseUnit);
        let is_waiting = !own_exercises || open_drill.is_some() || placement.is_some();
        let leads_on = next_leads_to_target && open_drill.is_none();
        // What only a fallback goes by is read only where one is made.
        let words = LazyCell::new(|| Said::of(&message));
        let word_back = LazyCell::new(|| (is_word.then(|| word_back(&words))).flatten());
        let asks = LazyCell::new(|| {
            word_back.map_or_else(|| asks(pressed, &words, leads_on), |(_, asks)| asks)
        });
        let is_stuck = LazyCell::new(|| is_word && is_only_stuck(&words));
        let own = LazyCell::new(|| {
            // What the student writes may be a step of what is asked elsewhere, in a form that nobody can compare.
            let is_asked_elsewhere = is_waiting
                || known.exams_unknown()
                || loaded
                    .course
                    .has_port_question_beyond(&policy.scoped_unit_ids);
            if is_chosen || is_asked_elsewhere {
                return (None, Vec::new());
            }
            let written = [message.as_str(), formula];
            let about = (policy.about(), *asks);
            let own = own_exercises_in(&loaded, about, written, &quotable, &said);
            let mut met = Vec::new();
            let own = own.into_iter().flatten().find_map(|mut brought| {
                let is_question = brought.own.forms().iter().any(|form| {
                    let (is_exam, found) = known.exam_expressions_in(&loaded, &form.guarded());
                    met.extend(found);
                    is_exam
                });
                if is_question && brought.is_again {
                    brought.before.clear();
                }
                // Of an exam question the rule is said where its unit is known, and no step.
                (!is_question || brought.is_of_unit).then_some((brought, is_question))
            });
            (own, met)
        });
        let choose = |passages: &[Passage], unit_id: &str| {
            if *is_stuck {
                // No lesson answers `I give up`, though it may have the words.
                return Choice::default();
            }
            let wanted = passages::Wanted {
                locale: &loaded.locale,
                message: &message,
                is_why: is_why(&words),
                is_chosen,
                title: &decisions::unit_name(&loaded.course, unit_id),
            };
            wanted.choice(passages)
        };
        let choice = LazyCell::new(|| choose(&passages, &policy.focus_unit_id));
        let choice = || *choice;
        let choice_elsewhere = LazyCell::new(|| choose(&elsewhere, policy.about()));
        let choice_elsewhere = || *choice_elsewhere;
        let found = passages::found(&passages);
        let found_elsewhere = passages::found(&elsewhere);
        let check_typed = guard::check_typed(&loaded, open_drill.as_ref(), typed.as_ref())?;
        let base = decisions::Situation {
            open: open_drill.as_ref().map(|open| decisions::Open {
                unit_id: &open.unit_id,
                drill: guard::open_drill(&loaded, open),
                hints_given: usize::try_from(hints_given).unwrap_or_default(),
            }),
            is_answer: check_typed.is_some(),
            exam: exam_question
                .as_ref()
                .map(|asked| turnwise_reply_guard::OpenDrill {
                    prompt: &asked.prompt,
                    question_latex: &asked.question_latex,
                    key: None,
                    said: "",
                }),
            leads_on,
            said: &said,
            terms: Some(&terms),
            ..decisions::Situation::default()
        };
        let doubts = LazyCell::new(|| {
            let focus = loaded.course.find(&policy.focus_unit_id);
            focus.map_or_else(Vec::new, |at| {
                let unit = loaded.course.unit(at);
                let asked = (&*unit.misconceptions, &*unit.teaching.questions);
                let written = format!("{message} {formula}");
                passages::nearest_misconceptions(&loaded.locale, asked, &written)
            })
        });
        let fallback = LazyCell::new(|| {
            let (own, _) = &*own;
            let own_unit =
                (own.as_ref()).and_then(|(brought, _)| brought.own.unit(&loaded.exercise_units));
            let brought = placement.filter(|question| guard::is_brought(question));
            let mut situation = decisions::Situation {
                asks: *asks,
                own: own.as_ref().map(|(brought, _)| brought.own.guarded()),
                own_unit,
                own_is_solved: own.as_ref().is_some_and(|(brought, _)| brought.is_solved),
                own_is_question: own.as_ref().is_some_and(|(_, is_question)| *is_question),
                own_is_plain: (own.as_ref()).is_some_and(|(brought, _)| brought.own.is_plain()),
                placement: brought.map(|question| guard::open_drill(&loaded, question)),
                doubts: &doubts,
                // Who chose a unit wants to read of that one.
                passage: passages::of(&found, &choice)
                    .filter(|_| !is_chosen || policy.about() == policy.focus_unit_id),
                passage_elsewhere: passages::of(&found_elsewhere, &choice_elsewhere),
                ..base
            };
            let may_be_work = is_word && word_back.is_none() && own.is_none() && !is_waiting;
            // Who gives up before anything was said has an exercise somewhere.
            let is_work = || is_own_work(&words);
            if may_be_work && (said.is_empty() && *is_stuck || is_work()) {
                situation.asks = Asks::Work;
            }
            let answer = answer_elsewhere(&loaded.course, &policy, &situation);
            if answer.is_some() {
                // It is explained; what comes first is asked about.
                situation.asks = match situation.asks {
                    Asks::Explanation => Asks::Explained,
                    _ => Asks::Nothing,
                };
            }
            (situation, answer)
        });
        let outcome = match &outcome {
            Some(resolve_reply_request::Outcome::Completion(bytes)) => {
                decisions::Outcome::Completion(bytes)
            }
            Some(resolve_reply_request::Outcome::Failure(reason)) => {
                decisions::Outcome::Failure(read::failure(*reason)?)
            }
            None => return Err(PolicyError::missing("outcome").into()),
        };
        let is_off = matches!(
            outcome,
            decisions::Outcome::Failure(decisions::FallbackReason::LlmOff)
        );
        if no_model && !is_off {
            return Err(PolicyError::invalid("no_model", "goes with the failure LLM_OFF").into());
        }
        let resolve = |outcome| {
            let course = &loaded.course;
            decisions::resolve_in(course, &policy, || fallback.0, outcome)
                .map(|set| decisions::with_drill_on_terms(course, &policy, &terms, &base, set))
                .map_err(|fault| PolicyError::impossible("policy", &fault))
        };
        let mut resolved = resolve(outcome)?;
        let texts = loaded.course.texts();
        let mut response = reply::resolution(texts, resolved.clone());
        let mut judged = None;
        if let Some(reply) = response.reply.as_ref().filter(|_| resolved.is_models_own()) {
            let open = Open {
                drill: open_drill.as_ref(),
                placement,
                others: &other_drills,
                exam: exam_question.as_ref(),
            };
            let quotable: Vec<&str> = quotable.iter().map(String::as_str).collect();
            let mut verdict = known.judge_reply(
                &self.guard,
                &loaded,
                &policy.turn_id,
                reply,
                open,
                &quotable,
            );
            let written = format!("{message} {formula}");
            // What was typed before, or is asked of, is not graded either.
            let typed = check_typed.is_some()
                || open_drill.is_some() && is_own_work(&words)
                || guard::answers_brought(exam_question.as_ref(), &quotable, &message);
            verdict.withheld = (verdict.withheld).or_else(|| {
                guard::false_verdict(&self.guard, reply, typed, graded.as_ref(), &written)
            });
            self.replies.looked_at(verdict.statements);
            if let Some(reason) = verdict.withheld {
                self.replies.withheld(reason);
                resolved = resolve(decisions::Outcome::Failure(guard::fallback_reason(reason)))?;
                resolved.violation = Some(reason.to_string());
                response = reply::resolution(texts, resolved.clone());
            }
            judged = Some(verdict.met);
        }
        let (is_judged, mut met) = (judged.is_some(), judged.unwrap_or_default());
        met.exam_expressions.extend(exam_expressions);
        if !resolved.is_models_own() {
            met.exam_expressions.extend(&own.1);
        }
        met.exam_expressions.sort_unstable();
        met.exam_expressions.dedup();
        let is_met = is_judged || known.exams_unknown() || !met.exam_expressions.is_empty();
        response.met = is_met.then(|| known.met(met));
        if no_model {
            // No model was to be called, so nothing failed.
            response.fallback_reason = DegradedReason::Unspecified.into();
        }
        self.replies.count(&resolved, no_model);
        if let Some(violation) = &resolved.violation {
            tracing::info!(
                turn_id = %policy.turn_id,
                reason = resolved.fallback_reason.map(decisions::FallbackReason::as_str),
                violation,
                "model's reply refused"
            );
        }
        if let Some(reply) = response.reply.as_mut() {
            let text = std::mem::take(&mut reply.text);
            let said = if resolved.is_models_own() {
                vec![announcement, text]
            } else {
                let (situation, answer) = &*fallback;
                response.is_on_own_exercise = situation.own.is_some();
                let is_on_own = situation.own.is_some() && situation.asks != Asks::Explained;
                let of_own = own.0.as_ref().filter(|_| is_on_own);
                let of_own = of_own.map(|(brought, _)| brought.before.clone());
                let asks_which = word_back.is_none() && !is_on_own && situation.asks != Asks::Work;
                let choices = &policy.choice_unit_ids;
                let which = || announcement::which_unit(&loaded, choices, &said, answer.is_some());
                let text = asks_which.then(which).flatten().unwrap_or(text);
                let is_goodbye = word_back.is_some_and(|(key, _)| key == keys::TEACHING_GOODBYE);
                let word_back = word_back.map(|(key, _)| texts.text(key, &[]));
                // `hi`, and `hi` again.
                let word_back =
                    word_back.filter(|word| said.last().is_none_or(|last| !last.contains(word)));
                // Who leaves is asked nothing more.
                let ends = is_goodbye && word_back.is_some();
                let rest = [Some(announcement), answer.clone(), of_own, Some(text)];
                let rest = rest.into_iter().flatten().filter(|_| !ends);
                word_back.into_iter().chain(rest).collect()
            };
            let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
            reply.text = said.join("\n\n");
        }
        response.check_typed = check_typed;
        response.prompt_runs_known = prompt_runs_name != 0;
        Ok(response)
    }
}

/// An exercise of the student's own that the reply may help with.
struct Brought {
    own: OwnExercise,
    /// Whether it is of the unit that the turn is about, or was helped with before and is of a unit that is known.
    is_of_unit: bool,
    /// Whether it was helped with before.
    is_again: bool,
    /// Whether the message says which value solves it.
    is_solved: bool,
    /// What is said of it before the reply; empty for nothing.
    before: String,
}

/// The exercises of the student's own that the reply may help with: the one in what was written; then the one that was helped
/// with before, where help is asked for, or the last reply helped with it and the message goes on with it. One without a known
/// step must be of the unit that the turn is about, whose rule is then said; one that was helped with, of any.
fn own_exercises_in(
    loaded: &LoadedCourse,
    (about, asks): (&str, Asks),
    written: [&str; 2],
    before: &[String],
    said: &[String],
) -> [Option<Brought>; 2] {
    let texts = loaded.course.texts();
    let is_line = written.iter().any(|text| goes_on(text));
    let heard: &[String] = match asks {
        Asks::Help | Asks::Example => said,
        _ if is_line => &said[said.len().saturating_sub(1)..],
        _ => &[],
    };
    let again = OwnExercise::again(loaded, &written, before, heard);
    // What factoring comes to is a product, and not to be multiplied out.
    let factors = |again: &OwnExercise| is_line && again.task() == Task::Factor;
    let is_factored = again.as_ref().is_some_and(factors);
    let solves = |again: &OwnExercise| written.iter().any(|text| again.is_solved_in(text));
    let is_solved = is_line && again.as_ref().is_some_and(solves);
    let is_new = |text: &String| said.last().is_none_or(|last| !last.contains(text));
    let own = written.iter().find_map(|text| {
        let own = OwnExercise::read(text)?;
        let is_product = is_factored && own.task() == Task::Expand;
        let is_of_unit = loaded.exercise_units.unit_of(text) == Some(about);
        let line = (is_line && again.is_some()).then(|| texts.text(keys::TEACHING_LINE, &[]));
        let before = line.filter(is_new).unwrap_or_default();
        (!is_product && !is_solved && (is_of_unit || own.has_step())).then_some(Brought {
            own,
            is_of_unit,
            is_again: false,
            is_solved: false,
            before,
        })
    });
    let again = again.and_then(|own| {
        let step = own.step(texts);
        let is_of_unit = own.unit(&loaded.exercise_units).is_some();
        let has_help = step.is_some() || is_of_unit;
        let was_said = |step: &String| heard.iter().any(|said| said.contains(step));
        let repeated = step.filter(|step| asks == Asks::Help && was_said(step));
        let repeated =
            repeated.map(|step| texts.text(keys::TEACHING_STEP_AGAIN, &[("step", step.into())]));
        has_help.then(|| Brought {
            own,
            is_of_unit,
            is_again: true,
            is_solved,
            before: repeated.filter(is_new).unwrap_or_default(),
        })
    });
    [own, again]
}

fn check_said(said: &[String]) -> Result<(), PolicyError> {
    if said.len() > MOST_SAID {
        let problem = format!("must hold at most {MOST_SAID} texts");
        return Err(PolicyError::invalid("said", problem));
    }
    said.iter()
        .try_for_each(|text| read::bounded("said", text, guard::MOST_CHARS))
}

fn check_others(drills: &[OpenDrill]) -> Result<(), PolicyError> {
    if drills.len() > MOST_OTHERS {
        let problem = format!("must hold at most {MOST_OTHERS} drills");
        return Err(PolicyError::invalid("other_drills", problem));
    }
    drills
        .iter()
        .try_for_each(|drill| guard::check_drill("other_drills", Some(drill)))
}
