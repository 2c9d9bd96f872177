//! The file of a blurb in the planning folder: `10_企画/紹介文.yaml`.
//!
//! Invariant: a file that is replaced is backed up first, and the keys that the author added are kept.

use std::sync::Arc;

use fumi_base::{errors::UserError as _, files, project::ProjectPath};
use serde::{Deserialize, Serialize};

use crate::{
    backups::{BackupTime, Backups},
    change_set::{self, FileChange},
    errors::{blurb::BlurbError, project::ProjectError},
    project::{FolderRole, NovelProject, NovelSurvey, UnknownKeys, or_default, read_yaml, read_yaml_text},
    publish::PostingSite,
    references::ContentHash,
};

/// The name of the file.
pub const FILE: &str = "紹介文.yaml";

/// The largest file that is read, in bytes. The longest blurb of a site has 10,000 characters, 30 kB.
const BYTES: u64 = 1 << 20;

/// The contents of the file. Every key may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NovelBlurb {
    /// The text that presents the novel (あらすじ, 紹介文).
    #[serde(deserialize_with = "or_default")]
    pub blurb: String,
    /// One line that attracts readers (キャッチコピー).
    #[serde(deserialize_with = "or_default")]
    pub catchphrase: String,
    /// The words under which readers find the novel (タグ, キーワード).
    #[serde(deserialize_with = "or_default")]
    pub tags: Vec<String>,
    /// The sites for which the text was written.
    #[serde(deserialize_with = "or_default")]
    pub sites: Vec<PostingSite>,
    /// All other keys of the file.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

/// A blurb with its file.
#[derive(Clone, Debug)]
pub struct StoredBlurb {
    pub blurb: NovelBlurb,
    /// The path of the file, relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// The id of the backup of the replaced file, if there was one.
    pub backup: Option<String>,
}

impl NovelBlurb {
    /// Returns the contents of a file with this blurb.
    ///
    /// # Panics
    /// Never: texts and lists can be represented in YAML.
    pub fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("texts and lists can be represented in YAML")
    }

    /// True if the file has a blurb: an author may have emptied it.
    fn is_written(&self) -> bool {
        !self.blurb.trim().is_empty()
    }
}

/// Returns the blurb of a novel; `None` if there is none yet.
pub fn existing(novel: &NovelProject) -> Result<Option<StoredBlurb>, ProjectError> {
    let survey = novel.survey()?;
    survey.require_novel(novel.names())?;
    let path = path_of(novel, &survey);
    let Some(file) = novel.project().find(&path)? else { return Ok(None) };
    let blurb = read(&file)?;
    let sha256 = ContentHash::from_bytes(&files::read(&file, BYTES)?).digits().to_owned();
    Ok(blurb.is_written().then_some(StoredBlurb { blurb, path, sha256, backup: None }))
}

/// Stores a blurb. The caller holds the project's write lock. A file with another blurb is replaced only if `replaces`
/// is true; then it may also be one that cannot be read as YAML.
pub fn store_blurb(
    novel: &NovelProject,
    mut blurb: NovelBlurb,
    replaces: bool,
    now: &BackupTime,
) -> Result<StoredBlurb, BlurbError> {
    let survey = novel.survey_to_write()?;
    survey.require_novel(novel.names())?;
    let (project, path) = (novel.project(), path_of(novel, &survey));
    let file = project.find(&path)?;
    let before = file.as_ref().map(|file| files::read(file, BYTES)).transpose()?;
    if let Some(file) = &file {
        match read(file) {
            Ok(known) => {
                blurb.unknown = known.unknown.clone();
                if known.is_written() && known != blurb && !replaces {
                    return Err(BlurbError::BlurbExists { path });
                }
            }
            // A file that cannot be read as YAML is replaced as well, since its backup has all of it.
            Err(error) if error.is_system_failure() || !replaces => return Err(error.into()),
            Err(_) => {}
        }
    }
    let text = blurb.to_yaml();
    let sha256 = ContentHash::from_bytes(text.as_bytes()).digits().to_owned();
    let known = before.as_ref().map(|bytes| ContentHash::from_bytes(bytes).digits().to_owned());
    if known.as_ref() == Some(&sha256) {
        return Ok(StoredBlurb { blurb, path, sha256, backup: None });
    }
    let backup = if before.is_some() {
        let backups = Backups::new(Arc::clone(project), &novel.names().backups);
        Some(backups.create_before(&[(path.as_str(), sha256.as_str())], "before write_blurb", now)?.id)
    } else {
        None
    };
    // If another program saves the file in between, the change fails and the saved file stays.
    let change = FileChange::write(path.as_str(), text).if_still(known.as_deref());
    change_set::apply(project, None, vec![change])?;
    Ok(StoredBlurb { blurb, path, sha256, backup })
}

/// Returns the path of the file, relative to the project root.
pub(super) fn path_of(novel: &NovelProject, survey: &NovelSurvey) -> String {
    let folder = survey.folders.get(&FolderRole::Planning).map(ProjectPath::shown);
    format!("{}/{FILE}", folder.unwrap_or_else(|| novel.names().planning.trim_end_matches('/').to_owned()))
}

fn read(file: &ProjectPath) -> Result<NovelBlurb, ProjectError> {
    read_yaml(&file.shown(), &read_yaml_text(file)?)
}

/// Returns the blurb for the description of a book; `None` if there is none.
pub(crate) fn description(novel: &NovelProject, survey: &NovelSurvey) -> Result<Option<String>, ProjectError> {
    let Some(file) = novel.project().find(&path_of(novel, survey))? else { return Ok(None) };
    let blurb = read(&file)?;
    Ok(blurb.is_written().then(|| blurb.blurb.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::NovelBlurb;
    use crate::{
        project::{UnknownKeys, YamlValue, read_yaml},
        publish::PostingSite,
    };

    #[test]
    fn a_file_is_read_as_it_was_written_and_as_people_edit_it() {
        let text = |text: &str| YamlValue::Text(text.to_owned());
        let blurb = NovelBlurb {
            blurb: "島の検潮所が閉まる。\n\n　「海を止めに来た人ですか」: 少年は訊いた。# ではなく。".to_owned(),
            catchphrase: "嘘は、一定なら補正できる。".to_owned(),
            tags: vec!["離島".to_owned(), "1984".to_owned(), "yes".to_owned()],
            sites: vec![PostingSite::Kakuyomu],
            unknown: UnknownKeys(vec![(text("メモ"), text("帯にも使う"))]),
        };
        let written = blurb.to_yaml();
        assert!(written.contains("sites:\n- kakuyomu\n") || written.contains("sites:\n  - kakuyomu\n"), "{written}");
        assert_eq!(read_yaml::<NovelBlurb>("b.yaml", &written).expect("a blurb"), blurb, "{written}");
        let edited =
            read_yaml::<NovelBlurb>("b.yaml", "blurb: |\n  一行目\n\n  二行目\ntags:\nsites: []\n").expect("a blurb");
        assert_eq!((edited.blurb.as_str(), edited.tags.len()), ("一行目\n\n二行目\n", 0));
        assert!(edited.is_written() && !NovelBlurb::default().is_written());
        assert!(read_yaml::<NovelBlurb>("b.yaml", "sites: [pixiv]\n").is_err());
    }
}
