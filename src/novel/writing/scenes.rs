//! The planned scenes of the short route: their cards, and the length of each.

use fumi_base::text::BilingualText;

use super::{
    criteria::{self, MissedCriterion},
    material::LengthRange,
};
use crate::{
    checks::features::number,
    project::{YamlValue, number_in},
};

/// The largest length that a card can state, in characters; the longest manuscript.
const LONGEST: usize = 200_000;

/// The scene cards of an episode, in the order of writing.
#[derive(Clone, Debug, Default)]
pub(super) struct ScenePlan {
    cards: Vec<YamlValue>,
}

impl ScenePlan {
    /// Parses the output of the stage that plans the scenes; without cards if it is not one.
    pub(super) fn read(plan: &str) -> Self {
        Self::from_answer(&YamlValue::Map(criteria::read_keys(plan).unwrap_or_default()))
    }

    /// Returns the cards in an answer.
    pub(super) fn from_answer(answer: &YamlValue) -> Self {
        match answer.get("scenes") {
            Some(YamlValue::List(items)) => Self { cards: items.clone() },
            _ => Self::default(),
        }
    }

    /// Returns the number of scenes.
    pub(super) fn count(&self) -> usize {
        self.cards.len()
    }

    /// Returns the card of a scene, counted from 1, as lines of `key: value`; empty if there is none.
    pub(super) fn card(&self, scene: usize) -> String {
        match self.cards.get(scene - 1) {
            Some(YamlValue::Map(pairs)) => {
                let line = |(key, value): &(YamlValue, YamlValue)| {
                    format!("{}: {}", key.words(), value.words().replace('\n', " / "))
                };
                pairs.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Some(card) => card.words(),
            None => String::new(),
        }
    }

    /// Returns the shortest and the longest length of a scene, counted from 1, after `before` characters of earlier
    /// scenes: from 70 % to 130 % of its share of what is left of the target. The last scene completes the episode.
    pub(super) fn length(&self, scene: usize, before: usize, whole: LengthRange) -> (usize, usize) {
        let (min, max) = (whole.min as usize, whole.max as usize);
        if scene >= self.count() {
            let from = min.saturating_sub(before).max(1);
            return (from, max.saturating_sub(before).max(from + min / 10));
        }
        let lengths = self.lengths();
        let rest: usize = lengths[scene - 1..].iter().sum();
        let left = usize::midpoint(min, max).saturating_sub(before);
        // A scene after long ones has at least a quarter of an equal share.
        let about = (left * lengths[scene - 1] / rest.max(1)).max(min / self.count() / 4);
        (about * 7 / 10, about * 13 / 10)
    }

    /// Reports cards whose lengths add up to less or more than the target by over a quarter. Cards without a length are
    /// not judged.
    pub(super) fn length_miss(&self, whole: LengthRange) -> Option<MissedCriterion> {
        let stated: Option<Vec<usize>> = self.cards.iter().map(stated_length).collect();
        let sum: usize = stated?.iter().sum();
        let LengthRange { min, max } = whole;
        let is_near = sum * 4 >= min as usize * 3 && sum * 4 <= max as usize * 5;
        (!is_near).then(|| MissedCriterion {
            is_minor: true,
            ..MissedCriterion::new("scenes", BilingualText::new(
                format!(
                    "The lengths of the cards add up to {sum} characters; the episode has {min} to {max}. Each scene is requested in proportion."
                ),
                format!(
                    "場面カードの字数を合わせると {sum} 字で、話の目標は {min}〜{max} 字です。各場面の字数は、この比のまま目標に合わせます。"
                ),
            ))
        })
    }

    /// Returns the lengths that the cards state. A card without one counts as an average card.
    fn lengths(&self) -> Vec<usize> {
        let stated: Vec<Option<usize>> = self.cards.iter().map(stated_length).collect();
        let known = || stated.iter().flatten();
        let average = known().sum::<usize>().checked_div(known().count()).unwrap_or(1).max(1);
        stated.iter().map(|number| number.unwrap_or(average)).collect()
    }
}

/// Returns the length that a card states: a number, or the middle of a range such as `1800〜2000字`.
fn stated_length(card: &YamlValue) -> Option<usize> {
    let stated = card.get("characters")?.words();
    if stated.starts_with('-') {
        return None;
    }
    let numbers = stated.split(['〜', '～', '~', '-', '–', 'ー']).filter_map(|part| {
        let bare = part.trim().trim_start_matches('約').trim_end_matches(['前', '後', '程', '度']);
        number_in(bare).or_else(|| in_kanji(bare.trim_end_matches('字')))
    });
    let numbers: Vec<usize> = numbers.take(2).map(|number| (number as usize).min(LONGEST)).collect();
    let sum: usize = numbers.iter().sum();
    sum.checked_div(numbers.len()).filter(|number| *number > 0)
}

/// Reads a number in kanji, or in digits with 千 or 万, such as `二百五十` or `1万`.
fn in_kanji(written: &str) -> Option<u32> {
    let value = number(written).filter(|value| (1.0..=f64::from(u32::MAX)).contains(value))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range of the type")]
    let value = value as u32;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::ScenePlan;
    use crate::writing::LengthRange;

    #[test]
    fn lengths_follow_the_cards_and_what_is_left() {
        let plan =
            ScenePlan::read("scenes:\n- {place: 港, characters: 1000}\n- 丘の上\n- {place: 家, characters: 3000}\n");
        assert_eq!(
            (plan.count(), plan.card(1).as_str(), plan.card(2).as_str()),
            (3, "place: 港\ncharacters: 1000", "丘の上")
        );
        let whole = LengthRange { min: 5_400, max: 6_600 };
        // The second card counts as 2,000, the average.
        assert_eq!(plan.length(1, 0, whole), (700, 1_300));
        assert_eq!(plan.length(2, 1_000, whole), (1_400, 2_600));
        assert_eq!(plan.length(3, 3_000, whole), (2_400, 3_600));
        // Earlier scenes used everything.
        assert_eq!(plan.length(2, 9_000, whole), (315, 585));
        assert_eq!(plan.length(3, 9_000, whole), (1, 541));
    }

    #[test]
    fn lengths_are_read_as_people_write_them() {
        for (written, expected) in [
            ("800", Some(800)),
            ("1800〜2000字", Some(1_900)),
            ("約1,200字", Some(1_200)),
            ("８００字程度", Some(800)),
            ("二百五十字", Some(250)),
            ("-5", None),
            ("短め", None),
        ] {
            let plan = ScenePlan::read(&format!("scenes: [{{characters: \"{written}\"}}]\n"));
            assert_eq!(super::stated_length(&plan.cards[0]), expected, "{written}");
        }
    }

    #[test]
    fn cards_far_from_the_target_are_reported() {
        let whole = LengthRange { min: 3_600, max: 4_400 };
        for (cards, is_reported) in [("1300, 1300, 1400", false), ("300, 400, 500", true), ("9000, 10, 10", true)] {
            let cards: Vec<String> = cards.split(", ").map(|length| format!("{{characters: {length}}}")).collect();
            let plan = ScenePlan::read(&format!("scenes: [{}]\n", cards.join(", ")));
            assert_eq!(plan.length_miss(whole).is_some(), is_reported, "{cards:?}");
        }
        assert!(ScenePlan::read("scenes: [港, {characters: 9}]\n").length_miss(whole).is_none());
    }

    #[test]
    fn hostile_cards_have_a_length() {
        let whole = LengthRange { min: 90, max: 110 };
        for cards in ["[{characters: -5}, {characters: 99999999999}, x]", "[{characters: 0}, [], {}]", "x", "[a]"] {
            let plan = ScenePlan::read(&format!("scenes: {cards}\n"));
            for scene in 1..=4 {
                let (from, to) = plan.length(scene, 50, whole);
                assert!(from <= to && to > 0, "{cards} {scene}: {from} {to}");
            }
        }
    }
}
