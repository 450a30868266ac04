//! Settings of the turn gateway.

use std::{
    convert::Infallible,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use turnwise_kit::{
    Kit,
    caller::InternalToken,
    files,
    settings::{flag, read_token},
    stack::DeadlineRule,
    tls,
};
use turnwise_redis::RedisOptions;

use crate::{
    error::StartError, procedure::HelpSettings, tokens::scope::ScopeTokens,
    webhooks::address::WebhookUrl,
};

/// Settings of the turn gateway.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct Settings {
    /// Issuer that tokens must name (`iss`)
    #[arg(long, env = "JWT_ISSUER")]
    pub jwt_issuer: Option<String>,
    /// Audience that tokens must name (`aud`)
    #[arg(long, env = "JWT_AUDIENCE", default_value = "turnwise")]
    pub jwt_audience: String,
    /// File with the issuer's public keys, a JWKS; read again every five minutes, and when a token names an unknown
    /// key
    #[arg(long, env = "JWT_JWKS_FILE", conflicts_with = "jwt_jwks_url")]
    pub jwt_jwks_file: Option<PathBuf>,
    /// Address of the issuer's public keys, a JWKS; read again every five minutes
    #[arg(long, env = "JWT_JWKS_URL")]
    pub jwt_jwks_url: Option<String>,
    /// Seconds by which clocks may differ (0 to 600)
    #[arg(long, env = "JWT_LEEWAY_SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(0..=600))]
    pub jwt_leeway_seconds: u64,
    /// Calls that one caller may make in a minute, reads apart: turns, grades and whatever is written (1 to 1000000)
    #[arg(long, env = "HELPER_RATE_LIMIT_PER_MINUTE", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub helper_rate_limit_per_minute: u32,
    /// Reads that one caller may make in a minute (1 to 1000000)
    #[arg(long, env = "HELPER_READ_LIMIT_PER_MINUTE", default_value = "240", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub helper_read_limit_per_minute: u32,
    /// Calls without a valid token that one address may make in a minute (1 to 1000000). Then only tokens that this gateway
    /// knows already get in from there; calls with a valid token are never counted
    #[arg(long, env = "HELPER_RATE_LIMIT_PER_IP_PER_MINUTE", default_value = "90", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub helper_rate_limit_per_ip_per_minute: u32,
    /// Redis in which all replicas of the gateway count calls together: `redis://[USER@]HOST:PORT/DATABASE`,
    /// `redis+sentinel://[USER@]HOST:PORT,HOST:PORT/NAME` with the sentinels and their name of the primary, or
    /// `redis+cluster://[USER@]HOST:PORT,HOST:PORT` with some nodes; `rediss` in place of `redis` is with TLS. Unset: each
    /// counts for itself
    #[arg(long, env = "GATEWAY_REDIS_URL", hide_env_values = true)]
    pub gateway_redis_url: Option<Hidden>,
    /// A file with the password for Redis, so that it does not stand in GATEWAY_REDIS_URL; read again when it changes, for
    /// the connections that are made from then on
    #[arg(
        long,
        env = "GATEWAY_REDIS_PASSWORD_FILE",
        requires = "gateway_redis_url"
    )]
    pub gateway_redis_password_file: Option<PathBuf>,
    /// The authority of Redis's certificate, PEM, for an address that begins with `rediss`: of servers and sentinels
    #[arg(long, env = "GATEWAY_REDIS_CA_FILE", requires = "gateway_redis_url")]
    pub gateway_redis_ca_file: Option<PathBuf>,
    /// The user of the sentinels, if they ask for one; GATEWAY_REDIS_URL has that of the servers
    #[arg(
        long,
        env = "GATEWAY_REDIS_SENTINEL_USER",
        requires = "gateway_redis_sentinel_password_file"
    )]
    pub gateway_redis_sentinel_user: Option<String>,
    /// A file with the password of the sentinels, if they ask for one
    #[arg(
        long,
        env = "GATEWAY_REDIS_SENTINEL_PASSWORD_FILE",
        requires = "gateway_redis_url"
    )]
    pub gateway_redis_sentinel_password_file: Option<PathBuf>,
    /// How many proxies of yours stand before this port (0 to 8), each of which appends the address it was called from to
    /// `x-forwarded-for`. 0: the client calls directly
    #[arg(long, env = "TRUSTED_PROXIES", default_value = "0", value_parser = clap::value_parser!(u8).range(0..=8))]
    pub trusted_proxies: u8,
    /// Characters that a message may have (1 to 16000)
    #[arg(long, env = "MESSAGE_MAX_CHARS", default_value = "4000", value_parser = clap::value_parser!(u32).range(1..=16_000))]
    pub message_max_chars: u32,
    /// Seconds (1 to 60) that a simulator or page has to acknowledge what help highlights; then it is asked once more
    #[arg(long, env = "HELP_ACK_SECONDS", default_value = "3", value_parser = clap::value_parser!(u64).range(1..=60))]
    pub help_ack_seconds: u64,
    /// Seconds (1 to 3600) after which a highlight is removed without being asked
    #[arg(long, env = "HELP_HIGHLIGHT_SECONDS", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub help_highlight_seconds: u64,
    /// Variables (1 to 10000) that one observation of a procedure may have
    #[arg(long, env = "HELP_MAX_VARS", default_value = "256", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub help_max_vars: u32,
    /// Seconds for a call without `grpc-timeout` (1 to 600, at most TURN_DEADLINE_MAX_SECONDS)
    #[arg(long, env = "TURN_DEADLINE_SECONDS", default_value = "75", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub turn_deadline_seconds: u64,
    /// Seconds that no call may exceed (1 to 3600)
    #[arg(long, env = "TURN_DEADLINE_MAX_SECONDS", default_value = "600", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub turn_deadline_max_seconds: u64,
    /// Milliseconds kept back from a turn's deadline for the fallback and the commit (250 to 10000)
    #[arg(long, env = "TURN_REPLY_RESERVE_MS", default_value = "500", value_parser = clap::value_parser!(u64).range(250..=10_000))]
    pub turn_reply_reserve_ms: u64,
    /// A file with the keys that drills and offered exam questions are signed with, one a line: `KID BASE64`, at least 32
    /// bytes each. The first signs, all verify; it is read again when it changes. Required, but for `turnwise up`, which
    /// makes one
    #[arg(long, env = "DRILL_TOKEN_KEYS_FILE")]
    pub drill_token_keys_file: Option<PathBuf>,
    /// Seconds for which a drill can be graded and an offered exam question answered (60 to 86400)
    #[arg(long, env = "DRILL_TOKEN_TTL_SECONDS", default_value = "7200", value_parser = clap::value_parser!(u64).range(60..=86_400))]
    pub drill_token_ttl_seconds: u64,
    /// A file with the keys that the scope tokens of lessons' pages are signed with, as in DRILL_TOKEN_KEYS_FILE; a platform
    /// that mints its own shares one of them. Required, but for `turnwise up`, which makes one
    #[arg(long, env = "SCOPE_TOKEN_KEYS_FILE")]
    pub scope_token_keys_file: Option<PathBuf>,
    /// Seconds that a scope token is good at most, whoever minted it (60 to 86400)
    #[arg(long, env = "HELPER_SCOPE_TOKEN_MAX_AGE_SECONDS", default_value = "7200", value_parser = clap::value_parser!(u64).range(60..=86_400))]
    pub helper_scope_token_max_age_seconds: u64,
    /// Characters of a helper's answer, which is cut at that (200 to 20000)
    #[arg(long, env = "HELPER_RESPONSE_MAX_CHARS", default_value = "2200", value_parser = clap::value_parser!(u32).range(200..=20_000))]
    pub helper_response_max_chars: u32,
    /// Whether a document's question is translated by the model where its author wrote none in the language of the lesson's
    /// page: 1 or 0
    #[arg(long, env = "CLARIFICATION_TRANSLATE", default_value = "0", value_parser = flag, action = clap::ArgAction::Set)]
    pub clarification_translate: bool,
    /// Where a platform's own exam system is: http://HOST:PORT, a comma-separated list, or dns://NAME:PORT; unset: the
    /// built-in one
    #[arg(long, env = "EXAM_ENDPOINT")]
    pub exam_endpoint: Option<String>,
    /// A file with the token that a platform's exam system knows the gateway by, at least 32 visible ASCII characters; it
    /// is no token of this suite, and is read again when it changes
    #[arg(long, env = "EXAM_TOKEN_FILE", requires = "exam_endpoint")]
    pub exam_token_file: Option<PathBuf>,
    /// Hours for which the built-in exam system locks a question (1 to 720)
    #[arg(long, env = "EXAM_LOCK_HOURS", default_value = "24", value_parser = clap::value_parser!(u64).range(1..=720))]
    pub exam_lock_hours: u64,
    /// A YAML file with the terms that are blocked and the phrases that call for help, in place of the built-in ones
    #[arg(long, env = "GUARDRAIL_FILE")]
    pub guardrail_file: Option<PathBuf>,
    /// Where a platform takes audit entries as webhooks: `https://HOST/PATH`; unset or empty: nobody is told
    #[arg(long, env = "AUDIT_EVENT_URL", hide_env_values = true)]
    pub audit_event_url: Option<WebhookUrl>,
    /// Where a platform is told who talked to the tutor, best effort: `https://HOST/PATH`; unset or empty: nobody is told
    #[arg(long, env = "ACCESS_EVENT_URL", hide_env_values = true)]
    pub access_event_url: Option<WebhookUrl>,
    /// Where a platform is told of safeguarding alerts, by webhooks: `https://HOST/PATH`; unset or empty: nobody is told
    #[arg(long, env = "ALERT_EVENT_URL", hide_env_values = true)]
    pub alert_event_url: Option<WebhookUrl>,
    /// A file with the keys that webhooks are signed with, one a line: `KID BASE64` or `KID whsec_BASE64`, at least 32 bytes
    /// each. All sign; it is read again when it changes. Required with any of the three addresses
    #[arg(long, env = "WEBHOOK_KEYS_FILE")]
    pub webhook_keys_file: Option<PathBuf>,
    /// Whether receivers of webhooks may be on this machine or in a private network, where `http://` will do: 1 or 0.
    /// Link-local and metadata addresses are never called
    #[arg(long, env = "WEBHOOK_ALLOW_PRIVATE", default_value = "0", value_parser = flag, action = clap::ArgAction::Set)]
    pub webhook_allow_private: bool,
    /// A folder with prompt sheets, read again when they change; sheets that it does not have are the built-in ones
    #[arg(long, env = "PROMPT_SHEETS_DIR")]
    pub prompt_sheets_dir: Option<PathBuf>,
    /// A key that opens ResetClassConversations for classes of the tenant `default` and nothing else, at least 32 visible
    /// ASCII characters. A file is the safer place
    #[arg(long, env = "HELPER_INTERNAL_API_TOKEN", hide_env_values = true)]
    pub helper_internal_api_token: Option<Hidden>,
    /// A file that holds HELPER_INTERNAL_API_TOKEN, or several while it is changed, one a line, each of which opens; read
    /// again when it changes
    #[arg(long, env = "HELPER_INTERNAL_API_TOKEN_FILE")]
    pub helper_internal_api_token_file: Option<PathBuf>,
    /// Seconds that ResetClassConversations waits for the end of a reset (0 to 600); it goes on, and the same key tells how
    /// far it is
    #[arg(long, env = "HELPER_INTERNAL_RESET_TIMEOUT_SECONDS", default_value = "2", value_parser = clap::value_parser!(u64).range(0..=600))]
    pub helper_internal_reset_timeout_seconds: u64,
    /// Read by nothing: the reset of a class is the RPC ResetClassConversations. A start with it warns
    #[arg(long, env = "HELPER_INTERNAL_RESET_URL")]
    pub helper_internal_reset_url: Option<String>,
    /// Tokens that a prompt may have, as they are estimated (1000 to 100000); lesson text is left out first. The default is
    /// for a context window of 4096: 400 of it are the reply's, 64 the chat template's, and a twentieth of the rest is for
    /// languages that the estimate counts too low
    #[arg(long, env = "PROMPT_MAX_TOKENS", default_value = "3400", value_parser = clap::value_parser!(u32).range(1_000..=100_000))]
    pub prompt_max_tokens: u32,
}

/// Where an upstream service is: its name, the setting that says it, and what that says.
pub type Place<'a> = (&'static str, &'static str, Option<&'a str>);

/// Where the upstream services are: `http://HOST:PORT`, a comma-separated list, or `dns://NAME:PORT`.
#[derive(clap::Args, Debug, Clone, Default)]
#[group(skip)]
pub struct Endpoints {
    /// Where policy-svc is: http://HOST:PORT, a comma-separated list, or dns://NAME:PORT
    #[arg(long, env = "POLICY_ENDPOINT")]
    pub policy_endpoint: Option<String>,
    /// Where retrieval-svc is, in the same form
    #[arg(long, env = "RETRIEVAL_ENDPOINT")]
    pub retrieval_endpoint: Option<String>,
    /// Where llm-gateway-svc is, in the same form
    #[arg(long, env = "LLM_GATEWAY_ENDPOINT")]
    pub llm_gateway_endpoint: Option<String>,
    /// Where session-svc is, in the same form
    #[arg(long, env = "SESSION_ENDPOINT")]
    pub session_endpoint: Option<String>,
}

impl Endpoints {
    /// Where policy-svc, retrieval-svc, llm-gateway-svc and session-svc are.
    pub fn places(&self) -> [Place<'_>; 4] {
        [
            ("policy-svc", "POLICY_ENDPOINT", &self.policy_endpoint),
            (
                "retrieval-svc",
                "RETRIEVAL_ENDPOINT",
                &self.retrieval_endpoint,
            ),
            (
                "llm-gateway-svc",
                "LLM_GATEWAY_ENDPOINT",
                &self.llm_gateway_endpoint,
            ),
            ("session-svc", "SESSION_ENDPOINT", &self.session_endpoint),
        ]
        .map(|(service, setting, endpoint)| (service, setting, endpoint.as_deref()))
    }
}

/// The value of a setting that is a secret or may hold one. Every text parses, and what is wrong with it is said at the
/// start of the service: a parser's own error would print the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(String);

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(value: &str) -> Result<Self, Infallible> {
        Ok(Self(value.to_owned()))
    }
}

/// Shows that there is one.
impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(…)")
    }
}

impl Settings {
    /// The Redis in which replicas count together, if there is one.
    ///
    /// # Errors
    ///
    /// If a file of it cannot be used.
    pub fn redis(&self, kit: &Kit) -> Result<Option<RedisOptions>, StartError> {
        let Some(Hidden(url)) = &self.gateway_redis_url else {
            return Ok(None);
        };
        let text = |setting, file: &Option<PathBuf>| files::text(setting, file.as_ref(), kit);
        let password = text(
            "GATEWAY_REDIS_PASSWORD_FILE",
            &self.gateway_redis_password_file,
        );
        let of_sentinels = text(
            "GATEWAY_REDIS_SENTINEL_PASSWORD_FILE",
            &self.gateway_redis_sentinel_password_file,
        );
        let authority = self.gateway_redis_ca_file.as_ref();
        let tls = tls::authority("GATEWAY_REDIS_CA_FILE", authority, kit);
        Ok(Some(RedisOptions {
            password: password?,
            tls: tls?,
            sentinel_user: self.gateway_redis_sentinel_user.clone(),
            sentinel_password: of_sentinels?,
            keeps_records: false,
            ..RedisOptions::new(url)
        }))
    }

    /// The file with the keys of drills and offered exam questions.
    ///
    /// # Errors
    ///
    /// If none is named.
    pub fn drill_token_keys(&self) -> Result<&Path, StartError> {
        self.drill_token_keys_file
            .as_deref()
            .ok_or(StartError::MissingTokenKeys("DRILL_TOKEN_KEYS_FILE"))
    }

    /// The scope tokens of lessons' pages.
    ///
    /// # Errors
    ///
    /// If no file with keys is named, or it cannot be used.
    pub fn scope_tokens(&self) -> Result<ScopeTokens, StartError> {
        let keys = self
            .scope_token_keys_file
            .as_deref()
            .ok_or(StartError::MissingTokenKeys("SCOPE_TOKEN_KEYS_FILE"))?;
        Ok(ScopeTokens::load(
            keys,
            Duration::from_secs(self.helper_scope_token_max_age_seconds),
            Duration::from_secs(self.jwt_leeway_seconds),
        )?)
    }

    /// The key that resets classes, from wherever it was set.
    ///
    /// # Errors
    ///
    /// If there are two, its file cannot be read, or it is too short.
    pub fn reset_key(&self, kit: &Kit) -> Result<Option<InternalToken>, StartError> {
        let direct = self.helper_internal_api_token.as_ref();
        let file = self.helper_internal_api_token_file.as_ref();
        match (
            direct.filter(|key| !key.0.is_empty()),
            file.filter(|path| !path.as_os_str().is_empty()),
        ) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(StartError::TwoResetKeys),
            (Some(Hidden(key)), None) => match InternalToken::new(key) {
                Some(key) => Ok(Some(key)),
                None => Err(StartError::ResetKey),
            },
            (None, Some(path)) => Ok(Some(read_token(
                "HELPER_INTERNAL_API_TOKEN_FILE",
                path,
                kit,
            )?)),
        }
    }

    /// How long a reset is waited for.
    pub fn reset_wait(&self) -> Duration {
        Duration::from_secs(self.helper_internal_reset_timeout_seconds)
    }

    /// How long calls may take.
    ///
    /// # Errors
    ///
    /// TURN_DEADLINE_SECONDS is more than TURN_DEADLINE_MAX_SECONDS: every turn would have less time than it was given.
    pub fn deadline_rule(&self) -> Result<DeadlineRule, StartError> {
        let (default, most) = (self.turn_deadline_seconds, self.turn_deadline_max_seconds);
        if default > most {
            return Err(StartError::Deadlines { default, most });
        }
        Ok(DeadlineRule {
            default: Duration::from_secs(default),
            most: Duration::from_secs(most),
        })
    }

    /// What help with procedures is set to.
    pub(crate) fn help(&self) -> HelpSettings {
        HelpSettings {
            ack_wait: Duration::from_secs(self.help_ack_seconds),
            highlight: Duration::from_secs(self.help_highlight_seconds),
            max_vars: self.help_max_vars as usize,
        }
    }

    /// What is kept back from a turn's deadline.
    pub fn reply_reserve(&self) -> Duration {
        Duration::from_millis(self.turn_reply_reserve_ms)
    }
}
