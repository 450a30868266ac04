//! Makes a model of labelled sentences: logistic regression over all classes at once, by FTRL-Proximal (McMahan et al., "Ad
//! Click Prediction: a View from the Trenches", 2013), which leaves most weights at zero.
//!
//! A text of several pieces is learnt by the window that alarms most, as it is judged later. The same examples and options
//! make the same bytes on every machine.

use crate::{
    classifier::{Alarm, Class, Classifier, MAX_CLASSES, Row, bin},
    exp::softmax,
    features::{FEW, Feature, Sink, features},
    fold, hash,
    lexicon::Lexicon,
};

/// A labelled sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The index of its class.
    pub class: usize,
    /// The sentence.
    pub text: String,
    /// How much it counts; 1 for one among many.
    pub weight: f32,
}

/// How a model is made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The model's name; the hash of the data makes it a version.
    pub name: String,
    /// What a text can be, at most eight classes.
    pub classes: Vec<Class>,
    /// Words that mean alike.
    pub lexicon: Lexicon,
    /// The power of two of bins, at most 20.
    pub bits: u8,
    /// How often all examples are seen.
    pub epochs: usize,
    /// The learning rate.
    pub rate: f32,
    /// What pulls weights to zero until they are.
    pub l1: f32,
    /// What keeps weights small.
    pub l2: f32,
    /// The share of features that is left out each time an example is seen, so that no feature is relied on alone.
    pub dropout: f32,
    /// Where chance begins.
    pub seed: u64,
}

impl Class {
    /// A class that is told from these scores on.
    #[must_use]
    pub fn alarming(name: &str, uncertain: f32, certain: f32) -> Self {
        Self {
            name: name.to_owned(),
            alarm: Some(Alarm { uncertain, certain }),
        }
    }

    /// A class that is not told.
    #[must_use]
    pub fn harmless(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            alarm: None,
        }
    }
}

/// A hash of files that a model is made of, in this order.
#[must_use]
pub fn data_hash<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    files.into_iter().fold(hash::SEED, |before, file| {
        hash::spread(hash::join(before, hash::word(file)))
    })
}

/// Makes a model. Its data's hash is recorded in it, as [`data_hash`] says it.
#[must_use]
pub fn train(examples: &[Example], options: &Options, data_hash: u64) -> Classifier {
    let texts: Vec<Text> = examples
        .iter()
        .map(|example| Text::of(&example.text, options))
        .collect();
    let mut learner = Learner::new(options);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut chance = Chance(options.seed);
    for epoch in 0..options.epochs {
        for last in (1..order.len()).rev() {
            order.swap(last, chance.below(last + 1));
        }
        for &index in &order {
            let (example, text) = (&examples[index], &texts[index]);
            // What alarms is not known before something is learnt.
            let window = if epoch == 0 {
                0..text.pieces.len()
            } else {
                learner.most_alarming(text)
            };
            learner.learn(text, window, example, &mut chance);
        }
    }
    learner.into_classifier(data_hash)
}

/// A generator of numbers that look like chance (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn happens(&mut self, probability: f32) -> bool {
        ((self.next() >> 40) as f32) < probability * (1u64 << 24) as f32
    }
}

/// A feature as it is learnt: its bin and value.
type Input = (u32, f32);

/// The features of a text.
#[derive(Default)]
struct Text {
    pieces: Vec<Piece>,
    open: Piece,
    bins: usize,
}

#[derive(Default)]
struct Piece {
    own: Vec<Input>,
    /// Those that begin in the piece before.
    crossing: Vec<Input>,
}

impl Text {
    fn of(text: &str, options: &Options) -> Self {
        let mut read = Self {
            bins: 1 << options.bits,
            ..Self::default()
        };
        features(&fold(text), &options.lexicon, &mut read);
        read
    }

    /// The features of a row of pieces.
    fn inputs(&self, window: std::ops::Range<usize>) -> impl Iterator<Item = Input> + '_ {
        let first = window.start;
        window.flat_map(move |at| {
            let piece = &self.pieces[at];
            let crossing = piece.crossing.iter().filter(move |_| at > first);
            piece.own.iter().chain(crossing).copied()
        })
    }
}

impl Sink for Text {
    fn feature(&mut self, feature: Feature<'_>) {
        let input = (bin(feature.hash, self.bins) as u32, feature.kind.value());
        if feature.crosses {
            self.open.crossing.push(input);
        } else {
            self.open.own.push(input);
        }
    }

    fn end_piece(&mut self) {
        self.pieces.push(std::mem::take(&mut self.open));
    }
}

type PerClass = [f32; MAX_CLASSES];

struct Learner<'a> {
    options: &'a Options,
    biases: PerClass,
    bias_squares: PerClass,
    /// FTRL's sums of gradients less what the weights already make of them.
    z: Vec<PerClass>,
    /// FTRL's sums of squares of gradients.
    n: Vec<PerClass>,
}

/// Keeps the first steps of a weight small.
const BETA: f32 = 1.0;

impl<'a> Learner<'a> {
    fn new(options: &'a Options) -> Self {
        let bins = 1 << options.bits;
        Self {
            options,
            biases: PerClass::default(),
            bias_squares: PerClass::default(),
            z: vec![PerClass::default(); bins],
            n: vec![PerClass::default(); bins],
        }
    }

    fn weight(&self, bin: usize, class: usize) -> f32 {
        let Options { l1, l2, rate, .. } = self.options;
        let (z, n) = (self.z[bin][class], self.n[bin][class]);
        if z.abs() <= *l1 {
            return 0.0;
        }
        let pulled = z - l1.copysign(z);
        -pulled / ((BETA + n.sqrt()) / rate + l2)
    }

    fn probabilities(&self, inputs: &[Input]) -> PerClass {
        let count = self.options.classes.len();
        let squares: f32 = inputs.iter().map(|(_, value)| value * value).sum();
        let norm = (squares + FEW).sqrt();
        let mut logits = PerClass::default();
        for &(bin, value) in inputs {
            for (class, logit) in logits[..count].iter_mut().enumerate() {
                *logit += self.weight(bin as usize, class) * value;
            }
        }
        for (logit, bias) in logits.iter_mut().zip(&self.biases) {
            *logit = *logit / norm + bias;
        }
        softmax(&mut logits[..count]);
        logits
    }

    fn most_alarming(&self, text: &Text) -> std::ops::Range<usize> {
        let count = text.pieces.len();
        let single = (0..count).map(|at| at..at + 1);
        let double = (1..count).map(|at| at - 1..at + 1);
        let mut best = (f32::MIN, 0..count.min(2));
        if count > 1 {
            for window in single.chain(double) {
                let inputs: Vec<Input> = text.inputs(window.clone()).collect();
                let probabilities = self.probabilities(&inputs);
                let classes = self.options.classes.iter().zip(&probabilities);
                let alarming = classes.filter(|(class, _)| class.alarm.is_some());
                let alarm: f32 = alarming.map(|(_, probability)| probability).sum();
                if alarm > best.0 {
                    best = (alarm, window);
                }
            }
        }
        best.1
    }

    fn learn(
        &mut self,
        text: &Text,
        window: std::ops::Range<usize>,
        example: &Example,
        chance: &mut Chance,
    ) {
        let inputs: Vec<Input> = text
            .inputs(window)
            .filter(|_| !chance.happens(self.options.dropout))
            .collect();
        let probabilities = self.probabilities(&inputs);
        let squares: f32 = inputs.iter().map(|(_, value)| value * value).sum();
        let norm = (squares + FEW).sqrt();
        let count = self.options.classes.len();
        for (class, probability) in probabilities[..count].iter().enumerate() {
            let expected = if class == example.class { 1.0 } else { 0.0 };
            let error = (probability - expected) * example.weight;
            self.bias_squares[class] += error * error;
            self.biases[class] -=
                self.options.rate * error / (BETA + self.bias_squares[class].sqrt());
            for &(bin, value) in &inputs {
                let bin = bin as usize;
                let gradient = error * value / norm;
                let before = self.n[bin][class];
                let after = before + gradient * gradient;
                let sigma = (after.sqrt() - before.sqrt()) / self.options.rate;
                self.z[bin][class] += gradient - sigma * self.weight(bin, class);
                self.n[bin][class] = after;
            }
        }
    }

    fn into_classifier(self, data_hash: u64) -> Classifier {
        let count = self.options.classes.len();
        let bins = self.z.len();
        let weights: Vec<PerClass> = (0..bins)
            .map(|bin| {
                let mut row = PerClass::default();
                for (class, weight) in row[..count].iter_mut().enumerate() {
                    *weight = self.weight(bin, class);
                }
                row
            })
            .collect();
        let most = weights
            .iter()
            .flatten()
            .fold(0.0, |most: f32, weight| most.max(weight.abs()));
        let scale = most.max(f32::MIN_POSITIVE) / f32::from(i8::MAX);
        let rows = weights
            .iter()
            .map(|row| row.map(|weight| (weight / scale).round() as i8));
        Classifier {
            name: self.options.name.clone(),
            data_hash,
            classes: self.options.classes.clone(),
            biases: self.biases[..count].to_vec(),
            scale,
            rows: rows.collect::<Vec<Row>>(),
            lexicon: self.options.lexicon.clone(),
        }
    }
}
