//! Hooks: signs in a sentence that make a reader continue, namely questions, unease and a voice that breaks off.
//!
//! Only signs are detected: a question may be idle, and a strong hook may have none of them.

use crate::{checks::material::CheckMaterial, lexicons::DRAMA, manuscript::TextVoice};

/// True if a sentence contains ？ or ends in the particle か.
pub fn is_question(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    let own = &material.sentences()[sentence];
    let visible = material.text();
    let has_mark = |c: char| matches!(c, '？' | '?' | '⁇' | '⁈' | '⁉');
    let mut pieces = own.pieces.iter();
    let mut words = material.words_of(sentence).iter().rev();
    let last = words.find(|word| !word.has_parts(&["記号"]));
    pieces.any(|piece| visible[piece.visible.clone()].contains(has_mark))
        || last.is_some_and(|word| word.surface == "か" && word.has_parts(&["助詞"]))
}

/// True if a sentence contains an interrogative word.
pub fn has_question_word(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    let words = material.words_of(sentence);
    (0..words.len()).any(|at| DRAMA.question_words.at(words, at).is_some())
}

/// True if a sentence contains an indirect question: だれのものなのか、知らない; 行きませんかと聞いた. The か of 誰か
/// and どこか does not count.
pub fn has_indirect_question(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    material.words_of(sentence).windows(3).any(|three| {
        let [before, own, next] = three else { return false };
        let is_somebody = before.has_parts(&["名詞", "代名詞"]) || matches!(before.surface, "いつ" | "いくつ" | "どう");
        let is_told = next.base == "、" || next.has_parts(&["助詞"]);
        own.surface == "か" && own.has_parts(&["助詞"]) && !is_somebody && is_told
    })
}

/// True if a sentence ends in a dash or an ellipsis.
pub fn ends_in_pause(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    let text = material.sentences()[sentence].text(material.manuscript());
    let text = text.trim_end_matches(['」', '』', '）', ')', '。']);
    text.ends_with(is_pause)
}

/// True if a sentence contains a dash or an ellipsis.
pub fn has_pause(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    material.sentences()[sentence].text(material.manuscript()).contains(is_pause)
}

/// Returns the sentences of narration and speech with a direct or indirect question and an interrogative word.
pub fn questions(material: &CheckMaterial<'_>) -> Vec<usize> {
    let sentences = material.sentences().iter().enumerate();
    let told = sentences.filter(|(_, sentence)| sentence.is_story() && sentence.voice != TextVoice::Thought);
    let asks = |at| is_question(material, at) || has_indirect_question(material, at);
    let asking = told.filter(|(at, _)| asks(*at) && has_question_word(material, *at));
    asking.map(|(at, _)| at).collect()
}

fn is_pause(c: char) -> bool {
    matches!(c, '―' | '—' | '─' | '…' | '‥')
}

#[cfg(test)]
mod tests {
    use super::{ends_in_pause, has_indirect_question, is_question};
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    #[test]
    fn indefinite_pronouns_are_not_questions() {
        let text = "「行くの？」\n行くのか。\nだれの棺なのか、知らない。\n行きませんかと聞いた。\n誰かが来た。\nどこかで鳴った。\n音は――\n";
        let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
        let (context, tuning) = (NovelContext::default(), Tuning::default());
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let all = 0..material.sentences().len();
        let of = |sign: fn(&CheckMaterial<'_>, usize) -> bool| {
            all.clone().filter(|at| sign(&material, *at)).collect::<Vec<_>>()
        };
        assert_eq!((of(is_question), of(has_indirect_question), of(ends_in_pause)), (vec![0, 1], vec![2, 3], vec![6]));
    }
}
