//! The rules of the policy once more, written from their text and not from the product: slow and obvious, on plain
//! strings and lists, every look-up a search from the start. [`crate::against_reference`] compares the two.

pub mod buttons;
pub mod class_standing;
pub mod decide;
pub mod drill;
pub mod evidence;
pub mod fallback;
pub mod mapping;
pub mod next_unit;
pub mod plan;
pub mod prerequisites;
pub mod record;
pub mod scope;
pub mod score;
pub mod standing;
pub mod target;

/// Adds an id to a list that holds every id once.
fn add_once(list: &mut Vec<String>, id: &str) {
    if !list.iter().any(|known| known == id) {
        list.push(id.to_owned());
    }
}

/// The nearest value from 0 to 1; 0 for what is no finite number.
fn clamp01(value: f64) -> f64 {
    if value.is_finite() {
        value.clamp(0.0, 1.0)
    } else {
        0.0
    }
}
