//! `GET /?view=novel[&episode=N]`: a novel in numbers and pictures: its episodes, the scores of its reviews, and the quality,
//! rhythm, tension and open foreshadowing of one episode. The numbers are those of three tools, which are called without the
//! right to write.

use std::sync::Arc;

use askama::Template;
use axum::response::Response;
use fumi_base::text::Locale;
use fumi_kernel::{Access, Caller, ResultForm, ToolReply};
use serde_json::{Map, Value, json};

use super::{
    form_query, nonce, rendered,
    structured::{number, rows, string},
    text,
};
use crate::http::{http_error::HttpError, rest, router::Edge};

const STATUS: &str = "status";
const REVIEW: &str = "noveler_check";
const STRUCTURE: &str = "check_story_structure";

#[derive(Template)]
#[template(path = "novel.html")]
struct NovelPage {
    locale: Locale,
    nonce: String,
    /// The end of the page's query: the episode, if one was named.
    chosen: String,
    /// The progress of the whole novel, in lines of the tool's text.
    progress: Vec<String>,
    /// Missing or broken files.
    remarks: Vec<String>,
    /// The reason why the state of the novel cannot be shown, if it cannot.
    fault: Option<String>,
    trend: Option<String>,
    episodes: Vec<EpisodeRow>,
    /// The chosen episode; `None` if no episode has a manuscript.
    review: Option<EpisodeReview>,
}

impl NovelPage {
    /// Returns a text in the language of the page.
    fn text(&self, name: &str) -> &'static str {
        text(name, self.locale)
    }
}

struct EpisodeRow {
    number: u64,
    title: String,
    state: &'static str,
    score: String,
    has_manuscript: bool,
    is_chosen: bool,
}

impl EpisodeRow {
    /// Returns the title, or the number of an episode without one.
    fn shown_title(&self) -> String {
        if self.title.is_empty() { format!("#{}", self.number) } else { self.title.clone() }
    }
}

/// The review of one episode.
struct EpisodeReview {
    episode: u64,
    /// The reason why the review or the check of the structure failed, if one did.
    fault: Option<String>,
    score: String,
    /// Its pictures in SVG, with their names.
    pictures: Vec<(&'static str, String)>,
    threads: Vec<ThreadRow>,
    more_threads: u64,
    /// The query that shows the review in the form of the page.
    query: String,
}

/// Foreshadowing that is not paid off yet.
struct ThreadRow {
    id: String,
    title: String,
    planted: u64,
    payoff: String,
    is_overdue: bool,
}

/// True if the project is a novel and the caller may use its tools.
pub(super) fn has_view(edge: &Edge, access: &Access) -> bool {
    let project = access.default_project(&edge.app.kernel.roots);
    may_view(edge, access) && tokio::task::block_in_place(|| edge.app.is_novel(access, project))
}

/// True if the caller may use the tools of the view.
pub(super) fn may_view(edge: &Edge, access: &Access) -> bool {
    [STATUS, REVIEW, STRUCTURE].iter().all(|tool| edge.app.catalogue.find(&access.scope, tool).is_some())
}

/// Returns the page. `chosen` is the number of the episode to be shown.
pub(super) async fn page(
    edge: &Edge,
    access: &Access,
    locale: Locale,
    chosen: Option<u32>,
) -> Result<Response, HttpError> {
    // The semaphore is never closed, so this does not fail.
    let _turn = edge.novel_view.acquire().await;
    let access = Arc::new(Access { read_only: true, ..access.clone() });
    let call = |tool: &'static str, arguments: Value| {
        let caller = Caller { locale, session: None, form: ResultForm::Both, access: Arc::clone(&access) };
        let arguments = if let Value::Object(arguments) = arguments { arguments } else { Map::new() };
        rest::call_for_view(edge, tool, arguments, caller)
    };
    let status = call(STATUS, json!({"include_charts": true, "include_episodes": true})).await?;
    let mut episodes = episodes(&status.structured, locale);
    let written = || episodes.iter().filter(|row| row.has_manuscript).map(|row| row.number);
    let shown = chosen.map(u64::from).or_else(|| written().next_back());
    let review = match shown {
        None => None,
        Some(episode) => {
            let mut arguments = json!({"episode": episode, "judge": false, "include_charts": true});
            // The judgements belong to a review.
            let judged = rows(&status.structured["quality_summary"]["trend"]);
            if let Some(newest) = judged.filter(|review| review["episode"] == episode).last() {
                arguments["session_id"] = newest["session_id"].clone();
            }
            let review = call(REVIEW, arguments).await?;
            let structure = call(STRUCTURE, json!({"episode": episode, "judge": false})).await?;
            Some(episode_review(episode, &review, &structure, locale))
        }
    };
    for row in &mut episodes {
        row.is_chosen = Some(row.number) == shown;
    }
    let nonce = nonce();
    let page = NovelPage {
        locale,
        nonce: nonce.clone(),
        chosen: chosen.map(|episode| format!("&episode={episode}")).unwrap_or_default(),
        // The first two lines of the text are the numbers of episodes and the scores.
        progress: status.text.lines().take(2).map(str::to_owned).collect(),
        remarks: rows(&status.structured["remarks"]).map(string).collect(),
        fault: status.is_error.then(|| status.text.clone()),
        trend: picture(&status, "score_trend")
            .filter(|_| rows(&status.structured["quality_summary"]["trend"]).count() > 0),
        episodes,
        review,
    };
    Ok(rendered(&page, &nonce))
}

/// Returns a picture of a reply as SVG.
fn picture(reply: &ToolReply, kind: &str) -> Option<String> {
    let charts = &reply.structured["charts"];
    let chart = rows(charts).find(|chart| chart["kind"] == kind)?;
    Some(chart["svg"].as_str()?.to_owned())
}

fn episodes(status: &Value, locale: Locale) -> Vec<EpisodeRow> {
    let row = |episode: &Value| {
        let state = episode["state"].as_str().unwrap_or_default();
        EpisodeRow {
            number: number(&episode["episode"]),
            title: string(&episode["title"]),
            state: match state {
                "planned" => text("state_planned", locale),
                "draft" => text("state_draft", locale),
                _ => text("state_completed", locale),
            },
            score: shown_score(&episode["score"]),
            has_manuscript: state != "planned",
            is_chosen: false,
        }
    };
    rows(&status["episodes"]).map(row).collect()
}

fn shown_score(score: &Value) -> String {
    score.as_f64().map_or_else(|| "–".to_owned(), |score| score.to_string())
}

fn episode_review(episode: u64, review: &ToolReply, structure: &ToolReply, locale: Locale) -> EpisodeReview {
    let fault = [review, structure].into_iter().find(|reply| reply.is_error);
    let threads = &structure.structured["open_foreshadowing"];
    let thread = |thread: &Value| ThreadRow {
        id: string(&thread["id"]),
        title: string(&thread["title"]),
        planted: number(&thread["planted_in"]),
        payoff: thread["payoff_in"].as_u64().map_or_else(|| "–".to_owned(), |episode| episode.to_string()),
        is_overdue: thread["overdue"] == true,
    };
    let kinds = [
        ("quality_radar", text("quality", locale)),
        ("rhythm_strip", text("rhythm", locale)),
        ("tension_curve", text("tension", locale)),
    ];
    let score = &review.structured["overall_quality_score"];
    // The categories have no scores without judgements.
    let is_shown = |(kind, _): &(&str, &str)| *kind != "quality_radar" || score.is_number();
    EpisodeReview {
        episode,
        fault: fault.map(|reply| reply.text.clone()),
        score: shown_score(score),
        pictures: kinds
            .into_iter()
            .filter(is_shown)
            .filter_map(|(kind, name)| Some((name, picture(review, kind)?)))
            .collect(),
        threads: rows(threads).map(thread).collect(),
        more_threads: number(&structure.structured["more_open_foreshadowing"]),
        query: form_query(REVIEW, &json!({"episode": episode, "judge": false}), locale),
    }
}
