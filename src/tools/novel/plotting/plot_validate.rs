//! The `plot_validate` tool: reviews a plot in ten points. Kept for clients that know this name; not listed.

use std::time::Duration;

use fumi_base::{
    pools::Pool,
    text::{BilingualText, Locale},
};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::project::ProjectError,
    plotting::{self, PlotReview, PlotVerdict, unused_characters},
    project::EpisodePlot,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::novel::{EpisodeNumber, NovelDeps, READS, rounding::tenths, texts, writing::localized};

#[derive(Debug)]
pub struct PlotValidate;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    /// Always true: this tool name is deprecated.
    deprecated: bool,
    replacements: Vec<String>,
    validation_result: PlotValidation,
    /// `pass` from 80, `conditional` from 70, else `fail`.
    verdict: String,
    points: Vec<PointReport>,
    improvement_suggestions: Vec<String>,
    execution_time_seconds: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PlotValidation {
    overall_quality: f64,
    /// The share of the ten points that could be counted.
    coverage: f64,
    plot_completeness: Completeness,
    character_development: PlotCharacters,
    story_logic: Logic,
    emotional_arc: PlotArc,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Completeness {
    score: f64,
    missing_elements: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PlotCharacters {
    score: f64,
    issues: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Logic {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// `not_evaluated` if neither the plot nor the ledger plans anything.
    method: String,
    inconsistencies: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PlotArc {
    score: f64,
    weak_points: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PointReport {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// `deterministic`, or `not_evaluated` if only a judgement could decide.
    method: String,
}

impl Tool for PlotValidate {
    const SPEC: ToolSpec = ToolSpec {
        name: "plot_validate",
        listed: false,
        texts: texts!("plot_validate"),
        example: r#"{"episode": 1}"#,
        pool: Pool::Plot,
        timeout: Duration::from_secs(30),
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, episode) = (deps.novel(cx), args.episode.0);
        let (plot, review) = cx
            .blocking(move |_, _| {
                novel.survey()?.require_novel(novel.names())?;
                let plot = novel.plot(episode)?;
                let review = plotting::review(&novel, episode, &plot)?;
                Ok::<_, ProjectError>((plot, review))
            })
            .await?;
        Ok(ToolOutcome::Done(output(&args, &plot, &review, cx.locale())))
    }
}

fn output(args: &Args, plot: &EpisodePlot, review: &PlotReview, locale: Locale) -> Output {
    let told = |findings: Vec<BilingualText>| -> Vec<String> {
        findings.iter().map(|finding| finding.get(locale).to_owned()).collect()
    };
    let (complete, missing) = review.group_result(&["P-01", "P-02", "P-06", "P-07"]);
    let (logic, inconsistencies) = review.group_result(&["P-03", "P-04"]);
    let (arc, weak) = review.group_result(&["P-05", "P-10"]);
    let unused = unused_characters(plot);
    let cast = plot.character_names().len();
    let used = cast.saturating_sub(unused.len());
    let characters = if cast == 0 { 0.0 } else { used as f64 / cast as f64 * 100.0 };
    let issues = unused.iter().map(|name| {
        localized(
            locale,
            format!("{name} appears in no event and in no act."),
            format!("{name}がどの出来事にも幕にも出てきません。"),
        )
    });
    let issues: Vec<String> = issues.collect();
    let verdict = match review.verdict() {
        PlotVerdict::Pass => "pass",
        PlotVerdict::Conditional => "conditional",
        PlotVerdict::Fail => "fail",
    };
    let overall = tenths(review.overall());
    let (missing, inconsistencies, weak) = (told(missing), told(inconsistencies), told(weak));
    let suggestions = [&missing, &issues, &inconsistencies, &weak].into_iter().flatten().cloned().collect();
    let episode = args.episode.0.number();
    Output {
        success: true,
        summary: localized(
            locale,
            format!("The plot of episode {episode}: {overall} of 100 ({verdict})."),
            format!("第{episode}話のプロット: 100 点中 {overall} 点（{verdict}）。"),
        ),
        deprecated: true,
        replacements: vec![format!("noveler_plot {}", json!({"episode": episode}))],
        validation_result: PlotValidation {
            overall_quality: overall,
            coverage: review.coverage(),
            plot_completeness: Completeness { score: tenths(complete.unwrap_or_default()), missing_elements: missing },
            character_development: PlotCharacters { score: tenths(characters), issues },
            story_logic: Logic { score: logic.map(tenths), method: method(logic), inconsistencies },
            emotional_arc: PlotArc { score: tenths(arc.unwrap_or_default()), weak_points: weak },
        },
        verdict: verdict.to_owned(),
        points: review
            .points
            .iter()
            .map(|point| PointReport {
                id: point.id.to_owned(),
                title: point.title.get(locale).to_owned(),
                score: point.score.map(tenths),
                method: method(point.score),
            })
            .collect(),
        improvement_suggestions: suggestions,
        execution_time_seconds: 0.0,
    }
}

fn method(score: Option<f64>) -> String {
    if score.is_some() { "deterministic" } else { "not_evaluated" }.to_owned()
}

impl Render for Output {
    fn text(&self, _: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        for point in &self.points {
            let score = point.score.map_or_else(|| point.method.clone(), |score| score.to_string());
            lines.push(format!("{} {}: {score}", point.id, point.title));
        }
        lines.extend(self.improvement_suggestions.iter().map(|said| format!("- {said}")));
        lines.push(format!("→ {}", self.replacements.join(", ")));
        lines.join("\n")
    }
}
