//! Prefetching: what will be used is touched first, so that memory is waited for once and not line after line.

use std::hint::black_box;

/// How many bytes memory hands over at once.
const LINE: usize = 64;

/// Touches values that stand next to each other. Nothing is done with them, so that the processor need not wait for one
/// before it asks for the next.
pub(super) fn touch<T: Copy>(values: &[T]) {
    for value in values.iter().step_by(LINE / size_of::<T>().clamp(1, LINE)) {
        black_box(*value);
    }
}
