//! No student's data reaches anybody else: random students whose names begin alike, random work of theirs with a word
//! of its own in every place for text, and then every call of every reader.

mod plant;
mod read;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use proptest::prelude::*;
use turnwise_kit::Caller;

use crate::grpc::service_with;

/// Whose data it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    pub tenant: &'static str,
    pub student: &'static str,
    pub class: &'static str,
}

impl Who {
    pub fn caller(&self) -> Caller {
        Caller {
            tenant: self.tenant.to_owned(),
            subject: self.student.to_owned(),
            role: "student".to_owned(),
            groups: vec![self.class.to_owned()],
        }
    }

    pub fn staff(&self) -> Caller {
        Caller {
            subject: "principal".to_owned(),
            role: "staff".to_owned(),
            ..self.caller()
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.tenant, self.student, self.class)
    }
}

/// A word that stands for one student; no other one's begins with it.
pub fn canary(who: &Who) -> String {
    format!("<canary {who}>")
}

/// What a student does.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    MakeThread { helper: bool },
    Turn { thread: usize },
    Grade,
    AppendEvent { thread: usize },
    AskForContext { thread: usize },
    Defer { thread: usize },
}

/// The names of things that are in use: readers try them all.
#[derive(Debug, Default)]
pub struct Names {
    pub threads: BTreeSet<String>,
    pub turns: BTreeSet<String>,
    /// With their threads.
    pub requests: BTreeMap<String, String>,
    /// With the thread that a key was used for; none for a thread that was made.
    pub keys: BTreeSet<(String, Option<String>)>,
    pub nonces: BTreeSet<String>,
}

fn who() -> impl Strategy<Value = Who> {
    let tenants = prop::sample::select(vec!["north", "nort", "north.a"]);
    let students = prop::sample::select(vec!["ada", "ad", "ada.a", "bob"]);
    // Every student is in one class of a tenant.
    (tenants, students).prop_map(|(tenant, student)| Who {
        tenant,
        student,
        class: match student {
            "ada" | "ad" => "7b",
            "ada.a" => "7",
            _ => "7b.x",
        },
    })
}

fn act() -> impl Strategy<Value = Act> {
    let thread = 0..3_usize;
    prop_oneof![
        2 => any::<bool>().prop_map(|helper| Act::MakeThread { helper }),
        4 => thread.clone().prop_map(|thread| Act::Turn { thread }),
        2 => Just(Act::Grade),
        1 => thread.clone().prop_map(|thread| Act::AppendEvent { thread }),
        2 => thread.clone().prop_map(|thread| Act::AskForContext { thread }),
        1 => thread.prop_map(|thread| Act::Defer { thread }),
    ]
}

proptest! {
    // A case makes some thousand calls, so it runs a tenth of what the profile asks for.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.div_ceil(10)))]
    #[test]
    fn nothing_of_one_student_reaches_another(
        people in prop::collection::btree_set(who(), 2..5),
        acts in prop::collection::vec((any::<prop::sample::Index>(), act()), 1..20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(&people.into_iter().collect::<Vec<_>>(), &acts));
    }
}

async fn run(people: &[Who], acts: &[(prop::sample::Index, Act)]) {
    let service = service_with("off").await;
    let mut world = plant::World::default();
    for who in people {
        world
            .act(&service, who, Act::MakeThread { helper: false })
            .await;
        world.act(&service, who, Act::Turn { thread: 0 }).await;
        world.act(&service, who, Act::Grade).await;
    }
    for (index, act) in acts {
        world.act(&service, index.get(people), *act).await;
    }
    let reach = read::Reach {
        service: &service,
        names: &world.names,
    };
    for reader in people {
        // What a reader sees of themselves, and what they see when they try to look at others.
        let own = reach.as_student(reader, reader.student).await;
        assert!(
            own.contains(&canary(reader)),
            "{reader} does not see what is theirs"
        );
        let mut seen = own;
        for other in people {
            if other.student != reader.student {
                seen += &reach.as_student(reader, other.student).await;
            }
        }
        expect_only(&seen, people, &format!("student {reader}"), |other| {
            other == reader
        });

        // Staff see their tenant, and one student where they ask for one.
        let one = reach.as_staff(reader).await;
        assert!(one.contains(&canary(reader)));
        expect_only(&one, people, &format!("staff about {reader}"), |other| {
            other == reader
        });
        let class = reach.as_teacher(reader).await;
        expect_only(&class, people, &format!("teacher of {reader}"), |other| {
            (other.tenant, other.class) == (reader.tenant, reader.class)
        });
        let elsewhere = reach.as_stranger(reader).await;
        expect_only(&elsewhere, people, &format!("stranger to {reader}"), |_| {
            false
        });
    }
}

/// Nobody's word was seen but that of those who may be seen.
fn expect_only(seen: &str, people: &[Who], reader: &str, may: impl Fn(&Who) -> bool) {
    for other in people.iter().filter(|other| !may(other)) {
        let canary = canary(other);
        if let Some(place) = seen.find(&canary) {
            let around = &seen[place.saturating_sub(300)..place + canary.len()];
            panic!("{reader} sees {canary}: {around}");
        }
    }
}
