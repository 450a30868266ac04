//! Simulated pupils: what each knows is known, and chance is made of a seed.

use turnwise_placement::Unit;

/// The same numbers everywhere for a seed (SplitMix64).
pub struct Dice(u64);

impl Dice {
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).unwrap();
        usize::try_from(self.roll() % count).unwrap()
    }

    /// Whether something happens that does so in some cases of a hundred.
    pub fn happens(&mut self, of_hundred: u64) -> bool {
        self.roll() % 100 < of_hundred
    }
}

/// How pupils answer, in cases of a hundred.
#[derive(Clone, Copy)]
pub struct Kind {
    /// How they are called in the table.
    pub name: &'static str,
    /// Wrong answers about a unit that the pupil knows.
    pub slips: u64,
    /// Right answers about one that the pupil does not.
    pub guesses: u64,
    /// Units that the pupil learnt and forgot, although what builds on them is still known.
    pub forgotten: u64,
}

/// As the rules assume.
pub const ASSUMED: Kind = Kind {
    name: "as assumed",
    slips: 10,
    guesses: 5,
    forgotten: 0,
};
/// Twice as careless, and with gaps that no graph explains.
pub const CARELESS: Kind = Kind {
    name: "careless",
    slips: 20,
    guesses: 10,
    forgotten: 5,
};

/// One pupil.
pub struct Pupil {
    kind: Kind,
    knows: Vec<String>,
}

impl Pupil {
    /// Somebody who learnt some of a course's units, each after what it needs, in an order of their own.
    pub fn of(units: &[Unit], kind: Kind, dice: &mut Dice) -> Self {
        let mut knows: Vec<String> = Vec::new();
        for _ in 0..dice.below(units.len() + 1) {
            let open: Vec<&Unit> = units
                .iter()
                .filter(|unit| !knows.contains(&unit.id))
                .filter(|unit| {
                    let is_there = |need: &&String| units.iter().any(|unit| unit.id == **need);
                    let mut needs = unit.prerequisites.iter().filter(is_there);
                    needs.all(|need| knows.contains(need))
                })
                .collect();
            knows.push(open[dice.below(open.len())].id.clone());
        }
        if kind.forgotten > 0 {
            knows.retain(|_| !dice.happens(kind.forgotten));
        }
        Self { kind, knows }
    }

    pub fn knows(&self, id: &str) -> bool {
        self.knows.iter().any(|known| known == id)
    }

    /// Whether the pupil's answer to a question about a unit is right.
    pub fn answers_rightly(&self, id: &str, dice: &mut Dice) -> bool {
        if self.knows(id) {
            !dice.happens(self.kind.slips)
        } else {
            dice.happens(self.kind.guesses)
        }
    }
}

/// A course of some units, each of which needs up to three of the eight before it.
pub fn random_course(count: usize, dice: &mut Dice) -> Vec<Unit> {
    (0..count)
        .map(|at| {
            let first = at.saturating_sub(8);
            let mut prerequisites: Vec<String> = Vec::new();
            // Most often one.
            for _ in 0..[0, 1, 1, 1, 2, 2, 3][dice.below(7)] {
                if at > 0 {
                    let need = format!("u{}", first + dice.below(at - first));
                    if !prerequisites.contains(&need) {
                        prerequisites.push(need);
                    }
                }
            }
            Unit {
                id: format!("u{at}"),
                prerequisites,
                questions: 4,
            }
        })
        .collect()
}
