//! Pictures of a review: drawn on request, stored as artifacts, named in the reply.
//!
//! A stored picture adds only its name to a reply; `fetch_artifact` returns the SVG. If nothing may be stored, the SVG
//! is in the reply.

use fumi_base::text::Locale;
use fumi_novel::{
    artifacts::{ArtifactKind, ArtifactStore},
    charts,
    checks::{
        features::tension,
        items::{ItemCategory, category_scores},
    },
    errors::reviewing::ReviewError,
    reviewing::{self, EpisodeScore},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CheckContext, now, review::ReviewContext};

/// The kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, fumi_base::Named)]
pub(in crate::novel) enum ChartKind {
    /// A radar chart of the six categories.
    #[named("quality_radar")]
    Radar,
    /// A strip of sentence lengths, with runs of equal endings.
    #[named("rhythm_strip")]
    Strip,
    /// A curve of the tension of the sections.
    #[named("tension_curve")]
    Curve,
    /// A trend of the scores of the episode's reviews.
    #[named("score_trend")]
    Trend,
}

/// A chart of a reply.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::novel) struct Chart {
    /// `quality_radar`, `rhythm_strip`, `tension_curve` or `score_trend`.
    kind: &'static str,
    /// The id for `fetch_artifact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_id: Option<String>,
    /// The path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The chart as SVG, if it is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

impl Chart {
    /// Returns a chart of review scores over time, with the SVG in the reply.
    pub(in crate::novel) fn of_scores(scores: &[EpisodeScore], locale: Locale) -> Self {
        Self::inline(ChartKind::Trend, trend(scores, locale))
    }

    fn inline(picture: ChartKind, svg: String) -> Self {
        Self { kind: picture.name(), artifact_id: None, path: None, svg: Some(svg) }
    }

    /// Returns the chart as one line of text.
    pub(in crate::novel) fn line(&self) -> String {
        let place = self.artifact_id.as_deref().or(self.svg.as_deref());
        format!("{} {}", self.kind, place.unwrap_or_default())
    }
}

impl ChartKind {
    fn draw(self, whole: &ReviewContext<'_>) -> Result<String, ReviewError> {
        let locale = whole.seen.job.locale;
        Ok(match self {
            Self::Radar => radar(whole, locale),
            Self::Strip => strip(whole.seen, locale),
            Self::Curve => curve(whole.seen, locale),
            Self::Trend => {
                let mut scores = reviewing::scores(whole.seen.job.novel.project())?;
                scores.retain(|score| score.episode == whole.seen.job.episode);
                trend(&scores, locale)
            }
        })
    }
}

/// Draws the pictures that a call asks for, and stores them if it may.
pub(super) fn draw_charts(whole: &ReviewContext<'_>) -> Result<Vec<Chart>, ReviewError> {
    let job = whole.seen.job;
    let mut charts = Vec::new();
    for picture in job.pictures {
        let svg = picture.draw(whole)?;
        charts.push(if job.may_store {
            let kept = ArtifactStore::new(job.novel.clone()).keep(&svg, ArtifactKind::Svg, job.tool, &now())?;
            Chart {
                kind: picture.name(),
                artifact_id: Some(kept.file.hash.artifact_id()),
                path: Some(kept.file.path.clone()),
                svg: None,
            }
        } else {
            Chart::inline(*picture, svg)
        });
    }
    Ok(charts)
}

const fn localized(locale: Locale, en: &'static str, ja: &'static str) -> &'static str {
    match locale {
        Locale::En => en,
        Locale::Ja => ja,
    }
}

fn radar(whole: &ReviewContext<'_>, locale: Locale) -> String {
    let scores = category_scores(whole.evaluations);
    let label = |category: ItemCategory| match locale {
        Locale::En => category.name().replace('_', " "),
        Locale::Ja => category.ja().to_owned(),
    };
    let labels: Vec<String> = scores.iter().map(|one| label(one.category)).collect();
    let shares = scores.iter().map(|one| one.score.map(|score| score / f64::from(one.category.max())));
    let parts: Vec<(&str, Option<f64>)> = labels.iter().map(String::as_str).zip(shares).collect();
    charts::radar(localized(locale, "Six categories", "六つの分類"), &parts, locale)
}

fn strip(seen: &CheckContext<'_>, locale: Locale) -> String {
    let metrics = seen.material.metrics();
    let lengths: Vec<usize> = metrics.lengths.sentences.iter().map(|(_, length)| *length).collect();
    let runs = &metrics.endings.same_last_characters;
    let names: Vec<&str> = runs
        .iter()
        .map(|run| metrics.endings.of_sentences.get(run.start).map_or("", |ending| ending.last_characters.as_str()))
        .collect();
    charts::strip(localized(locale, "Sentences of the narration", "地の文の長さ"), &lengths, runs, &names, locale)
}

fn curve(seen: &CheckContext<'_>, locale: Locale) -> String {
    let sections = &seen.material.scenes().sections;
    let all: usize = sections.iter().map(|section| section.characters).sum();
    let mut before = 0;
    let points: Vec<(f64, f64)> = sections
        .iter()
        .map(|section| {
            let middle = before + section.characters / 2;
            before += section.characters;
            (middle as f64 / all.max(1) as f64, tension(seen.material, section).value)
        })
        .collect();
    charts::curve(localized(locale, "Tension", "緊張度の推移"), &points, &[], locale)
}

fn trend(scores: &[EpisodeScore], locale: Locale) -> String {
    let (labels, scores): (Vec<String>, Vec<f64>) =
        scores.iter().filter_map(|one| Some((label(one), one.score?))).unzip();
    let points: Vec<(&str, f64)> = labels.iter().map(String::as_str).zip(scores).collect();
    charts::trend(localized(locale, "Scores of whole reviews", "完全チェックの点数"), &points, locale)
}

/// Returns the episode and the day, in the form `#1 01/31`.
fn label(score: &EpisodeScore) -> String {
    let id = score.review.to_string();
    let day = id.get(10..14).unwrap_or_default();
    let (month, day) = day.split_at(day.len().min(2));
    format!("#{} {month}/{day}", score.episode.number())
}
