//! Commands that Redis does as one step, sent to the server in charge and again only where it was certainly not done.

use std::sync::Arc;

use redis::{Cmd, Pipeline, Value};
use tokio::time::Instant;

use crate::{
    failure::Failure,
    node::Node,
    script::Script,
    topology::{Topology, Way},
};

/// How often a step is sent at most, and as often again because a server does not know its script.
const TRIES: usize = 5;

/// Commands on one partition that Redis does as one step: one alone, more than one between `MULTI` and `EXEC`. Other
/// commands may follow it on the same connection, such as a wait for replicas.
pub struct Step<'a> {
    commands: Pipeline,
    /// How many commands the step has.
    length: usize,
    /// What the first of them calls.
    script: Option<&'a Script>,
}

/// What Redis said.
#[derive(Debug)]
pub struct Replies {
    /// To each command of the step. If there is one alone, or the first one calls a script, that is no error; another one
    /// may be an error of its own, as Redis does the rest of a step nevertheless.
    pub done: Vec<Value>,
    /// To each command that followed; errors too.
    pub after: Vec<Value>,
}

impl<'a> Step<'a> {
    /// A step of these commands, of which there must be one at least.
    pub fn new(commands: Vec<Cmd>) -> Self {
        Self::of(None, commands)
    }

    /// A step of these commands, of which the first one calls this script by its hash.
    pub fn calling(script: &'a Script, commands: Vec<Cmd>) -> Self {
        Self::of(Some(script), commands)
    }

    fn of(script: Option<&'a Script>, commands: Vec<Cmd>) -> Self {
        let length = commands.len();
        // Room for one that follows, too.
        let mut pipeline = Pipeline::with_capacity(length + 3);
        if length > 1 {
            pipeline.cmd("MULTI");
        }
        for command in commands {
            pipeline.add_command(command);
        }
        if length > 1 {
            pipeline.cmd("EXEC");
        }
        Self {
            commands: pipeline,
            length,
            script,
        }
    }

    /// Adds a command that follows the step.
    pub fn then(&mut self, command: Cmd) {
        self.commands.add_command(command);
    }

    /// Whether it stands between `MULTI` and `EXEC`.
    pub fn is_in_parts(&self) -> bool {
        self.length > 1
    }

    /// Sends it to the server in charge of the partition, and returns what it said, and which server it was.
    pub(crate) async fn deliver(
        &self,
        topology: &Topology,
        partition: &str,
        deadline: Instant,
    ) -> Result<(Arc<Node>, Replies), Failure> {
        let mut way = topology.way(partition, deadline).await?;
        let mut load = false;
        let (mut tries, mut loads) = (1, 1);
        loop {
            let failure = match self.send(&way, load, deadline).await {
                Ok(replies) => return Ok((way.node, replies)),
                Err(failure) => failure,
            };
            load = self.script.is_some() && failure.code() == "NOSCRIPT";
            // A server that comes after many detours may not know the script either.
            let count = if load {
                &mut loads
            } else {
                match topology.detour(partition, &way, &failure, deadline).await {
                    Some(detour) => way = detour,
                    None => return Err(failure),
                }
                &mut tries
            };
            if *count == TRIES {
                return Err(failure);
            }
            *count += 1;
        }
    }

    /// Sends it to this server, once, whoever is in charge.
    ///
    /// # Errors
    ///
    /// If it was not done, or perhaps not.
    pub async fn send_to(&self, node: &Arc<Node>, deadline: Instant) -> Result<Replies, Failure> {
        self.send(&Way::to(Arc::clone(node)), false, deadline).await
    }

    async fn send(&self, way: &Way, load: bool, deadline: Instant) -> Result<Replies, Failure> {
        let load = self.script.filter(|_| load).map(Script::load);
        let asking = way.asking.then(|| redis::cmd("ASKING"));
        let values = if load.is_some() || asking.is_some() {
            let mut commands = Pipeline::with_capacity(self.commands.len() + 2);
            for command in load.into_iter().chain(asking) {
                commands.add_command(command);
            }
            for command in self.commands.cmd_iter() {
                commands.add_command(command.clone());
            }
            way.node.send(&commands, deadline).await?
        } else {
            way.node.send(&self.commands, deadline).await?
        };
        self.replies(values)
    }

    /// Sorts what Redis said to the commands; to what came before them it may have said anything.
    fn replies(&self, mut values: Vec<Value>) -> Result<Replies, Failure> {
        let before = values.len().checked_sub(self.commands.len());
        let mut values = values.drain(before.ok_or(Failure::Unreadable)?..);
        let mut next = || accepted(values.next().ok_or(Failure::Unreadable)?);
        let mut done = if self.length > 1 {
            for _ in 0..=self.length {
                next()?;
            }
            match next()? {
                Value::Array(done) => done,
                _ => return Err(Failure::Unreadable),
            }
        } else {
            vec![next()?]
        };
        if self.script.is_some() {
            let first = done.first_mut().ok_or(Failure::Unreadable)?;
            *first = accepted(std::mem::replace(first, Value::Nil))?;
        }
        Ok(Replies {
            done,
            after: values.collect(),
        })
    }
}

fn accepted(value: Value) -> Result<Value, Failure> {
    match value {
        Value::ServerError(said) => Err(Failure::Said(said)),
        value => Ok(value),
    }
}
