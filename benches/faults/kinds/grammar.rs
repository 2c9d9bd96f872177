//! Forms of verbs and uses of particles that grammars correct: ら抜き, さ入れ, one particle twice in a clause.
//!
//! Verbs are taken from short lists of common ones for deliberate acts: the forms of others would be faults of another
//! kind, or separate words.

use fumi_novel::{checks::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

use super::{Fault, is_bare, verbs::negative_stem};

/// Verbs of the ichidan class, and 来る.
const ICHIDAN: [&str; 47] = [
    "見る",
    "食べる",
    "起きる",
    "出る",
    "着る",
    "寝る",
    "降りる",
    "借りる",
    "信じる",
    "感じる",
    "考える",
    "覚える",
    "答える",
    "開ける",
    "閉める",
    "逃げる",
    "投げる",
    "受ける",
    "続ける",
    "始める",
    "決める",
    "集める",
    "認める",
    "見つける",
    "教える",
    "伝える",
    "数える",
    "変える",
    "捨てる",
    "避ける",
    "助ける",
    "付ける",
    "つける",
    "かける",
    "上げる",
    "下げる",
    "耐える",
    "越える",
    "抜ける",
    "眺める",
    "求める",
    "確かめる",
    "抱える",
    "支える",
    "届ける",
    "預ける",
    "来る",
];

/// Verbs of the godan class.
const GODAN: [&str; 62] = [
    "書く",
    "読む",
    "行く",
    "待つ",
    "持つ",
    "立つ",
    "飲む",
    "歩く",
    "走る",
    "笑う",
    "泣く",
    "言う",
    "云う",
    "運ぶ",
    "選ぶ",
    "呼ぶ",
    "飛ぶ",
    "遊ぶ",
    "聞く",
    "聴く",
    "訊く",
    "動く",
    "働く",
    "開く",
    "置く",
    "引く",
    "叩く",
    "座る",
    "帰る",
    "入る",
    "乗る",
    "取る",
    "握る",
    "送る",
    "作る",
    "切る",
    "登る",
    "戻る",
    "回る",
    "断る",
    "休む",
    "進む",
    "頼む",
    "踏む",
    "包む",
    "使う",
    "買う",
    "歌う",
    "払う",
    "拾う",
    "洗う",
    "習う",
    "会う",
    "手伝う",
    "黙る",
    "渡る",
    "掘る",
    "抜く",
    "磨く",
    "畳む",
    "頷く",
    "覗く",
];

/// A potential without its ら.
pub(super) fn ra_nuki(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = Vec::new();
    for (_, _, words) in clean.sentences_in_voice(TextVoice::Narration) {
        for two in words.windows(2) {
            let [verb, next] = two else { continue };
            if !verb.has_parts(&["動詞", "自立"])
                || !ICHIDAN.contains(&verb.base)
                || verb.source.end != next.source.start
            {
                continue;
            }
            let form = verb.inflection.map_or("", |inflection| inflection.form);
            let len = verb.source.len();
            if form == "未然形" && next.base == "られる" && is_bare(clean, next) {
                // The correct form.
                let rest = next.surface.strip_prefix('ら').unwrap_or(next.surface);
                places.push(
                    Fault::replaced(next.source.clone(), rest)
                        .within(0.."れ".len())
                        .reaching(len, 0),
                );
            } else if form == "連用形" && next.has_parts(&["助動詞"]) && next.surface == "た"
                || form == "未然形" && next.has_parts(&["助動詞"]) && next.base == "ない"
            {
                places.push(Fault::replaced(verb.source.end..verb.source.end, "れ").reaching(len, 0));
            } else if form == "基本形" && next.surface == "。" && verb.base != "来る" {
                let end = verb.source.end;
                places.push(
                    Fault::replaced(end - "る".len()..end, "れる")
                        .within(0.."れ".len())
                        .reaching(len - "る".len(), 0),
                );
            }
        }
    }
    places
}

/// A causative with a needless さ: an existing one, or a past form that is turned into one.
pub(super) fn sa_ire(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = Vec::new();
    for (_, _, words) in clean.sentences_in_voice(TextVoice::Narration) {
        for two in words.windows(2) {
            let [verb, next] = two else { continue };
            let Some(inflection) = verb.inflection.filter(|_| verb.has_parts(&["動詞", "自立"])) else {
                continue;
            };
            let is_godan = inflection.kind.starts_with("五段") && !inflection.kind.contains("サ行");
            if !is_godan || verb.source.end != next.source.start || !is_bare(clean, verb) || !is_bare(clean, next) {
                continue;
            }
            if inflection.form == "未然形" && next.base == "せる" {
                let end = verb.source.end;
                let fault = Fault::replaced(end..end, "さ");
                places.push(fault.reaching(verb.source.len(), "せ".len()));
            } else if inflection.form == "連用タ接続"
                && next.has_parts(&["助動詞"])
                && matches!(next.surface, "た" | "だ")
                && GODAN.contains(&verb.base)
                && let Some(stem) = negative_stem(verb.base)
            {
                let fault = Fault::replaced(verb.source.start..next.source.end, format!("{stem}させた"));
                places.push(fault.within(0..stem.len() + "させ".len()));
            }
        }
    }
    places
}

/// A の between two nouns that is replaced by the particle after them: 倉庫の中庭で, 倉庫で中庭で.
pub(super) fn doubled_joshi(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = Vec::new();
    for (_, _, words) in clean.sentences_in_voice(TextVoice::Narration) {
        for five in words.windows(5) {
            let [first, no, second, particle, next] = five else {
                continue;
            };
            let is_case =
                particle.has_parts(&["助詞", "格助詞", "一般"]) && matches!(particle.surface, "が" | "に" | "で");
            let goes_on = !matches!(next.parts[0], "助詞" | "助動詞" | "記号");
            let is_pair =
                is_thing(first) && is_thing(second) && no.has_parts(&["助詞", "連体化"]) && no.surface == "の";
            if is_pair && is_case && goes_on && is_bare(clean, no) && is_bare(clean, particle) {
                let after = particle.source.end - no.source.end;
                places.push(Fault::replaced(no.source.clone(), particle.surface).reaching(0, after));
            }
        }
    }
    places
}

fn is_thing(word: &Morpheme<'_>) -> bool {
    word.parts[0] == "名詞" && matches!(word.parts[1], "一般" | "サ変接続" | "固有名詞")
}
