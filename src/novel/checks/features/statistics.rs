//! Small arithmetic helpers of the items: equal parts of a text, rank correlation, characters outside speech.

use std::ops::Range;

use crate::{checks::material::CheckMaterial, manuscript::TextVoice};

/// Returns the number of characters of narration and thoughts.
pub fn characters_outside_speech(material: &CheckMaterial<'_>) -> usize {
    material.characters_in_voice(TextVoice::Narration) + material.characters_in_voice(TextVoice::Thought)
}

/// Returns the sentences of part `part` of `parts` equal parts of the story by visible text.
pub fn part_of(material: &CheckMaterial<'_>, part: usize, parts: usize) -> Range<usize> {
    let scenes = &material.scenes().scenes;
    let start = scenes.first().map_or(0, |scene| scene.visible().start);
    let end = scenes.last().map_or(start, |scene| scene.visible().end);
    let edge = |at: usize| start + (end - start) * at / parts.max(1);
    let sentences = material.sentences();
    let place = |at: usize| sentences.partition_point(|sentence| sentence.visible().start < at);
    place(edge(part))..place(edge(part + 1))
}

/// Returns Spearman's rank correlation, from -1 to 1; `None` for fewer than two pairs or if one side is constant.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |values: Vec<f64>| -> Vec<f64> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
        let mut ranks = vec![0.0; values.len()];
        let mut at = 0;
        while at < order.len() {
            let same =
                order[at..].iter().take_while(|place| values[**place].total_cmp(&values[order[at]]).is_eq()).count();
            for place in &order[at..at + same] {
                ranks[*place] = mean_rank(at, same);
            }
            at += same;
        }
        ranks
    };
    let one = ranks(pairs.iter().map(|(one, _)| *one).collect());
    let other = ranks(pairs.iter().map(|(_, other)| *other).collect());
    let middle = mean_rank(0, pairs.len());
    let products: f64 = one.iter().zip(&other).map(|(one, other)| (one - middle) * (other - middle)).sum();
    let square = |ranks: &[f64]| ranks.iter().map(|rank| (rank - middle).powi(2)).sum::<f64>();
    let both = (square(&one) * square(&other)).sqrt();
    (pairs.len() >= 2 && both > 0.0).then(|| products / both)
}

/// Returns the mean rank of `same` equal values from index `at` on.
fn mean_rank(at: usize, same: usize) -> f64 {
    at as f64 + f64::midpoint(same as f64, 1.0)
}

#[cfg(test)]
mod tests {
    use super::spearman;

    #[test]
    fn rank_correlation_ignores_distances() {
        assert_eq!(spearman(&[(1.0, 10.0), (2.0, 11.0), (3.0, 50.0)]), Some(1.0));
        assert_eq!(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        assert_eq!(spearman(&[(1.0, 3.0), (1.0, 2.0)]), None);
        assert_eq!(spearman(&[]), None);
    }
}
