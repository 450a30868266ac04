//! A model that knows weather from food.

use std::sync::LazyLock;

use turnwise_text_classifier::{
    Class, Classifier, Lexicon,
    train::{Example, Options, train},
};

pub const WEATHER: [&str; 8] = [
    "the rain falls on the hills",
    "a storm is coming tonight",
    "it was snowing all day",
    "the wind is cold and strong",
    "lightning hit the tower",
    "heavy rain and hail tonight",
    "es schneit im Gebirge",
    "heute kommt ein größerer Sturm",
];

const FOOD: [&str; 9] = [
    "the soup is on the table",
    "a cake is baking tonight",
    "it was eaten all day",
    "the bread is fresh and soft",
    "grandma cut the apple",
    "heavy cream and sugar tonight",
    "es gibt Kuchen im Garten",
    "heute kommt ein grosses Eis",
    "x + 3 = 12",
];

pub fn options() -> Options {
    Options {
        name: "toy".to_owned(),
        classes: vec![
            Class::alarming("weather", 0.5, 0.8),
            Class::harmless("food"),
        ],
        lexicon: Lexicon::parse("STORM\tstorm sturm thunder* gewitter\nRAIN\train regen\n")
            .unwrap(),
        bits: 14,
        epochs: 30,
        rate: 0.5,
        l1: 0.01,
        l2: 0.1,
        dropout: 0.1,
        seed: 7,
    }
}

pub fn examples() -> Vec<Example> {
    let of = |class| {
        move |text: &&str| Example {
            class,
            text: (*text).to_owned(),
            weight: 1.0,
        }
    };
    let weather = WEATHER.iter().map(of(0));
    weather.chain(FOOD.iter().map(of(1))).collect()
}

pub static TOY: LazyLock<Classifier> = LazyLock::new(|| train(&examples(), &options(), 42));
