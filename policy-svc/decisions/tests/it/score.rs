//! The parts of the score, and that their weights sum to one.

use turnwise_decisions::{
    Tier,
    score::{
        ScoreParts, clamp01, drill_evidence_value, intent_value, recency_value, tier_need_value,
    },
};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn all_ones_score_one() {
    let ones = ScoreParts {
        intent: 1.0,
        recency: 1.0,
        in_progress: 1.0,
        tier_need: 1.0,
        drill_evidence: 1.0,
    };
    close(ones.total(), 1.0);
    close(intent_value(1.0, true), 1.0);
    close(ScoreParts::default().total(), 0.0);
}

#[test]
fn each_part_has_its_weight() {
    let zero = ScoreParts::default();
    for (parts, weight) in [
        (
            ScoreParts {
                intent: 1.0,
                ..zero
            },
            0.35,
        ),
        (
            ScoreParts {
                recency: 1.0,
                ..zero
            },
            0.15,
        ),
        (
            ScoreParts {
                in_progress: 1.0,
                ..zero
            },
            0.15,
        ),
        (
            ScoreParts {
                tier_need: 1.0,
                ..zero
            },
            0.20,
        ),
        (
            ScoreParts {
                drill_evidence: 1.0,
                ..zero
            },
            0.15,
        ),
    ] {
        close(parts.total(), weight);
    }
    close(intent_value(1.0, false), 0.7);
    close(intent_value(0.0, true), 0.3);
}

#[test]
fn recency_falls_linearly_to_nothing() {
    for (hours, value) in [
        (0.0, 1.0),
        (36.0, 0.5),
        (72.0, 0.0),
        (500.0, 0.0),
        (-5.0, 1.0),
        (f64::NAN, 0.0),
        (f64::INFINITY, 0.0),
        (f64::NEG_INFINITY, 0.0),
    ] {
        close(recency_value(hours, 72.0), value);
    }
    close(recency_value(1.0, 0.0), 0.0);
}

#[test]
fn tiers_and_streaks_have_their_values() {
    for (tier, value) in [
        (Tier::None, 1.0),
        (Tier::Bronze, 0.7),
        (Tier::Silver, 0.4),
        (Tier::Gold, 0.1),
    ] {
        close(tier_need_value(tier), value);
    }
    for (streak, value) in [(0, 0.0), (1, 0.5), (2, 1.0), (9, 1.0)] {
        close(drill_evidence_value(streak), value);
    }
    for (value, clamped) in [(-1.0, 0.0), (0.4, 0.4), (7.0, 1.0), (f64::NAN, 0.0)] {
        close(clamp01(value), clamped);
    }
}
