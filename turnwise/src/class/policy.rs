//! `turnwise class policy`.

use std::io::Write;

use anyhow::Result;
use turnwise_proto::classes::v1::{
    ClassPolicy, DrillSource, ExamUse, ModelUse, ScopeMode, Strictness, TopicFilter,
};
use turnwise_proto::school::v1::{GetClassPolicyRequest, SetClassPolicyRequest};

use super::{WhoArgs, fresh_key};
use crate::{edge::lower, render::table::table, school::answered, wire::to_json};

/// Arguments of `turnwise class policy`.
#[derive(clap::Args, Debug, Clone)]
pub struct PolicyArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// How much of a solution an answer may give away: light, strict or default
    #[arg(long, value_parser = parse::<Strictness>)]
    pub strictness: Option<Strictness>,
    /// What happens to messages outside a lesson, in helper conversations: soft, strict or default
    #[arg(long, value_parser = parse::<ScopeMode>)]
    pub scope_mode: Option<ScopeMode>,
    /// What happens to messages outside the topics, in helper conversations: soft, strict or default
    #[arg(long, value_parser = parse::<TopicFilter>)]
    pub topic_filter: Option<TopicFilter>,
    /// Whether models answer: on, off or default
    #[arg(long, value_parser = parse::<ModelUse>)]
    pub model: Option<ModelUse>,
    /// Whether exam questions are offered: open, closed or default
    #[arg(long, value_parser = parse::<ExamUse>)]
    pub exams: Option<ExamUse>,
    /// Whose drills are set: course, model or default
    #[arg(long, value_parser = parse::<DrillSource>)]
    pub drills: Option<DrillSource>,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// A value of the policy with its names.
trait Word: Copy + 'static {
    /// The first is the default's.
    const ALL: &'static [Self];
    fn name(self) -> &'static str;
}

macro_rules! words {
    ($($kind:ty: $prefix:literal, $($value:ident),+;)+) => {
        $(impl Word for $kind {
            const ALL: &'static [Self] = &[$(Self::$value),+];
            fn name(self) -> &'static str {
                self.as_str_name().trim_start_matches($prefix)
            }
        })+
    };
}

words! {
    Strictness: "STRICTNESS_", Unspecified, Light, Strict;
    ScopeMode: "SCOPE_MODE_", Unspecified, Soft, Strict;
    TopicFilter: "TOPIC_FILTER_", Unspecified, Soft, Strict;
    ModelUse: "MODEL_USE_", Unspecified, On, Off;
    ExamUse: "EXAM_USE_", Unspecified, Open, Closed;
    DrillSource: "DRILL_SOURCE_", Unspecified, Course, Model;
}

fn word<W: Word>(value: W) -> String {
    match lower(value.name(), "") {
        name if name == "unspecified" => "default".to_owned(),
        name => name,
    }
}

fn parse<W: Word>(text: &str) -> Result<W, String> {
    let known = W::ALL.iter().find(|value| word(**value) == text).copied();
    known.ok_or_else(|| {
        let all: Vec<String> = W::ALL.iter().map(|value| word(*value)).collect();
        format!("must be one of {}", all.join(", "))
    })
}

impl PolicyArgs {
    /// Changes what is named; tells whether anything is.
    fn change(&self, policy: &mut ClassPolicy) -> bool {
        let before = *policy;
        policy.strictness = self.strictness.map_or(before.strictness, Into::into);
        policy.scope_mode = self.scope_mode.map_or(before.scope_mode, Into::into);
        policy.topic_filter = self.topic_filter.map_or(before.topic_filter, Into::into);
        policy.model_use = self.model.map_or(before.model_use, Into::into);
        policy.exam_use = self.exams.map_or(before.exam_use, Into::into);
        policy.drill_source = self.drills.map_or(before.drill_source, Into::into);
        self.strictness.is_some()
            || self.scope_mode.is_some()
            || self.topic_filter.is_some()
            || self.model.is_some()
            || self.exams.is_some()
            || self.drills.is_some()
    }
}

pub(super) async fn run(args: PolicyArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    let request = class.caller.ask(GetClassPolicyRequest {
        class_id: class.id.clone(),
    });
    let answer = answered(class.client.get_class_policy(request).await)?;
    let mut policy = answer.policy.unwrap_or_default();
    if args.change(&mut policy) {
        let request = class.caller.ask(SetClassPolicyRequest {
            class_id: class.id.clone(),
            policy: Some(policy),
            idempotency_key: fresh_key(),
        });
        let answer = answered(class.client.set_class_policy(request).await)?;
        policy = answer.policy.unwrap_or_default();
    }
    if args.json {
        writeln!(
            out,
            "{}",
            to_json("turnwise.classes.v1.ClassPolicy", &policy)?
        )?;
        return Ok(());
    }
    let rows = [
        ("strictness", word(policy.strictness())),
        ("scope mode", word(policy.scope_mode())),
        ("topic filter", word(policy.topic_filter())),
        ("model", word(policy.model_use())),
        ("exams", word(policy.exam_use())),
        ("drills", word(policy.drill_source())),
    ];
    let rows = rows
        .into_iter()
        .map(|(name, value)| vec![name.to_owned(), value]);
    write!(out, "{}", table(&[&class.id, ""], rows.collect()))?;
    Ok(())
}
