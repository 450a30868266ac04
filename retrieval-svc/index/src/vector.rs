//! Vectors: whether one fits, and what two have in common.

/// By how much a vector's length may differ from 1.
const TOLERANCE: f64 = 1e-3;

/// How many sums run side by side.
const LANES: usize = 16;

/// The largest value of a [`QuantisedQuery`]: products with bytes then add up to less than 2^31 for up to 8,192 values.
const QUERY_RANGE: f32 = 2047.0;

/// What is wrong with a vector for a model of this dimension, if anything.
pub(crate) fn problem(vector: &[f32], dimension: usize) -> Option<String> {
    if vector.len() != dimension {
        return Some(format!(
            "its vector has {} values, the model's have {dimension}",
            vector.len()
        ));
    }
    if let Some(place) = vector.iter().position(|value| !value.is_finite()) {
        return Some(format!("value {place} of its vector is {}", vector[place]));
    }
    let square: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
    let length = square.sqrt();
    ((length - 1.0).abs() > TOLERANCE)
        .then(|| format!("its vector has length {length:.6}, but must have length 1"))
}

/// How many vectors are multiplied side by side.
pub(crate) const ABREAST: usize = 4;

/// How many values of a vector are taken before the next vector's turn; a multiple of [`LANES`].
const STRIDE: usize = 96;

/// The dot products of some vectors with another, all of one length. Value i is added to sum i mod 16; then the upper half
/// of the sums is added to the lower half until one is left. One order, and no fused multiply-add, so that every processor
/// gives the same bits. Vectors that stand apart in memory are read in turns, so that memory answers for all of them at once.
pub(crate) fn dots(rows: [&[f32]; ABREAST], query: &[f32]) -> [f32; ABREAST] {
    let mut sums = [[0.0_f32; LANES]; ABREAST];
    let mut start = 0;
    for query in query.chunks(STRIDE) {
        let end = start + query.len();
        for (row, sums) in rows.iter().zip(&mut sums) {
            add_products(sums, &row[start..end], query);
        }
        start = end;
    }
    sums.map(folded)
}

/// The dot product of two vectors of one length, the same as [`dots`] gives.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    add_products(&mut sums, one, other);
    folded(sums)
}

/// Adds the product of values i to sum i mod 16.
#[inline(always)]
fn add_products(sums: &mut [f32; LANES], one: &[f32], other: &[f32]) {
    let (one, one_rest) = one.as_chunks::<LANES>();
    let (other, other_rest) = other.as_chunks::<LANES>();
    let mut local = *sums;
    for (one, other) in one.iter().zip(other) {
        for lane in 0..LANES {
            local[lane] += one[lane] * other[lane];
        }
    }
    for ((sum, one), other) in local.iter_mut().zip(one_rest).zip(other_rest) {
        *sum += one * other;
    }
    *sums = local;
}

/// Adds the upper half of sums to the lower half until one is left.
fn folded(mut sums: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// Vectors in a quarter of the space: each value as a byte, times the vector's own scale.
#[derive(Debug)]
pub(crate) struct Quantised {
    dimension: usize,
    values: Box<[i8]>,
    scales: Box<[f32]>,
}

impl Quantised {
    /// Of a matrix, row after row.
    pub(crate) fn of(matrix: &[f32], dimension: usize) -> Self {
        let rows = || matrix.chunks_exact(dimension.max(1));
        let scales: Box<[f32]> = rows().map(|row| scale(row, 127.0)).collect();
        let values = rows()
            .zip(&scales)
            .flat_map(|(row, scale)| row.iter().map(|value| steps(*value, *scale) as i8))
            .collect();
        Self {
            dimension,
            values,
            scales,
        }
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.values.len() + size_of_val(&*self.scales)
    }

    /// The dot product of a row with a query: sums of whole numbers are exact, so this too has the same bits everywhere.
    pub(crate) fn dot(&self, row: usize, query: &QuantisedQuery) -> f64 {
        let start = row * self.dimension;
        let values = &self.values[start..start + self.dimension];
        let sum: i32 = values
            .iter()
            .zip(&query.values)
            .map(|(value, query)| i32::from(*value) * i32::from(*query))
            .sum();
        f64::from(sum) * f64::from(self.scales[row]) * f64::from(query.scale)
    }
}

/// A query's vector, in finer steps than rows have.
#[derive(Debug, Default)]
pub(crate) struct QuantisedQuery {
    values: Vec<i16>,
    scale: f32,
}

impl QuantisedQuery {
    /// Of a vector.
    pub(crate) fn of(vector: &[f32]) -> Self {
        let scale = scale(vector, QUERY_RANGE);
        Self {
            values: vector
                .iter()
                .map(|value| steps(*value, scale) as i16)
                .collect(),
            scale,
        }
    }
}

/// How large a step is if the largest value shall have so many.
fn scale(vector: &[f32], range: f32) -> f32 {
    let largest = vector
        .iter()
        .fold(0.0_f32, |most, value| most.max(value.abs()));
    largest / range
}

/// How many steps a value has; none if there is no step.
fn steps(value: f32, scale: f32) -> f32 {
    if scale > 0.0 {
        (value / scale).round()
    } else {
        0.0
    }
}
