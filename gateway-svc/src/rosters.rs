//! The names of a class, so that they reach neither a prompt nor a log nor a stored answer.

use std::time::Duration;

use moka::future::Cache;
use turnwise_kit::client::GrpcClient;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{GetClassRosterRequest, session_admin_service_client::SessionAdminServiceClient},
};
use turnwise_redaction::Roster;

use crate::upstream::{Step, own};

/// How long the gateway may redact by a roster that has been replaced.
const FRESH: Duration = Duration::from_secs(15);
/// The most classes whose rosters are kept in memory.
const CLASSES: u64 = 10_000;

/// Rosters, read from session-svc through a cache.
pub struct Rosters {
    client: SessionAdminServiceClient<GrpcClient>,
    cache: Cache<(String, String), Roster>,
}

impl Rosters {
    /// Rosters of this session-svc.
    pub fn new(client: SessionAdminServiceClient<GrpcClient>) -> Self {
        Self {
            client,
            cache: Cache::builder()
                .max_capacity(CLASSES)
                .time_to_live(FRESH)
                .build(),
        }
    }

    /// The roster of a class. Fails if it cannot be read: without it, names would get through.
    pub async fn of(
        &self,
        context: &CallContext,
        tenant: &str,
        class_id: &str,
    ) -> Result<Roster, Fault> {
        let key = (tenant.to_owned(), class_id.to_owned());
        if let Some(found) = self.cache.get(&key).await {
            return Ok(found);
        }
        let step = Step::Session.of(context);
        let own = own(context, tenant, step.wait());
        let names = self
            .client
            .clone()
            .get_class_roster(own.request(GetClassRosterRequest {
                class_id: class_id.to_owned(),
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner()
            .names;
        let roster = Roster::new(&names).map_err(|error| {
            tracing::error!(%error, class_id, "a stored roster cannot be used");
            Fault::new(
                ErrorReason::Internal,
                "something went wrong here; report the x-request-id",
            )
        })?;
        self.cache.insert(key, roster.clone()).await;
        Ok(roster)
    }
}
