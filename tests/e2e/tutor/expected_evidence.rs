//! What a student's evidence should come to: the rules once more, as a course's author would write them down, and none of
//! the suite's own code.

use std::collections::BTreeMap;

use turnwise_proto::{
    session::v1::{ConfusionTag, DrillCounters, PassedByTier},
    tutor::v1::MasteryTier,
};
use turnwise_tests::staff::Recorded;

/// Everything that one student has shown.
#[derive(Debug, Default)]
pub struct Ledger {
    units: BTreeMap<String, Unit>,
    revisit: Vec<String>,
    touched: Vec<String>,
    events: i64,
}

#[derive(Debug, Default, Clone)]
struct Unit {
    tier: i32,
    drill: DrillCounters,
    passed: PassedByTier,
    tags: BTreeMap<String, i32>,
}

impl Ledger {
    /// A graded drill. An empty tag is none.
    pub fn drill(&mut self, unit_id: &str, right: bool, tag: &str) {
        self.events += 1;
        let unit = self.units.entry(unit_id.to_owned()).or_default();
        unit.drill.attempts += 1;
        if right {
            unit.drill.correct += 1;
            unit.drill.streak_correct += 1;
            unit.drill.streak_wrong = 0;
        } else {
            unit.drill.streak_wrong += 1;
            unit.drill.streak_correct = 0;
            if !tag.is_empty() {
                *unit.tags.entry(tag.to_owned()).or_default() += 1;
            }
        }
        unit.promote();
    }

    /// A recorded answer to an exam question.
    pub fn exam(&mut self, unit_id: &str, question_id: &str, tier: MasteryTier, passed: bool) {
        self.events += 1;
        self.touch(question_id);
        let unit = self.units.entry(unit_id.to_owned()).or_default();
        if passed {
            match tier {
                MasteryTier::Bronze => unit.passed.bronze += 1,
                MasteryTier::Silver => unit.passed.silver += 1,
                MasteryTier::Gold => unit.passed.gold += 1,
                other => panic!("a question of tier {other:?}"),
            }
            self.revisit.retain(|waiting| waiting != question_id);
        } else {
            self.come_back(question_id);
        }
        self.units.get_mut(unit_id).unwrap().promote();
    }

    /// A look at help for an exam question.
    pub fn help(&mut self, unit_id: &str, question_id: &str, locked: bool) {
        self.events += 1;
        self.units.entry(unit_id.to_owned()).or_default();
        if locked {
            self.touch(question_id);
            self.come_back(question_id);
        }
    }

    /// A unit's badge.
    pub fn tier(&self, unit_id: &str) -> MasteryTier {
        let tier = self.units.get(unit_id).map_or(0, |unit| unit.tier);
        MasteryTier::try_from(tier + 1).unwrap()
    }

    /// Whether the drills of a unit show that the student is stuck: some were graded, and none in a row is right.
    pub fn is_stuck(&self, unit_id: &str) -> bool {
        self.units
            .get(unit_id)
            .is_some_and(|unit| unit.drill.attempts >= 2 && unit.drill.streak_correct == 0)
    }

    /// Whether the last two drills of a unit were right.
    pub fn is_drilled(&self, unit_id: &str) -> bool {
        self.units
            .get(unit_id)
            .is_some_and(|unit| unit.drill.streak_correct >= 2)
    }

    /// Insists that this is what is stored, to the last count.
    pub fn check(&self, recorded: &Recorded) {
        assert_eq!(recorded.version, self.events, "one write for each event");
        let evidence = &recorded.evidence;
        let stored: Vec<_> = evidence.unit_progress.iter().map(|u| &u.unit_id).collect();
        assert_eq!(stored, self.units.keys().collect::<Vec<_>>());
        for (unit_id, unit) in &self.units {
            let stored = recorded.unit(unit_id);
            assert_eq!(stored.drill.unwrap_or_default(), unit.drill, "{unit_id}");
            assert_eq!(
                stored.passed_by_tier.unwrap_or_default(),
                unit.passed,
                "{unit_id}"
            );
            assert_eq!(stored.mastery_tier(), self.tier(unit_id), "{unit_id}");
            let tags: Vec<_> = unit
                .tags
                .iter()
                .map(|(tag, &count)| ConfusionTag {
                    tag: tag.clone(),
                    count,
                })
                .collect();
            assert_eq!(stored.confusion_tags, tags, "{unit_id}");
        }
        let waiting = evidence
            .revisit_queue
            .iter()
            .map(|entry| &entry.question_id);
        assert_eq!(
            waiting.collect::<Vec<_>>(),
            self.revisit.iter().collect::<Vec<_>>()
        );
        assert_eq!(evidence.exam_touched, self.touched);
        assert!(evidence.units_in_progress.len() <= 6);
        for unit_id in &evidence.units_in_progress {
            assert_ne!(self.tier(unit_id), MasteryTier::Gold);
        }
    }

    fn touch(&mut self, question_id: &str) {
        if !self.touched.iter().any(|touched| touched == question_id) {
            self.touched.push(question_id.to_owned());
        }
    }

    fn come_back(&mut self, question_id: &str) {
        if !self.revisit.iter().any(|waiting| waiting == question_id) {
            self.revisit.push(question_id.to_owned());
        }
    }
}

impl Unit {
    /// The badge that was earned, and never a lower one than before.
    fn promote(&mut self) {
        let bronze = self.tier >= 1 || (self.drill.streak_correct >= 2 && self.passed.bronze >= 1);
        let silver = bronze && self.passed.silver >= 1;
        let gold = silver && self.passed.gold >= 1;
        let earned = i32::from(bronze) + i32::from(silver) + i32::from(gold);
        self.tier = self.tier.max(earned);
    }
}
