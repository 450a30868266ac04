//! The lease of a turn under way: kept, or given up.

use std::time::Duration;

use turnwise_session_store::{Check, Outcome, StudentKey, Transaction, Write};

use crate::{
    error::SessionError,
    sessions::{Sessions, keys},
};

impl Sessions {
    /// Makes a lease last its full time again and answers that time.
    pub async fn renew_lease(
        &self,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Result<Duration, SessionError> {
        let key = keys::lease(thread_id);
        let ttl = self.limits().lease_ttl;
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: key.clone(),
                token: fencing_token,
            }],
            writes: vec![Write::RenewLease { key, ttl }],
            reads: Vec::new(),
        };
        match self
            .transact(&self.partition(student).await?, transaction)
            .await?
        {
            Outcome::Applied(_) => Ok(ttl),
            Outcome::Refused(_) => Err(SessionError::LeaseLost),
        }
    }

    /// Gives a lease back; does nothing if it is not held by this turn.
    pub async fn abandon_turn(
        &self,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Result<(), SessionError> {
        let key = keys::lease(thread_id);
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: key.clone(),
                token: fencing_token,
            }],
            writes: vec![Write::ReleaseLease { key }],
            reads: Vec::new(),
        };
        self.transact(&self.partition(student).await?, transaction)
            .await?;
        Ok(())
    }
}
