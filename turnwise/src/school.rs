//! A client that speaks for one person, as `turnwise class`, `turnwise student` and `turnwise index` use it.

use std::{process::ExitCode, time::Duration};

use anyhow::Result;
use tonic::{
    Request, Response, Status,
    metadata::{Ascii, MetadataValue},
};
use turnwise_kit::{CallContext, Fault, client::GrpcClient};

use crate::client::EndpointArgs;

/// How long a question may take.
pub(crate) const LOOK: Duration = Duration::from_secs(30);
/// How long an export, an erasure or a view may take.
pub(crate) const WORK: Duration = Duration::from_secs(24 * 3600);

/// A connection that speaks for one person.
pub(crate) struct Caller {
    /// To the public face.
    pub(crate) channel: GrpcClient,
    authorization: MetadataValue<Ascii>,
}

impl Caller {
    /// Connects with the token of a file, or with a development token for this person.
    pub(crate) fn connect(
        endpoint: &EndpointArgs,
        role: &str,
        subject: &str,
        classes: &[String],
    ) -> Result<Self> {
        Ok(Self {
            channel: endpoint.channel()?,
            authorization: endpoint.authorization(role, subject, classes)?,
        })
    }

    /// A request that may take so long.
    pub(crate) fn request<T>(&self, message: T, timeout: Duration) -> Request<T> {
        let mut request = CallContext::background(None, timeout).request(message);
        request
            .metadata_mut()
            .insert("authorization", self.authorization.clone());
        request
    }

    /// A quick question.
    pub(crate) fn ask<T>(&self, message: T) -> Request<T> {
        self.request(message, LOOK)
    }
}

/// What a call answered, or why it was refused.
pub(crate) fn answered<T>(answer: Result<Response<T>, Status>) -> Result<T, Fault> {
    answer
        .map(Response::into_inner)
        .map_err(|status| Fault::from_status(&status))
}

/// How a command ends: what the suite refuses is told, and a failure; all else is an error of the command itself.
pub(crate) fn ended(done: Result<()>) -> Result<ExitCode> {
    let Err(error) = done else {
        return Ok(ExitCode::SUCCESS);
    };
    let fault = error.downcast::<Fault>()?;
    eprintln!("refused: {fault}");
    for field in fault.fields() {
        eprintln!("  at {field}");
    }
    Ok(ExitCode::FAILURE)
}
