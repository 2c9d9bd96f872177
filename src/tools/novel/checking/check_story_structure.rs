//! `check_story_structure`: how an episode holds together: plot, pace, foreshadowing, characters, genre.

use fumi_base::text::Locale;
use fumi_novel::checks::{
    aspects::{AspectScore, STRUCTURE, overall_of},
    items::Method,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, Checked, EpisodeNumber, Job, NovelDeps, Own, Verdict,
    aspect::AspectShown,
    check_story_elements::judged_by,
    hundredths,
    issue::Shown,
    judging::{self, Given, Judging, Rejected},
    review::{Items, Looks, Whole, reviewed},
    tenths, texts, yes,
};
use crate::tool::{Cx, Outcome, Spec, Tool, ToolError};

/// See the module.
#[derive(Debug)]
pub struct CheckStoryStructure;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Which episode.
    episode: EpisodeNumber,
    /// The review that judgements belong to.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// Judgements of items that were asked for.
    #[schemars(length(min = 1, max = 100))]
    judgements: Option<Vec<Given>>,
    /// Whether open items are asked.
    #[serde(default = "yes")]
    judge: bool,
    /// More evidence.
    #[serde(default)]
    verbose: bool,
}

/// What it answers beside what all checks do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub struct Structure {
    structure_analysis: Analysis,
    /// From 0 to 100; absent where nothing was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_structure_score: Option<f64>,
    /// How much of all aspects was evaluated, from 0 to 1.
    coverage: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unstable_items: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_judgements: Vec<Rejected>,
    #[serde(skip)]
    method: &'static str,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Analysis {
    story_integration: AspectShown,
    pacing_rhythm: AspectShown,
    foreshadowing_recovery: AspectShown,
    character_psychology_consistency: AspectShown,
    genre_appropriateness: AspectShown,
}

impl Tool for CheckStoryStructure {
    const SPEC: Spec = Spec {
        name: "check_story_structure",
        texts: texts!("check_story_structure"),
        example: r#"{"episode": 1, "judge": false}"#,
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Checked<Structure>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<Outcome<Checked<Structure>>, ToolError> {
        let job = Job::of("check_story_structure", args.episode, args.verbose, deps, cx)?;
        let looks = Looks {
            items: Items::Only(STRUCTURE.iter().flat_map(|aspect| aspect.items).copied().collect()),
            session_id: args.session_id,
            ..Looks::default()
        };
        let judging = Judging::of(args.judgements, args.judge, cx);
        let done = reviewed(&job, looks, judging, cx, structure).await?;
        judging::outcome(done, &job, serde_json::Map::new(), cx).await
    }
}

pub(super) fn structure(whole: &Whole<'_>) -> Structure {
    let seen = whole.seen;
    let characters = seen.material.characters();
    let scores = STRUCTURE.map(|aspect| AspectScore::of(aspect, seen.findings, characters, whole.evaluations));
    let (overall, coverage) = overall_of(&scores);
    let [integration, pacing, foreshadowing, psychology, genre] = scores.map(|one| AspectShown::of(seen, &one));
    Structure {
        structure_analysis: Analysis {
            story_integration: integration,
            pacing_rhythm: pacing,
            foreshadowing_recovery: foreshadowing,
            character_psychology_consistency: psychology,
            genre_appropriateness: genre,
        },
        overall_structure_score: overall.map(tenths),
        coverage: hundredths(coverage),
        unstable_items: whole.unstable.to_vec(),
        rejected_judgements: whole.rejected.to_vec(),
        method: match overall {
            None => Method::NotEvaluated.name(),
            Some(_) => judged_by(whole.evaluations).name(),
        },
    }
}

impl Analysis {
    fn named(&self) -> [(&'static str, &AspectShown); 5] {
        [
            ("story_integration", &self.story_integration),
            ("pacing_rhythm", &self.pacing_rhythm),
            ("foreshadowing_recovery", &self.foreshadowing_recovery),
            (
                "character_psychology_consistency",
                &self.character_psychology_consistency,
            ),
            ("genre_appropriateness", &self.genre_appropriateness),
        ]
    }
}

impl Own for Structure {
    fn verdict(&self) -> Option<Verdict> {
        Some(Verdict {
            score: self.overall_structure_score,
            method: self.method,
        })
    }

    fn lines(&self, _locale: Locale) -> Vec<String> {
        let named = self.structure_analysis.named();
        named.iter().flat_map(|(name, aspect)| aspect.lines(name)).collect()
    }

    fn shown(&self) -> Vec<&Shown> {
        Vec::new()
    }
}
