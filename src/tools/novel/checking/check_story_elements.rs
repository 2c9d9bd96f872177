//! The `check_story_elements` tool: the 68 items of A31 in six categories, with evidence for low ones.

use fumi_base::text::Locale;
use fumi_kernel::{ArgumentRule, Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::items::{CategoryScore, Evaluation, EvaluationMethod, category_scores, overall};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NovelDeps,
    aspect::{ItemReport, how, percent, title},
    check_fix::{self, RequestedFixLevel, fix_first},
    hundredths,
    judging::{self, Judging, RejectedJudgement, SubmittedJudgement},
    review::{ItemSelection, ReviewContext, ReviewOptions, review_blocking},
    review_charts::ChartKind,
    review_question, tenths, texts, yes,
};

/// The highest score of an item that counts as low.
const LOW: f64 = 0.5;

/// The maximum number of low items shown with their advice.
const SHOWN: usize = 12;

/// The maximum number of improvement suggestions.
const SUGGESTIONS: usize = 5;

#[derive(Debug)]
pub struct CheckStoryElements;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is an argument of its own")]
pub struct Args {
    episode: EpisodeNumber,
    /// The review that the judgements belong to.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// Judgements of the items that an earlier reply asked for.
    #[schemars(length(min = 1, max = 100))]
    judgements: Option<Vec<SubmittedJudgement>>,
    /// True to request judgements of open items.
    #[serde(default = "yes")]
    judge: bool,
    /// True to apply fixes before the check.
    #[serde(default)]
    auto_fix: bool,
    /// The kinds of fixes to apply.
    fix_level: Option<RequestedFixLevel>,
    /// True to draw charts.
    #[serde(default)]
    include_charts: bool,
    /// True to list every item with its evidence.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ElementsReport {
    a31_scores: Scores,
    /// From 0 to 100; absent without judgements.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_score: Option<f64>,
    /// The evaluated share of the items that can have a score, from 0 to 1.
    coverage: f64,
    evaluated: EvaluationCounts,
    low_score_items: Vec<ItemReport>,
    improvement_suggestions: Vec<String>,
    /// The items without a judgement, and those for which this text offers nothing to measure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_evaluated: Vec<String>,
    /// The items with two opinions that are far apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unstable_items: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_judgements: Vec<RejectedJudgement>,
    /// All items, with `verbose`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    all_items: Vec<ItemReport>,
    /// The fixes that were applied before the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) auto_fix_results: Option<AutoFixResults>,
    #[serde(skip)]
    method: &'static str,
}

/// The result of `auto_fix`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct AutoFixResults {
    /// True if the fixes are only shown.
    dry_run: bool,
    /// The id of the backup of the text before the fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup_id: Option<String>,
    pub(super) fixed_count: usize,
    skipped_count: usize,
    before_score: f64,
    after_score: f64,
}

impl From<check_fix::Output> for AutoFixResults {
    fn from(fixed: check_fix::Output) -> Self {
        Self {
            dry_run: fixed.dry_run,
            backup_id: fixed.backup_id,
            fixed_count: fixed.fixed_count,
            skipped_count: fixed.skipped_count,
            before_score: fixed.quality_improvement.before_score,
            after_score: fixed.quality_improvement.after_score,
        }
    }
}

impl AutoFixResults {
    /// Formats them as one line.
    fn line(&self, locale: Locale) -> String {
        let Self { fixed_count: fixed, skipped_count: left, before_score: before, after_score: after, .. } = self;
        let backup = self.backup_id.as_ref();
        match (self.dry_run, locale) {
            (true, Locale::En) => {
                format!("{fixed} fixes possible, {left} left; score {before} → {after}; nothing was written")
            }
            (true, Locale::Ja) => {
                format!("修正できるもの {fixed} 件、残り {left} 件、点数 {before} → {after}（書き込みなし）")
            }
            (false, Locale::En) => {
                let backup = backup.map(|id| format!(" (backup {id})")).unwrap_or_default();
                format!("{fixed} fixes made, {left} left; score {before} → {after}{backup}")
            }
            (false, Locale::Ja) => {
                let backup = backup.map(|id| format!("（バックアップ {id}）")).unwrap_or_default();
                format!("修正 {fixed} 件、残り {left} 件、点数 {before} → {after}{backup}")
            }
        }
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Scores {
    emotional_expression: CategoryReport,
    character_development: CategoryReport,
    story_structure: CategoryReport,
    writing_technique: CategoryReport,
    world_building: CategoryReport,
    reader_engagement: CategoryReport,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct CategoryReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    max: u32,
    /// The method by which its items were judged, or the measuring method if none was judged.
    method: &'static str,
    /// The evaluated share of its items, from 0 to 1.
    coverage: f64,
}

/// The number of items by method of evaluation.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
struct EvaluationCounts {
    /// Items that are decided by measuring.
    deterministic: usize,
    judged: usize,
    not_evaluated: usize,
    /// Items that only show a measured value.
    without_score: usize,
}

impl Tool for CheckStoryElements {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_story_elements",
        texts: texts!("check_story_elements"),
        example: r#"{"episode": 1, "judge": false}"#,
        rules: &[
            ArgumentRule::Needs("fix_level", "auto_fix"),
            ArgumentRule::Without("auto_fix", &["session_id", "judgements"]),
        ],
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<ElementsReport>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<ElementsReport>>, ToolError> {
        let job = CheckJob::new("check_story_elements", args.episode, args.verbose, deps, cx)?;
        let job = job.with_pictures(args.include_charts, &[ChartKind::Radar, ChartKind::Curve]);
        let fixed =
            if args.auto_fix { Some(fix_first(&job, args.fix_level.unwrap_or_default(), cx).await?) } else { None };
        let looks = ReviewOptions {
            items: ItemSelection::All,
            session_id: args.session_id.or_else(|| args.auto_fix.then(|| job.id().to_string())),
            ..ReviewOptions::default()
        };
        let judging = Judging::from_args(args.judgements, args.judge, cx);
        let mended = fixed.map(AutoFixResults::from);
        let own = move |whole: &ReviewContext<'_>| ElementsReport { auto_fix_results: mended, ..elements(whole) };
        let done = review_blocking(&job, looks, judging, cx, own).await?;
        review_question::outcome(done, &job, serde_json::Map::new(), cx).await
    }
}

pub(super) fn elements(whole: &ReviewContext<'_>) -> ElementsReport {
    let (seen, all) = (whole.seen, whole.evaluations);
    let categories = category_scores(all);
    let mut low: Vec<_> = all.iter().filter(|one| one.score.is_some_and(|score| score <= LOW)).collect();
    low.sort_by(|one, other| one.score.unwrap_or(1.0).total_cmp(&other.score.unwrap_or(1.0)));
    let low_score_items: Vec<ItemReport> =
        low.iter().take(SHOWN).map(|one| ItemReport::with_advice(seen, one)).collect();
    let mut evaluated = EvaluationCounts::default();
    for one in all {
        match one.method {
            EvaluationMethod::Deterministic => evaluated.deterministic += 1,
            EvaluationMethod::Judged(_) => evaluated.judged += 1,
            EvaluationMethod::NotEvaluated if !one.can_have_score() => evaluated.without_score += 1,
            EvaluationMethod::NotEvaluated => evaluated.not_evaluated += 1,
        }
    }
    let scored = all.iter().filter(|one| one.score.is_some()).count();
    let overall = overall(&categories);
    ElementsReport {
        a31_scores: Scores::from_categories(&categories, all),
        overall_score: overall.map(tenths),
        coverage: hundredths(scored as f64 / all.iter().filter(|one| one.can_have_score()).count().max(1) as f64),
        evaluated,
        improvement_suggestions: low_score_items
            .iter()
            .take(SUGGESTIONS)
            .filter_map(|item| item.suggestion(seen.job.locale))
            .collect(),
        low_score_items,
        not_evaluated: all
            .iter()
            .filter(|one| one.score.is_none() && one.can_have_score())
            .map(|one| one.item.id.clone())
            .collect(),
        unstable_items: whole.unstable.to_vec(),
        rejected_judgements: whole.rejected.to_vec(),
        auto_fix_results: None,
        method: method_of(overall, all),
        all_items: if seen.job.verbose {
            all.iter().map(|one| ItemReport::from_evaluation(seen, one)).collect()
        } else {
            Vec::new()
        },
    }
}

/// Returns the name of the method of a score of some items.
pub(super) fn method_of(score: Option<f64>, all: &[Evaluation]) -> &'static str {
    let method = if score.is_some() { judged_by(all) } else { EvaluationMethod::NotEvaluated };
    method.name()
}

/// Returns the method by which some items were judged, or the deterministic method if none was judged.
fn judged_by<'e>(all: impl IntoIterator<Item = &'e Evaluation>) -> EvaluationMethod {
    let judged = all.into_iter().map(|one| one.method).find(|method| matches!(method, EvaluationMethod::Judged(_)));
    judged.unwrap_or(EvaluationMethod::Deterministic)
}

impl ElementsReport {
    /// Returns the overall score, from 0 to 100.
    pub(super) fn overall(&self) -> Option<f64> {
        self.overall_score
    }
}

impl Scores {
    fn from_categories(categories: &[CategoryScore], all: &[Evaluation]) -> Self {
        let method = |category: &CategoryScore| match category.score {
            Some(_) => judged_by(all.iter().filter(|one| one.item.category == category.category)),
            None => EvaluationMethod::NotEvaluated,
        };
        let shown = |at: usize| CategoryReport {
            score: categories[at].score.map(tenths),
            max: categories[at].category.max(),
            method: method(&categories[at]).name(),
            coverage: hundredths(categories[at].coverage),
        };
        Self {
            emotional_expression: shown(0),
            character_development: shown(1),
            story_structure: shown(2),
            writing_technique: shown(3),
            world_building: shown(4),
            reader_engagement: shown(5),
        }
    }

    fn named(&self) -> [(&'static str, &CategoryReport); 6] {
        [
            ("emotional_expression", &self.emotional_expression),
            ("character_development", &self.character_development),
            ("story_structure", &self.story_structure),
            ("writing_technique", &self.writing_technique),
            ("world_building", &self.world_building),
            ("reader_engagement", &self.reader_engagement),
        ]
    }
}

impl CheckDetails for ElementsReport {
    fn verdict(&self) -> Option<CheckVerdict> {
        Some(CheckVerdict { score: self.overall_score, method: self.method })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let named = self.a31_scores.named();
        let mut lines: Vec<String> = named.iter().map(|(name, one)| one.line(name, locale)).collect();
        let EvaluationCounts { deterministic, judged, not_evaluated, without_score } = self.evaluated;
        let covered = percent(self.coverage);
        lines.push(match locale {
            Locale::En => format!(
                "{deterministic} items scored by measuring, {judged} judged, {not_evaluated} not evaluated, {without_score} measured without a score; {covered} % covered"
            ),
            Locale::Ja => {
                format!("測定で採点したもの {deterministic} 項目、判定したもの {judged} 項目、未評価 {not_evaluated} 項目、測定値を示すだけのもの {without_score} 項目。評価率 {covered} %")
            }
        });
        lines.extend(self.overall_score.is_none().then(|| judging::unscored(locale)));
        lines.extend(self.auto_fix_results.as_ref().map(|fixes| fixes.line(locale)));
        lines.extend(self.low_score_items.iter().map(|item| item.line(locale)));
        lines.extend(self.other_items(locale));
        lines
    }

    fn rejected(&self) -> &[RejectedJudgement] {
        &self.rejected_judgements
    }

    fn unstable(&self) -> &[String] {
        &self.unstable_items
    }
}

impl ElementsReport {
    /// Returns the items of a verbose reply beside the low ones, by category.
    fn other_items(&self, locale: Locale) -> Vec<String> {
        let is_low = |item: &ItemReport| self.low_score_items.iter().any(|low| low.id() == item.id());
        let of_category = |(name, _): (&str, &CategoryReport)| {
            let items = self.all_items.iter().filter(|item| item.category() == name && !is_low(item));
            let items: Vec<String> = items.map(|item| item.line(locale)).collect();
            let head = (!items.is_empty()).then(|| format!("{name}:"));
            head.into_iter().chain(items).collect::<Vec<_>>()
        };
        self.a31_scores.named().into_iter().flat_map(of_category).collect()
    }
}

impl CategoryReport {
    fn line(&self, name: &str, locale: Locale) -> String {
        let score = self.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        format!("{} {score}/{}{}", title(name, locale), self.max, how(self.method, self.coverage, locale))
    }
}
