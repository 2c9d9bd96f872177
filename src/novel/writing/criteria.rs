//! The criteria for an answer and their evaluation: every missed criterion is reported with a way to meet it.
//!
//! Invariant: an answer is judged by the criteria that an [`super::TurnQuestion`] lists: those of this turn or, for a repeated
//! key, of the turn that gave the key first. Lengths are visible characters of the body, and names are searched in the
//! visible text. A length that is wrong by at most a quarter is only reported. An author may waive a criterion with a
//! reason, unless later stages depend on it. The quality of a text is not judged here.

use std::sync::LazyLock;

use fumi_base::text::{BilingualText, Locale};

use super::{
    material::{LengthJudgement, PlotMember},
    session::WaivedCriterion,
    stages::{AnswerKey, KeyContents, SCENES},
};
use crate::{
    checks::is_invisible,
    errors::project::ProjectError,
    manuscript::{CharacterCounts, Manuscript, ManuscriptOptions, ManuscriptPart},
    project::{YamlValue, read_yaml, translate_reason},
};

/// The largest number of names or positions listed in a message.
const LISTED: usize = 10;

#[derive(Clone, Debug)]
pub enum AnswerCriterion {
    /// The answer is YAML or JSON with a map at its top.
    Form,
    /// The answer has this key with a suitable value.
    Key(&'static AnswerKey),
    /// The answer adds a number of visible characters within a range.
    Length {
        /// The smallest number.
        from: usize,
        /// The largest number.
        to: usize,
    },
    /// The whole text, after the replacements of the answer, has a number of visible characters within a range.
    WholeLength {
        /// The smallest number.
        from: usize,
        /// The largest number.
        to: usize,
    },
    /// The text so far, including this answer, names these characters.
    Characters(Vec<PlotMember>),
    /// The answer contains no phrases that assistants write around a text.
    Remnants,
}

/// A criterion that an answer misses.
#[derive(Clone, Debug, PartialEq)]
pub struct MissedCriterion {
    /// The name of the criterion, see [`AnswerCriterion::name`].
    pub criterion: String,
    /// The problem and a way to correct it.
    pub message: BilingualText,
    /// True if the answer is accepted nevertheless.
    pub is_minor: bool,
    /// True if an author may waive the criterion, see [`AnswerCriterion::can_be_waived`].
    pub can_be_waived: bool,
}

impl MissedCriterion {
    /// Creates a missed criterion for which an answer is refused and that cannot be waived.
    pub fn new(criterion: impl Into<String>, message: BilingualText) -> Self {
        Self { criterion: criterion.into(), message, is_minor: false, can_be_waived: false }
    }

    /// Returns the name of the criterion and the problem.
    pub fn line(&self, locale: Locale) -> String {
        format!("[{}] {}", self.criterion, self.message.get(locale))
    }

    /// Returns the name of the criterion and the problem of an answer that was accepted nevertheless.
    pub fn accepted_line(&self, locale: Locale) -> String {
        let lead = match locale {
            Locale::En => "The answer was accepted. ",
            Locale::Ja => "回答は受け取りました。ただし、",
        };
        format!("[{}] {lead}{}", self.criterion, self.message.get(locale))
    }
}

/// The criteria that an accepted answer misses.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AcceptedMisses {
    /// Those that are only reported.
    pub(super) minor: Vec<MissedCriterion>,
    /// Those that the author waived.
    pub(super) waived: Vec<WaivedCriterion>,
}

/// Accepts an answer that misses only minor and waived criteria. Otherwise returns what must be corrected.
pub(super) fn accept(
    misses: Vec<MissedCriterion>,
    waive: &[WaivedCriterion],
) -> Result<AcceptedMisses, Vec<MissedCriterion>> {
    let mut accepted = AcceptedMisses::default();
    let mut refused = Vec::new();
    for miss in misses {
        match waive.iter().find(|waived| waived.criterion == miss.criterion) {
            Some(waived) if !accepted.waived.contains(waived) => accepted.waived.push(waived.clone()),
            Some(_) => {}
            None if miss.is_minor => accepted.minor.push(miss),
            None => refused.push(miss),
        }
    }
    if refused.is_empty() { Ok(accepted) } else { Err(refused) }
}

impl AnswerCriterion {
    /// Returns a short name for programs.
    pub fn name(&self) -> String {
        match self {
            Self::Form => "form".to_owned(),
            Self::Key(key) => format!("key.{}", key.name),
            Self::Length { .. } | Self::WholeLength { .. } => "length".to_owned(),
            Self::Characters(_) => "characters".to_owned(),
            Self::Remnants => "remnants".to_owned(),
        }
    }

    /// True if an author may waive the criterion: later stages work without it.
    pub fn can_be_waived(&self) -> bool {
        match self {
            Self::Form => false,
            Self::Key(key) => !matches!(key.holds, KeyContents::Scenes | KeyContents::Replacements),
            Self::Length { .. } | Self::WholeLength { .. } | Self::Characters(_) | Self::Remnants => true,
        }
    }

    /// Returns a description of the criterion.
    pub fn sentence(&self) -> BilingualText {
        match self {
            Self::Form => BilingualText::new(
                "YAML or JSON with top-level keys",
                "最上位に「キー: 値」が並ぶ YAML か JSON であること",
            ),
            Self::Key(key) => {
                let (en, ja) = holds(key.holds);
                BilingualText::new(
                    format!("`{}` contains {en}: {}", key.name, key.meaning.en),
                    format!("`{}`：{}。{ja}で書くこと", key.name, key.meaning.ja),
                )
            }
            Self::Length { from, to } => BilingualText::new(
                format!("{from} to {to} visible characters, without ruby, marks and white space"),
                format!("可視文字（ルビ・記法・空白を除く）で {from}〜{to} 字であること"),
            ),
            Self::WholeLength { from, to } => BilingualText::new(
                format!(
                    "the whole text then has {from} to {to} visible characters, without ruby, marks and white space"
                ),
                format!("本文全体が可視文字（ルビ・記法・空白を除く）で {from}〜{to} 字になること"),
            ),
            Self::Characters(cast) => {
                let names: Vec<&str> = cast.iter().map(|member| member.name.as_str()).collect();
                BilingualText::new(
                    format!("the text names these characters: {}", names.join(", ")),
                    format!("次の人物が名前か呼び名で登場すること: {}", names.join("、")),
                )
            }
            Self::Remnants => BilingualText::new(
                "no remarks of an assistant around the text, no control characters",
                "挨拶や前置きなどアシスタントの言葉も、制御文字もないこと",
            ),
        }
    }
}

fn holds(holds: KeyContents) -> (String, String) {
    match holds {
        KeyContents::Characters(least) => (format!("a text of at least {least} characters"), format!("{least} 字以上")),
        KeyContents::Items(0) => ("a list, possibly empty".to_owned(), "一覧（空でもよい）".to_owned()),
        KeyContents::Items(least) => (format!("a list of at least {least} items"), format!("{least} 件以上の一覧")),
        KeyContents::Scenes => (format!("a list of 1 to {SCENES} items"), format!("1〜{SCENES} 件の一覧")),
        KeyContents::Replacements => (
            "a list of {find, replace} items, possibly empty".to_owned(),
            "{find, replace} の一覧（空でもよい）".to_owned(),
        ),
    }
}

fn names<'a>(cast: impl Iterator<Item = &'a PlotMember>) -> Vec<&'a str> {
    cast.take(LISTED).map(|member| member.name.as_str()).collect()
}

fn miss(criterion: &AnswerCriterion, en: String, ja: String) -> MissedCriterion {
    MissedCriterion {
        can_be_waived: criterion.can_be_waived(),
        ..MissedCriterion::new(criterion.name(), BilingualText::new(en, ja))
    }
}

/// Returns the text within a code fence that encloses a whole answer; any other answer is returned as it is.
pub(crate) fn without_fence(answer: &str) -> &str {
    const FENCE: &str = "```";
    let inner = answer.trim().strip_prefix(FENCE).and_then(|rest| rest.strip_suffix(FENCE));
    let Some((language, text)) = inner.and_then(|inner| inner.split_once('\n')) else {
        return answer;
    };
    let is_language = language.trim().chars().all(|c| c.is_ascii_alphanumeric());
    if is_language && text.ends_with('\n') && !text.contains(FENCE) { text } else { answer }
}

/// Counts the visible characters of a text's body.
pub(super) fn characters(text: &str) -> usize {
    Manuscript::read(text, ManuscriptOptions::default()).count(ManuscriptPart::Body).characters
}

/// Judges a text of the manuscript. `whole` is the answer together with the text written before, which has `before`
/// characters.
pub(super) fn judge_text(
    criteria: &[AnswerCriterion],
    answer: &str,
    whole: &str,
    before: usize,
) -> Vec<MissedCriterion> {
    let manuscript = Manuscript::read(whole, ManuscriptOptions::default());
    let length = manuscript.count(ManuscriptPart::Body).characters.saturating_sub(before);
    let judged = criteria.iter().filter_map(|criterion| match criterion {
        AnswerCriterion::Length { from, to } | AnswerCriterion::WholeLength { from, to } => {
            length_miss(criterion, length, *from, *to)
        }
        AnswerCriterion::Characters(cast) => cast_miss(criterion, cast, manuscript.visible().text()),
        AnswerCriterion::Remnants => remnants_miss(criterion, answer).or_else(|| heading_miss(criterion, answer)),
        AnswerCriterion::Form | AnswerCriterion::Key(_) => None,
    });
    judged.collect()
}

/// Judges an answer of keys. `whole` contains the answer and the keys of earlier turns. A manuscript made from the keys
/// is judged separately.
pub(super) fn judge_keys(criteria: &[AnswerCriterion], whole: &YamlValue) -> Vec<MissedCriterion> {
    let words = whole.words();
    let judged = criteria.iter().filter_map(|criterion| match criterion {
        AnswerCriterion::Key(key) => key_miss(criterion, key, whole.get(&key.name)),
        AnswerCriterion::Characters(cast) => cast_miss(criterion, cast, &words),
        AnswerCriterion::Remnants => remnants_miss(criterion, &words),
        AnswerCriterion::Form | AnswerCriterion::Length { .. } | AnswerCriterion::WholeLength { .. } => None,
    });
    judged.collect()
}

/// Parses an answer as a map. The error includes phrases of an assistant, because they may be the cause.
pub(super) fn read_keys(answer: &str) -> Result<Vec<(YamlValue, YamlValue)>, Vec<MissedCriterion>> {
    keys_of(answer).map_err(|form| {
        let remnants = remnants_miss(&AnswerCriterion::Remnants, answer);
        [form].into_iter().chain(remnants).collect()
    })
}

/// Parses an answer as a map.
pub(crate) fn keys_of(answer: &str) -> Result<Vec<(YamlValue, YamlValue)>, MissedCriterion> {
    match read_yaml::<YamlValue>("content", answer) {
        Ok(YamlValue::Map(pairs)) if !pairs.is_empty() => Ok(pairs),
        Ok(_) => Err(miss(
            &AnswerCriterion::Form,
            "It has no top-level keys: write `key: value` lines, or a JSON object.".to_owned(),
            "キーがありません。「キー: 値」の行か JSON のオブジェクトで書いてください。".to_owned(),
        )),
        Err(ProjectError::BrokenYaml { line, column, reason, .. }) => Err(miss(
            &AnswerCriterion::Form,
            format!(
                "It is not valid YAML or JSON at line {line}, column {column}: {reason}. Quote texts that contain `: ` or `#`."
            ),
            format!(
                "YAML・JSON として読めません。{line} 行目の {column} 文字目に誤りがあります（{}）。「: 」や「#」を含む文は引用符で囲んでください。",
                translate_reason(&reason)
            ),
        )),
        Err(error) => Err(miss(&AnswerCriterion::Form, error.to_string(), error.to_string())),
    }
}

/// Applies replacements to a text, each of which must occur in it exactly once, also after the ones before it. Returns an
/// error for each other one.
pub(super) fn replaced(text: &str, replacements: &YamlValue) -> Result<String, Vec<MissedCriterion>> {
    let mut out = text.to_owned();
    let mut misses = Vec::new();
    let items = match replacements {
        YamlValue::List(items) => items.as_slice(),
        _ => &[],
    };
    let wrong = |en, ja| MissedCriterion::new("replacements", BilingualText::new(en, ja));
    for (number, item) in (1..).zip(items) {
        let of = |key| item.get(key).and_then(YamlValue::as_str);
        let (Some(find), Some(with)) = (of("find").filter(|find| !find.is_empty()), of("replace")) else {
            misses.push(wrong(
                format!("Replacement {number} needs `find` and `replace` as texts; quote values that look like numbers."),
                format!("{number} 番目の置き換えには文字列の `find` と `replace` が必要です。数字に見えるものは引用符で囲んでください。"),
            ));
            continue;
        };
        let shown: String = find.chars().take(40).collect();
        match (text.matches(find).count(), out.matches(find).count()) {
            (1, 1) => out = out.replacen(find, with, 1),
            (1, 0) => misses.push(wrong(
                format!("`find` of replacement {number} ({shown}) overlaps the text of an earlier replacement: join the two into one."),
                format!("{number} 番目の置き換えの `find`（{shown}）は、前の置き換えと重なっています。二つを一つにまとめてください。"),
            )),
            (1, count) | (count, _) => {
                let found = if count == 0 { "ありません".to_owned() } else { format!(" {count} 回あります") };
                misses.push(wrong(
                    format!("`find` of replacement {number} ({shown}) occurs {count} times in the text instead of once: copy more of the surrounding text, exactly."),
                    format!("{number} 番目の置き換えの `find`（{shown}）は本文に{found}。前後も含め、一度だけ現れる文字列をそのまま写してください。"),
                ));
            }
        }
    }
    if misses.is_empty() {
        return Ok(out);
    }
    let more = misses.len().saturating_sub(LISTED);
    misses.truncate(LISTED);
    if more > 0 {
        misses.push(wrong(
            format!("{more} more replacements cannot be made."),
            format!("ほかにも、できない置き換えが {more} 件あります。"),
        ));
    }
    Err(misses)
}

fn length_miss(criterion: &AnswerCriterion, length: usize, from: usize, to: usize) -> Option<MissedCriterion> {
    let (is_minor, miss) = match LengthJudgement::judge(length, from, to) {
        LengthJudgement::Fits => return None,
        LengthJudgement::Short { by, is_minor } => (
            is_minor,
            miss(
                criterion,
                format!("It has {length} visible characters instead of {from} to {to}: {by} are missing."),
                format!("可視文字が {length} 字で、{from}〜{to} 字に {by} 字足りません。"),
            ),
        ),
        LengthJudgement::Long { by, is_minor } => (
            is_minor,
            miss(
                criterion,
                format!("It has {length} visible characters instead of {from} to {to}: {by} too many."),
                format!("可視文字が {length} 字で、{from}〜{to} 字を {by} 字超えています。"),
            ),
        ),
    };
    Some(MissedCriterion { is_minor, ..miss })
}

fn cast_miss(criterion: &AnswerCriterion, cast: &[PlotMember], text: &str) -> Option<MissedCriterion> {
    let absent: Vec<&PlotMember> = cast.iter().filter(|member| !member.is_in(text)).collect();
    if absent.is_empty() {
        return None;
    }
    let names = names(absent.into_iter());
    Some(miss(
        criterion,
        format!(
            "These characters of the plot are not named: {}. Name each of them, or use an alias from the settings.",
            names.join(", ")
        ),
        format!(
            "プロットの人物が出てきません（{}）。名前か、設定集にある呼び名で登場させてください。",
            names.join("、")
        ),
    ))
}

fn key_miss(criterion: &AnswerCriterion, key: &AnswerKey, value: Option<&YamlValue>) -> Option<MissedCriterion> {
    let fits = value.is_some_and(|value| match (key.holds, value) {
        (KeyContents::Characters(least), YamlValue::Text(text)) => CharacterCounts::count(text).characters >= least,
        (KeyContents::Items(least), YamlValue::List(items)) => {
            items.iter().filter(|item| !item.words().trim().is_empty()).count() >= least
        }
        (KeyContents::Scenes, YamlValue::List(items)) => {
            let is_written = |item: &YamlValue| !item.words().trim().is_empty();
            (1..=SCENES).contains(&items.len()) && items.iter().all(is_written)
        }
        (KeyContents::Replacements, YamlValue::List(_)) => true,
        _ => false,
    });
    if fits {
        return None;
    }
    if let (KeyContents::Scenes, Some(YamlValue::List(items))) = (key.holds, value)
        && items.len() > SCENES
    {
        let count = items.len();
        return Some(miss(
            criterion,
            format!("`{}` has {count} items: give {SCENES} at most, and join short scenes.", key.name),
            format!("`{}` が {count} 枚あります。短い場面をまとめ、{SCENES} 枚までにしてください。", key.name),
        ));
    }
    let (en, ja) = holds(key.holds);
    let (state, state_ja) = if value.is_some() {
        ("lacks the required content", "の内容が足りません")
    } else {
        ("is missing", "がありません")
    };
    Some(miss(
        criterion,
        format!("`{}` {state}: give {en}.", key.name),
        format!("`{}` {state_ja}。{ja}を入れてください。", key.name),
    ))
}

/// The place in which a remnant phrase is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RemnantPlace {
    /// The whole line, without its last punctuation.
    WholeLine,
    /// The beginning of a line.
    LineStart,
    /// Anywhere outside of speech.
    Narration,
    Anywhere,
}

static REMNANTS: LazyLock<Vec<(RemnantPlace, String)>> = LazyLock::new(|| {
    let lines = include_str!("remnants.txt").lines();
    let listed = lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let remnant = |line: &str| {
        let (place, words) = line.split_once(' ').expect("remnants.txt has a place and words in each line");
        let place = match place {
            "whole" => RemnantPlace::WholeLine,
            "line" => RemnantPlace::LineStart,
            "narration" => RemnantPlace::Narration,
            "any" => RemnantPlace::Anywhere,
            other => panic!("unknown place {other} in remnants.txt"),
        };
        (place, words.trim().to_ascii_lowercase())
    };
    listed.map(remnant).collect()
});

/// Finds remaining phrases of an assistant, and control and invisible characters, in a text, with their line numbers.
pub(crate) fn remnants(text: &str) -> Vec<String> {
    let found = (1..).zip(text.lines()).filter_map(|(number, line)| {
        // An indented paragraph is narration, whatever its first words are.
        let is_indented = line.starts_with('\u{3000}');
        let line = line.trim().to_ascii_lowercase();
        let told = without_speech(&line);
        if let Some(control) = line.chars().find(|c| (c.is_control() && *c != '\t') || is_invisible(*c)) {
            return Some(format!("{number}: U+{:04X}", u32::from(control)));
        }
        let is_in = |place: RemnantPlace, words: &str| match place {
            RemnantPlace::WholeLine => !is_indented && line.trim_end_matches(['。', '.', '！', '!']) == words,
            RemnantPlace::LineStart => !is_indented && line.starts_with(words),
            RemnantPlace::Narration => told.contains(words),
            RemnantPlace::Anywhere => line.contains(words),
        };
        let (_, words) = REMNANTS.iter().find(|(place, words)| is_in(*place, words))?;
        Some(format!("{number}: {words}"))
    });
    found.take(LISTED).collect()
}

/// Returns a line without the texts between 「」 and 『』.
fn without_speech(line: &str) -> String {
    let mut depth = 0_usize;
    let mut is_told = |c: char| match c {
        '「' | '『' => {
            depth += 1;
            false
        }
        '」' | '』' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    };
    line.chars().filter(|c| is_told(*c)).collect()
}

fn remnants_miss(criterion: &AnswerCriterion, text: &str) -> Option<MissedCriterion> {
    let found = remnants(text);
    if found.is_empty() {
        return None;
    }
    Some(miss(
        criterion,
        format!(
            "The text contains words that do not belong to it (line: words): {}. Return only the text.",
            found.join(", ")
        ),
        format!("本文ではない言葉が残っています（行: 言葉）: {}。本文だけを返してください。", found.join("、")),
    ))
}

/// Refuses a heading above the text: the manuscript gets its own.
fn heading_miss(criterion: &AnswerCriterion, text: &str) -> Option<MissedCriterion> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let first = first.trim();
    let mark = first.trim_start_matches(['*', '■', '□', '◆', '●', '【', '［', '[', ' ', '\u{3000}']);
    let is_numbered = ["場面", "シーン", "Scene"].iter().any(|word| {
        let rest = mark.strip_prefix(word).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric() || "一二三四五六七八九十".contains(c)))
    });
    let is_heading =
        first.starts_with(['#', '＃']) || mark.starts_with("＃大見出し") || (is_numbered && mark.len() < first.len());
    is_heading.then(|| {
        let shown: String = first.chars().take(40).collect();
        miss(
            criterion,
            format!("It begins with the heading {shown}: return only the text, without headings."),
            format!("見出し（{shown}）で始まっています。見出しを付けず、本文だけを返してください。"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{AnswerCriterion, characters, judge_text, read_keys, replaced};
    use crate::{project::YamlValue, writing::PlotMember};

    fn missed(criterion: &AnswerCriterion, text: &str) -> Vec<String> {
        let misses = judge_text(std::slice::from_ref(criterion), text, text, 0);
        misses.into_iter().map(|miss| miss.criterion).collect()
    }

    #[test]
    fn remnants_are_found_outside_of_speech() {
        for bad in [
            "承知しました。続きです。\n　朝。",
            "　朝。\n以上です。",
            "```\n朝\n```",
            "SURE, here",
            "　夜（以下略）",
            "\n# 第一場\n　朝。",
            "【場面1】\n　朝。",
        ] {
            assert_eq!(missed(&AnswerCriterion::Remnants, bad), ["remnants"], "{bad}");
        }
        for good in [
            "「承知しました」と彼は言った。",
            "　以上の人数は入れない。",
            "　彼は承知しました、と書いた。",
            "「第一、場面が違う」",
        ] {
            assert_eq!(missed(&AnswerCriterion::Remnants, good), [""; 0], "{good}");
        }
    }

    #[test]
    fn lengths_count_what_a_reader_sees() {
        let text = "　灯台《とうだい》が、\n光る。\n";
        assert_eq!(characters(text), 7);
        for (from, to, expected) in [(7, 7, 0), (8, 9, 1), (1, 6, 1)] {
            assert_eq!(missed(&AnswerCriterion::Length { from, to }, text).len(), expected, "{from} {to}");
        }
    }

    #[test]
    fn names_are_found_through_ruby_and_by_alias() {
        let cast = |name: &str, aliases: &[&str]| {
            AnswerCriterion::Characters(vec![PlotMember {
                name: name.to_owned(),
                aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            }])
        };
        assert_eq!(missed(&cast("梶みちる", &[]), "わたしは梶《かじ》みちるという。"), [""; 0]);
        assert_eq!(missed(&cast("穂刈徳次", &["徳次"]), "徳次さん"), [""; 0]);
        assert_eq!(missed(&cast("穂刈徳次", &[]), "徳次さん"), ["characters"]);
    }

    #[test]
    fn replacements_are_made_only_where_there_is_no_choice() {
        let list = |yaml: &str| match read_keys(&format!("r: {yaml}")).expect("keys").remove(0) {
            (_, list @ YamlValue::List(_)) => list,
            other => panic!("{other:?}"),
        };
        let made = |yaml: &str| replaced("朝の海。夜の海。", &list(yaml));
        assert_eq!(made("[{find: 朝の海, replace: 昼の海}]").expect("made"), "昼の海。夜の海。");
        assert_eq!(made("[]").expect("made"), "朝の海。夜の海。");
        for bad in [
            "[{find: 海, replace: 山}]",
            "[{find: 川, replace: 山}]",
            "[{find: '', replace: 山}]",
            "[{find: 朝}]",
            "[朝]",
        ] {
            assert_eq!(made(bad).expect_err(bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn non_map_answers_report_the_position() {
        let said = read_keys("a: [1\nb: 2").expect_err("broken")[0].message.clone();
        assert!(said.en.contains("line 2") || said.en.contains("line 1"), "{said:?}");
        for none in ["", "text", "[1]", "{}"] {
            assert_eq!(read_keys(none).expect_err(none)[0].criterion, "form");
        }
        assert_eq!(read_keys("{\"a\": [1]}").expect("JSON").len(), 1);
    }
}
