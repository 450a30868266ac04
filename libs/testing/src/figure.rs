//! The lines in which benchmarks say what they measured, so that a script can read them.

/// A bound that a figure is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// At most.
    AtMost(f64),
    /// Less than.
    Below(f64),
    /// At least.
    AtLeast(f64),
    /// None; the figure is only told.
    Report,
}

/// Prints one figure: `figure NAME VALUE BOUND`, and `missed` behind it if it is.
pub fn figure(name: &str, value: f64, bound: Bound) {
    println!("{}", line(name, value, bound));
}

/// The line of a figure.
pub fn line(name: &str, value: f64, bound: Bound) -> String {
    let (text, kept) = match bound {
        Bound::AtMost(most) => (format!("<={most}"), value <= most),
        Bound::Below(limit) => (format!("<{limit}"), value < limit),
        Bound::AtLeast(least) => (format!(">={least}"), value >= least),
        Bound::Report => ("report".to_owned(), true),
    };
    let missed = if kept { "" } else { " missed" };
    format!("figure {name} {value:.3} {text}{missed}")
}
