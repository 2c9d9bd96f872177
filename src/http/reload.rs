//! Reloads the configuration at SIGHUP while the server runs.
//!
//! Authentication, allowed names and the log filter can change; everything else is built into the process's parts and
//! needs a restart. A configuration with an error, and one that switches authentication off, is rejected as a whole, and
//! the old one stays. Open event streams and tasks of principals that were removed or changed end.

use fumi_config::{AuthMode, Config, ConfigError};
use tokio::signal::unix::{SignalKind, signal};

use super::{auth::Authenticator, layers::AllowedNames, router::Edge};
use crate::telemetry;

/// Applies the sections that can change. Returns the sections whose changes need a restart.
pub fn apply(edge: &Edge, new: &Config) -> Result<Vec<&'static str>, ConfigError> {
    new.check()?;
    let before = edge.auth.get();
    // An empty file, or one that was cut, has the defaults: it must not let every caller in.
    if new.auth.mode == AuthMode::None && !matches!(*before, Authenticator::Disabled(_)) {
        return Err(ConfigError(
            "auth.mode is none, which would allow every caller; restart the server to switch authentication off"
                .to_owned(),
        ));
    }
    edge.auth.set(before.reopen(&new.auth, &edge.app)?);
    before.end_streams(&edge.auth.get());
    edge.names.set(AllowedNames::new(new));
    telemetry::set_filter(&new.log.filter);
    let mut seen = edge.app.config.clone();
    seen.auth = new.auth.clone();
    seen.log.filter.clone_from(&new.log.filter);
    seen.server.allowed_hosts.clone_from(&new.server.allowed_hosts);
    seen.server.allowed_origins.clone_from(&new.server.allowed_origins);
    Ok(seen.differing_sections(new))
}

/// Reloads at every SIGHUP, until the process ends.
pub async fn at_hangup(edge: Edge, read: impl Fn() -> Result<Config, ConfigError>) {
    let Ok(mut hangup) = signal(SignalKind::hangup()) else {
        tracing::warn!("cannot listen for SIGHUP; the configuration is read only at the start");
        return;
    };
    while hangup.recv().await.is_some() {
        match read().and_then(|config| apply(&edge, &config)) {
            Ok(waiting) if waiting.is_empty() => tracing::info!("the configuration was reloaded"),
            Ok(waiting) => tracing::warn!(
                sections = waiting.join(", "),
                "the configuration was reloaded; changes in these sections need a restart"
            ),
            Err(error) => tracing::error!(%error, "the new configuration was rejected; the old one stays in use"),
        }
    }
}
