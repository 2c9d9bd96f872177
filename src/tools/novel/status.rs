//! The `status` tool: shows the progress of the novel, open sessions, and the next steps. Reads only.

use std::time::Duration;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::project::ProjectError,
    finishing::NOT_EVALUATED,
    project::EpisodeId,
    status::{
        EpisodeProgress, EpisodeStatus, NovelStatus, OpenWritingSession, SessionEvent, SessionEventKind, THRESHOLD,
    },
    writing::WritingStage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    NovelDeps, READS, checking::review_charts::Chart, rounding::tenths, shown_time, suggestion::Suggestion, texts,
    writing::ranges,
};

/// The maximum number of open sessions and remarks shown; the totals are always reported.
const SHOWN: usize = 20;

/// The maximum number of review scores shown.
const SCORES: usize = 10;

#[derive(Debug)]
pub struct ProjectStatus;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// True to draw a chart of the review scores.
    #[serde(default)]
    include_charts: bool,
    /// True to list every episode.
    #[serde(default)]
    include_episodes: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    project_overview: ProjectOverview,
    quality_summary: QualitySummary,
    progress_analysis: ProgressAnalysis,
    /// Every episode with a plot or a manuscript, by number, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    episodes: Vec<EpisodeRow>,
    /// The writing sessions that can be continued.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open_sessions: Vec<OpenSession>,
    /// The charts, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    charts: Vec<Chart>,
    next_suggested_actions: Vec<Suggestion>,
    /// Problems: missing or broken files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ProjectOverview {
    project_name: String,
    /// The number of episodes with a plot or a manuscript.
    total_episodes: usize,
    /// The number of episodes that were completed and have not changed since.
    completed_episodes: usize,
    /// The number of episodes with a manuscript that is not completed.
    draft_episodes: usize,
    /// The number of episodes with only a plot.
    planned_episodes: usize,
    /// The numbers of the drafts, such as `2, 5-7`.
    #[serde(skip_serializing_if = "String::is_empty")]
    drafts: String,
    /// The numbers of the episodes with only a plot.
    #[serde(skip_serializing_if = "String::is_empty")]
    planned: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct EpisodeRow {
    episode: u32,
    /// The title from the names of the episode's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// `planned`, `draft` or `completed`.
    state: &'static str,
    /// The score from 0 to 100, if the present text was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
struct QualitySummary {
    /// The method of judging, or `not_evaluated`.
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_quality_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    highest_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lowest_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    episodes_below_threshold: Option<Vec<u32>>,
    /// The number of completed episodes that were not judged.
    not_evaluated: usize,
    /// The newest complete reviews, ordered by time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trend: Vec<Scored>,
}

/// The score of a complete review.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Scored {
    episode: u32,
    session_id: String,
    score: f64,
    method: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ProgressAnalysis {
    /// In percent.
    completion_rate: f64,
    estimated_remaining_work: String,
    remaining_stages: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_stage_seconds: Option<f64>,
    /// The latest activities, newest first.
    recent_activity: Vec<RecentActivity>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RecentActivity {
    timestamp: String,
    /// `started`, `stage_completed`, `stage_in_progress`, `feedback` or `finished`.
    event: &'static str,
    episode: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'static str>,
    session_id: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct OpenSession {
    session_id: String,
    episode: u32,
    /// The next stage.
    current_stage: &'static str,
    completed_stages: usize,
    total_stages: usize,
    last_updated: String,
}

impl Tool for ProjectStatus {
    const SPEC: ToolSpec =
        ToolSpec { name: "status", texts: texts!("status"), timeout: Duration::from_secs(10), ..READS };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, locale) = (deps.novel(cx), cx.locale());
        let output = cx.blocking(move |_, _| Ok::<_, ProjectError>(output(&NovelStatus::read(&novel)?, &args, locale)));
        Ok(ToolOutcome::Done(output.await?))
    }
}

fn output(status: &NovelStatus, args: &Args, locale: Locale) -> Output {
    let total = status.episodes.len();
    let completed = status.count(EpisodeProgress::Completed);
    let mut remarks: Vec<String> =
        status.remarks.iter().take(SHOWN).map(|remark| remark.get(locale).to_owned()).collect();
    if let Some(more) = status.remarks.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let said = BilingualText::new(format!("{more} more remarks."), format!("ほか {more} 件。"));
        remarks.push(said.get(locale).to_owned());
    }
    if let Some(more) = status.open.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let said = BilingualText::new(
            format!("{more} more open writing sessions."),
            format!("進行中のセッションはほかに {more} 件あります。"),
        );
        remarks.push(said.get(locale).to_owned());
    }
    Output {
        success: true,
        project_overview: ProjectOverview {
            project_name: status.name.clone(),
            total_episodes: total,
            completed_episodes: completed,
            draft_episodes: status.count(EpisodeProgress::Draft),
            planned_episodes: status.count(EpisodeProgress::Planned),
            drafts: numbers(status, EpisodeProgress::Draft),
            planned: numbers(status, EpisodeProgress::Planned),
        },
        quality_summary: quality(status),
        progress_analysis: ProgressAnalysis {
            completion_rate: percent(completed, total),
            estimated_remaining_work: remaining(status).get(locale).to_owned(),
            remaining_stages: status.stages_left,
            median_stage_seconds: status.stage_seconds.map(tenths),
            recent_activity: status.activity.iter().map(activity).collect(),
        },
        episodes: if args.include_episodes { status.episodes.iter().map(row).collect() } else { Vec::new() },
        charts: if args.include_charts { vec![Chart::of_scores(&status.scores, locale)] } else { Vec::new() },
        open_sessions: status.open.iter().take(SHOWN).map(open).collect(),
        next_suggested_actions: suggestions(status, locale),
        remarks,
    }
}

fn row(episode: &EpisodeStatus) -> EpisodeRow {
    EpisodeRow {
        episode: episode.episode.number(),
        title: episode.title.clone(),
        state: match episode.progress {
            EpisodeProgress::Planned => "planned",
            EpisodeProgress::Draft => "draft",
            EpisodeProgress::Completed => "completed",
        },
        score: episode.judged.as_ref().map(|(_, score)| *score),
    }
}

fn numbers(status: &NovelStatus, progress: EpisodeProgress) -> String {
    let own = status.episodes.iter().filter(|one| one.progress == progress);
    ranges(own.map(|one| one.episode.number()))
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    tenths(part as f64 * 100.0 / whole as f64)
}

fn quality(status: &NovelStatus) -> QualitySummary {
    let judged = status.episodes.iter().filter_map(|one| Some((one.episode, one.judged.as_ref()?)));
    let judged: Vec<(EpisodeId, &str, f64)> =
        judged.map(|(episode, (method, score))| (episode, method.as_str(), *score)).collect();
    let is_unjudged = |one: &&EpisodeStatus| one.progress == EpisodeProgress::Completed && one.judged.is_none();
    let not_evaluated = status.episodes.iter().filter(is_unjudged).count();
    let trend = trend(status);
    if judged.is_empty() {
        return QualitySummary { method: NOT_EVALUATED.to_owned(), not_evaluated, trend, ..QualitySummary::default() };
    }
    let mut methods: Vec<&str> = judged.iter().map(|(_, method, _)| *method).collect();
    methods.sort_unstable();
    methods.dedup();
    let scores = || judged.iter().map(|(_, _, score)| *score);
    QualitySummary {
        method: methods.join(", "),
        average_quality_score: Some(tenths(scores().sum::<f64>() / judged.len() as f64)),
        highest_score: scores().max_by(f64::total_cmp),
        lowest_score: scores().min_by(f64::total_cmp),
        episodes_below_threshold: Some(
            judged.iter().filter(|(_, _, score)| *score < THRESHOLD).map(|(episode, ..)| episode.number()).collect(),
        ),
        not_evaluated,
        trend,
    }
}

/// Returns the newest reviews, ordered by time.
fn trend(status: &NovelStatus) -> Vec<Scored> {
    let mut scores: Vec<_> = status.scores.iter().filter_map(|one| Some((one, one.score?))).collect();
    scores.sort_by(|(one, _), (other, _)| one.review.cmp(&other.review));
    let over = scores.len().saturating_sub(SCORES);
    let newest = scores.into_iter().skip(over);
    newest
        .map(|(one, score)| Scored {
            episode: one.episode.number(),
            session_id: one.review.to_string(),
            score,
            method: one.method.clone(),
        })
        .collect()
}

/// Describes the remaining work, and its duration if a stage was ever measured.
fn remaining(status: &NovelStatus) -> BilingualText {
    let (left, drafts) = (status.stages_left, status.count(EpisodeProgress::Draft));
    if left == 0 && drafts == 0 {
        return BilingualText::new("nothing", "なし");
    }
    let (time, time_ja) = match status.stage_seconds.filter(|_| left > 0) {
        Some(seconds) => {
            let (time, time_ja) = duration(seconds * left as f64);
            (format!(", about {time}"), format!("、およそ {time_ja}"))
        }
        None if left > 0 => (", no stage was measured yet".to_owned(), "（所要時間はまだ測っていません）".to_owned()),
        None => (String::new(), String::new()),
    };
    BilingualText::new(
        format!("{left} writing stages{time}; {drafts} drafts to complete"),
        format!("執筆が {left} 段階{time_ja}、公開用にまとめていない原稿が {drafts} 話"),
    )
}

fn duration(seconds: f64) -> (String, String) {
    let minutes = (seconds / 60.0).ceil();
    if minutes < 120.0 {
        let unit = if minutes > 1.0 { "minutes" } else { "minute" };
        (format!("{minutes} {unit}"), format!("{minutes} 分"))
    } else {
        let hours = tenths(minutes / 60.0);
        (format!("{hours} hours"), format!("{hours} 時間"))
    }
}

fn activity(event: &SessionEvent) -> RecentActivity {
    let (name, stage): (_, Option<WritingStage>) = match event.what {
        SessionEventKind::Started => ("started", None),
        SessionEventKind::Completed(stage) => ("stage_completed", Some(stage)),
        SessionEventKind::Worked(stage) => ("stage_in_progress", Some(stage)),
        SessionEventKind::Remarked(stage) => ("feedback", Some(stage)),
        SessionEventKind::Finished => ("finished", None),
    };
    RecentActivity {
        timestamp: event.at.to_string(),
        event: name,
        episode: event.episode.number(),
        stage: stage.map(WritingStage::name),
        session_id: event.session.to_string(),
    }
}

fn open(open: &OpenWritingSession) -> OpenSession {
    OpenSession {
        session_id: open.id.to_string(),
        episode: open.episode.number(),
        current_stage: open.stage.name(),
        completed_stages: open.done,
        total_stages: open.stages,
        last_updated: open.last_updated.to_string(),
    }
}

/// Suggests the next calls: resume an open session, complete a draft, write a planned episode, or plan a new one.
fn suggestions(status: &NovelStatus, locale: Locale) -> Vec<Suggestion> {
    let resume = status.open.first().map(|open| {
        let reason = BilingualText::new(
            format!("writing stopped at {} ({} of {} stages done)", open.stage, open.done, open.stages),
            format!("「{}」から再開する（{} 段階のうち {} 段階が完了）", open.stage.title().ja, open.stages, open.done),
        );
        Suggestion::for_episode("write_resume", open.episode, &reason, locale).in_session(open.id.to_string())
    });
    let is_open = |episode: &EpisodeId| status.open.iter().any(|open| open.episode == *episode);
    let first = |progress| {
        let mut all = status.episodes.iter().filter(|one| one.progress == progress);
        all.find(|one| !is_open(&one.episode)).map(|one| one.episode)
    };
    let complete = first(EpisodeProgress::Draft).map(|episode| {
        let is_checked = status.episodes.iter().any(|one| one.episode == episode && one.is_checked);
        if !is_checked {
            let reason = BilingualText::new("a manuscript that has not been checked", "原稿をまだチェックしていない");
            return Suggestion::for_episode("noveler_check", episode, &reason, locale);
        }
        let reason = BilingualText::new("a manuscript without its files for publishing", "公開用のファイルがまだない");
        Suggestion::for_episode("noveler_complete", episode, &reason, locale)
    });
    let write = first(EpisodeProgress::Planned).map(|episode| {
        let reason = BilingualText::new("a plot without a manuscript", "プロットはあるが、原稿がまだない");
        Suggestion::for_episode("noveler_write", episode, &reason, locale)
    });
    let all: Vec<Suggestion> = [resume, complete, write].into_iter().flatten().collect();
    // In a folder that is not a novel, the remarks explain how to create one; no tool does it.
    if !all.is_empty() || !status.is_novel {
        return all;
    }
    let last = status.episodes.last().map_or(0, |one| one.episode.number());
    let reason = BilingualText::new("the plot of the next episode", "次の話のプロットを用意する");
    let next = EpisodeId::new(last + 1).map(|next| Suggestion::for_episode("noveler_plot", next, &reason, locale));
    next.into_iter().collect()
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.head(locale), self.quality_summary.line(locale)];
        lines.extend(self.episodes.iter().map(|episode| episode.line(locale)));
        lines.extend(self.sessions(locale));
        lines.extend(self.quality_summary.scores(locale));
        let latest = self.progress_analysis.recent_activity.first();
        lines.extend(latest.map(|event| event.line(locale)));
        lines.extend(self.charts.iter().map(Chart::line));
        lines.extend(self.remarks.iter().map(|remark| format!("! {remark}")));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}

impl Output {
    fn head(&self, locale: Locale) -> String {
        let ProjectOverview {
            project_name: name,
            total_episodes: total,
            completed_episodes: completed,
            draft_episodes: drafts,
            planned_episodes: planned,
            drafts: of_drafts,
            planned: of_planned,
        } = &self.project_overview;
        let (rate, left) = (self.progress_analysis.completion_rate, &self.progress_analysis.estimated_remaining_work);
        let listed = |numbers: &str| match locale {
            _ if numbers.is_empty() => String::new(),
            Locale::En => format!(" ({numbers})"),
            Locale::Ja => format!("（{numbers}）"),
        };
        let (of_drafts, of_planned) = (listed(of_drafts), listed(of_planned));
        match locale {
            Locale::En => format!(
                "{name}: {total} episodes: {completed} completed ({rate} %), {drafts} drafts{of_drafts}, {planned} planned{of_planned}. Left: {left}."
            ),
            Locale::Ja => format!(
                "『{name}』全 {total} 話: 完成 {completed} 話（{rate} %）、原稿あり {drafts} 話{of_drafts}、プロットのみ {planned} 話{of_planned}。残り: {left}。"
            ),
        }
    }

    fn sessions(&self, locale: Locale) -> Vec<String> {
        let row = |open: &OpenSession| {
            let OpenSession {
                session_id: id,
                episode,
                current_stage: stage,
                completed_stages: done,
                total_stages: of,
                ..
            } = open;
            match locale {
                Locale::En => format!("- episode {episode}, {stage}, {done} of {of} done: {id}"),
                Locale::Ja => {
                    format!(
                        "- 第{episode}話: {of} 段階のうち {done} 段階が完了、次は「{}」: {id}",
                        title(stage, locale)
                    )
                }
            }
        };
        let head = match locale {
            Locale::En => "Open writing sessions:",
            Locale::Ja => "進行中のセッション:",
        };
        let rows = self.open_sessions.iter().map(row);
        let head = (!self.open_sessions.is_empty()).then(|| head.to_owned());
        head.into_iter().chain(rows).collect()
    }
}

impl EpisodeRow {
    fn line(&self, locale: Locale) -> String {
        let Self { episode, title, state, score } = self;
        let title = title.as_deref().unwrap_or_default();
        let score = score.map(|score| score.to_string());
        match (locale, score) {
            (Locale::En, None) => format!("{episode} {title}: {state}"),
            (Locale::En, Some(score)) => format!("{episode} {title}: {state}, {score}"),
            (Locale::Ja, score) => {
                let state = match *state {
                    "planned" => "プロットのみ",
                    "draft" => "原稿あり",
                    _ => "完成",
                };
                let score = score.map(|score| format!("、{score} 点")).unwrap_or_default();
                format!("第{episode}話 {title}: {state}{score}")
            }
        }
    }
}

/// Returns the title of a stage.
fn title(stage: &str, locale: Locale) -> String {
    WritingStage::parse(stage).map_or_else(|_| stage.to_owned(), |stage| stage.title().get(locale).to_owned())
}

impl RecentActivity {
    fn line(&self, locale: Locale) -> String {
        let Self { event, episode, .. } = self;
        let stage = self.stage.map(|stage| format!(" {stage}")).unwrap_or_default();
        let time = shown_time(&self.timestamp, locale);
        match locale {
            Locale::En => format!("Last activity: {time} UTC {event}{stage} (episode {episode})"),
            Locale::Ja => {
                let stage = self.stage.map(|stage| title(stage, locale)).unwrap_or_default();
                let what = match *event {
                    "started" => "執筆を開始".to_owned(),
                    "stage_completed" => format!("「{stage}」まで完了"),
                    "stage_in_progress" => format!("「{stage}」を執筆中"),
                    "feedback" => format!("「{stage}」への要望を記録"),
                    _ => "執筆を完了".to_owned(),
                };
                format!("最後の作業: 第{episode}話 {what}（{time} UTC）")
            }
        }
    }
}

impl QualitySummary {
    fn line(&self, locale: Locale) -> String {
        let unjudged = match (self.not_evaluated, locale) {
            (0, _) => String::new(),
            (count, Locale::En) => format!("; {count} completed without a judgement"),
            (count, Locale::Ja) => format!("、完成したが判定のないもの {count} 話"),
        };
        let scores = [self.average_quality_score, self.lowest_score, self.highest_score];
        let [Some(average), Some(lowest), Some(highest)] = scores else {
            return match locale {
                Locale::En => format!("Quality: not evaluated{unjudged}."),
                Locale::Ja => format!("品質: 未評価{unjudged}。"),
            };
        };
        let below: Vec<String> = self.episodes_below_threshold.iter().flatten().map(u32::to_string).collect();
        let below = match (below.is_empty(), locale) {
            (true, _) => String::new(),
            (false, Locale::En) => format!("; below {THRESHOLD}: {}", below.join(", ")),
            (false, Locale::Ja) => format!("、{THRESHOLD} 点に届かない話: 第{}話", below.join("、")),
        };
        let method = &self.method;
        match locale {
            Locale::En => format!("Quality ({method}): average {average} ({lowest} to {highest}){below}{unjudged}."),
            Locale::Ja => format!("品質（{method}）: 平均 {average}（{lowest}〜{highest}）{below}{unjudged}。"),
        }
    }

    /// Returns the scores of the newest reviews, by episode, each from the oldest to the newest.
    fn scores(&self, locale: Locale) -> Option<String> {
        let mut episodes: Vec<(u32, Vec<String>)> = Vec::new();
        for one in &self.trend {
            match episodes.iter_mut().find(|(episode, _)| *episode == one.episode) {
                Some((_, scores)) => scores.push(one.score.to_string()),
                None => episodes.push((one.episode, vec![one.score.to_string()])),
            }
        }
        let shown = |(episode, scores): &(u32, Vec<String>)| match locale {
            Locale::En => format!("episode {episode} {}", scores.join(" → ")),
            Locale::Ja => format!("第{episode}話 {}", scores.join(" → ")),
        };
        let shown: Vec<String> = episodes.iter().map(shown).collect();
        let head = match locale {
            Locale::En => "Scores of reviews:",
            Locale::Ja => "チェックの点数:",
        };
        (!shown.is_empty()).then(|| format!("{head} {}", shown.join("; ")))
    }
}
