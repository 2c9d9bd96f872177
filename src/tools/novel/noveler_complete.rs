//! The `noveler_complete` tool: makes an episode in every published format, with a record of it; nothing is posted.

use std::time::Duration;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    book_checks::{BookCheckOptions, check_book},
    change_set,
    checks::Severity,
    errors::{completion::CompletionError, project::ProjectError},
    finishing::{
        self, BOOK, BookRecord, FinishedEpisode, FormatLoss, NOT_EVALUATED, PublishExtent, PublishRecord, PublishedFile,
    },
    memory::state_path,
    project::{EpisodeId, NovelProject},
    writing::UtcTime,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    EpisodeNumber, NovelDeps, WRITES, alone, checking::check_book::CheckBook, now, suggestion::Suggestion, texts,
};

/// The maximum number of kinds of losses shown for one file, and of places for each kind; the record has more.
const KINDS: usize = 10;
const PLACES: usize = 10;

/// The maximum number of episodes that are compared with the completed one: about two seconds.
const COMPARED: usize = 150;

#[derive(Debug)]
pub struct NovelerComplete;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// True to make also texts for the forms of the sites, and a checklist.
    #[serde(default)]
    auto_publish: bool,
    /// True to report also the losses of each format, and a trace.
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub struct Output {
    success: bool,
    /// A summary in one line.
    summary: String,
    episode: u32,
    publication_status: String,
    primary_output: CompletedManuscript,
    /// The files in the folder of the episode.
    artifacts: Vec<CompletedFile>,
    /// The path of the complete record.
    detailed_report_reference: String,
    /// The actions for a person.
    next_actions: Vec<String>,
    /// The calls that can be made next.
    next_suggested_actions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    execution_trace: Vec<CompletionTrace>,
    /// The findings of the episode beside the others, for callers that cannot call `check_book`.
    #[serde(skip)]
    beside_others: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CompletedManuscript {
    file_reference: ManuscriptReference,
    /// The beginning of the story.
    preview: String,
    /// The number of visible characters of the story.
    word_count: usize,
    /// The length on manuscript paper (400字詰め原稿用紙), laid out in lines of 20 characters.
    manuscript_pages: usize,
    quality_metrics: CompletionQuality,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ManuscriptReference {
    path: String,
    sha256: String,
    size_bytes: u64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CompletionQuality {
    /// The method of judging, or `not_evaluated`.
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_score: Option<f64>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CompletedFile {
    format: String,
    path: String,
    size_bytes: u64,
    /// The first twelve digits of the file's SHA-256; the record contains all.
    hash: String,
    /// The number of elements of the manuscript that the format cannot express.
    #[serde(skip_serializing_if = "is_zero")]
    lost: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    losses: Vec<FileLosses>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FileLosses {
    message: String,
    count: usize,
    /// The first places, as `line:column`.
    places: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CompletionTrace {
    stage: &'static str,
    start: String,
    end: String,
    status: &'static str,
}

impl Tool for NovelerComplete {
    const SPEC: ToolSpec = ToolSpec {
        name: "noveler_complete",
        texts: texts!("noveler_complete"),
        example: r#"{"episode": 1}"#,
        timeout: Duration::from_mins(2),
        ..WRITES
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, locale, episode) = (deps.novel(cx), cx.locale(), args.episode.0);
        let holder = format!("noveler_complete {episode}");
        deps.check_manuscript(cx, episode).await?;
        let work = alone(deps.novel(cx), cx, &holder, move |cancel, _| {
            finish(&novel, &args, locale, &|| cancel.is_cancelled())
        });
        let mut output = work.await?;
        // Other writers need not wait while the other episodes are read.
        let novel = deps.novel(cx);
        let look = cx.blocking(move |cancel, _| {
            let is_stopped = || cancel.is_cancelled();
            Ok::<_, CompletionError>(check_suggestion(&novel, episode, locale, &is_stopped))
        });
        if let Some((suggestion, found)) = look.await? {
            output.next_suggested_actions.push(suggestion);
            output.beside_others = found;
        }
        Ok(ToolOutcome::Done(output))
    }
}

/// Completes the episode, rebuilds the book, and returns the reply.
fn finish(
    novel: &NovelProject,
    args: &Args,
    locale: Locale,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Output, CompletionError> {
    let (episode, begun) = (args.episode.0, now());
    let extent = if args.auto_publish { PublishExtent::WithFormSheets } else { PublishExtent::Formats };
    let (done, packaged, book) = complete_episode(novel, episode, extent, &begun, is_stopped)?;
    let mut output = output(&done, book.as_ref(), locale);
    output.next_suggested_actions = suggestions(novel, episode, locale)?;
    if args.verbose {
        output.execution_trace = vec![traced("package", &begun, &packaged), traced("book", &packaged, &now())];
        for (file, artifact) in output.artifacts.iter_mut().zip(&done.record.artifacts) {
            file.losses = losses(&artifact.losses, locale);
        }
    }
    Ok(output)
}

/// Makes the files of an episode and the book of all completed episodes, written together. Returns also the time at
/// which the episode's files were ready.
pub(super) fn complete_episode(
    novel: &NovelProject,
    episode: EpisodeId,
    extent: PublishExtent,
    begun: &UtcTime,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(FinishedEpisode, UtcTime, Option<BookRecord>), CompletionError> {
    let (done, mut changes) = finishing::complete(novel, episode, extent, begun, json::<PublishRecord>)?;
    let packaged = now();
    let (book, of_book) =
        finishing::build_book(novel, Some(&done.record), &packaged, json::<BookRecord>, is_stopped)?.unzip();
    changes.extend(of_book.into_iter().flatten());
    change_set::apply(novel.project(), None, changes)?;
    Ok((done, packaged, book))
}

/// Serializes a record as JSON.
///
/// # Panics
///
/// Never: records consist of texts, numbers and lists.
fn json<T: Serialize>(record: &T) -> Vec<u8> {
    serde_json::to_vec_pretty(record).expect("texts, numbers and lists are JSON")
}

fn traced(stage: &'static str, start: &UtcTime, end: &UtcTime) -> CompletionTrace {
    CompletionTrace { stage, start: start.to_string(), end: end.to_string(), status: "completed" }
}

fn losses(lost: &[FormatLoss], locale: Locale) -> Vec<FileLosses> {
    let shown = lost.iter().take(KINDS).map(|lost| FileLosses {
        message: match locale {
            Locale::En => lost.en.clone(),
            Locale::Ja => lost.ja.clone(),
        },
        count: lost.count,
        places: lost.places.iter().take(PLACES).cloned().collect(),
    });
    shown.collect()
}

fn output(done: &FinishedEpisode, book: Option<&BookRecord>, locale: Locale) -> Output {
    let record = &done.record;
    let say = |text: &BilingualText| text.get(locale).to_owned();
    let mut artifacts: Vec<CompletedFile> = record.artifacts.iter().map(file).collect();
    artifacts.extend(book.map(|book| CompletedFile {
        format: "book_epub".to_owned(),
        path: BOOK.to_owned(),
        size_bytes: book.size_bytes,
        hash: short(&book.sha256),
        lost: 0,
        losses: Vec::new(),
    }));
    let source = &record.manuscript;
    Output {
        success: true,
        summary: say(&summary(done, artifacts.len(), book)),
        episode: record.episode,
        publication_status: "prepared".to_owned(),
        primary_output: CompletedManuscript {
            file_reference: ManuscriptReference {
                path: source.path.clone(),
                sha256: source.sha256.clone(),
                size_bytes: source.size_bytes,
            },
            preview: done.preview.clone(),
            word_count: source.characters,
            manuscript_pages: source.manuscript_pages,
            quality_metrics: CompletionQuality {
                method: record.quality.method.clone(),
                overall_score: record.quality.overall_score,
            },
        },
        artifacts,
        detailed_report_reference: done.path.clone(),
        next_actions: next_actions(done).iter().map(say).collect(),
        next_suggested_actions: Vec::new(),
        remarks: done.remarks.iter().map(say).collect(),
        execution_trace: Vec::new(),
        beside_others: None,
    }
}

fn file(artifact: &PublishedFile) -> CompletedFile {
    CompletedFile {
        format: artifact.format.clone(),
        path: artifact.path.clone(),
        size_bytes: artifact.size_bytes,
        hash: short(&artifact.sha256),
        lost: artifact.lost,
        losses: Vec::new(),
    }
}

/// Returns the first twelve digits of a hash, enough to identify a file.
fn short(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

fn summary(done: &FinishedEpisode, files: usize, book: Option<&BookRecord>) -> BilingualText {
    let (record, heading) = (&done.record, &done.heading);
    let characters = record.manuscript.characters;
    let (score, score_ja) = match record.quality.overall_score {
        // In English the score is shown out of ten, as people say it.
        Some(score) => (format!(", quality {:.1}/10", score / 10.0), format!("、点数 {score:.1}/100")),
        None => (String::new(), String::new()),
    };
    let (bound, bound_ja) = match book {
        Some(book) => (
            format!("; the book has {} episodes ({})", book.episodes.len(), pages(book.manuscript_pages).en),
            format!("、全体の本は {} 話で{}", book.episodes.len(), pages(book.manuscript_pages).ja),
        ),
        None => (String::new(), String::new()),
    };
    let length = pages(record.manuscript.manuscript_pages);
    BilingualText::new(
        format!(
            "Episode {} ({heading}) is complete: {characters} characters ({}){score}, {files} files{bound}.",
            record.episode, length.en
        ),
        format!(
            "「{heading}」を公開用にまとめました（{characters} 字、{}{score_ja}、{files} ファイル{bound_ja}）。",
            length.ja
        ),
    )
}

/// Returns a number of sheets of manuscript paper as a phrase.
fn pages(sheets: usize) -> BilingualText {
    let noun = if sheets == 1 { "page" } else { "pages" };
    BilingualText::new(format!("{sheets} manuscript {noun}"), format!("原稿用紙 {sheets} 枚"))
}

/// Returns the actions that a person takes with the files.
fn next_actions(done: &FinishedEpisode) -> Vec<BilingualText> {
    let mut actions = Vec::new();
    if done.record.quality.method == NOT_EVALUATED {
        actions.push(BilingualText::new(
            "Have this text judged with noveler_check, or read it once more: it has not been judged.",
            "この本文にはまだ判定がないので、投稿の前に noveler_check で判定を受けるか、もう一度読み返す。",
        ));
    }
    let posts = done.posts.iter().flat_map(|post| post.steps.iter().cloned());
    actions.extend(posts);
    if done.posts.is_empty() {
        actions.push(BilingualText::new(
            "Post it yourself when you are ready; nothing was posted. auto_publish: true adds sheets for the sites' forms.",
            "投稿はしていないので、準備ができたら自分で投稿する。auto_publish: true で、投稿欄に貼るための文面も作る。",
        ));
    }
    actions
}

/// Suggests the next step of the next episode, and the status of the novel.
fn suggestions(novel: &NovelProject, episode: EpisodeId, locale: Locale) -> Result<Vec<Suggestion>, ProjectError> {
    let survey = novel.survey()?;
    let mut actions = Vec::new();
    if novel.project().find(&state_path(episode))?.is_none() {
        let record = BilingualText::new(
            "record what later episodes must not contradict",
            "この先の話が食い違わないよう、話の状態を記録する",
        );
        actions.push(Suggestion::for_episode("record_episode_state", episode, &record, locale));
    }
    if let Some(next) = EpisodeId::new(episode.number() + 1) {
        let (tool, reason) = match survey.episodes.get(&next) {
            None => ("noveler_plot", BilingualText::new("plan the next episode", "次の話のプロットを用意する")),
            Some(files) if files.manuscripts.is_empty() => {
                ("noveler_write", BilingualText::new("write the next episode", "次の話を執筆する"))
            }
            Some(_) => {
                ("noveler_complete", BilingualText::new("complete the next episode", "次の話を公開用にまとめる"))
            }
        };
        let is_finished = |files| finishing::finished(novel.project(), next, files).is_ok_and(|done| done.is_some());
        if !survey.episodes.get(&next).is_some_and(is_finished) {
            actions.push(Suggestion::for_episode(tool, next, &reason, locale));
        }
    }
    let status = BilingualText::new("see what is left of the novel", "作品全体の残りを確かめる");
    actions.push(Suggestion::without_arguments("status", &status, locale));
    Ok(actions)
}

/// Suggests the check of the novel if it has findings that concern the episode, or if it would take long to know. Returns
/// also the sentence about the findings. The episode is complete without it, so its errors are left to the check itself.
fn check_suggestion(
    novel: &NovelProject,
    episode: EpisodeId,
    locale: Locale,
    is_stopped: &dyn Fn() -> bool,
) -> Option<(Suggestion, Option<String>)> {
    let survey = novel.survey().ok()?;
    let (reason, found) = if survey.episodes.len() > COMPARED {
        (BilingualText::new("compare the episode with the others", "ほかの話と読み比べる"), None)
    } else {
        let asked = BookCheckOptions { focus: Some(episode), shown: 0 };
        let found = check_book(novel, asked, is_stopped).ok()?.count_from(Severity::Medium);
        if found == 0 {
            return None;
        }
        let findings = if found == 1 { "finding" } else { "findings" };
        let what =
            format!("{found} {findings} of this episode beside the others: names, spellings, facts and the like");
        let said = BilingualText::new(
            format!("{what}."),
            format!("ほかの話と比べて気になる点が {found} 件あります（名前、表記、事実など）。"),
        );
        let reason =
            BilingualText::new(what, format!("ほかの話と比べて気になる点が {found} 件ある（名前、表記、事実など）"));
        (reason, Some(said.get(locale).to_owned()))
    };
    Some((Suggestion::for_episode(CheckBook::SPEC.name, episode, &reason, locale), found))
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        if !can_call(CheckBook::SPEC.name) {
            self.remarks.extend(self.beside_others.take());
        }
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        let mut folder = "";
        for file in &self.artifacts {
            let (of, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            if of != folder {
                folder = of;
                lines.push(format!("{folder}/"));
            }
            lines.push(file.line(name, locale));
            let losses = file.losses.iter();
            lines.extend(losses.map(|loss| {
                let (message, count, places) = (&loss.message, loss.count, loss.places.join(" "));
                match locale {
                    Locale::En => format!("  {message} ({count}: {places})"),
                    Locale::Ja => format!("  {message}（{count} か所: {places}）"),
                }
            }));
        }
        let record = &self.detailed_report_reference;
        lines.push(match locale {
            Locale::En => format!("Record: {record}"),
            Locale::Ja => format!("記録: {record}"),
        });
        lines.extend(self.remarks.iter().map(|remark| format!("! {remark}")));
        lines.extend(self.next_actions.iter().map(|action| format!("- {action}")));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}

impl CompletedFile {
    fn line(&self, name: &str, locale: Locale) -> String {
        let lost = match (self.lost, locale) {
            (0, _) => String::new(),
            (lost, Locale::En) => format!(", {lost} elements lost"),
            (lost, Locale::Ja) => format!("、表せなかったもの {lost} か所"),
        };
        format!("{name} ({}): {} B{lost}", self.format, self.size_bytes)
    }
}
