//! The files of a new novel project: small, complete, and ready for planning, writing and publishing the first episode.
//!
//! The templates are data in Japanese; this module inserts the title and the names. The caller decides where the files
//! are written and whether any exist already.

use fumi_base::template;

use crate::project::{ProjectNames, StylePreset};

/// The requested properties of a new novel.
#[derive(Clone, Debug)]
pub struct NovelTemplateValues {
    pub title: String,
    /// The author's name as printed; without one, the settings contain a placeholder.
    pub author: Option<String>,
    pub genre: Option<String>,
    /// The publishing conventions to follow.
    pub preset: StylePreset,
}

/// A file of a new project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaffoldFile {
    /// The path relative to the project root.
    pub path: String,
    /// The contents of the file.
    pub text: String,
}

/// True if a text can be a title, a name or a genre: one non-empty line without control characters.
pub fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// The default genre.
const GENRE: &str = "現代ドラマ";

/// Embeds a template of this folder.
macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/", $name))
    };
}

/// Returns the files of a new project. All requested texts must be single lines (see [`is_line`]).
pub fn files(wishes: &NovelTemplateValues, names: &ProjectNames) -> Vec<ScaffoldFile> {
    let title = wishes.title.trim();
    let genre = wishes.genre.as_deref().unwrap_or(GENRE).trim();
    let author = match &wishes.author {
        Some(author) => format!("author: {}", quoted(author.trim())),
        None => "# author: 作者名".to_owned(),
    };
    let in_yaml = [
        ("title", quoted(title)),
        ("author", author),
        ("genre", quoted(genre)),
        ("preset", wishes.preset.name().to_owned()),
    ];
    let in_prose = [
        ("title", title.to_owned()),
        ("settings", names.settings.clone()),
        ("planning", names.planning.clone()),
        ("plots", names.episode_plots.clone()),
        ("world", names.world.clone()),
        ("manuscripts", names.manuscripts.clone()),
        ("management", names.management.clone()),
    ];
    let yaml = |path: String, template: &str| ScaffoldFile { path, text: fill(template, &in_yaml) };
    let prose = |path: String, template: &str| ScaffoldFile { path, text: fill(template, &in_prose) };
    let within = |folder: &str, name: &str| format!("{folder}/{name}");
    vec![
        prose(within(&names.planning, "企画書.md"), template!("proposal.md")),
        yaml(within(&names.chapter_plots, "第01章.yaml"), template!("chapter.yaml")),
        yaml(within(&names.episode_plots, "第001話.yaml"), template!("plot.yaml")),
        yaml(within(&names.world, "キャラクター.yaml"), template!("characters.yaml")),
        yaml(within(&names.world, "用語集.yaml"), template!("terms.yaml")),
        yaml(within(&names.world, "世界観.yaml"), template!("world.yaml")),
        prose(within(&names.manuscripts, "README.md"), template!("manuscripts.md")),
        yaml(within(&names.management, "全体構成.yaml"), template!("outline.yaml")),
        yaml(within(&names.management, "伏線管理.yaml"), template!("ledger.yaml")),
        prose(within(&names.prompts, "README.md"), template!("prompts.md")),
        prose("README.md".to_owned(), template!("readme.md")),
        // Last, because this file makes a folder a novel project.
        yaml(names.settings.clone(), template!("settings.yaml")),
    ]
}

/// Quotes a text as a YAML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Replaces `{{name}}` by its value.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    template::fill(template, ("{{", "}}"), |name| {
        let (_, value) = values.iter().find(|(known, _)| *known == name)?;
        Some(value.into())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fumi_base::{atomic_write::replace, project::Project};

    use super::{NovelTemplateValues, files, is_line};
    use crate::{
        project::{EpisodeId, EpisodePlot, NovelProject, ProjectNames, StylePreset},
        writing::WritingMaterial,
    };

    fn made(wishes: &NovelTemplateValues) -> (tempfile::TempDir, NovelProject) {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        for file in files(wishes, &ProjectNames::default()) {
            assert!(!file.text.contains("{{") || wishes.title.contains("{{"), "{}", file.path);
            replace(&project, &file.path, file.text.as_bytes()).expect("written");
        }
        let novel = NovelProject::new(Arc::clone(&project), ProjectNames::default());
        (folder, novel)
    }

    #[test]
    fn a_new_project_lacks_nothing_and_its_first_episode_can_be_written() {
        let (_folder, novel) = made(&NovelTemplateValues {
            title: "続きの店".to_owned(),
            author: Some("作者".to_owned()),
            genre: None,
            preset: StylePreset::Narou,
        });
        let survey = novel.survey().expect("a survey");
        assert!(survey.remarks.is_empty(), "{:?}", survey.remarks);
        assert_eq!(survey.settings.title.as_deref(), Some("続きの店"));
        assert_eq!(survey.settings.author.as_deref(), Some("作者"));
        assert_eq!(survey.settings.style_preset, Some(StylePreset::Narou));
        assert_eq!(survey.folders.len(), 7);
        let episode = EpisodeId::new(1).expect("a number");
        let material = WritingMaterial::gather(&novel, episode).expect("material");
        assert!(material.faults.is_empty(), "{:?}", material.faults);
        let cast: Vec<(&str, bool)> =
            material.cast.iter().map(|member| (member.name.as_str(), member.aliases.len() > 1)).collect();
        assert_eq!(cast, [("水野はる", true), ("久我いつき", true)]);
        let plot: EpisodePlot = novel.plot(episode).expect("a plot");
        assert_eq!(plot.events().len(), 8);
        assert!(plot.unknown.0.is_empty() && plot.episode_info.unknown.0.is_empty());
        let status = crate::status::NovelStatus::read(&novel).expect("a status");
        assert!(status.remarks.is_empty(), "{:?}", status.remarks);
        assert_eq!(status.stages_left, 5);
    }

    #[test]
    fn titles_are_escaped_in_templates() {
        for title in ["{{genre}}: \"値\" # \\ 'x'", "- 一", "1984", "*題", "題\u{3000}末"] {
            assert!(is_line(title));
            let (_folder, novel) = made(&NovelTemplateValues {
                title: title.to_owned(),
                author: None,
                genre: Some("a: b".to_owned()),
                preset: StylePreset::Custom,
            });
            let survey = novel.survey().expect("a survey");
            assert!(survey.remarks.is_empty(), "{:?}", survey.remarks);
            assert_eq!(survey.settings.title.as_deref(), Some(title));
            assert_eq!((survey.settings.author, survey.settings.genre.as_deref()), (None, Some("a: b")));
        }
        assert!(!is_line(" \u{3000}") && !is_line("二\n行") && !is_line("\u{7}"));
    }
}
