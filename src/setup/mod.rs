//! Commands that help a person to set fumi up: `fumi doctor` and `fumi connect`. Their texts are in `texts.toml`.

pub mod connect;
pub mod doctor;

use std::{borrow::Cow, collections::BTreeMap, path::PathBuf, sync::LazyLock};

use fumi_base::{
    embedded, template,
    text::{BilingualText, Locale},
};
use fumi_config::ConfigError;
use fumi_connect::{ConnectError, Folders, Platform, Server, TextError};

static TEXTS: LazyLock<BTreeMap<String, BilingualText>> =
    LazyLock::new(|| embedded::toml("texts.toml", include_str!("texts.toml")));

/// Returns a text in one language, with its placeholders filled by facts.
fn text(locale: Locale, name: &str, facts: &[(&str, &str)]) -> String {
    let text = TEXTS.get(name).map_or("?", |text| text.get(locale));
    let fact = |name: &str| facts.iter().find(|(known, _)| *known == name).map(|(_, fact)| Cow::Borrowed(*fact));
    template::fill(text, ("{", "}"), fact)
}

/// Where this program and the configuration files of clients are.
#[derive(Debug)]
pub struct SetUpPlace {
    home: PathBuf,
    project: PathBuf,
    program: String,
    root: String,
    environment: fn(&str) -> Option<String>,
}

impl SetUpPlace {
    /// Finds the folders. `project` is the current folder if it is `None`.
    ///
    /// # Errors
    /// If the current folder or the path of this program cannot be determined, or the project is not a folder.
    pub fn new(
        project: Option<PathBuf>,
        environment: fn(&str) -> Option<String>,
        locale: Locale,
    ) -> Result<Self, ConfigError> {
        let unknown = |error: std::io::Error| ConfigError(format!("the current folder or this program: {error}"));
        let project = std::path::absolute(project.unwrap_or_else(|| PathBuf::from("."))).map_err(unknown)?;
        if !project.is_dir() {
            return Err(ConfigError(text(locale, "no_project", &[("path", &project.display().to_string())])));
        }
        Ok(Self {
            home: environment("HOME").map(PathBuf::from).unwrap_or_default(),
            program: std::env::current_exe().map_err(unknown)?.display().to_string(),
            root: project.display().to_string(),
            project,
            environment,
        })
    }

    pub fn folders(&self) -> Folders<'_> {
        Folders {
            platform: Platform::current(),
            home: &self.home,
            project: &self.project,
            environment: &self.environment,
        }
    }

    pub fn server<'a>(&'a self, url: &'a str, token_variable: Option<&'a str>) -> Server<'a> {
        Server { url, token_variable, program: &self.program, root: &self.root }
    }
}

/// Returns an error of a client's configuration in the language of the person.
fn told(error: &ConnectError, locale: Locale) -> String {
    let ja = match error {
        _ if locale == Locale::En => return error.to_string(),
        ConnectError::UnknownClient { id, known } => {
            return format!("クライアント {id} には対応していません。指定できるもの: {known}");
        }
        ConnectError::Text { source, .. } => text_error_in_japanese(source),
        ConnectError::NotAFile { .. } => {
            "通常のファイルではありません。移動してからもう一度実行してください".to_owned()
        }
        ConnectError::TooLarge { limit, .. } => {
            format!("{limit} バイトを超えています。--print で表示される設定を手で加えてください")
        }
        ConnectError::NotUtf8 { line, .. } => {
            format!("{line} 行目が UTF-8 ではありません。UTF-8 で保存してからもう一度実行してください")
        }
        ConnectError::ChangedMeanwhile { .. } => {
            "ほかのプログラムが変更したため、書き込みませんでした。もう一度実行してください".to_owned()
        }
        ConnectError::Io { source, .. } => source.to_string(),
    };
    let path = error.path().map(|path| path.display().to_string()).unwrap_or_default();
    format!("{path}: {ja}")
}

fn text_error_in_japanese(error: &TextError) -> String {
    match error {
        TextError::Syntax { format, line, column, reason } => {
            format!(
                "{line} 行目の {column} 文字目に誤りがあり、{format} として読めません（{reason}）。直してからもう一度実行してください"
            )
        }
        TextError::WrongType { what, line, column, .. } => {
            let what = what.replace("the file", "ファイル全体");
            format!("{line} 行目の {column} 文字目の {what} の型が違います。直してからもう一度実行してください")
        }
        TextError::DuplicateKey { key, line, column } => {
            format!(
                "{line} 行目の {column} 文字目のキー `{key}` が重複しています。一つにしてからもう一度実行してください"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TEXTS;

    #[test]
    fn every_text_is_used_and_every_fault_has_a_next_step() {
        let sources = [include_str!("mod.rs"), include_str!("doctor.rs"), include_str!("connect.rs")].concat();
        for name in TEXTS.keys() {
            let used = name.strip_suffix("_next").unwrap_or(name);
            assert!(sources.contains(&format!("\"{used}\"")), "{name} is not used");
        }
        for call in sources.split("report.fault(\"").skip(1) {
            let name = call.split('"').next().unwrap_or_default();
            assert!(TEXTS.contains_key(&format!("{name}_next")), "{name} has no next step");
        }
    }
}
