//! Tests of novel projects on the disk: complete, unfinished, and unusual ones.

use std::{fs, path::Path};

use fumi_base::{errors::UserError, project::Project, text::Locale};
use fumi_novel::{
    errors::project::ProjectError,
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    project::{EpisodeId, FolderRole, NovelProject, ProjectNames, StylePreset, TargetLength},
};

fn novel(root: &Path) -> NovelProject {
    NovelProject::new(Project::open(root).expect("a project"), ProjectNames::default())
}

/// Creates a project with these files.
fn made(files: &[(&str, &str)]) -> (tempfile::TempDir, NovelProject) {
    let root = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("written");
    }
    let project = novel(root.path());
    (root, project)
}

fn episode(number: u32) -> EpisodeId {
    EpisodeId::new(number).expect("a number")
}

/// Returns the remarks of a survey, in English.
fn remarks(project: &NovelProject) -> Vec<String> {
    let survey = project.survey().expect("a survey");
    let both = survey.remarks.iter().map(fumi_novel::project::SurveyRemark::message);
    both.map(|text| {
        assert_ne!(text.get(Locale::Ja), text.get(Locale::En));
        text.get(Locale::En).to_owned()
    })
    .collect()
}

#[test]
fn the_sample_novel_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel");
    let project = novel(&root);
    let survey = project.survey().expect("a survey");
    assert_eq!(remarks(&project), [""; 0]);
    assert_eq!(survey.settings.title.as_deref(), Some("潮のほまち"));
    assert_eq!(survey.settings.style_preset, Some(StylePreset::Bunko));
    assert_eq!(survey.settings.target_length, Some(TargetLength::About(4_000)));
    let titles: Vec<_> = survey.episodes.values().map(|files| files.title.as_deref().unwrap_or_default()).collect();
    assert_eq!(titles, ["こぶとえくぼ", "ほまち", "備考"]);
    for (episode, title) in survey.episodes.keys().zip(titles) {
        let plot = project.plot(*episode).expect("a plot");
        assert_eq!(plot.episode_info.episode_number, Some(episode.number()));
        assert_eq!(plot.episode_info.title.as_deref(), Some(title));
        assert!(plot.events().len() >= 3 && plot.character_names().len() >= 3);
        assert_eq!(plot.unknown.0, []);
        let manuscript =
            Manuscript::read(project.manuscript_text(*episode).expect("a text").text, ManuscriptOptions::default());
        assert_eq!(manuscript.issues(), []);
        let target = plot.scene_structure.total_target_words.expect("a target");
        let characters = manuscript.count(ManuscriptPart::Body).characters;
        assert!(characters.abs_diff(target as usize) <= target as usize / 10, "{episode}: {characters}");
    }
}

#[test]
fn an_empty_folder_says_what_is_missing() {
    let (_root, project) = made(&[]);
    assert_eq!(
        remarks(&project),
        [
            "プロジェクト設定.yaml is missing: title, author and style are unknown.",
            "The folder 10_企画 is missing.",
            "The folder 20_プロット/話別 is missing.",
            "The folder 30_設定集 is missing.",
            "The folder 40_原稿 is missing.",
            "The folder 50_管理資料 is missing.",
        ]
    );
    assert!(project.survey().expect("a survey").episodes.is_empty());
    let error = project.plot(episode(1)).expect_err("nothing");
    assert_eq!((error.entry(), error.error_message().code.as_str()), ("EPISODE_NOT_FOUND", "E001"));
    assert_eq!(project.new_manuscript(episode(1), "雨/雪").expect("a name"), "40_原稿/第001話_雨／雪.md");
    assert_eq!(project.new_plot(episode(12)).expect("a name"), "20_プロット/話別/第012話.yaml");
}

#[test]
fn survey_lists_found_parts_and_remarks_on_missing_ones() {
    let (_root, project) = made(&[
        ("プロジェクト設定.yaml", "title: 題\nauthor: [\n"),
        ("40_原稿/第001話_朝.md", "朝。"),
        ("40_原稿/第2話_昼.txt", "昼。"),
        ("40_原稿/第002話_正午.md", "正午。"),
        ("40_原稿/覚え書き.md", ""),
        ("40_原稿/README.md", ""),
        ("40_原稿/.第003話.md", ""),
        ("40_原稿/第004話.docx", ""),
        ("20_プロット/第001話.yml", "synopsis: 朝\n"),
        ("20_プロット/第005話.yaml", "synopsis:\n  - x\n"),
    ]);
    let told = remarks(&project);
    assert_eq!(
        told[0],
        "\"プロジェクト設定.yaml\" is not valid YAML at line 2, column 9: `author`: a single text is required here, not a list or keys."
    );
    assert_eq!(
        told[1..],
        [
            "The folder 10_企画 is missing.",
            "20_プロット is used for plots of episodes.",
            "The folder 30_設定集 is missing.",
            "The folder 50_管理資料 is missing.",
            "40_原稿/覚え書き.md has no episode number in its name, such as 第001話.",
            "Episode 2 has several files of the same kind: 40_原稿/第002話_正午.md, 40_原稿/第2話_昼.txt.",
        ]
    );
    let survey = project.survey().expect("a survey");
    let numbers: Vec<u32> = survey.episodes.keys().map(|episode| episode.number()).collect();
    assert_eq!(numbers, [1, 2, 5]);
    assert_eq!(survey.folders[&FolderRole::Manuscripts].shown(), "40_原稿");
    assert_eq!(project.manuscript_text(episode(1)).expect("a text").text, "朝。");
    assert_eq!(project.plot(episode(1)).expect("a plot").synopsis.as_deref(), Some("朝"));
    let entries = [
        (project.manuscript(episode(2)).map(|_| ()), "AMBIGUOUS_EPISODE"),
        (project.plot(episode(2)).map(|_| ()), "PLOT_NOT_FOUND"),
        (project.manuscript(episode(5)).map(|_| ()), "MANUSCRIPT_NOT_FOUND"),
        (project.plot(episode(5)).map(|_| ()), "BROKEN_YAML"),
        (project.plot(episode(9)).map(|_| ()), "EPISODE_NOT_FOUND"),
    ];
    for (result, entry) in entries {
        assert_eq!(result.expect_err("refused").entry(), entry);
    }
}

#[test]
fn other_layouts_are_found() {
    let (_root, project) = made(&[("原稿/001_朝.md", "朝。"), ("plots/episode_1.yaml", "synopsis: 朝\n")]);
    assert_eq!(project.manuscript(episode(1)).expect("exists").shown(), "原稿/001_朝.md");
    assert_eq!(project.plot(episode(1)).expect("exists").synopsis.as_deref(), Some("朝"));
    assert_eq!(project.new_manuscript(episode(2), "").expect("a name"), "原稿/第002話.md");
    let (_root, flat) = made(&[("第1話.txt", "朝。"), ("README.md", ""), ("100.txt", "")]);
    let survey = flat.survey().expect("a survey");
    assert_eq!(survey.episodes.keys().map(|episode| episode.number()).collect::<Vec<_>>(), [1]);
}

#[test]
fn names_come_from_the_configuration_and_stay_inside() {
    let (root, _) = made(&[("text/第001話.md", "朝。")]);
    let project = |manuscripts: &str| {
        let names = ProjectNames { manuscripts: manuscripts.to_owned(), ..ProjectNames::default() };
        NovelProject::new(Project::open(root.path()).expect("a project"), names)
    };
    assert_eq!(project("text").manuscript(episode(1)).expect("exists").shown(), "text/第001話.md");
    for name in ["..", "/etc", "text/../.."] {
        let refused = project(name).survey().expect_err("outside");
        assert!(matches!(refused, ProjectError::Path(_)), "{name}: {refused}");
    }
}

#[test]
fn links_that_lead_out_hold_no_episodes() {
    let (outside, _) = made(&[("第001話.md", "秘密。"), ("原稿/第002話.md", "秘密。")]);
    let (root, project) = made(&[("40_原稿/第003話.md", "朝。")]);
    std::os::unix::fs::symlink(outside.path().join("第001話.md"), root.path().join("40_原稿/第001話.md"))
        .expect("a link");
    let survey = project.survey().expect("a survey");
    assert_eq!(survey.episodes.keys().map(|episode| episode.number()).collect::<Vec<_>>(), [3]);
    std::os::unix::fs::symlink(outside.path().join("原稿"), root.path().join("30_設定集")).expect("a link");
    assert!(matches!(project.survey(), Err(ProjectError::Path(_))));
}

#[test]
fn files_are_read_in_their_encoding_and_damage_is_told() {
    let (root, project) = made(&[("20_プロット/話別/第002話.yaml", "")]);
    fs::create_dir(root.path().join("40_原稿")).expect("a folder");
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode("　吾輩は猫である。名前はまだ無い。\n");
    fs::write(root.path().join("40_原稿/第001話.txt"), bytes).expect("written");
    let read = project.manuscript_text(episode(1)).expect("a text");
    assert_eq!((read.text.as_str(), read.damaged), ("　吾輩は猫である。名前はまだ無い。\n", false));
    // UTF-16 text whose last code unit is cut in half.
    let mut broken: Vec<u8> = "\u{feff}synopsis: 猫\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    broken.push(b'x');
    fs::write(root.path().join("20_プロット/話別/第002話.yaml"), broken).expect("written");
    let refused = project.plot(episode(2)).expect_err("damaged").error_message();
    assert_eq!(refused.kind, "BROKEN_YAML");
    assert!(refused.message.en.contains("bytes that are not valid utf-16"), "{}", refused.message.en);
}

#[test]
fn alternative_folder_names_are_reported_with_their_role() {
    let names = [
        ("プロット", "plots of episodes"),
        ("原稿", "manuscripts"),
        ("設定集", "characters, terms and the world"),
        ("管理資料", "outline and foreshadowing"),
    ];
    let files: Vec<String> = names.iter().map(|(folder, _)| format!("{folder}/a.md")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), "")).collect();
    let (_root, project) = made(&files);
    let survey = project.survey().expect("a survey");
    let used: Vec<_> = survey
        .remarks
        .iter()
        .filter(|remark| matches!(remark, fumi_novel::project::SurveyRemark::OtherName(..)))
        .map(|remark| remark.message().en)
        .collect();
    for (folder, role) in names {
        let wanted = format!("{folder} is used for {role}.");
        assert!(used.iter().any(|said| *said == wanted), "{wanted} {used:?}");
    }
    assert!(project.survey().expect("a survey").plotted().is_empty());
}
