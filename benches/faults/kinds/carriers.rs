//! Sentences with a fault, for faults that a clean text does not have the words for. Each is put at the end of a
//! paragraph of narration, or on a line of its own.
//!
//! Invariant: every carrier ends with た after a form that can take ました too, so that it adapts to the style of its text.
//! The fault is between ⟦ and ⟧; the rest of the sentence is clean.

use fumi_novel::checks::CheckMaterial;

use super::{Fault, is_bare, is_letter, is_narration, style::is_polite};

const DOUBLE_HONORIFICS: [&str; 14] = [
    "老先生は短く、それでよいと⟦おっしゃられ⟧た。",
    "奥方は窓辺に寄り、庭を⟦ご覧になられ⟧た。",
    "客は夕方の汽車で⟦お帰りになられ⟧た。",
    "その新聞を、大旦那は奥の間で⟦お読みになられ⟧た。",
    "老婦人は茶を一口だけ⟦召し上がられ⟧た。",
    "師匠は約束より早く⟦お見えになられ⟧た。",
    "会長は最後に一度だけ⟦お笑いになられ⟧た。",
    "先代もその話を⟦お聞きになられ⟧た。",
    "女将は昨日のうちに町を⟦お発ちになられ⟧た。",
    "住職は若いころに海を⟦お渡りになられ⟧た。",
    "来賓は正面の椅子に⟦お座りになられ⟧た。",
    "校長は誰よりも早く⟦いらっしゃられ⟧た。",
    "恩師は長い返事を⟦お書きになられ⟧た。",
    "殿様はその晩も早く⟦お休みになられ⟧た。",
];

const MISUSES: [&str; 16] = [
    "その一言は、たしかに⟦的を得⟧ていた。",
    "次の試合が⟦汚名挽回⟧の機会になるはずだと聞いていた。",
    "その店は、今では⟦押しも押されぬ⟧老舗になっていた。",
    "あのころは⟦寸暇を惜しまず⟧机に向かっていた。",
    "それを聞いた町の者は⟦怒り心頭に達し⟧ていた。",
    "油断した者から順に⟦足元をすくわれ⟧た。",
    "おかげで町じゅうが⟦上や下への⟧大騒ぎになっていた。",
    "その年は誰もが新しい遊びの⟦熱にうなされ⟧ていた。",
    "門番は不機嫌で、⟦取り付く暇もな⟧い様子に見えた。",
    "無名だった職人が、急に世間の⟦脚光を集め⟧ていた。",
    "あの男は⟦口先三寸⟧で世間を渡ってきた。",
    "町の代表は一年越しの⟦雪辱を晴らし⟧ていた。",
    "祭りの日を待たず、争いの⟦火蓋が切って落とされ⟧た。",
    "⟦天地天命に誓っ⟧て嘘ではないと、証人は述べていた。",
    "看板娘は誰にでも⟦愛想を振りまい⟧ていた。",
    "商人は⟦濡れ手で泡⟧の儲けを夢に見ていた。",
];

const TAUTOLOGIES: [&str; 12] = [
    "帰り道から⟦頭痛が痛⟧いのを我慢していた。",
    "言わずにいたことを⟦後で後悔し⟧ていた。",
    "祖父は若いころ、二度も⟦馬から落馬し⟧ていた。",
    "⟦一番最初⟧に気づいたのは、隣の家の犬だと言われていた。",
    "その習わしは⟦古来から⟧続いていた。",
    "金額は⟦あらかじめ予告され⟧ていた。",
    "雨のせいで、祭りは⟦まだ未定⟧のままになっていた。",
    "広場には⟦炎天下の下⟧に人が並んでいた。",
    "橋の修理には⟦約三日ほど⟧かかると聞いていた。",
    "川の水に、かすかな⟦違和感を感じ⟧ていた。",
    "舞台の⟦最後の結末⟧は、誰にも知らされずにいた。",
    "式の日取りは⟦各家庭ごとに⟧知らされていた。",
];

const PLACEHOLDERS: [&str; 6] = [
    "⟦TODO⟧ 嵐の場面を足す。",
    "⟦［ここに回想を入れる］⟧",
    "⟦（ここに戦闘シーン）⟧",
    "⟦TODO⟧：名前を決める",
    "⟦［あとで書く］⟧",
    "⟦FIXME⟧ 時間が合わない。",
];

const REMNANTS: [&str; 6] = [
    "⟦承知しました。以下に続きを書きます。⟧",
    "⟦以下は、ご要望に沿って書き直した本文です。⟧",
    "⟦いかがでしたでしょうか。ご要望に応じて修正いたします。⟧",
    "⟦かしこまりました。続きを執筆します。⟧",
    "⟦以上です。ご不明な点があればお知らせください。⟧",
    "⟦ご希望があれば、続きも作成いたします。⟧",
];

pub(super) fn double_honorific(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    carried(clean, &DOUBLE_HONORIFICS)
}

pub(super) fn misuse(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    carried(clean, &MISUSES)
}

pub(super) fn tautology(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    carried(clean, &TAUTOLOGIES)
}

/// A reminder to the author, or a subject without a name.
pub(super) fn placeholder(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = lines(clean, &PLACEHOLDERS);
    for two in clean.words().windows(2) {
        let [noun, particle] = two else { continue };
        let is_subject = noun.has_parts(&["名詞", "固有名詞"])
            && particle.has_parts(&["助詞"])
            && matches!(particle.surface, "は" | "が");
        if is_subject && is_bare(clean, noun) && noun.source.end == particle.source.start {
            places.push(Fault::replaced(noun.source.clone(), "○○"));
        }
    }
    places
}

/// A line of an assistant to the author.
pub(super) fn assistant_remnant(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    lines(clean, &REMNANTS)
}

/// Returns a carrier without its marks, and the place of the fault in it.
fn read(carrier: &str, is_polite: bool) -> Option<(String, std::ops::Range<usize>)> {
    let (before, rest) = carrier.split_once('⟦')?;
    let (fault, after) = rest.split_once('⟧')?;
    let after = match after.strip_suffix("た。") {
        Some(stem) if is_polite => format!("{stem}ました。"),
        _ => after.to_owned(),
    };
    Some((
        format!("{before}{fault}{after}"),
        before.len()..before.len() + fault.len(),
    ))
}

/// Puts every carrier at the end of every paragraph of narration.
fn carried(clean: &CheckMaterial<'_>, carriers: &[&str]) -> Vec<Fault> {
    let is_polite = is_polite(clean);
    let carriers: Vec<_> = carriers.iter().filter_map(|carrier| read(carrier, is_polite)).collect();
    let faults = ends(clean).into_iter().flat_map(|end| {
        let faults = carriers
            .iter()
            .map(move |(text, fault)| Fault::replaced(end..end, text.as_str()).within(fault.clone()));
        faults.collect::<Vec<_>>()
    });
    faults.collect()
}

/// Puts every carrier on a line of its own after every paragraph of narration.
fn lines(clean: &CheckMaterial<'_>, carriers: &[&str]) -> Vec<Fault> {
    let carriers: Vec<_> = carriers.iter().filter_map(|carrier| read(carrier, false)).collect();
    let faults = ends(clean).into_iter().flat_map(|end| {
        let faults = carriers.iter().map(move |(text, fault)| {
            let line = format!("\n{text}");
            Fault::replaced(end..end, line).within(fault.start + 1..fault.end + 1)
        });
        faults.collect::<Vec<_>>()
    });
    faults.collect()
}

/// Returns the ends of paragraphs that do not end in speech.
fn ends(clean: &CheckMaterial<'_>) -> Vec<usize> {
    let source = clean.manuscript().source();
    let ends = clean.paragraphs().filter_map(|prose| {
        let line = source[prose.source.clone()].strip_prefix('　')?;
        let stop = prose.source.end - '。'.len_utf8();
        (line.starts_with(is_letter) && line.ends_with('。') && is_narration(clean, stop)).then_some(prose.source.end)
    });
    ends.collect()
}
