//! The `check_story_structure` tool: plot, pace, foreshadowing, characters and genre of an episode.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::{
    aspects::{ASPECTS, AspectScore, overall_score},
    features::Foreshadowing,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckContext, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NovelDeps,
    aspect::AspectReport,
    check_story_elements::method_of,
    hundredths,
    issue::{SHOWN_ISSUES, VERBOSE_ISSUES},
    judging::{self, Judging, RejectedJudgement, SubmittedJudgement},
    review::{ItemSelection, ReviewContext, ReviewOptions, review_blocking},
    review_question, tenths, texts, yes,
};

#[derive(Debug)]
pub struct CheckStoryStructure;

#[derive(Debug, Deserialize, JsonSchema)]
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
    /// True for more evidence.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StructureReport {
    structure_analysis: StructureAnalysis,
    /// From 0 to 100; absent without judgements.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_structure_score: Option<f64>,
    /// The evaluated share of all aspects, from 0 to 1.
    coverage: f64,
    /// The entries of the ledger that are planted by this episode and not resolved in it; at most 30, with `verbose`
    /// 300.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open_foreshadowing: Vec<Thread>,
    /// The number of further open entries of the ledger.
    #[serde(skip_serializing_if = "is_none_left")]
    more_open_foreshadowing: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unstable_items: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_judgements: Vec<RejectedJudgement>,
    #[serde(skip)]
    method: &'static str,
}

/// An open entry of the ledger.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Thread {
    id: String,
    title: String,
    /// The episode that plants it.
    planted_in: u32,
    /// The episode that resolves it; absent if the ledger names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    payoff_in: Option<u32>,
    /// True if that episode has passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overdue: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none_left(count: &usize) -> bool {
    *count == 0
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct StructureAnalysis {
    story_integration: AspectReport,
    pacing_rhythm: AspectReport,
    foreshadowing_recovery: AspectReport,
    character_psychology_consistency: AspectReport,
    genre_appropriateness: AspectReport,
}

impl Tool for CheckStoryStructure {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_story_structure",
        texts: texts!("check_story_structure"),
        example: r#"{"episode": 1, "judge": false}"#,
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<StructureReport>;

    async fn call(
        args: Args,
        deps: &NovelDeps,
        cx: &Cx,
    ) -> Result<ToolOutcome<CheckReply<StructureReport>>, ToolError> {
        let job = CheckJob::new("check_story_structure", args.episode, args.verbose, deps, cx)?;
        let looks = ReviewOptions {
            items: ItemSelection::Only(
                ASPECTS.structure.iter().flat_map(|aspect| &aspect.items).map(String::as_str).collect(),
            ),
            session_id: args.session_id,
            ..ReviewOptions::default()
        };
        let judging = Judging::from_args(args.judgements, args.judge, cx);
        let done = review_blocking(&job, looks, judging, cx, structure).await?;
        review_question::outcome(done, &job, serde_json::Map::new(), cx).await
    }
}

pub(super) fn structure(whole: &ReviewContext<'_>) -> StructureReport {
    let seen = whole.seen;
    let characters = seen.material.characters();
    let aspects = ASPECTS.structure.each_ref();
    let scores = aspects.map(|aspect| AspectScore::evaluate(aspect, seen.findings, characters, whole.evaluations));
    let (overall, coverage) = overall_score(&scores);
    let (open_foreshadowing, more_open_foreshadowing) = threads(seen);
    let [integration, pacing, foreshadowing, psychology, genre] =
        scores.map(|one| AspectReport::from_score(seen, &one));
    StructureReport {
        structure_analysis: StructureAnalysis {
            story_integration: integration,
            pacing_rhythm: pacing,
            foreshadowing_recovery: foreshadowing,
            character_psychology_consistency: psychology,
            genre_appropriateness: genre,
        },
        overall_structure_score: overall.map(tenths),
        coverage: hundredths(coverage),
        open_foreshadowing,
        more_open_foreshadowing,
        unstable_items: whole.unstable.to_vec(),
        rejected_judgements: whole.rejected.to_vec(),
        method: method_of(overall, whole.evaluations),
    }
}

/// Returns the open entries of the ledger, cut to the length of a list of issues, and the number of entries left out.
fn threads(seen: &CheckContext<'_>) -> (Vec<Thread>, usize) {
    let episode = seen.job.episode.number();
    let entries = seen.material.ledger().entries.iter();
    let open = entries.filter(|entry| entry.is_open(episode) || entry.is_overdue(episode));
    let thread = |entry: &Foreshadowing| {
        Some(Thread {
            id: entry.id.clone(),
            title: entry.title.clone(),
            planted_in: entry.plant.episode?,
            payoff_in: entry.payoff.episode,
            overdue: entry.is_overdue(episode),
        })
    };
    let mut threads: Vec<Thread> = open.filter_map(thread).collect();
    let most = if seen.job.verbose { VERBOSE_ISSUES } else { SHOWN_ISSUES };
    let more = threads.len().saturating_sub(most);
    threads.truncate(most);
    (threads, more)
}

impl Thread {
    fn line(&self, locale: Locale) -> String {
        let Self { id, title, planted_in, .. } = self;
        let (en, ja) = match self.payoff_in {
            Some(due) if self.overdue => {
                (format!("payoff was due in episode {due}"), format!("第{due}話で回収する予定だった"))
            }
            Some(payoff) => (format!("payoff in episode {payoff}"), format!("第{payoff}話で回収する")),
            None => ("payoff not decided".to_owned(), "回収する話は未定".to_owned()),
        };
        match locale {
            Locale::En => format!("open: {id} {title} (planted in episode {planted_in}, {en})"),
            Locale::Ja => format!("未回収: {id} {title}（第{planted_in}話で張り、{ja}）"),
        }
    }
}

impl StructureAnalysis {
    fn named(&self) -> [(&'static str, &AspectReport); 5] {
        [
            ("story_integration", &self.story_integration),
            ("pacing_rhythm", &self.pacing_rhythm),
            ("foreshadowing_recovery", &self.foreshadowing_recovery),
            ("character_psychology_consistency", &self.character_psychology_consistency),
            ("genre_appropriateness", &self.genre_appropriateness),
        ]
    }
}

impl CheckDetails for StructureReport {
    fn verdict(&self) -> Option<CheckVerdict> {
        Some(CheckVerdict { score: self.overall_structure_score, method: self.method })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let named = self.structure_analysis.named();
        let aspects = named.iter().flat_map(|(name, aspect)| aspect.lines(name, locale));
        let more = match (self.more_open_foreshadowing, locale) {
            (0, _) => None,
            (more, Locale::En) => Some(format!("open: {more} more in the ledger")),
            (more, Locale::Ja) => Some(format!("未回収: ほか {more} 件")),
        };
        let unscored = self.overall_structure_score.is_none().then(|| judging::unscored(locale));
        let aspects = aspects.chain(unscored);
        aspects.chain(self.open_foreshadowing.iter().map(|thread| thread.line(locale))).chain(more).collect()
    }

    fn rejected(&self) -> &[RejectedJudgement] {
        &self.rejected_judgements
    }

    fn unstable(&self) -> &[String] {
        &self.unstable_items
    }
}
