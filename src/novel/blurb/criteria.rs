//! The criteria for a blurb and their evaluation: every missed criterion is reported with a way to meet it.
//!
//! The largest lengths count every character, also spaces and line breaks, because the forms of the sites do. The smallest
//! ones count visible characters.

use std::borrow::Cow;

use fumi_base::text::BilingualText;

use super::{BlurbLimits, NovelBlurb};
use crate::{
    errors::blurb::BlurbError,
    manuscript::CharacterCounts,
    project::YamlValue,
    writing::{MissedCriterion, keys_of, remnants, without_fence},
};

/// The keys of an answer.
const KEYS: [&str; 3] = ["blurb", "catchphrase", "tags"];

/// The number of characters of a tag, and the number of tags and keys, that a message shows.
const SHOWN: usize = 20;
const LISTED: usize = 5;

/// Characters that separate tags or introduce one in the forms and the searches of the sites.
const NOT_IN_TAGS: [char; 5] = ['#', '＃', ',', '，', '、'];

/// Returns the criteria that an answer must meet.
pub fn criteria(limits: &BlurbLimits) -> Vec<BilingualText> {
    let BlurbLimits { blurb, catchphrase, tags, .. } = limits;
    let (least, most, count, length) = (blurb.min, blurb.max, tags.count, tags.length);
    vec![
        BilingualText::new(
            "YAML or JSON with the keys `blurb`, `catchphrase` and `tags`",
            "`blurb`・`catchphrase`・`tags` をキーとする YAML か JSON であること",
        ),
        BilingualText::new(
            format!("`blurb` is plain text of {least} to {most} characters, spaces and line breaks included"),
            format!("`blurb` は装飾のない文章で、空白と改行を含めて {least}〜{most} 字であること"),
        ),
        BilingualText::new(
            format!("`catchphrase` is one line of at most {catchphrase} characters"),
            format!("`catchphrase` は一行で {catchphrase} 字以内であること"),
        ),
        BilingualText::new(
            format!(
                "`tags` is a list of 1 to {count} different tags of at most {length} characters, without spaces, `#` and commas"
            ),
            format!("`tags` は 1〜{count} 個の一覧で、どれも {length} 字以内、重複と空白・「#」・読点がないこと"),
        ),
        BilingualText::new(
            "no remarks of an assistant and no control characters",
            "挨拶や前置きなどアシスタントの言葉も、制御文字もないこと",
        ),
    ]
}

/// Validates an answer: returns the blurb, or an error with every criterion that it misses.
pub fn validate_answer(content: &str, limits: &BlurbLimits) -> Result<NovelBlurb, BlurbError> {
    let content = without_fence(content);
    let blurb = read_answer(content).map_err(|mut misses| {
        // Remarks around the keys may be the reason why they cannot be read.
        misses.extend(remnants_miss(content));
        BlurbError::BlurbMissed { misses }
    })?;
    let misses = missed_criteria(&blurb, limits);
    if misses.is_empty() {
        Ok(NovelBlurb { sites: limits.sites.clone(), ..blurb })
    } else {
        Err(BlurbError::BlurbMissed { misses })
    }
}

/// Returns the criteria that a blurb misses.
pub fn missed_criteria(blurb: &NovelBlurb, limits: &BlurbLimits) -> Vec<MissedCriterion> {
    let mut misses = blurb_misses(&blurb.blurb, limits);
    misses.extend(catchphrase_misses(&blurb.catchphrase, limits));
    misses.extend(tag_misses(&blurb.tags, limits));
    let all = [&blurb.blurb, &blurb.catchphrase].into_iter().chain(&blurb.tags).map(String::as_str);
    misses.extend(remnants_miss(&all.collect::<Vec<_>>().join("\n")));
    misses
}

fn miss(criterion: &str, en: impl Into<Cow<'static, str>>, ja: impl Into<Cow<'static, str>>) -> MissedCriterion {
    MissedCriterion::new(criterion, BilingualText::new(en, ja))
}

fn read_answer(content: &str) -> Result<NovelBlurb, Vec<MissedCriterion>> {
    let pairs = keys_of(content).map_err(|form| vec![form])?;
    let (mut blurb, mut misses, mut unknown) = (NovelBlurb::default(), Vec::new(), Vec::new());
    for (key, value) in &pairs {
        match key.as_str() {
            Some("blurb") => blurb.blurb = text_in("blurb", value, &mut misses),
            Some("catchphrase") => blurb.catchphrase = text_in("catchphrase", value, &mut misses),
            Some("tags") => blurb.tags = tags_in(value, &mut misses),
            _ => unknown.push(shortened(&key.words())),
        }
    }
    if !unknown.is_empty() {
        let names = unknown.into_iter().take(LISTED).collect::<Vec<_>>();
        misses.push(miss(
            "form",
            format!("It has other keys: {}. Give only {}.", names.join(", "), KEYS.join(", ")),
            format!("ほかのキーがあります（{}）。{} だけを書いてください。", names.join("、"), KEYS.join("・")),
        ));
    }
    if misses.is_empty() { Ok(blurb) } else { Err(misses) }
}

/// Returns a text of an answer; a list or a map is a missed criterion.
fn text_in(key: &str, value: &YamlValue, misses: &mut Vec<MissedCriterion>) -> String {
    if matches!(value, YamlValue::List(_) | YamlValue::Map(_)) {
        misses.push(miss(key, "It must be a text.", "文字列で書いてください。"));
        return String::new();
    }
    plain(value)
}

/// Returns the tags of an answer; anything but a list of texts is a missed criterion.
fn tags_in(value: &YamlValue, misses: &mut Vec<MissedCriterion>) -> Vec<String> {
    let is_text = |item: &YamlValue| !matches!(item, YamlValue::List(_) | YamlValue::Map(_));
    match value {
        YamlValue::List(items) if items.iter().all(is_text) => items.iter().map(plain).collect(),
        _ => {
            misses.push(miss("tags", "It must be a list of texts.", "文字列の一覧で書いてください。"));
            Vec::new()
        }
    }
}

/// Returns a single value as text with line feeds, without empty lines around it. The indent of its first paragraph stays.
fn plain(value: &YamlValue) -> String {
    let text = match value {
        YamlValue::Text(text) => text.replace("\r\n", "\n").replace('\r', "\n"),
        other => other.words(),
    };
    text.trim_end().trim_start_matches(['\n', ' ']).to_owned()
}

fn blurb_misses(text: &str, limits: &BlurbLimits) -> Vec<MissedCriterion> {
    let (least, most) = (limits.blurb.min, limits.blurb.max);
    let (visible, all) = (CharacterCounts::count(text).characters, text.chars().count());
    let mut misses = Vec::new();
    if visible == 0 {
        misses.push(miss("blurb", "It is missing.", "書かれていません。"));
    } else if visible < least {
        misses.push(miss(
            "blurb",
            format!("It has {visible} visible characters; write at least {least}."),
            format!("可視文字が {visible} 字です。{least} 字以上で書いてください。"),
        ));
    } else if all > most {
        misses.push(miss(
            "blurb",
            format!("It has {all} characters with spaces and line breaks, {} more than {most}.", all - most),
            format!("空白と改行を含めて {all} 字あり、{most} 字を {} 字超えています。", all - most),
        ));
    }
    let is_marked = |line: &str| line.trim_start().starts_with(['#', '＃']) || line.contains("**");
    if let Some(line) = text.lines().find(|line| is_marked(line) || line.contains('\t')) {
        misses.push(miss(
            "blurb",
            format!("It has markup or a tab in this line: {}. The sites show plain text.", shortened(line)),
            format!(
                "装飾の記号かタブを含む行があります（{}）。サイトは装飾のない文章として示します。",
                shortened(line)
            ),
        ));
    }
    misses
}

fn catchphrase_misses(text: &str, limits: &BlurbLimits) -> Vec<MissedCriterion> {
    let (most, all) = (limits.catchphrase, text.chars().count());
    let mut misses = Vec::new();
    if CharacterCounts::count(text).characters == 0 {
        misses.push(miss("catchphrase", "It is missing.", "書かれていません。"));
    }
    if text.contains(['\n', '\t']) {
        misses.push(miss(
            "catchphrase",
            "It has several lines or a tab; write one line.",
            "一行で書いてください（改行やタブは使えません）。",
        ));
    }
    if all > most {
        misses.push(miss(
            "catchphrase",
            format!("It has {all} characters, {} more than {most}.", all - most),
            format!("{all} 字あり、{most} 字を {} 字超えています。", all - most),
        ));
    }
    misses
}

fn tag_misses(tags: &[String], limits: &BlurbLimits) -> Vec<MissedCriterion> {
    let (count, length) = (limits.tags.count, limits.tags.length);
    let mut misses = Vec::new();
    if tags.is_empty() {
        misses.push(miss("tags", "There are none; give at least one.", "一つもありません。一つ以上挙げてください。"));
    } else if tags.len() > count {
        misses.push(miss(
            "tags",
            format!("There are {}; give at most {count}, the most useful first.", tags.len()),
            format!("{} 個あります。大事なものから {count} 個までにしてください。", tags.len()),
        ));
    }
    let is_empty = |tag: &&String| CharacterCounts::count(tag).characters == 0;
    let is_long = |tag: &&String| tag.chars().count() > length;
    let is_split = |tag: &&String| tag.contains(|c: char| c.is_whitespace() || NOT_IN_TAGS.contains(&c));
    if tags.iter().any(|tag| is_empty(&tag)) {
        misses.push(miss("tags", "One of them is empty.", "空のタグがあります。"));
    }
    let mut complain = |found: Vec<&String>, en: &str, ja: &str| {
        if !found.is_empty() {
            let names: Vec<String> = found.into_iter().take(LISTED).map(|tag| shortened(tag)).collect();
            misses.push(miss(
                "tags",
                format!("{en}: {}.", names.join(", ")),
                format!("{ja}（{}）。", names.join("／")),
            ));
        }
    };
    let long = format!("These have more than {length} characters");
    let long_ja = format!("{length} 字を超えるタグがあります");
    complain(tags.iter().filter(is_long).collect(), &long, &long_ja);
    complain(
        tags.iter().filter(is_split).collect(),
        "These have a space, `#` or a comma, so a site takes them for several tags or refuses them",
        "空白・「#」・読点を含むタグがあります。サイトが複数のタグとみなすか、受け付けません",
    );
    let is_repeated = |(at, tag): &(usize, &String)| {
        let is_same = |other: &String| other.to_lowercase() == tag.to_lowercase();
        tags[..*at].iter().any(is_same)
    };
    let repeated = tags.iter().enumerate().filter(is_repeated).map(|(_, tag)| tag).collect();
    complain(repeated, "These occur more than once", "重複するタグがあります");
    misses
}

/// Returns a missed criterion if a text has words of an assistant, or control or invisible characters.
fn remnants_miss(text: &str) -> Option<MissedCriterion> {
    let found = remnants(text);
    (!found.is_empty()).then(|| {
        miss(
            "remnants",
            format!(
                "It has words that do not belong to it, or control characters (line: words): {}.",
                found.join(", ")
            ),
            format!("紹介ではない言葉か制御文字が残っています（行: 言葉）: {}。", found.join("、")),
        )
    })
}

/// Returns the beginning of a text in one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = if line.chars().count() > SHOWN { "…" } else { "" };
    line.chars().take(SHOWN).filter(|c| !c.is_control()).collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use super::{criteria, validate_answer};
    use crate::{blurb::BlurbLimits, errors::blurb::BlurbError, publish::PostingSite};

    const BLURB: &str = "離島の検潮所を閉めに来た技官が、四十一年分の記録に人の重さを見つける。";

    fn missed(content: &str) -> Vec<String> {
        match validate_answer(content, &BlurbLimits::of_sites(&PostingSite::ALL)) {
            Ok(blurb) => {
                assert_eq!(blurb.sites, PostingSite::ALL);
                Vec::new()
            }
            Err(BlurbError::BlurbMissed { misses }) => misses.into_iter().map(|miss| miss.criterion).collect(),
            Err(error) => panic!("{error}"),
        }
    }

    fn answer(blurb: &str, catchphrase: &str, tags: &[&str]) -> String {
        serde_json::json!({"blurb": blurb, "catchphrase": catchphrase, "tags": tags}).to_string()
    }

    #[test]
    fn an_answer_in_any_form_that_fits_the_limits_is_accepted() {
        let yaml = format!(
            "blurb: |\n  {BLURB}\n\n  　嘘つきは三人いる。\ncatchphrase: 嘘は、補正できる。\ntags: [離島, 2026]\n"
        );
        for good in [yaml.clone(), format!("```yaml\n{yaml}```"), answer(BLURB, "嘘", &["離島"])] {
            assert_eq!(missed(&good), [""; 0], "{good}");
        }
        let limits = BlurbLimits::of_sites(&PostingSite::ALL);
        let blurb = validate_answer(&yaml, &limits).expect("accepted");
        assert_eq!(blurb.blurb, format!("{BLURB}\n\n　嘘つきは三人いる。"));
        assert_eq!(blurb.tags, ["離島", "2026"]);
        assert_eq!(criteria(&limits).len(), 5);
    }

    #[test]
    fn each_limit_is_exact_and_counts_spaces_and_line_breaks() {
        let of = |length: usize| "あ".repeat(length);
        for (blurb, misses) in [
            (of(9), 1),
            (of(10), 0),
            (format!("{}\n\n{}", of(5), of(4)), 1),
            (of(1_000), 0),
            (of(1_001), 1),
            (format!("{}\n{}", of(500), of(500)), 1),
        ] {
            assert_eq!(missed(&answer(&blurb, "嘘", &["離島"])).len(), misses, "{}", blurb.chars().count());
        }
        for (length, misses) in [(0, 1), (35, 0), (36, 1)] {
            assert_eq!(missed(&answer(BLURB, &of(length), &["離島"])).len(), misses, "{length}");
        }
        for (length, misses) in [(10, 0), (11, 1)] {
            assert_eq!(missed(&answer(BLURB, "嘘", &[&of(length)])).len(), misses, "{length}");
        }
        let numbered: Vec<String> = (0..9).map(|at| format!("タグ{at}")).collect();
        let tags: Vec<&str> = numbered.iter().map(String::as_str).collect();
        assert_eq!((missed(&answer(BLURB, "嘘", &tags[..8])).len(), missed(&answer(BLURB, "嘘", &tags)).len()), (0, 1));
    }

    #[test]
    fn every_fault_is_named_by_its_key() {
        for (content, expected) in [
            (answer("", "", &[]), &["blurb", "catchphrase", "tags"][..]),
            (answer(&format!("**{BLURB}**"), "嘘", &["離島"]), &["blurb"]),
            (answer(&format!("# あらすじ\n{BLURB}"), "嘘", &["離島"]), &["blurb"]),
            (answer(&format!("{BLURB}\tあ"), "嘘", &["離島"]), &["blurb"]),
            (answer(BLURB, "嘘は\n補正できる", &["離島"]), &["catchphrase"]),
            (answer(BLURB, "嘘", &["離島", ""]), &["tags"]),
            (answer(BLURB, "嘘", &["#離島"]), &["tags"]),
            (answer(BLURB, "嘘", &["離島 謎"]), &["tags"]),
            (answer(BLURB, "嘘", &["離島、謎"]), &["tags"]),
            (answer(BLURB, "嘘", &["SF", "sf"]), &["tags"]),
            (answer(&format!("承知しました。\n{BLURB}"), "嘘", &["離島"]), &["remnants"]),
            (answer(&format!("{BLURB}\u{202e}"), "嘘", &["離島"]), &["remnants"]),
            (answer(BLURB, "嘘\u{7}", &["離島"]), &["remnants"]),
            (answer(BLURB, "嘘", &["離\u{200b}島"]), &["remnants"]),
            ("あらすじです".to_owned(), &["form"]),
            ("承知しました。\nblurb: a: b\n".to_owned(), &["form", "remnants"]),
            (format!("blurb: {BLURB}\ncatchphrase: 嘘\ntags: [離島]\ntitle: 題\n"), &["form"]),
            (format!("blurb: [{BLURB}]\ncatchphrase: {{a: b}}\ntags: 離島\n"), &["blurb", "catchphrase", "tags"]),
        ] {
            assert_eq!(missed(&content), expected, "{content}");
        }
    }
}
