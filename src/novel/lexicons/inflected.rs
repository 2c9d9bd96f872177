//! Inflection of a replacement word to match the word that it replaces: 射る for 得 (た) becomes 射 (た), なる for なられ (た)
//! becomes なっ (た).
//!
//! The module knows the regular inflection types of IPADIC. It returns no form if the following words would have to
//! change too.

use crate::morphology::{Inflection, Morpheme};

/// The final kana of a godan verb with the kana of its forms: 未然形, 連用形, 仮定形, 未然ウ接続, 連用タ接続.
const ROWS: [(char, [&str; 5]); 9] = [
    ('う', ["わ", "い", "え", "お", "っ"]),
    ('く', ["か", "き", "け", "こ", "い"]),
    ('ぐ', ["が", "ぎ", "げ", "ご", "い"]),
    ('す', ["さ", "し", "せ", "そ", "し"]),
    ('つ', ["た", "ち", "て", "と", "っ"]),
    ('ぬ', ["な", "に", "ね", "の", "ん"]),
    ('ぶ', ["ば", "び", "べ", "ぼ", "ん"]),
    ('む', ["ま", "み", "め", "も", "ん"]),
    ('る', ["ら", "り", "れ", "ろ", "っ"]),
];

/// Verbs whose 連用形 ends in い, regardless of the dictionary's type.
const POLITE: [&str; 6] = ["しゃる", "なさる", "下さる", "くださる", "仰る", "ござる"];

/// Inflects a word, given by base form and inflection type, like another word, which precedes `next`.
pub(super) fn inflect_like(
    base: &str,
    kind: &str,
    form: &Inflection<'_>,
    next: Option<&Morpheme<'_>>,
) -> Option<String> {
    if form.form == "基本形" || form.form == "体言接続" {
        return Some(base.to_owned());
    }
    let takes_sa = |kind: &str| kind.starts_with("五段") || kind == "サ変・スル";
    let is_suffixed = next.is_some_and(|next| next.has_parts(&["動詞", "接尾"]));
    if form.form.starts_with("未然") && is_suffixed && takes_sa(form.kind) != takes_sa(kind) {
        return None; // れる would have to become られる, or the other way round
    }
    if matches!(form.kind, "特殊・ダ" | "特殊・デス") && form.form != "連用タ接続" {
        return None; // だろう, である, なら
    }
    // 踏んだ to 演じた: だ would have to become た.
    if !kind.starts_with("五段") && next.and_then(past_of) == Some(true) {
        return None;
    }
    let last = base.chars().next_back()?;
    let stem = base.strip_suffix(last)?;
    let end = if kind.starts_with("一段") {
        match form.form {
            "未然形" | "連用形" | "連用タ接続" => "",
            "未然ウ接続" => "よ",
            "仮定形" => "れ",
            _ => return None,
        }
    } else if kind.starts_with("五段") {
        let (_, ends) = ROWS.iter().find(|(kana, _)| *kana == last)?;
        let [negative, plain, conditional, will, past] = *ends;
        match form.form {
            "未然形" | "未然レル接続" => negative,
            "連用形" | "連用タ接続" => match next.and_then(past_of) {
                Some(is_voiced) if is_voiced != matches!(last, 'ぐ' | 'ぬ' | 'ぶ' | 'む') => return None,
                Some(_) if kind.ends_with("カ行促音便") => "っ",
                Some(_) => past,
                None if POLITE.iter().any(|end| base.ends_with(end)) => "い",
                None => plain,
            },
            "未然ウ接続" => will,
            "仮定形" => conditional,
            _ => return None,
        }
    } else if kind == "サ変・スル" {
        let stem = base.strip_suffix("する")?;
        let end = match form.form {
            "未然形" if is_suffixed => "さ",
            "未然レル接続" => "さ",
            "未然形" | "連用形" | "連用タ接続" => "し",
            "未然ウ接続" => "しよ",
            "仮定形" => "すれ",
            _ => return None,
        };
        return Some(format!("{stem}{end}"));
    } else {
        return None;
    };
    Some(format!("{stem}{end}"))
}

/// Returns `Some` if a word attaches to the past stem (た, て, たり); the value is true if it is voiced (だ, で).
fn past_of(next: &Morpheme<'_>) -> Option<bool> {
    let joins = next.has_parts(&["助動詞"]) && next.inflection.is_some_and(|inflection| inflection.kind == "特殊・タ")
        || next.has_parts(&["助詞", "接続助詞"]) && matches!(next.surface, "て" | "で" | "ても" | "でも")
        || next.has_parts(&["助詞", "並立助詞"]) && matches!(next.surface, "たり" | "だり")
        || next.has_parts(&["動詞", "非自立"]) && next.surface.starts_with(['て', 'で', 'と', 'ど', 'ち', 'じ']);
    joins.then(|| next.surface.starts_with(['だ', 'で', 'ど', 'じ']))
}

#[cfg(test)]
mod tests {
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        lexicons::Wording,
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    /// Returns the replacement for a phrase at the beginning of a text of one sentence.
    fn instead(text: &str, words: usize, old: &str, new: &str) -> Option<String> {
        let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
        let (context, tuning) = (NovelContext::default(), Tuning::default());
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let all = material.words();
        Wording::new(new).replacing(&Wording::new(old), &all[..words], all.get(words))
    }

    #[test]
    fn a_phrase_takes_the_form_of_the_one_that_it_replaces() {
        let cases = [
            ("的を得た。", 3, "的を得る", "的を射る", Some("的を射")),
            ("的を得れば。", 3, "的を得る", "的を射る", Some("的を射れ")),
            ("なられた。", 2, "なられる", "なる", Some("なっ")),
            ("なられます。", 2, "なられる", "なる", Some("なり")),
            ("なられない。", 2, "なられる", "なる", Some("なら")),
            ("おっしゃられます。", 2, "おっしゃられる", "おっしゃる", Some("おっしゃい")),
            ("明るみになった。", 3, "明るみになる", "明るみに出る", Some("明るみに出")),
            ("明るみになろう。", 3, "明るみになる", "明るみに出る", Some("明るみに出よ")),
            // 飲まれた would have to become 飲んだ, a change of the following word.
            ("飲まれた。", 2, "飲まれる", "飲む", None),
        ];
        for (text, words, old, new, expected) in cases {
            assert_eq!(instead(text, words, old, new).as_deref(), expected, "{text}");
        }
    }
}
