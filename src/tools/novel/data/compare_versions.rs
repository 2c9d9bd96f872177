//! The `compare_versions` tool: what differs between two versions of an episode, as prose is read: by paragraphs, and
//! inside a changed paragraph by characters.

use std::ops::Range;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Cx, NextPage, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::versions::VersionError,
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    project::{EpisodeId, NovelProject},
    versions::{ParagraphChange, ParagraphChangeKind, TextDifference, VersionName, VersionText, compare, read_version},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NovelDeps, READS, texts};
use crate::novel::{EpisodeNumber, REVIEW};

/// The version that is compared with, if the call names none.
const FROM: &str = "backup";
const TO: &str = "manuscript";

#[derive(Debug)]
pub struct CompareVersions;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The first version.
    #[schemars(length(min = 1, max = 100))]
    from: Option<String>,
    /// The second version.
    #[schemars(length(min = 1, max = 100))]
    to: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// A summary in one line.
    summary: String,
    episode: u32,
    from: VersionReport,
    to: VersionReport,
    /// True if both have the same paragraphs.
    identical: bool,
    paragraphs_changed: usize,
    paragraphs_added: usize,
    paragraphs_removed: usize,
    paragraphs_unchanged: usize,
    /// The number of empty lines that were added or removed.
    empty_lines: usize,
    characters_added: usize,
    characters_removed: usize,
    /// The number of all changes, of paragraphs and of empty lines.
    total: usize,
    /// The changes in the order of the text.
    changes: Vec<ChangeReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    /// True if the reply lacks rows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

/// A version of the text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct VersionReport {
    /// `manuscript`, or the id of a session, a backup or an artifact.
    version: String,
    /// The path relative to the project.
    path: String,
    /// The id for `fetch_artifact`.
    artifact_id: String,
    /// The number of visible characters of the story.
    characters: usize,
}

/// A change of one paragraph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ChangeReport {
    /// `changed`, `added` or `removed`.
    kind: &'static str,
    /// The line in the first version, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_line: Option<usize>,
    /// The line in the second version, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_line: Option<usize>,
    /// The paragraph: `[-…-]` was removed, `{+…+}` was added, `…` is left out, ⏎ is an empty line.
    text: String,
}

impl Tool for CompareVersions {
    const SPEC: ToolSpec = ToolSpec {
        name: "compare_versions",
        toolset: REVIEW,
        texts: texts!("compare_versions"),
        example: r#"{"episode": 1, "from": "manuscript", "to": "artifact:ba7816bf8f01"}"#,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, locale) = (deps.novel(cx), cx.locale());
        let from = VersionName::parse(args.from.as_deref().unwrap_or(FROM))?;
        let to = VersionName::parse(args.to.as_deref().unwrap_or(TO))?;
        let episode = args.episode.0;
        let work =
            cx.blocking(move |cancel, _| compared(&novel, episode, [&from, &to], locale, &|| cancel.is_cancelled()));
        Ok(ToolOutcome::Done(work.await?))
    }
}

fn compared(
    novel: &NovelProject,
    episode: EpisodeId,
    [from, to]: [&VersionName; 2],
    locale: Locale,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Output, VersionError> {
    novel.survey()?.require_novel(novel.names())?;
    let (from, to) =
        (read_version(novel, episode, from, is_cancelled)?, read_version(novel, episode, to, is_cancelled)?);
    let found = compare(&from.text, &to.text, is_cancelled).ok_or(VersionError::Cancelled)?;
    let remarks = remarks(&found, from.hash == to.hash, locale);
    let (from, to) = (VersionReport::from_version(from), VersionReport::from_version(to));
    Ok(Output {
        success: true,
        summary: summary(episode, &found, [&from, &to], locale),
        episode: episode.number(),
        from,
        to,
        identical: found.total == 0,
        paragraphs_changed: found.changed,
        paragraphs_added: found.added,
        paragraphs_removed: found.removed,
        paragraphs_unchanged: found.unchanged,
        empty_lines: found.empty_lines,
        characters_added: found.characters_added,
        characters_removed: found.characters_removed,
        total: found.total,
        changes: found.changes.into_iter().map(ChangeReport::from_change).collect(),
        remarks,
        truncated: false,
        next: None,
    })
}

fn summary(episode: EpisodeId, found: &TextDifference, [from, to]: [&VersionReport; 2], locale: Locale) -> String {
    let (number, from_name, to_name) = (episode.number(), &from.version, &to.version);
    let (old, new) = (from.characters, to.characters);
    let TextDifference { changed, added, removed, characters_added, characters_removed, .. } = found;
    match (found.total, locale) {
        (0, Locale::En) => format!("Episode {number}: {from_name} and {to_name} have the same text."),
        (0, Locale::Ja) => format!("第{number}話の {from_name} と {to_name} は同じ本文です。"),
        (_, Locale::En) => format!(
            "Episode {number}, {from_name} → {to_name}: {changed} paragraphs changed, {added} added, {removed} removed; {characters_added} characters in, {characters_removed} out; length {old} → {new}."
        ),
        (_, Locale::Ja) => format!(
            "第{number}話の {from_name} → {to_name}：変わった段落 {changed} 個、加わった段落 {added} 個、消えた段落 {removed} 個。{characters_added} 字を加え、{characters_removed} 字を削りました。可視文字は {old} 字から {new} 字です。"
        ),
    }
}

/// Returns what a reader of the changes must know about them.
fn remarks(found: &TextDifference, is_same_file: bool, locale: Locale) -> Vec<String> {
    let more = found.total - found.changes.len();
    let said = [
        (found.total == 0 && !is_same_file).then(|| {
            BilingualText::new(
                "The files differ only in line ends, encoding or a byte order mark.",
                "ファイルの違いは、改行コード・文字コード・BOM だけです。",
            )
        }),
        found.is_coarse.then(|| {
            BilingualText::new(
                "The versions have too many different paragraphs to pair them: all are shown as removed and added.",
                "違う段落が多すぎるため対応付けをせず、すべて削除と追加として示しています。",
            )
        }),
        (more > 0).then(|| {
            BilingualText::new(
                format!("{more} further changes are counted and not listed."),
                format!("ほかに {more} 件の変更があります（件数にだけ含めています）。"),
            )
        }),
    ];
    said.into_iter().flatten().map(|text| text.get(locale).to_owned()).collect()
}

impl VersionReport {
    fn from_version(version: VersionText) -> Self {
        Self {
            version: version.name,
            path: version.path,
            artifact_id: version.hash.artifact_id(),
            characters: Manuscript::read(version.text, ManuscriptOptions::default())
                .count(ManuscriptPart::Body)
                .characters,
        }
    }

    fn line(&self) -> String {
        let Self { version, path, artifact_id, .. } = self;
        if version == artifact_id { format!("{path} {artifact_id}") } else { format!("{version} {path} {artifact_id}") }
    }
}

impl ChangeReport {
    fn from_change(change: ParagraphChange) -> Self {
        let kind = match change.kind {
            ParagraphChangeKind::Changed => "changed",
            ParagraphChangeKind::Added => "added",
            ParagraphChangeKind::Removed => "removed",
        };
        Self { kind, from_line: change.before, to_line: change.after, text: change.text }
    }

    fn line(&self) -> String {
        let place = |line: Option<usize>| line.map_or_else(String::new, |line| line.to_string());
        format!("{}→{} {}", place(self.from_line), place(self.to_line), self.text)
    }
}

impl Render for Output {
    fn text(&self, _: Locale) -> String {
        let mut lines = vec![self.summary.clone(), format!("- {}", self.from.line()), format!("+ {}", self.to.line())];
        lines.extend(self.remarks.iter().map(|remark| format!("! {remark}")));
        lines.extend(self.changes.iter().map(ChangeReport::line));
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.changes.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.changes.len());
        let changes = self.changes[rows.start.min(end)..end].to_vec();
        (Self { changes, ..self.clone() }, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
