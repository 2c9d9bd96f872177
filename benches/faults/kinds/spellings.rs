//! One occurrence of a word in its other spelling.
//!
//! Only words that a text writes three times and always alike, so that the other spelling is clearly the exception.

use fumi_novel::{checks::CheckMaterial, morphology::Morpheme};

use super::{Fault, is_bare};

/// Spellings of the same word in the same sense, by their base forms.
const PAIRS: [(&str, &str); 42] = [
    ("できる", "出来る"),
    ("わかる", "分かる"),
    ("子供", "子ども"),
    ("一人", "ひとり"),
    ("二人", "ふたり"),
    ("私", "わたし"),
    ("僕", "ぼく"),
    ("全て", "すべて"),
    ("一緒", "いっしょ"),
    ("ください", "下さい"),
    ("欲しい", "ほしい"),
    ("たくさん", "沢山"),
    ("ほとんど", "殆ど"),
    ("ちょうど", "丁度"),
    ("なぜ", "何故"),
    ("ここ", "此処"),
    ("きれい", "綺麗"),
    ("うれしい", "嬉しい"),
    ("もらう", "貰う"),
    ("気づく", "気付く"),
    ("見つける", "見付ける"),
    ("引き出し", "引出し"),
    ("椅子", "いす"),
    ("鞄", "かばん"),
    ("匂い", "におい"),
    ("眼鏡", "メガネ"),
    ("煙草", "たばこ"),
    ("友達", "友だち"),
    ("すぐ", "直ぐ"),
    ("すでに", "既に"),
    ("さらに", "更に"),
    ("しばらく", "暫く"),
    ("わずか", "僅か"),
    ("たとえば", "例えば"),
    ("こと", "事"),
    ("ころ", "頃"),
    ("くらい", "位"),
    ("誰", "だれ"),
    ("皆", "みんな"),
    ("ようやく", "漸く"),
    ("一つ", "ひとつ"),
    ("二つ", "ふたつ"),
];

/// How often a word must occur in a text, always in the same spelling.
const OFTEN: usize = 3;

/// How many occurrences of one word may be chosen, so that frequent words do not crowd out the others.
const CHOSEN: usize = 2;

pub(super) fn spelling_variant(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = Vec::new();
    for (one, other) in PAIRS {
        places.extend(written(clean, one, other));
        places.extend(written(clean, other, one));
    }
    places
}

/// Returns places where a word that is always written in one way could be written in the other.
fn written(clean: &CheckMaterial<'_>, usual: &str, other: &str) -> Vec<Fault> {
    let of = |base: &str| -> Vec<&Morpheme<'_>> { clean.words().iter().filter(|word| is_word(word, base)).collect() };
    let occurrences = of(usual);
    if occurrences.len() < OFTEN || !of(other).is_empty() {
        return Vec::new();
    }
    // The two without their common ending.
    let common: usize = usual
        .chars()
        .rev()
        .zip(other.chars().rev())
        .take_while(|(own, its)| own == its)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let (from, to) = (&usual[..usual.len() - common], &other[..other.len() - common]);
    let later = occurrences
        .iter()
        .skip(1)
        .filter(|word| is_bare(clean, word) && word.surface.starts_with(from));
    later
        .take(CHOSEN)
        .map(|word| {
            let start = word.source.start;
            Fault::replaced(start..start + from.len(), to).reaching(0, word.source.len() - from.len())
        })
        .collect()
}

/// True for the word itself, not a suffix or an auxiliary with the same spelling.
fn is_word(word: &Morpheme<'_>, base: &str) -> bool {
    word.base == base
        && match word.parts[0] {
            "名詞" => word.parts[1] != "接尾" && (word.parts[1] != "非自立" || base == "こと" || base == "ころ"),
            "動詞" | "形容詞" => word.parts[1] == "自立",
            "副詞" | "接続詞" => true,
            _ => false,
        }
}
