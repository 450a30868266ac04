//! The answers of a turn, section by section. Structs are taken apart without `..`, so that a new field cannot stay out of
//! the golden files unnoticed.

use turnwise_decisions::{
    Button, Call, Constraints, Decision, DrillFacts, Plan, Policy, Resolution, SnapshotSummary,
    Standing,
    plan::ScoredUnit,
    resolve::{Analysis, Card},
    standing::{BadgeCounts, Revisit, RevisitEntry, TargetView},
};

use super::page::{Page, list, mapped, maybe, pressed, scored};

impl Page {
    /// The plan; its standing has a section of its own.
    pub fn plan(&mut self, plan: &Plan) {
        let Plan {
            primary_target_unit_id,
            target_unit_id,
            target_confidence,
            prereq_blocking_unit_id,
            focus_unit_id,
            focus_tier,
            focus_drills,
            needs_review,
            stuck,
            exam_ready,
            desired_exam_tier,
            candidates,
            scoped_unit_ids,
            mapped_units,
            target_locked,
            clamped,
            event,
            revisit_question_ids,
            focus_revisit_question_ids,
            standing: _,
            units_in_progress,
            next_unit_id,
            next_leads_to_target,
            choice_unit_ids,
            prereq_check_open,
            focus_missing_unit_ids,
        } = plan;
        let DrillFacts {
            attempts,
            streak_correct,
            streak_wrong,
        } = focus_drills;
        self.section("plan");
        self.line("target", primary_target_unit_id);
        self.line("confidence in it", maybe(target_confidence.as_ref()));
        let asked_for = Some(target_unit_id).filter(|unit| *unit != primary_target_unit_id);
        self.some("asked for", asked_for);
        self.line("blocked by", maybe(prereq_blocking_unit_id.as_ref()));
        self.line("focus", focus_unit_id);
        self.line("badge on the focus", focus_tier.as_str());
        self.line(
            "drills on the focus",
            format!("{attempts}, {streak_correct} right in a row, {streak_wrong} wrong in a row"),
        );
        self.line("missing on the focus", list(focus_missing_unit_ids));
        self.line("needs review", needs_review);
        self.line("stuck", stuck);
        self.line("exam ready", exam_ready);
        self.line("desired tier", desired_exam_tier.as_str());
        self.line("check of the blocking unit open", prereq_check_open);
        self.line("thread is about a unit for certain", target_locked);
        self.line("only a question is allowed", clamped);
        self.line("button", maybe(event.as_ref().map(pressed)));
        self.line("mapped", mapped(mapped_units));
        self.line("scope", list(scoped_unit_ids));
        self.line("in progress", list(units_in_progress));
        self.line("next unit", maybe(next_unit_id.as_ref()));
        let leads = next_leads_to_target.then_some("what was asked for");
        self.some("it leads to", leads);
        let choices = (!choice_unit_ids.is_empty()).then(|| list(choice_unit_ids));
        self.some("to choose from", choices);
        self.line("revisit queue", list(revisit_question_ids));
        self.line("of it for this exam", list(focus_revisit_question_ids));
        self.section(
            "candidates, 0.35 intent + 0.15 recency + 0.15 in progress + 0.20 need + 0.15 drills",
        );
        for ScoredUnit { unit_id, parts } in candidates {
            self.item(scored(unit_id, parts));
        }
    }

    pub fn decision(&mut self, decision: &Decision) {
        let Decision {
            policy,
            standing,
            summary,
            buttons,
            announcement,
        } = decision;
        if let Some(announcement) = announcement {
            self.line("announcement", format!("{announcement:?}"));
        }
        self.policy(policy);
        self.section("buttons");
        for button in buttons {
            self.item(button_text(button));
        }
        self.standing("standing, for people", standing);
        self.summary(summary);
    }

    fn policy(&mut self, policy: &Policy) {
        let Policy {
            turn_id: _,
            focus_unit_id,
            primary_target_unit_id,
            prereq_blocking_unit_id,
            scoped_unit_ids,
            allowed_actions,
            stuck,
            exam_ready,
            desired_exam_tier,
            exam_availability,
            exam_candidate_ids,
            exam_next_eligible_at,
            constraints,
            choice_unit_ids,
        } = policy;
        let Constraints {
            max_concept_words,
            max_worked_examples,
            drill_max_steps,
            max_key_ideas,
        } = constraints;
        self.section("policy");
        self.line("allowed", list(allowed_actions.iter().map(|a| a.as_str())));
        self.line("focus", focus_unit_id);
        self.line("target", primary_target_unit_id);
        self.line("blocked by", maybe(prereq_blocking_unit_id.as_ref()));
        self.line("scope", list(scoped_unit_ids));
        self.line("stuck", stuck);
        self.line("exam ready", exam_ready);
        self.line("desired tier", desired_exam_tier.as_str());
        self.line(
            "exam availability",
            format!("{exam_availability:?}").to_lowercase(),
        );
        self.line("exam candidates", list(exam_candidate_ids));
        self.line("exam opens", maybe(*exam_next_eligible_at));
        let choices = (!choice_unit_ids.is_empty()).then(|| list(choice_unit_ids));
        self.some("to choose from", choices);
        self.line(
            "bounds",
            format!(
                "{max_concept_words} words, {max_key_ideas} key ideas, {max_worked_examples} worked example, {drill_max_steps} drill steps"
            ),
        );
    }

    pub fn standing(&mut self, title: &str, standing: &Standing) {
        let Standing {
            focus,
            focus_tier,
            needs_review,
            target,
            prereq_nudge,
            revisit,
            progress,
            placement_waits,
            placed: placed_units,
        } = standing;
        let Revisit {
            locked_count,
            next_eligible_at,
            next_question_id,
            entries,
        } = revisit;
        let BadgeCounts {
            bronze,
            silver,
            gold,
            total,
            placed,
        } = progress;
        self.section(title);
        self.line(
            "focus",
            format!(
                "{} ({}), {}",
                focus.unit_id,
                focus.title,
                focus_tier.as_str()
            ),
        );
        self.some("to review", needs_review.then_some("yes"));
        let way = target.as_ref().map(|target| {
            let TargetView {
                unit,
                path,
                steps_to_go,
            } = target;
            let path = path.iter().map(|unit| unit.unit_id.as_str());
            format!(
                "{} ({}), {steps_to_go} steps to go, by {}",
                unit.unit_id,
                unit.title,
                list(path)
            )
        });
        self.some("asked for", way);
        let nudge = prereq_nudge.as_ref();
        let nudge = nudge.map(|unit| format!("{} ({})", unit.unit_id, unit.title));
        self.line("first do", maybe(nudge));
        self.line(
            "revisit",
            format!(
                "{locked_count} locked, next {}, opens {}",
                maybe(next_question_id.as_ref()),
                maybe(*next_eligible_at)
            ),
        );
        let shown = entries.iter().map(|entry| {
            let RevisitEntry {
                question_id,
                unit,
                tier,
                status,
            } = entry;
            let state = match status.map(|status| status.state) {
                Some(state) => format!("{state:?}").to_lowercase(),
                None => "not told".to_owned(),
            };
            format!(
                "{question_id} ({}, {}, {state})",
                unit.unit_id,
                tier.as_str()
            )
        });
        let shown: Vec<String> = shown.collect();
        self.some(
            "to come back to",
            (!shown.is_empty()).then(|| shown.join(", ")),
        );
        self.line(
            "badges",
            format!("{bronze} bronze, {silver} silver, {gold} gold of {total}"),
        );
        let units = list(placed_units.iter().map(|unit| &unit.unit_id));
        self.some(
            "placed",
            (*placed > 0).then(|| format!("{placed}, {units}")),
        );
        self.some("a placement", placement_waits.then_some("waits"));
    }

    fn summary(&mut self, summary: &SnapshotSummary) {
        let SnapshotSummary {
            focus_unit_id,
            focus_tier,
            units_in_progress,
            revisit_locked_count,
            revisit_next_eligible_at,
        } = summary;
        self.section("summary, for the model");
        self.line("focus", format!("{focus_unit_id}, {}", focus_tier.as_str()));
        self.line("in progress", list(units_in_progress));
        self.line(
            "revisit",
            format!(
                "{revisit_locked_count} locked, opens {}",
                maybe(*revisit_next_eligible_at)
            ),
        );
    }

    /// One line: accepted, or why not.
    pub fn verdict(&mut self, name: &str, resolution: &Resolution) {
        let verdict = match resolution.fallback_reason {
            None => "accepted".to_owned(),
            Some(reason) => format!(
                "{} ({})",
                reason.as_str(),
                resolution.violation.as_deref().unwrap_or("-")
            ),
        };
        self.line(name, verdict);
    }

    pub fn resolution(&mut self, resolution: &Resolution) {
        let Resolution {
            action,
            target_unit_id,
            text,
            card,
            drill_id,
            card_buttons,
            fallback_reason,
            violation,
            analysis,
            observations,
        } = resolution;
        self.line(
            "reply",
            format!("{} about {target_unit_id}", action.as_str()),
        );
        self.line("text", text);
        self.line("card", maybe(card.as_ref().map(card_text)));
        self.line("ready-made", maybe(drill_id.as_ref()));
        self.line("on the card", list(card_buttons.iter().map(button_text)));
        self.line(
            "fallback",
            maybe(fallback_reason.map(|reason| reason.as_str())),
        );
        self.line("violation", maybe(violation.as_ref()));
        self.line("analysis", maybe(analysis.as_ref().map(analysis_text)));
        self.line("observed", list(observations.iter().map(|o| o.as_str())));
    }
}

pub fn button_text(button: &Button) -> String {
    let Button {
        label,
        call,
        primary,
    } = button;
    let call = match call {
        Call::Turn(event) if event.question_id.is_empty() => pressed(event),
        Call::Turn(event) => format!("{} from {}", pressed(event), event.question_id),
        other => format!("{other:?}"),
    };
    let primary = if *primary { ", primary" } else { "" };
    format!("{}: {call}{primary}", label.as_str())
}

fn card_text(card: &Card) -> String {
    match card {
        Card::Concept(card) => {
            let example = card.worked_example.as_ref().map(|example| {
                format!(
                    "{} → {}, by {}",
                    example.problem_latex,
                    example.final_answer_latex,
                    list(&example.steps_latex)
                )
            });
            format!(
                "concept: {}; example: {}",
                list(&card.key_ideas),
                maybe(example)
            )
        }
        Card::Drill(card) => format!("drill: {} {}", card.prompt, card.question_latex)
            .trim_end()
            .to_owned(),
        Card::Exam(question) => format!(
            "exam: {}, {}: {} {}",
            question.id,
            question.tier.as_str(),
            question.prompt,
            question.question_latex
        ),
    }
}

fn analysis_text(analysis: &Analysis) -> String {
    let Analysis {
        mapped_units,
        student_intent,
        understanding_signal,
        suggested_prereq_units,
    } = analysis;
    format!(
        "mapped {}; {student_intent:?}, {understanding_signal:?}; suggests {}",
        mapped(mapped_units),
        list(suggested_prereq_units)
    )
}
