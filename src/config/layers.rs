//! The layers of a configuration, from the strongest: one for each environment variable, a file, the defaults.

use fumi_base::nearest::nearest;
use serde::Deserialize as _;
use toml::{
    Spanned,
    de::{DeTable, DeValue, Deserializer, Error},
    map::Entry,
};

use super::{Config, ConfigError};

/// The weakest layer: every key that has a default.
const DEFAULTS: &str = include_str!("../../config/default.toml");

/// The beginning of a variable with a key: `FUMI__SERVER__LISTEN` is `server.listen`.
const PREFIX: &str = "FUMI__";

/// Parses a file, with the defaults of the keys that it lacks.
pub(super) fn parse(file: &str) -> Result<Config, Error> {
    merge([DeTable::parse(file)?.into_inner()])
}

/// Returns the variables of this process that have keys.
pub(super) fn variables() -> Result<Vec<(String, String)>, ConfigError> {
    let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    named
        .filter(|(name, _)| name.starts_with(PREFIX))
        .map(|(name, value)| {
            let value = value.into_string().map_err(|_| ConfigError(format!("{name}: the value is not UTF-8")))?;
            Ok((name, value))
        })
        .collect()
}

/// Returns the configuration of a file that [`parse`] accepts, and of variables, given as names with values.
///
/// # Errors
///
/// The variable with a wrong key or value.
pub(super) fn with_variables(file: &str, variables: &[(String, String)]) -> Result<Config, ConfigError> {
    let layers = variables.iter().map(|(name, value)| {
        let keys = name[PREFIX.len()..].to_lowercase();
        variable_layer(&keys, value, file).map_err(|error| ConfigError(format!("{name}: {}", describe(&error))))
    });
    let mut layers = layers.collect::<Result<Vec<_>, _>>()?;
    let refused = |error: Error| ConfigError(describe(&error));
    layers.push(DeTable::parse(file).map_err(refused)?.into_inner());
    merge(layers).map_err(refused)
}

/// Returns the layer of a variable: its value as TOML, as in `8640` and `["code"]`, else as a string without quotes.
fn variable_layer<'v>(keys: &str, value: &'v str, file: &str) -> Result<DeTable<'v>, Error> {
    let attempt = |value: DeValue<'v>| {
        let (outer, first) = keys.split_once("__").map_or((None, keys), |(first, rest)| (Some(rest), first));
        let inner = outer.into_iter().flat_map(|rest| rest.rsplit("__"));
        let layer = single(first, inner.fold(value, |inner, key| DeValue::Table(single(key, inner))));
        merge([layer.clone(), DeTable::parse(file)?.into_inner()]).map(|_| layer)
    };
    let as_string = || attempt(DeValue::String(value.into()));
    match DeValue::parse(value) {
        Ok(parsed) => attempt(parsed.into_inner()).or_else(|error| as_string().map_err(|_| error)),
        Err(_) => as_string(),
    }
}

fn single<'v>(key: &str, value: DeValue<'v>) -> DeTable<'v> {
    let mut table = DeTable::new();
    table.insert(Spanned::new(0..0, key.to_owned().into()), Spanned::new(0..0, value));
    table
}

/// Returns the configuration of layers, the strongest first, and of the defaults.
fn merge<'t>(layers: impl IntoIterator<Item = DeTable<'t>>) -> Result<Config, Error> {
    let mut merged = DeTable::new();
    for layer in layers.into_iter().chain([DeTable::parse(DEFAULTS)?.into_inner()]) {
        add_missing(&mut merged, layer);
    }
    Config::deserialize(Deserializer::from(Spanned::new(0..0, merged)))
}

/// Adds the keys that a table lacks.
fn add_missing<'t>(table: &mut DeTable<'t>, defaults: DeTable<'t>) {
    for (key, default) in defaults {
        match table.entry(key) {
            Entry::Vacant(missing) => drop(missing.insert(default)),
            Entry::Occupied(given) => {
                let values = (given.into_mut().get_mut(), default.into_inner());
                if let (DeValue::Table(given), DeValue::Table(default)) = values {
                    add_missing(given, default);
                }
            }
        }
    }
}

/// Formats a parse error with its line number and key.
pub(super) fn describe_with_line(text: &str, error: &Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let key = text.lines().nth(line - 1).and_then(|line| line.split_once('='));
    let key = key.map(|(key, _)| format!(", {}", key.trim())).unwrap_or_default();
    format!("line {line}{key}: {}", describe(error))
}

/// Formats a parse error on one line, with the name nearest to an unknown one.
fn describe(error: &Error) -> String {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next().filter(|_| message.starts_with("unknown"));
    let near = unknown.and_then(|unknown| nearest(unknown, names, 1).pop());
    let nearest = near.map(|known| format!("; did you mean `{known}`?"));
    format!("{message}{}", nearest.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::with_variables;

    fn given(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn variables_override_the_file_as_toml_or_as_plain_text() {
        let file = "[server]\nmax_sessions = 5\ndrain_seconds = 7\n[log]\nfilter = \"warn\"";
        let config = with_variables(
            file,
            &[
                given("FUMI__SERVER__MAX_SESSIONS", "9"),
                given("FUMI__SERVER__STATE_KEY", "01234567890123456789012345678901"),
                given("FUMI__SERVER__LISTEN", "127.0.0.1:1"),
                given("FUMI__TOOLS__TOOLSETS", "[\"code\", 'novel']"),
                given("FUMI__NOVEL__NAMES__MANUSCRIPTS", "2026-01-01"),
            ],
        )
        .expect("a configuration");
        assert_eq!((config.server.max_sessions, config.server.drain_seconds), (9, 7));
        assert_eq!(config.server.state_key.expose(), "01234567890123456789012345678901");
        assert_eq!(config.server.listen.port(), 1);
        assert_eq!(config.tools.toolsets, ["code", "novel"]);
        assert_eq!(config.log.filter, "warn");
    }

    #[test]
    fn a_wrong_variable_is_named_with_its_fault() {
        for (name, value, expected) in [
            ("FUMI__SERVER__LISTNE", "x", "FUMI__SERVER__LISTNE: unknown field `listne`, expected one of `listen`, "),
            ("FUMI__SERVER__LISTNE", "x", "; did you mean `listen`?"),
            ("FUMI__SERVER__MAX_SESSIONS", "many", "FUMI__SERVER__MAX_SESSIONS: invalid type: string \"many\""),
            ("FUMI__CODE__INDEX__ENABLED", "[true", "FUMI__CODE__INDEX__ENABLED: invalid type: string \"[true\""),
            ("FUMI__SERVER", "x", "FUMI__SERVER: invalid type"),
            ("FUMI__", "x", "FUMI__: unknown field ``"),
            ("FUMI__LOG__FORMAT", "xml\nfilter", "FUMI__LOG__FORMAT: unknown variant"),
        ] {
            let others = [given("FUMI__LOG__FILTER", "info"), given(name, value)];
            let error = with_variables("", &others).expect_err(name).to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
