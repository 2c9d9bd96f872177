//! The 68 items of A31: each a manual page, and for what can be measured a file beside it. To add one: the page, the file, and
//! its name in its category's list.
//!
//! An item is deterministic (measured), judged (by a model or a person, with quotations that stand in the text), or hybrid: the
//! measurement gives evidence and a prior, the judgement decides. What nobody judged is not evaluated; nothing is made up.

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

pub use judging::{Judge, Judged, Judgement, Refusal, verify};
pub use measure::{Gauge, Measure, per_thousand, ramp, share, trapezoid};
pub use page::{Expected, ItemPage, ItemSample, ItemWords, Kind, Scripted};
pub use scoring::{CategoryScore, Evaluation, Method, category_scores, evaluate, overall};

use super::Material;

/// What an item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// 感情描写.
    Emotion,
    /// キャラクター.
    Character,
    /// ストーリー展開.
    Story,
    /// 文章表現.
    Technique,
    /// 世界観・設定.
    World,
    /// 読者エンゲージメント.
    Engagement,
}

impl Category {
    /// All, in the order of their items.
    pub const ALL: [Self; 6] = [
        Self::Emotion,
        Self::Character,
        Self::Story,
        Self::Technique,
        Self::World,
        Self::Engagement,
    ];

    /// As the specification names its score.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emotion => "emotional_expression",
            Self::Character => "character_development",
            Self::Story => "story_structure",
            Self::Technique => "writing_technique",
            Self::World => "world_building",
            Self::Engagement => "reader_engagement",
        }
    }

    /// As people call it.
    #[must_use]
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

    /// The most that its score can be: as many as it has items.
    #[must_use]
    pub const fn max(self) -> u32 {
        match self {
            Self::Emotion | Self::Character | Self::Story | Self::Technique => 12,
            Self::World | Self::Engagement => 10,
        }
    }
}

/// An item.
#[derive(Debug)]
pub struct Item {
    /// `A31-001` to `A31-068`.
    pub id: String,
    /// What it is about, in snake case.
    pub name: &'static str,
    /// Its category.
    pub category: Category,
    /// Its manual page.
    pub page: ItemPage,
    measure: Option<fn(&Material<'_>, &Gauge<'_>) -> Measure>,
}

/// Lists the items of a category: those with a measurement beside their page, and those with a page alone.
macro_rules! category {
    ($category:ident; measured: $($name:ident,)* ; judged: $($judged:ident,)* ;) => {
        $(mod $name;)*

        /// The items of the category.
        pub(super) fn items() -> Vec<crate::checks::items::Item> {
            use crate::checks::items::{Category::$category, Item};
            vec![
                $(Item::new($category, stringify!($name), include_str!(concat!(stringify!($name), ".toml")), Some($name::measure)),)*
                $(Item::new($category, stringify!($judged), include_str!(concat!(stringify!($judged), ".toml")), None),)*
            ]
        }
    };
}
pub(crate) use category;

/// Every item, by its id.
pub static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| {
    let categories = [
        emotion::items(),
        character::items(),
        story::items(),
        technique::items(),
        world::items(),
        engagement::items(),
    ];
    let mut items: Vec<Item> = categories.into_iter().flatten().collect();
    items.sort_by(|one, other| one.id.cmp(&other.id));
    items
});

/// The item of an id.
#[must_use]
pub fn item(id: &str) -> Option<&'static Item> {
    ITEMS.iter().find(|item| item.id == id)
}

impl Item {
    fn new(
        category: Category,
        name: &'static str,
        page: &str,
        measure: Option<fn(&Material<'_>, &Gauge<'_>) -> Measure>,
    ) -> Self {
        let page: ItemPage = toml::from_str(page).unwrap_or_else(|error| panic!("{name}.toml: {error}"));
        Self {
            id: page.id.clone(),
            name,
            category,
            page,
            measure,
        }
    }

    /// What can be measured of it; `None` of an item that is only judged.
    #[must_use]
    pub fn measured(&self, material: &Material<'_>) -> Option<Measure> {
        let gauge = Gauge {
            item: self,
            tuning: material.tuning(),
        };
        self.measure.map(|measure| measure(material, &gauge))
    }
}
