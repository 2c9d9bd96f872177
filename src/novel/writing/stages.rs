//! The stages of writing an episode and the routes through them: names, turns, inputs, outputs, timeout. Their table is
//! `stages.toml`.
//!
//! Invariant: the table contains the ten stages, then the five of the short route, each in the order of work, and a stage
//! reads only outputs of earlier stages of its route. The table defines the required contents of answers; `criteria`
//! evaluates them.

use std::{fmt, sync::LazyLock, time::Duration};

use fumi_base::{
    embedded,
    text::{BilingualText, Locale},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{errors::writing::WritingError, project::WritingRoute};

/// The number of stages of the whole route.
pub const STAGES: usize = 10;

/// The number of stages of all routes.
pub(super) const ALL_STAGES: usize = 15;

/// The largest number of scenes of an episode on the short route.
pub const SCENES: usize = 12;

/// The timeout of one stage; each stage has its own.
pub const TIMEOUT: Duration = Duration::from_mins(5);

/// A stage of one of the routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WritingStage(usize);

/// The sequence of stages of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "snake_case")]
pub enum StageRoute {
    /// All ten stages.
    #[default]
    #[named("ten_stages")]
    Whole,
    /// Only the draft, written from the plot.
    Draft,
    /// Five stages: scene cards, prose by scene, review, revised passages, title.
    Short,
}

impl From<WritingRoute> for StageRoute {
    fn from(route: WritingRoute) -> Self {
        match route {
            WritingRoute::Short => Self::Short,
            WritingRoute::TenStages => Self::Whole,
        }
    }
}

impl StageRoute {
    /// Returns the stages of the route, in order.
    pub fn stages(self) -> impl DoubleEndedIterator<Item = WritingStage> + Clone {
        let stages = match self {
            Self::Whole => 0..STAGES,
            Self::Draft => WritingStage::DRAFT.0..WritingStage::DRAFT.0 + 1,
            Self::Short => STAGES..ALL_STAGES,
        };
        stages.map(WritingStage)
    }

    /// Returns the number of stages.
    pub fn length(self) -> usize {
        self.stages().count()
    }

    /// Returns the last stage, whose output is the manuscript.
    pub fn last(self) -> WritingStage {
        match self {
            Self::Whole => WritingStage::LAST,
            Self::Draft => WritingStage::DRAFT,
            Self::Short => WritingStage(ALL_STAGES - 1),
        }
    }

    /// Returns the stage that changes a finished text as an author wishes: the last one that takes replacements.
    pub fn revision(self) -> WritingStage {
        self.stages().rev().find(|stage| stage.takes_replacements()).unwrap_or_else(|| self.last())
    }

    /// True if the route leads from the plot to a finished episode.
    pub fn writes_an_episode(self) -> bool {
        self != Self::Draft
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
    pub(super) fn is_whole(&self) -> bool {
        *self == Self::Whole
    }

    /// Returns the number of the route's stages before `stage`.
    pub(super) fn before(self, stage: WritingStage) -> usize {
        self.stages().filter(|other| *other < stage).count()
    }
}

/// The required contents of a turn's answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnContents {
    /// YAML or JSON with these keys.
    Keys(Vec<AnswerKey>),
    /// A part of the manuscript; the bounds are percentages of the whole length.
    Part(u32, u32),
    /// The rest of the manuscript, which completes the parts before it.
    Rest,
    /// One scene of the manuscript; the stage has a turn for each planned scene.
    Scene,
    /// The whole manuscript.
    Whole,
}

/// A key that an answer must have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerKey {
    pub name: String,
    /// The required value.
    pub holds: KeyContents,
    /// The description of the value.
    pub meaning: BilingualText,
}

/// The required value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyContents {
    /// A text of at least this many visible characters.
    Characters(usize),
    /// A list of at least this many items.
    Items(usize),
    /// A list of scene cards, from one to [`SCENES`].
    Scenes,
    /// A list of `{find, replace}` items, possibly empty.
    Replacements,
}

/// A row of `stages.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageRow {
    name: String,
    alias: String,
    kind: String,
    title: BilingualText,
    /// The positions in the table of the stages whose outputs it reads, from 1.
    reads: Vec<usize>,
    #[serde(default)]
    cites: Citations,
    /// The position of the stage whose text it passes on, after the replacements of its answer.
    revises: Option<usize>,
    turns: Vec<TurnContents>,
    /// The turn from which the stage's output must name every character of the plot.
    everyone_at: Option<usize>,
}

/// The sources that the questions of a stage cite beside the outputs of earlier stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Citations {
    /// The plot, the settings and the previous episode, each as its file.
    #[default]
    Project,
    /// The material as one text.
    Material,
    Nothing,
}

/// The parsed contents of `stages.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StagesFile {
    stage: Vec<StageRow>,
}

static FILE: LazyLock<StagesFile> = LazyLock::new(|| embedded::toml("stages.toml", include_str!("stages.toml")));

/// Embeds the prompts of stages: the name of each, with its file in English and in Japanese.
macro_rules! prompts {
    ($($name:literal,)*) => {
        [$(($name, [
            include_str!(concat!("prompts/", $name, ".en.md")),
            include_str!(concat!("prompts/", $name, ".ja.md")),
        ]),)*]
    };
}

static PROMPTS: [(&str, [&str; 2]); ALL_STAGES] = prompts![
    "plot_data_preparation",
    "analyze_plot_structure",
    "design_emotional_flow",
    "design_humor_elements",
    "design_character_dialogue",
    "design_scene_atmosphere",
    "adjust_logic_consistency",
    "write_manuscript_draft",
    "refine_manuscript_quality",
    "finalize_manuscript",
    "plan_scenes",
    "write_scenes",
    "review_draft",
    "revise_passages",
    "choose_title",
];

impl WritingStage {
    /// The stage that writes the draft.
    pub const DRAFT: Self = Self(7);
    /// The last of the ten stages.
    pub const LAST: Self = Self(STAGES - 1);
    /// The stage of the short route that plans the scenes.
    pub(super) const SCENE_PLAN: Self = Self(STAGES);

    /// Returns the stages of all routes: the ten stages, then those of the short route.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..ALL_STAGES).map(Self)
    }

    /// Returns one of the ten stages by its number, from 1 to 10.
    pub fn from_number(number: usize) -> Option<Self> {
        number.checked_sub(1).filter(|at| *at < STAGES).map(Self)
    }

    /// Parses the name or the alias of a stage.
    pub fn parse(name: &str) -> Result<Self, WritingError> {
        let asked = name.trim();
        let named = |stage: &Self| stage.name() == asked || stage.alias() == asked;
        Self::all().find(named).ok_or_else(|| WritingError::UnknownStage { asked: name.to_owned(), step: None })
    }

    /// Parses a step such as `design_humor_elements:2`: the stage, and its turn if there is one.
    pub fn parse_step(step: &str) -> Result<(Self, Option<usize>), WritingError> {
        let (stage, turn) = step.split_once(':').unwrap_or((step, ""));
        match Self::parse(stage) {
            Err(WritingError::UnknownStage { asked, .. }) => {
                Err(WritingError::UnknownStage { asked, step: Some(step.to_owned()) })
            }
            stage => Ok((stage?, turn.parse().ok())),
        }
    }

    fn row(self) -> &'static StageRow {
        &FILE.stage[self.0]
    }

    /// Returns the route that consists of this stage and others like it: the short one, or the ten stages.
    pub fn route(self) -> StageRoute {
        if self.0 < STAGES { StageRoute::Whole } else { StageRoute::Short }
    }

    /// Returns the number of the stage within its route, from 1.
    pub fn number(self) -> usize {
        self.0 % STAGES + 1
    }

    /// Returns the canonical name.
    pub fn name(self) -> &'static str {
        &self.row().name
    }

    /// Returns the alternative name that is also accepted; it may be equal to the name.
    pub fn alias(self) -> &'static str {
        &self.row().alias
    }

    /// Returns the name of the stage's kind, such as `ManuscriptWritingStage`.
    pub fn kind(self) -> &'static str {
        &self.row().kind
    }

    /// Returns the title in both languages.
    pub fn title(self) -> &'static BilingualText {
        &self.row().title
    }

    /// Returns the stages whose outputs this stage reads.
    pub fn reads(self) -> impl Iterator<Item = Self> {
        self.row().reads.iter().map(|number| Self(number - 1))
    }

    /// Returns the required contents of each turn, in order. A stage of scenes has one entry for all of its turns.
    pub fn turns(self) -> &'static [TurnContents] {
        &self.row().turns
    }

    /// Returns the required contents of a turn, counted from 1.
    pub fn contents(self, turn: usize) -> &'static TurnContents {
        let turns = self.turns();
        &turns[if self.is_by_scene() { 0 } else { turn - 1 }]
    }

    /// True if the stage has a turn for each planned scene.
    pub fn is_by_scene(self) -> bool {
        matches!(self.turns(), [TurnContents::Scene])
    }

    /// Returns the sources that the questions of the stage cite.
    pub(super) fn cites(self) -> Citations {
        self.row().cites
    }

    /// Returns the stage whose text this one passes on, after the replacements of its answer.
    pub(super) fn revises(self) -> Option<Self> {
        self.row().revises.map(|position| Self(position - 1))
    }

    /// True if an answer to the stage replaces passages.
    pub fn takes_replacements(self) -> bool {
        let takes = |gives: &TurnContents| match gives {
            TurnContents::Keys(keys) => keys.iter().any(|key| key.holds == KeyContents::Replacements),
            _ => false,
        };
        self.turns().iter().any(takes)
    }

    /// True if the output of the stage is a manuscript.
    pub fn gives_text(self) -> bool {
        self.revises().is_some() || self.turns().iter().any(|gives| !matches!(gives, TurnContents::Keys(_)))
    }

    /// True if the stage's output must name every character of the plot after this turn, counted from 1.
    pub fn names_everyone_at(self, turn: usize) -> bool {
        self.row().everyone_at == Some(turn)
    }

    /// Returns the built-in prompts of the stage.
    pub(super) fn prompt(self, locale: Locale) -> &'static str {
        let prompts = PROMPTS.iter().find(|(stage, _)| *stage == self.name());
        let (_, [en, ja]) = prompts.expect("a test finds the prompts of every stage");
        match locale {
            Locale::En => en,
            Locale::Ja => ja,
        }
    }

    pub(super) fn at(self) -> usize {
        self.0
    }
}

impl fmt::Display for WritingStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for WritingStage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for WritingStage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::parse(&name).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{ALL_STAGES, FILE, STAGES, StageRoute, WritingStage};

    #[test]
    fn stage_table_matches_the_specification() {
        let turns: Vec<usize> = WritingStage::all().map(|stage| stage.turns().len()).collect();
        assert_eq!(turns, [2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, 1]);
        assert_eq!(FILE.stage.len(), ALL_STAGES);
        for stage in WritingStage::all() {
            assert_eq!(WritingStage::parse(stage.name()).expect("its name"), stage);
            assert_eq!(WritingStage::parse(stage.alias()).expect("its alias"), stage);
            assert!(stage.reads().all(|read| read < stage), "{stage} reads the output of a later stage");
            assert!(stage.kind().ends_with("Stage"));
            assert!(stage.row().everyone_at.is_none_or(|turn| (1..=stage.turns().len()).contains(&turn)));
            assert!(Locale::ALL.iter().all(|locale| !stage.prompt(*locale).is_empty()));
        }
        let numbers = |route: StageRoute| route.stages().map(WritingStage::number).collect::<Vec<_>>();
        assert_eq!(numbers(StageRoute::Whole), (1..=STAGES).collect::<Vec<_>>());
        assert_eq!(numbers(StageRoute::Short), (1..=5).collect::<Vec<_>>());
        for stage in StageRoute::Whole.stages() {
            assert_eq!(WritingStage::from_number(stage.number()), Some(stage));
        }
        for route in [StageRoute::Whole, StageRoute::Short] {
            let own: Vec<WritingStage> = route.stages().collect();
            let read = own.iter().flat_map(|stage| stage.reads().chain(stage.revises()));
            assert!(read.into_iter().all(|stage| own.contains(&stage)) && route.last().gives_text());
        }
        assert_eq!((WritingStage::from_number(0), WritingStage::from_number(11)), (None, None));
        let mut names: Vec<&str> = WritingStage::all().flat_map(|stage| [stage.name(), stage.alias()]).collect();
        names.sort_unstable();
        names.dedup();
        // The first stage and those of the short route have one name.
        assert_eq!(names.len(), 2 * ALL_STAGES - 6);
    }
}
