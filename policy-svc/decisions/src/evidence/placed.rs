//! A unit that a placement showed to be known: it counts as met where it is a prerequisite, until it is undone.

/// What became of a placed unit since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Placed {
    /// Wrong drills on it since, up to [`Placed::MOST_WRONG_DRILLS`].
    pub wrong_drills: u32,
    /// It counts as met no more. What needs it and has evidence stays open.
    pub undone: bool,
}

impl Placed {
    /// So many wrong drills undo it.
    pub const MOST_WRONG_DRILLS: u32 = 2;

    /// Counts a wrong drill. One that is undone counts none.
    pub fn count_wrong_drill(&mut self) {
        if !self.undone {
            self.wrong_drills = self.wrong_drills.saturating_add(1);
            self.undone = self.wrong_drills >= Self::MOST_WRONG_DRILLS;
        }
    }
}
