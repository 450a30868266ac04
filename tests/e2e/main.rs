//! The suite from end to end: real binaries, real sockets, a real Redis. Each case runs in both deployments, unless it is
//! about one of them.
//!
//! | module | is about |
//! | --- | --- |
//! | [`conversation`], [`leases`] | threads and turns as a client sees them; one turn of a thread at a time |
//! | [`lessons`] | a class's lesson while something is killed, which scripts/try-image holds at the image, too |
//! | [`real_messages`] | what real students wrote |
//! | [`evidence`] | what a student has shown decides what is allowed |
//! | [`placement`] | what a student knows already |
//! | [`models`], [`busy_model`] | models that misbehave; a model that somebody else has |
//! | [`no_model`] | nobody wants a model |
//! | [`german`] | a course in German shows nothing English |
//! | [`named`] | what stays the same is sent once between services |
//! | [`model_chaos`] | a model server that fails in every way, and what stays of it in llm-gateway-svc: nothing |
//! | [`model_replicas`] | three replicas of llm-gateway-svc with one Redis, any of which is killed or restarted |
//! | [`bad_turns`], [`bad_requests`], [`bad_tokens`], [`limits`] | what is refused, and how |
//! | [`other_students`], [`privacy`] | what nobody may learn |
//! | [`thread_kinds`] | what belongs to a conversation of another kind is none of the tutor's |
//! | [`surface`] | what stands on the public port, the internal ports and the admin port |
//! | [`exactly_once`] | session-svc alone, killed at every point of a commit, and its Redis killed or switched over |
//! | [`failures`] | each row of the table of failures: killed, stalled and answering garbage in the middle of calls |
//! | [`port_questions`] | a platform's exam system words the questions |
//! | [`outages`], [`durability`], [`drain`] | services that die, and the end of a process |
//! | [`rolling_restart`] | all replicas are replaced, one after the other, while a school works |
//! | [`backup`], [`upgrade`] | copies that are brought back elsewhere; the release before, and both beside each other |
//! | [`class_of_thirty`] | what a teacher does with a class, and what is counted of it |
//! | [`school`] | who may do what with a class, what a teacher decides, who waits |
//! | [`reload`], [`bundles`] | courses that change meanwhile, as folders and as bundles |
//! | [`retrieval`] | what staff upload: on the public face, under load, and through kills at every stage of indexing |
//! | [`tutor`] | simulated students, who go through a whole course by public calls alone |
//! | [`attacks`] | what reached something once: connections, deadlines, encodings, pages, classes, replies |
//! | [`adversarial`] | whoever demands what they have no right to, and a model that obeys them all |
//! | [`webhooks`] | what a platform is told: receivers that misbehave, a gateway that is killed, the receiver of the docs |
//! | [`trace`] | one trace through all services |
//! | [`mutual_tls`] | certificates between the services |
//! | [`rotation`] | secrets and certificates that change under load; files and Redis servers that cannot be used |
//! | [`grouped`] | some of the services in one process: its internal listener, its end, what stops its start |
//! | [`command_line`], [`course_check`], [`settings`] | what people type |
//! | [`python`], [`procedure_clients`] | clients that are not ours |

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

/// A case, a function of the kind of deployment, as a test for each kind.
macro_rules! deployed {
    ($case:ident: $($name:ident = $kind:ident),+) => {
        mod $case {
            use turnwise_tests::options::Kind;

            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$case(Kind::$kind).await;
            })+
        }
    };
}

/// Each case as two tests: `case::one_process` and `case::five_processes`.
macro_rules! in_both_deployments {
    ($($case:ident),+ $(,)?) => {
        $(deployed!($case: one_process = OneProcess, five_processes = FiveProcesses);)+
    };
}

/// Each case in both deployments, and in two groupings of `turnwise serve` with Redis: three processes, and one.
macro_rules! in_every_deployment {
    ($($case:ident),+ $(,)?) => {
        $(deployed!($case: one_process = OneProcess, five_processes = FiveProcesses,
            three_processes = THREE, one_process_on_redis = ALL);)+
    };
}

mod adversarial;
mod attacks;
mod backup;
mod bad_requests;
mod bad_tokens;
mod bad_turns;
mod bundles;
mod busy_model;
mod clarification;
mod clarification_model;
mod class_of_thirty;
mod command_line;
mod context;
mod conversation;
mod course_check;
mod drain;
mod durability;
mod evidence;
mod exactly_once;
mod failures;
mod german;
mod grouped;
mod helper;
mod leases;
mod lessons;
mod limits;
mod model_chaos;
mod model_replicas;
mod models;
mod mutual_tls;
mod named;
mod no_model;
mod other_students;
mod outages;
mod placement;
mod port_questions;
mod privacy;
mod procedure_clients;
mod procedures;
mod python;
mod read_only;
mod real_courses;
mod real_messages;
mod reload;
mod retrieval;
mod rolling_restart;
mod rotation;
mod school;
mod sequences;
mod settings;
mod surface;
mod thread_kinds;
mod trace;
mod tutor;
mod upgrade;
mod webhooks;
