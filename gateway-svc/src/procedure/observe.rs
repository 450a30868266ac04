//! Observations: checked, and merged into what is known of a run. Pure.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use turnwise_kit::{Fault, time};
use turnwise_proto::{
    procedure::v1::{Delta, DeltaSource, Observation, ObservedVariable, Variable, variable::Value},
    session::v1::HelpRun,
};

/// The most changes that are kept.
const MOST_DELTAS: usize = 5;
/// The most characters of a name or a word.
const MOST_CHARS: usize = 200;
/// How far a client's time may be from the server's.
const PAST: SignedDuration = SignedDuration::from_hours(1);
const FUTURE: SignedDuration = SignedDuration::from_mins(1);

/// A run with what was observed since it was stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed {
    pub(crate) run: HelpRun,
    /// How many observations came here, or steps that are to be stored without one.
    news: u64,
    /// How many of them are stored.
    stored: u64,
    /// Raw names of the variables that were told since, with the number and the time of the last observation of each.
    told: BTreeMap<String, (u64, Timestamp)>,
    /// Changes since, at most [`MOST_DELTAS`], with the number of the observation.
    deltas: Vec<(u64, Delta)>,
}

/// Refuses an observation that cannot be one.
pub(crate) fn check(
    observation: &Observation,
    most_variables: usize,
    now: Timestamp,
) -> Result<(), Fault> {
    if observation.sequence < 1 {
        return Err(Fault::invalid("observation.sequence", "must be 1 or more"));
    }
    let at = client_time(observation)?;
    if at.duration_since(now) > FUTURE {
        let problem = format!("is in the future: the server's clock shows {now}; set the clocks");
        return Err(Fault::invalid("observation.client_time", problem));
    }
    if now.duration_since(at) > PAST {
        let problem = format!(
            "is more than an hour ago: the server's clock shows {now}; send what is known now"
        );
        return Err(Fault::invalid("observation.client_time", problem));
    }
    let variables = &observation.variables;
    if variables.len() > most_variables {
        let problem = format!(
            "has {} items; at most {most_variables} are taken: send those that telemetry.yaml lists",
            variables.len()
        );
        return Err(Fault::invalid("observation.variables", problem));
    }
    let is_long = |text: &str| text.chars().count() > MOST_CHARS;
    for variable in variables {
        let word = match &variable.value {
            Some(Value::Word(word)) => word,
            _ => "",
        };
        if variable.name.is_empty() || is_long(&variable.name) || is_long(word) {
            let problem = "must have a name, and names and words at most 200 characters";
            return Err(Fault::invalid("observation.variables", problem));
        }
    }
    Ok(())
}

fn client_time(observation: &Observation) -> Result<Timestamp, Fault> {
    let at = observation.client_time.as_ref().and_then(time::from_proto);
    at.ok_or_else(|| Fault::invalid("observation.client_time", "must be a time"))
}

impl Observed {
    /// A run as it is stored.
    pub(crate) fn stored(run: HelpRun) -> Self {
        Self {
            run,
            ..Self::default()
        }
    }

    /// Whether anything came since it was stored.
    pub(crate) fn is_new(&self) -> bool {
        self.news > self.stored
    }

    /// Has it stored, though nothing was observed.
    pub(crate) fn renew(&mut self) {
        self.news += 1;
    }

    /// What has come here so far, as a number that [`settle`](Self::settle) takes once that is stored.
    pub(crate) fn news(&self) -> u64 {
        self.news
    }

    /// Whether a value has changed since it was stored.
    pub(crate) fn has_changed(&self) -> bool {
        !self.deltas.is_empty()
    }

    /// Takes an observation that was checked; answers how many of its values are not listed. `is_listed` says which are.
    pub(crate) fn take(
        &mut self,
        observation: Observation,
        is_listed: impl Fn(&str) -> bool,
        now: Timestamp,
    ) -> i32 {
        if observation.sequence <= self.run.stored_sequence {
            return 0;
        }
        let before = self.run.observed_time.as_ref().and_then(time::from_proto);
        let at = observation.client_time.as_ref().and_then(time::from_proto);
        // A clock that was set back would stop all that settles: time goes on from the last by the server's.
        let at = at.filter(|at| before.is_none_or(|before| *at >= before));
        let at = at.unwrap_or_else(|| client_now(&self.run, now));
        self.run.stored_sequence = observation.sequence;
        self.run.observed_time = Some(time::to_proto(at));
        self.run.receive_time = Some(time::to_proto(now));
        self.news += 1;
        let mut unlisted = 0;
        for variable in observation.variables {
            match is_listed(&variable.name) {
                true => self.set(variable, at),
                false => unlisted += 1,
            }
        }
        unlisted
    }

    fn set(&mut self, variable: Variable, at: Timestamp) {
        let variable = Variable {
            value: variable.value.filter(is_usable),
            ..variable
        };
        let (name, value) = (variable.name.clone(), variable.value.clone());
        match self.told.get_mut(&name) {
            Some(last) => *last = (self.news, at),
            None => {
                self.told.insert(name.clone(), (self.news, at));
            }
        }
        let variables = &mut self.run.variables;
        let new = ObservedVariable {
            variable: Some(variable),
            since: Some(time::to_proto(at)),
        };
        let old = match variables.binary_search_by(|known| name_of(known).cmp(&name)) {
            Ok(place) => {
                let old = value_of(&variables[place]).cloned();
                if old == value {
                    return;
                }
                variables[place] = new;
                old
            }
            Err(_) if value.is_none() => return,
            Err(place) => {
                variables.insert(place, new);
                None
            }
        };
        self.note(Delta {
            name,
            old_value: written(old.as_ref()),
            new_value: written(value.as_ref()),
            client_time: Some(time::to_proto(at)),
            source: DeltaSource::Telemetry.into(),
        });
    }

    /// Notes the step as it is inferred now, and the state of the inference; false if the step is as before.
    pub(crate) fn infer(&mut self, step_id: String, run_state: bytes::Bytes) -> bool {
        self.run.run_state = run_state;
        let before = std::mem::replace(&mut self.run.step_id, step_id);
        if before == self.run.step_id {
            return false;
        }
        self.note(Delta {
            name: "step".to_owned(),
            old_value: before,
            new_value: self.run.step_id.clone(),
            client_time: self.run.observed_time,
            source: DeltaSource::Gating.into(),
        });
        true
    }

    fn note(&mut self, delta: Delta) {
        self.deltas.push((self.news, delta.clone()));
        keep_last(&mut self.deltas);
        self.run.recent_deltas.push(delta);
        keep_last(&mut self.run.recent_deltas);
    }

    /// What had come when there were so many observations is stored, under this version.
    pub(crate) fn settle(&mut self, version: i64, news: u64) {
        // Somebody else may have stored more meanwhile, which this went on from.
        self.run.version = self.run.version.max(version);
        self.stored = self.stored.max(news);
        self.told.retain(|_, (number, _)| *number > news);
        self.deltas.retain(|(number, _)| *number > news);
    }

    /// The same observations over a run that somebody else stored meanwhile. Of a variable that both were told of, the later
    /// word counts, by the client's time.
    pub(crate) fn over(self, stored: HelpRun) -> Self {
        let mut run = stored;
        let mine = self.run;
        if mine.stored_sequence > run.stored_sequence {
            run.stored_sequence = mine.stored_sequence;
            run.receive_time = mine.receive_time;
        }
        let time_of =
            |time: &Option<prost_types::Timestamp>| time.as_ref().and_then(time::from_proto);
        if time_of(&mine.observed_time) > time_of(&run.observed_time) {
            run.observed_time = mine.observed_time;
        }
        for mut variable in mine.variables {
            let name = name_of(&variable);
            let Some((_, at)) = self.told.get(name) else {
                continue;
            };
            match run
                .variables
                .binary_search_by(|known| name_of(known).cmp(name))
            {
                Ok(place) => {
                    let known = &mut run.variables[place];
                    let since = time_of(&known.since);
                    if since.is_some_and(|since| since > *at)
                        || value_of(known) == value_of(&variable)
                    {
                        continue;
                    }
                    // It was otherwise in between.
                    if time_of(&variable.since) < since {
                        variable.since = Some(time::to_proto(*at));
                    }
                    *known = variable;
                }
                Err(place) => run.variables.insert(place, variable),
            }
        }
        for (_, delta) in &self.deltas {
            // A store that is under way may have written it.
            if !run.recent_deltas.contains(delta) {
                run.recent_deltas.push(delta.clone());
            }
        }
        keep_last(&mut run.recent_deltas);
        Self { run, ..self }
    }
}

/// Now by the client's clock, as far as it can be told: its last time and what has passed since that came.
pub(crate) fn client_now(run: &HelpRun, now: Timestamp) -> Timestamp {
    let of = |time: &Option<prost_types::Timestamp>| time.as_ref().and_then(time::from_proto);
    match (of(&run.observed_time), of(&run.receive_time)) {
        (Some(observed), Some(received)) => {
            let passed = now.duration_since(received).max(SignedDuration::ZERO);
            observed.checked_add(passed).unwrap_or(observed)
        }
        _ => now,
    }
}

fn keep_last<T>(deltas: &mut Vec<T>) {
    let excess = deltas.len().saturating_sub(MOST_DELTAS);
    deltas.drain(..excess);
}

fn is_usable(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite(),
        _ => true,
    }
}

fn name_of(known: &ObservedVariable) -> &str {
    known
        .variable
        .as_ref()
        .map_or("", |variable| &variable.name)
}

fn value_of(known: &ObservedVariable) -> Option<&Value> {
    known.variable.as_ref()?.value.as_ref()
}

fn written(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Truth(truth)) => truth.to_string(),
        Some(Value::Integer(number)) => number.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Word(word)) => word.clone(),
    }
}
