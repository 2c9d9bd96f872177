//! The review of a plot as a plan: ten points, P-01 to P-10, each counted from the plot and the ledger or left to a
//! model's judgement.
//!
//! Invariant: a point that cannot be counted has no score; the overall score is the mean of the counted points and is
//! shown with their share. The points follow the plot review in the specification of the checks.

use fumi_base::text::BilingualText;

use super::material::{ledger_plans, read_yaml_files};
use crate::{
    errors::project::ProjectError,
    project::{EpisodeId, EpisodePlot, FolderRole, NovelProject, YamlValue},
};

/// The expected shares of the three acts in percent, each with its tolerance (decision 39).
const ACTS: [(f64, f64); 3] = [(25.0, 10.0), (50.0, 10.0), (25.0, 10.0)];

/// The appropriate number of events for an episode.
const TURNS: std::ops::RangeInclusive<usize> = 5..=9;

/// One of the ten points of a review.
#[derive(Clone, Debug)]
pub struct PlotReviewPoint {
    /// The id, from `P-01` to `P-10`.
    pub id: &'static str,
    /// The aspect that the point examines.
    pub title: BilingualText,
    /// The score from 0 to 100; `None` if only a model can judge it.
    pub score: Option<f64>,
    /// Weaknesses with suggestions.
    pub findings: Vec<BilingualText>,
}

/// The result of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotVerdict {
    /// A score of at least 80.
    Pass,
    /// A score from 70 to below 80.
    Conditional,
    /// A score below 70.
    Fail,
}

#[derive(Clone, Debug)]
pub struct PlotReview {
    /// The ten points, in order.
    pub points: Vec<PlotReviewPoint>,
}

impl PlotReview {
    /// Returns the mean of the points that have a score.
    pub fn overall(&self) -> f64 {
        let scores: Vec<f64> = self.points.iter().filter_map(|point| point.score).collect();
        mean(&scores)
    }

    /// Returns the result for the overall score.
    pub fn verdict(&self) -> PlotVerdict {
        match self.overall() {
            score if score >= 80.0 => PlotVerdict::Pass,
            score if score >= 70.0 => PlotVerdict::Conditional,
            _ => PlotVerdict::Fail,
        }
    }

    /// Returns the share of points that have a score, from 0 to 1.
    pub fn coverage(&self) -> f64 {
        let counted = self.points.iter().filter(|point| point.score.is_some()).count();
        share(counted, self.points.len())
    }

    /// Returns the mean score and the findings of some points.
    pub fn group_result(&self, ids: &[&str]) -> (Option<f64>, Vec<BilingualText>) {
        let own = || self.points.iter().filter(|point| ids.contains(&point.id));
        let scores: Vec<f64> = own().filter_map(|point| point.score).collect();
        let findings = own().flat_map(|point| point.findings.iter().cloned()).collect();
        ((!scores.is_empty()).then(|| mean(&scores)), findings)
    }
}

fn mean(scores: &[f64]) -> f64 {
    let count = f64::from(u32::try_from(scores.len().max(1)).unwrap_or(1));
    scores.iter().sum::<f64>() / count
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole.max(1))
}

/// Reviews a plot, together with the ledgers of the project.
pub fn review(novel: &NovelProject, episode: EpisodeId, plot: &EpisodePlot) -> Result<PlotReview, ProjectError> {
    let survey = novel.survey()?;
    let ledgers = read_yaml_files(&survey, FolderRole::Management)?;
    let planned: Vec<String> = ledgers.iter().flat_map(|ledger| ledger_plans(ledger, episode)).collect();
    Ok(PlotReview {
        points: vec![
            acts(plot),
            turning_points(plot),
            foreshadowing_plan(plot),
            foreshadowing_placement(plot, &planned, !ledgers.is_empty()),
            emotional_swings(plot),
            purposes(plot),
            theme(plot),
            unscored_point("P-08", "Disclosure: who learns what when", "情報の開示（誰がいつ何を知るか）"),
            unscored_point("P-09", "Predictability", "展開の予測しやすさ"),
            hook_to_next(plot),
        ],
    })
}

fn point(
    id: &'static str,
    title: (&'static str, &'static str),
    score: f64,
    findings: Vec<BilingualText>,
) -> PlotReviewPoint {
    PlotReviewPoint { id, title: BilingualText::new(title.0, title.1), score: Some(score.clamp(0.0, 100.0)), findings }
}

/// Returns a point without a score, which cannot be counted.
fn unscored_point(id: &'static str, en: &'static str, ja: &'static str) -> PlotReviewPoint {
    PlotReviewPoint { id, title: BilingualText::new(en, ja), score: None, findings: Vec::new() }
}

/// Scores the three acts by the share of text planned for each.
fn acts(plot: &EpisodePlot) -> PlotReviewPoint {
    let acts = &plot.story_structure;
    let lengths = [&acts.setup, &acts.confrontation, &acts.resolution].map(|act| act.words().chars().count());
    let whole: usize = lengths.iter().sum();
    let names = [("setup", "序"), ("confrontation", "破"), ("resolution", "急")];
    let mut findings = Vec::new();
    let mut score = 0.0;
    for ((length, (name, name_ja)), (wanted, tolerance)) in lengths.iter().zip(names).zip(ACTS) {
        if *length == 0 {
            findings.push(BilingualText::new(
                format!("story_structure.{name} is not written."),
                format!("story_structure.{name}（{name_ja}）が書かれていません。"),
            ));
            continue;
        }
        let off = (share(*length, whole) * 100.0 - wanted).abs() - tolerance;
        // A planned act counts most, because the length of a plan differs from the length of its act.
        score += 100.0 / 3.0 * (1.0 - (off.max(0.0) / 100.0));
        if off > 15.0 {
            findings.push(BilingualText::new(
                format!("{name} is planned in much more or less detail than its share of {wanted} %."),
                format!("{name}（{name_ja}）の書き込みが、分量の目安 {wanted}% から大きく離れています。"),
            ));
        }
    }
    point("P-01", ("Three acts", "三幕の構成"), score, findings)
}

fn turning_points(plot: &EpisodePlot) -> PlotReviewPoint {
    let events = plot.events().len();
    let score = match events {
        count if TURNS.contains(&count) => 100.0,
        0 => 0.0,
        count if count < *TURNS.start() => share(count, *TURNS.start()) * 100.0,
        count => 100.0 - 5.0 * share(count - TURNS.end(), 1),
    };
    let findings = (score < 100.0).then(|| {
        BilingualText::new(
            format!("key_events has {events} events; an episode usually needs {} to {}.", TURNS.start(), TURNS.end()),
            format!("key_events は {events} つです。一話には {}〜{} が目安です。", TURNS.start(), TURNS.end()),
        )
    });
    point("P-02", ("Turning points", "転換点"), score, findings.into_iter().collect())
}

fn foreshadowing_plan(plot: &EpisodePlot) -> PlotReviewPoint {
    if plot.foreshadowing.is_empty() {
        return unscored_point("P-03", "Foreshadowing plan", "伏線の計画");
    }
    let is_whole = |one: &&YamlValue| ["id", "role", "content"].iter().all(|key| one.get(key).is_some());
    let whole = plot.foreshadowing.iter().filter(is_whole).count();
    let findings = (whole < plot.foreshadowing.len()).then(|| {
        BilingualText::new(
            "A foreshadowing lacks its id, role (plant or payoff) or content.",
            "id・role（plant / payoff）・content のそろわない伏線があります。",
        )
    });
    let score = share(whole, plot.foreshadowing.len()) * 100.0;
    point("P-03", ("Foreshadowing plan", "伏線の計画"), score, findings.into_iter().collect())
}

/// Scores the share of the ledger's foreshadowing for this episode that the plot contains.
fn foreshadowing_placement(plot: &EpisodePlot, planned: &[String], has_ledger: bool) -> PlotReviewPoint {
    let title = ("Foreshadowing placement", "伏線の配置");
    if !has_ledger || planned.is_empty() {
        return unscored_point("P-04", title.0, title.1);
    }
    let own: Vec<String> = plot.foreshadowing.iter().map(YamlValue::words).collect();
    let id = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    // A hint may be missing in the plan; a plant or a payoff may not.
    let needed: Vec<&String> = planned.iter().filter(|line| !line.contains(" hint:")).collect();
    let missing: Vec<&&String> =
        needed.iter().filter(|line| !own.iter().any(|words| words.contains(&id(line)))).collect();
    let findings = missing.iter().map(|line| {
        BilingualText::new(
            format!("The ledger plans {line}, but the plot does not contain it."),
            format!("伏線管理にある「{line}」がプロットにありません。"),
        )
    });
    let score = 100.0 - share(missing.len(), needed.len()) * 100.0;
    point("P-04", title, score, findings.collect())
}

fn emotional_swings(plot: &EpisodePlot) -> PlotReviewPoint {
    let journey = match plot.emotional_elements.get("emotional_journey") {
        Some(YamlValue::List(steps)) => steps.iter().map(YamlValue::words).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    let mut distinct = journey.clone();
    distinct.sort();
    distinct.dedup();
    let score = share(distinct.len().min(4), 4) * 100.0;
    let findings = (distinct.len() < 3).then(|| {
        BilingualText::new(
            "emotional_journey has fewer than three different steps.",
            "emotional_journey の段階が三つ未満です。",
        )
    });
    point("P-05", ("Emotional swings", "感情の起伏"), score, findings.into_iter().collect())
}

fn purposes(plot: &EpisodePlot) -> PlotReviewPoint {
    let info = &plot.episode_info;
    let (mut score, mut findings) = (0.0, Vec::new());
    for (name, text) in [("purpose", &info.purpose), ("emotional_core", &info.emotional_core)] {
        if text.as_deref().is_some_and(|text| text.chars().count() >= 5) {
            score += 50.0;
        } else {
            findings.push(BilingualText::new(
                format!("episode_info.{name} is not written."),
                format!("episode_info.{name} が書かれていません。"),
            ));
        }
    }
    point("P-06", ("Purpose in its chapter", "章での役目"), score, findings)
}

fn theme(plot: &EpisodePlot) -> PlotReviewPoint {
    let theme = plot.episode_info.theme.as_deref().unwrap_or_default().trim();
    let score = share(theme.chars().count().min(8), 8) * 100.0;
    let findings = theme
        .is_empty()
        .then(|| BilingualText::new("episode_info.theme is not written.", "episode_info.theme が書かれていません。"));
    point("P-07", ("Theme", "主題"), score, findings.into_iter().collect())
}

/// Scores the reasons to read on: planted foreshadowing, and a written resolution.
fn hook_to_next(plot: &EpisodePlot) -> PlotReviewPoint {
    let plants = plot.foreshadowing.iter().any(|one| {
        let role = one.get("role").map(YamlValue::words).unwrap_or_default();
        role.contains("plant")
    });
    let ends = !plot.story_structure.resolution.words().trim().is_empty();
    let score = f64::from(u8::from(plants)) * 60.0 + f64::from(u8::from(ends)) * 40.0;
    let findings = (!plants).then(|| {
        BilingualText::new(
            "The plot plants nothing for a later episode; end with an open question.",
            "後の話で回収する伏線がありません。終わりに問いを残してください。",
        )
    });
    point("P-10", ("Pull to the next episode", "次の話への引き"), score, findings.into_iter().collect())
}

/// Returns the characters of the plot that neither the synopsis nor any event or act mentions.
pub fn unused_characters(plot: &EpisodePlot) -> Vec<String> {
    let acts = &plot.story_structure;
    let mut text = plot.events().join("\n");
    for part in [&acts.setup, &acts.confrontation, &acts.resolution] {
        text.push_str(&part.words());
    }
    text.push_str(plot.synopsis.as_deref().unwrap_or_default());
    // A plot often uses only a part of a name.
    let is_named = |name: &str| {
        let characters: Vec<char> = name.chars().collect();
        text.contains(name) || characters.windows(2).any(|pair| text.contains(&pair.iter().collect::<String>()))
    };
    plot.character_names().into_iter().filter(|name| !is_named(name)).collect()
}
