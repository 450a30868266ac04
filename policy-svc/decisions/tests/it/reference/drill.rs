//! How long a drill may be.

/// Longer than a drill: more than one "=" that is no value of a letter, too many operators, several parts. The rules leave the numbers open,
/// so texts in between are not tried.
pub fn is_long(prompt: &str, question: &str, steps: usize) -> bool {
    let equations = |text: &str| text.matches('=').count();
    let words: Vec<_> = prompt.split_whitespace().collect();
    let value = words.windows(3).any(|three| {
        three[0].len() == 1
            && three[1] == "="
            && three[2].trim_end_matches('.').parse::<i64>().is_ok()
    });
    let again = prompt.contains(question);
    // The exercise is the formula; without one the prompt says it all.
    let exercise = if question.trim().is_empty() {
        prompt
    } else {
        question
    };
    let operators = exercise.chars().filter(|c| "+-*/^".contains(*c)).count();
    let questions = prompt.chars().filter(|c| *c == '?').count();
    let has_parts = prompt.contains("a)") && prompt.contains("b)");
    equations(prompt) > 1
        || equations(question) > 1
        || equations(prompt) + equations(question) > 1 && !value && !again
        || operators > 4 * steps
        || questions > 1
        || has_parts
}
