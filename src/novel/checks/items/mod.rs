//! The 68 items of A31: each a manual page, and if it is measured a Rust file beside it. To add one: the page, the
//! file, and its name in its category's list.
//!
//! An item is deterministic (measured), judged (by a model or a person, with quotations from the text), or hybrid: the
//! measurement provides evidence, the judgement decides. An item that needs a judgement and has none is not evaluated;
//! no score is invented.

mod character;
mod emotion;
mod engagement;
mod judging;
mod measure;
mod page;
mod scoring;
mod story;
mod technique;
mod world;

use std::sync::LazyLock;

pub use judging::{AcceptedJudgement, Judge, Judgement, JudgementError, verify};
pub use measure::{ItemThresholds, Measure, per_thousand, ramp, share, trapezoid};
pub use page::{ComparedText, EvaluationKind, ItemPage, ItemSample, ItemTexts, SampleExpectation, ScriptedJudgement};
pub use scoring::{
    CategoryScore, Evaluation, EvaluationMethod, category_scores, evaluate, group_score, needs_judgement, overall,
};

use super::CheckMaterial;
use fumi_base::embedded;

/// The categories, in the order of their items. The name is that of a score in the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, fumi_base::Named)]
pub enum ItemCategory {
    /// Emotional expression, 感情描写.
    #[named("emotional_expression")]
    Emotion,
    /// Characters, キャラクター.
    #[named("character_development")]
    Character,
    /// Plot development, ストーリー展開.
    #[named("story_structure")]
    Story,
    /// Prose technique, 文章表現.
    #[named("writing_technique")]
    Technique,
    /// World and setting, 世界観・設定.
    #[named("world_building")]
    World,
    /// Reader engagement, 読者エンゲージメント.
    #[named("reader_engagement")]
    Engagement,
}

impl ItemCategory {
    /// Returns the Japanese name.
    pub const fn ja(self) -> &'static str {
        match self {
            Self::Emotion => "感情描写",
            Self::Character => "キャラクター",
            Self::Story => "ストーリー展開",
            Self::Technique => "文章表現",
            Self::World => "世界観・設定",
            Self::Engagement => "読者エンゲージメント",
        }
    }

    /// Returns the maximum score, which is the number of its items.
    pub const fn max(self) -> u32 {
        match self {
            Self::Emotion | Self::Character | Self::Story | Self::Technique => 12,
            Self::World | Self::Engagement => 10,
        }
    }
}

/// An item of the A31 catalogue.
#[derive(Debug)]
pub struct Item {
    /// The id, `A31-001` to `A31-068`.
    pub id: String,
    /// The name in snake case, also that of its page.
    pub name: &'static str,
    pub category: ItemCategory,
    /// The parsed manual page.
    pub page: ItemPage,
    measure: Option<fn(&CheckMaterial<'_>, &ItemThresholds<'_>) -> Measure>,
}

/// Declares the items of a category: first those with a measurement beside their page, then those with a page only.
macro_rules! category {
    ($category:ident; measured: $($name:ident,)* ; judged: $($judged:ident,)* ;) => {
        $(mod $name;)*

        /// Returns the items of the category.
        pub(super) fn items() -> Vec<crate::checks::items::Item> {
            use crate::checks::items::{ItemCategory::$category, Item};
            vec![
                $(Item::new($category, stringify!($name), include_str!(concat!(stringify!($name), ".toml")), Some($name::measure)),)*
                $(Item::new($category, stringify!($judged), include_str!(concat!(stringify!($judged), ".toml")), None),)*
            ]
        }
    };
}
pub(crate) use category;

/// All items, ordered by id.
pub static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| {
    let categories =
        [emotion::items(), character::items(), story::items(), technique::items(), world::items(), engagement::items()];
    let mut items: Vec<Item> = categories.into_iter().flatten().collect();
    items.sort_by(|one, other| one.id.cmp(&other.id));
    items
});

pub fn item(id: &str) -> Option<&'static Item> {
    ITEMS.iter().find(|item| item.id == id)
}

impl Item {
    fn new(
        category: ItemCategory,
        name: &'static str,
        page: &str,
        measure: Option<fn(&CheckMaterial<'_>, &ItemThresholds<'_>) -> Measure>,
    ) -> Self {
        let page: ItemPage = embedded::toml(&format!("{name}.toml"), page);
        Self { id: page.id.clone(), name, category, page, measure }
    }

    /// Measures the item in a text; `None` if it is only judged.
    pub fn measured(&self, material: &CheckMaterial<'_>) -> Option<Measure> {
        let gauge = ItemThresholds { item: self, tuning: material.tuning() };
        self.measure.map(|measure| measure(material, &gauge))
    }
}
