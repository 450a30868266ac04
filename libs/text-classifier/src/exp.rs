//! The exponential function from operations that every machine rounds alike: the same text has the same score everywhere,
//! and the same sentences make the same weights.

/// e to the power of `x`, to some six digits.
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0);
    let halvings = (x * std::f32::consts::LOG2_E).round();
    let rest = x - halvings * std::f32::consts::LN_2;
    let series =
        1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    let power = (halvings as i32 + 127).unsigned_abs() << 23;
    series * f32::from_bits(power)
}

/// Turns logits into probabilities.
pub(crate) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = exp(*logit - most);
        sum += *logit;
    }
    for logit in logits.iter_mut() {
        *logit /= sum;
    }
}
