//! The ten stages of writing an episode, as a table: names, turns, inputs, outputs, timeout.
//!
//! Invariant: the order of the table is the order of work, and a stage reads only outputs of earlier stages. The table
//! defines the required contents of answers; `criteria` evaluates them.

use std::{fmt, time::Duration};

use fumi_base::text::{BilingualText, Locale};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::errors::writing::WritingError;

pub const STAGES: usize = 10;

/// The timeout of one stage; each stage has its own.
pub const TIMEOUT: Duration = Duration::from_mins(5);

/// One of the ten stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WritingStage(usize);

/// The sequence of stages of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageRoute {
    /// All ten stages.
    #[default]
    Whole,
    /// Only the draft, written from the plot.
    Draft,
}

impl StageRoute {
    /// Returns the stages of the route, in order.
    pub fn stages(self) -> impl DoubleEndedIterator<Item = WritingStage> + Clone {
        let stages = match self {
            Self::Whole => 0..STAGES,
            Self::Draft => WritingStage::DRAFT.0..WritingStage::DRAFT.0 + 1,
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
        }
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
#[derive(Clone, Copy, Debug)]
pub enum TurnContents {
    /// YAML or JSON with these keys.
    Keys(&'static [AnswerKey]),
    /// A part of the manuscript; the bounds are percentages of the whole length.
    Part(u32, u32),
    /// The rest of the manuscript, which completes the parts before it.
    Rest,
    /// The whole manuscript.
    Whole,
}

/// A key that an answer must have.
#[derive(Clone, Copy, Debug)]
pub struct AnswerKey {
    pub name: &'static str,
    /// The required value.
    pub holds: KeyContents,
    en: &'static str,
    ja: &'static str,
}

/// The required value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyContents {
    /// A text of at least this many visible characters.
    Characters(usize),
    /// A list of at least this many items.
    Items(usize),
    /// A list of `{find, replace}` items, possibly empty.
    Replacements,
}

impl AnswerKey {
    /// Returns the description of the value.
    pub fn meaning(&self) -> BilingualText {
        BilingualText::new(self.en, self.ja)
    }
}

const fn text(name: &'static str, least: usize, en: &'static str, ja: &'static str) -> AnswerKey {
    let holds = KeyContents::Characters(least);
    AnswerKey { name, holds, en, ja }
}

const fn list(name: &'static str, least: usize, en: &'static str, ja: &'static str) -> AnswerKey {
    let holds = KeyContents::Items(least);
    AnswerKey { name, holds, en, ja }
}

struct StageRow {
    name: &'static str,
    alias: &'static str,
    title: (&'static str, &'static str, &'static str),
    reads: &'static [usize],
    turns: &'static [TurnContents],
    /// The turn from which the stage's output must name every character of the plot.
    everyone: Option<usize>,
    prompt: (&'static str, &'static str),
}

/// Embeds the prompts of a stage, one file per language.
macro_rules! prompt {
    ($name:literal) => {
        (include_str!(concat!("prompts/", $name, ".en.md")), include_str!(concat!("prompts/", $name, ".ja.md")))
    };
}

static TABLE: [StageRow; STAGES] = [
    StageRow {
        name: "plot_data_preparation",
        alias: "plot_data_preparation",
        title: ("PlotDataPreparationStage", "Preparing plot and data", "プロット・データ準備"),
        reads: &[],
        turns: &[
            TurnContents::Keys(&[
                text("premise", 20, "the subject of the episode", "この話で何が起きるか"),
                list("events", 3, "the necessary events, in order", "起こすべき出来事（順に）"),
                list("cast", 1, "the characters who appear, with their wishes", "登場人物と、それぞれの望み"),
            ]),
            TurnContents::Keys(&[
                list("foreshadowing", 0, "the foreshadowing to plant and to pay off", "張る伏線と回収する伏線"),
                list("continuity", 1, "the facts that carry over from earlier episodes", "前の話から引き継ぐこと"),
                list("constraints", 1, "the conditions that must be kept", "守るべき条件"),
            ]),
        ],
        everyone: Some(1),
        prompt: prompt!("plot_data_preparation"),
    },
    StageRow {
        name: "analyze_plot_structure",
        alias: "plot_structure_analysis",
        title: ("PlotAnalysisDesignStage", "Analysing the plot", "プロット分析・設計"),
        reads: &[1],
        turns: &[
            TurnContents::Keys(&[
                list("acts", 3, "the acts and the function of each", "幕と、それぞれの役目"),
                list("turning_points", 1, "the turning points and their causes", "転換点と、そのきっかけ"),
            ]),
            TurnContents::Keys(&[
                list("scenes", 1, "the scenes with place, aim and outcome", "場面ごとの場所・狙い・結果"),
                list("risks", 1, "the places where a reader could stop", "読者が離れそうな箇所"),
            ]),
        ],
        everyone: None,
        prompt: prompt!("analyze_plot_structure"),
    },
    StageRow {
        name: "design_emotional_flow",
        alias: "emotional_flow_design",
        title: ("EmotionalRelationshipDesignStage", "Designing emotions and relations", "感情・関係性設計"),
        reads: &[1, 2],
        turns: &[
            TurnContents::Keys(&[list(
                "curve",
                3,
                "the feeling of each scene and its strength",
                "場面ごとの感情と強さ",
            )]),
            TurnContents::Keys(&[
                list("relationships", 1, "the changes between characters", "誰と誰の間で何が変わるか"),
                list("key_moments", 1, "acts that show a feeling", "感情が行動に表れる瞬間"),
            ]),
        ],
        everyone: None,
        prompt: prompt!("design_emotional_flow"),
    },
    StageRow {
        name: "design_humor_elements",
        alias: "humor_elements_design",
        title: ("HumorCharmDesignStage", "Designing humour and charm", "ユーモア・魅力設計"),
        reads: &[2, 3],
        turns: &[
            TurnContents::Keys(&[
                list("charm", 1, "the lovable traits of the characters", "人物の愛すべきところ"),
                list("humor", 1, "the humour, with the character from whom it comes", "おかしみと、その出どころの人物"),
            ]),
            TurnContents::Keys(&[
                list("placement", 1, "the scene for each element", "どの場面に置くか"),
                text("restraint", 10, "the scenes without humour, and the reason", "笑いを置かない箇所とその理由"),
            ]),
        ],
        everyone: None,
        prompt: prompt!("design_humor_elements"),
    },
    StageRow {
        name: "design_character_dialogue",
        alias: "character_dialogue_design",
        title: ("CharacterPsychologyDialogueDesignStage", "Designing minds and dialogue", "キャラ心理・対話設計"),
        reads: &[1, 3, 4],
        turns: &[
            TurnContents::Keys(&[list(
                "voices",
                1,
                "each character's way of speaking, and what they hide",
                "人物ごとの話し方と、隠していること",
            )]),
            TurnContents::Keys(&[
                list("exchanges", 2, "the exchanges that carry the episode", "話を動かすやり取り"),
                list("silences", 1, "the things left unsaid", "言わせないこと"),
            ]),
        ],
        everyone: Some(1),
        prompt: prompt!("design_character_dialogue"),
    },
    StageRow {
        name: "design_scene_atmosphere",
        alias: "scene_atmosphere_design",
        title: ("SceneDirectionAtmosphereDesignStage", "Directing scenes and atmosphere", "場面演出・雰囲気設計"),
        reads: &[2, 5],
        turns: &[
            TurnContents::Keys(&[
                list("places", 1, "each place with its light and weather", "場所と、その光や天気"),
                list("senses", 3, "sounds, smells, textures and sights", "音・匂い・手触り・見えるもの"),
            ]),
            TurnContents::Keys(&[
                list("images", 1, "objects that recur with a changed meaning", "繰り返し現れ、意味が変わる物"),
                list("transitions", 1, "the links from scene to scene", "場面のつなぎ方"),
            ]),
        ],
        everyone: None,
        prompt: prompt!("design_scene_atmosphere"),
    },
    StageRow {
        name: "adjust_logic_consistency",
        alias: "logic_consistency_adjust",
        title: ("LogicConsistencyAdjustmentStage", "Making it consistent", "論理整合性調整"),
        reads: &[1, 2, 3, 4, 5, 6],
        turns: &[
            TurnContents::Keys(&[
                list("timeline", 2, "the events with their times", "いつ何が起きるか"),
                list("contradictions", 0, "the contradictions and their places", "食い違いと、その箇所"),
            ]),
            TurnContents::Keys(&[
                list("decisions", 1, "the binding decisions", "これ以降の決定事項"),
                list("beats", 3, "the episode beat by beat, as it will be written", "書く順に並べた展開"),
            ]),
        ],
        everyone: None,
        prompt: prompt!("adjust_logic_consistency"),
    },
    StageRow {
        name: "write_manuscript_draft",
        alias: "manuscript_draft_generate",
        title: ("ManuscriptWritingStage", "Writing the manuscript", "原稿執筆"),
        reads: &[2, 3, 4, 5, 6, 7],
        // A quarter, a half and a quarter, each within ten percentage points.
        turns: &[TurnContents::Part(15, 35), TurnContents::Part(40, 60), TurnContents::Rest],
        everyone: Some(3),
        prompt: prompt!("write_manuscript_draft"),
    },
    StageRow {
        name: "refine_manuscript_quality",
        alias: "quality_refinement",
        title: ("QualityRefinementStage", "Refining the quality", "品質仕上げ"),
        reads: &[7, 8],
        turns: &[
            TurnContents::Keys(&[list(
                "findings",
                1,
                "the weaknesses: a quotation and a remedy each",
                "弱い箇所の引用と直し方",
            )]),
            TurnContents::Whole,
        ],
        everyone: Some(2),
        prompt: prompt!("refine_manuscript_quality"),
    },
    StageRow {
        name: "finalize_manuscript",
        alias: "final_adjustment",
        title: ("FinalAdjustmentStage", "Final adjustment", "最終調整"),
        reads: &[9],
        turns: &[TurnContents::Keys(&[
            text("title", 1, "the title of the episode", "話の題"),
            text("summary", 20, "a synopsis for later episodes", "次の話のためのあらすじ"),
            AnswerKey {
                name: "replacements",
                holds: KeyContents::Replacements,
                en: "replacements in the text: {find, replace}; each find must occur in it exactly once",
                ja: "本文の置き換え（{find, replace}。find は本文にちょうど一度だけ現れる文字列）",
            },
        ])],
        everyone: Some(1),
        prompt: prompt!("finalize_manuscript"),
    },
];

impl WritingStage {
    /// The stage that writes the draft.
    pub const DRAFT: Self = Self(7);
    /// The stage that rewrites the draft; the last stage reads its text.
    pub const REFINEMENT: Self = Self(8);
    /// The last stage.
    pub const LAST: Self = Self(STAGES - 1);

    /// Returns every stage, in the order of work.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..STAGES).map(Self)
    }

    /// Returns a stage by its number, from 1 to 10.
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
        &TABLE[self.0]
    }

    /// Returns the number of the stage, from 1.
    pub fn number(self) -> usize {
        self.0 + 1
    }

    /// Returns the canonical name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the alternative name that is also accepted; it may be equal to the name.
    pub fn alias(self) -> &'static str {
        self.row().alias
    }

    /// Returns the name of the stage's kind, such as `ManuscriptWritingStage`.
    pub fn kind(self) -> &'static str {
        self.row().title.0
    }

    /// Returns the title in both languages.
    pub fn title(self) -> BilingualText {
        let (_, en, ja) = self.row().title;
        BilingualText::new(en, ja)
    }

    /// Returns the stages whose outputs this stage reads.
    pub fn reads(self) -> impl Iterator<Item = Self> {
        self.row().reads.iter().map(|number| Self(number - 1))
    }

    /// Returns the required contents of each turn, in order.
    pub fn turns(self) -> &'static [TurnContents] {
        self.row().turns
    }

    /// True if the stage's output must name every character of the plot after this turn, counted from 1.
    pub fn names_everyone_at(self, turn: usize) -> bool {
        self.row().everyone == Some(turn)
    }

    /// Returns the next stage.
    pub fn next(self) -> Option<Self> {
        Self::from_number(self.number() + 1)
    }

    /// Returns the built-in prompts of the stage.
    pub(super) fn prompt(self, locale: Locale) -> &'static str {
        let (en, ja) = self.row().prompt;
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
    use super::{STAGES, WritingStage};

    #[test]
    fn stage_table_matches_the_specification() {
        let turns: Vec<usize> = WritingStage::all().map(|stage| stage.turns().len()).collect();
        assert_eq!(turns, [2, 2, 2, 2, 2, 2, 2, 3, 2, 1]);
        assert_eq!(WritingStage::all().count(), STAGES);
        for stage in WritingStage::all() {
            assert_eq!(WritingStage::parse(stage.name()).expect("its name"), stage);
            assert_eq!(WritingStage::parse(stage.alias()).expect("its alias"), stage);
            assert_eq!(WritingStage::from_number(stage.number()), Some(stage));
            assert!(stage.reads().all(|read| read < stage), "{stage} reads the output of a later stage");
            assert!(stage.kind().ends_with("Stage"));
        }
        assert_eq!((WritingStage::from_number(0), WritingStage::from_number(11)), (None, None));
        let mut names: Vec<&str> = WritingStage::all().flat_map(|stage| [stage.name(), stage.alias()]).collect();
        names.sort_unstable();
        names.dedup();
        // The name and the alias of the first stage are equal.
        assert_eq!(names.len(), 2 * STAGES - 1);
    }
}
