//! The logs of turns: kept beside the thread, for as long as a turn may have to be explained.

use std::borrow::Cow;

use turnwise_proto::session::v1::{ThreadKind, TurnLog};
use turnwise_session_store::{Read, StudentKey, Write};

use crate::{
    error::SessionError,
    record,
    sessions::{
        Sessions, keys, millis,
        threads::{field, stamp},
    },
};

impl Sessions {
    pub(super) fn turn_log_writes(
        &self,
        thread_id: &str,
        kind: ThreadKind,
        log: &TurnLog,
    ) -> [Write; 5] {
        let retention = self.limits().turn_log_retention;
        let now = self.now_millis();
        let (turn, turns) = (keys::turn(&log.turn_id), keys::turns(thread_id));
        let facts = TurnLog {
            turn_id: log.turn_id.clone(),
            facts: log.facts.clone(),
            thread_id: thread_id.to_owned(),
            create_time: Some(stamp(self)),
            kind: kind.into(),
            ..TurnLog::default()
        };
        [
            Write::Put {
                key: turn.clone(),
                fields: vec![
                    field("facts", record::encode(&facts)),
                    field("text", record::stamp(&log.text)),
                ],
            },
            Write::Expire {
                key: turn,
                after: retention,
            },
            Write::Rank {
                key: turns.clone(),
                member: log.turn_id.clone(),
                score: now,
            },
            Write::UnrankUpTo {
                key: turns.clone(),
                score: now.saturating_sub(millis(retention)),
            },
            Write::Keep {
                key: turns,
                after: retention,
            },
        ]
    }

    /// The chain of a turn.
    pub async fn turn_log(
        &self,
        student: &StudentKey,
        turn_id: &str,
    ) -> Result<TurnLog, SessionError> {
        let wanted = vec![Read::Fields {
            key: keys::turn(turn_id),
            fields: ["facts", "text", "erased"].map(Cow::Borrowed).to_vec(),
        }];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let mut fields = reads.fields()?;
        let facts = fields.take().ok_or_else(|| SessionError::UnknownTurn {
            turn_id: turn_id.to_owned(),
        })?;
        let text = fields.take();
        Ok(TurnLog {
            text: text
                .map(|text| record::unstamp("turn_log", &text))
                .transpose()?
                .unwrap_or_default(),
            erased: fields.take().is_some(),
            ..record::look("turn_log", &facts)?
        })
    }
}
