//! The material of an episode as one text, which the questions of the short route cite: the plot, the end of the previous
//! episode, the style, and what the settings and the record say about the people and things that the plot names.
//!
//! A host fetches it once, and a model gets it with every question. Its parts are cut at lines, so that it has at most
//! about 20,000 characters.

use fumi_base::text::{BilingualText, Locale};

use super::material::{PlotMember, WritingMaterial};
use crate::{
    checks::features::{Foreshadowing, Ledger},
    memory::{self, Remembering, cut_lines},
    project::YamlValue,
};

/// The largest number of characters of one line: a part of the plot, a character sheet, an entry of the settings.
const LINE: usize = 1_000;

/// The largest number of characters of the character sheets, of the other settings, and of the record of the earlier
/// episodes.
const SHEETS: usize = 3_000;
const SETTINGS: usize = 2_000;
const RECORD: usize = 3_000;

/// The keys that name an entry of the settings or the other side of a relation.
const NAMES: [&str; 4] = ["name", "term", "名前", "to"];

/// The smallest number of characters of a character sheet, however many there are.
const SHEET: usize = 150;

/// The keys of settings as Japanese material names them.
const KEYS: [(&str, &str); 18] = [
    ("aliases", "別名"),
    ("age", "年齢"),
    ("role", "役割"),
    ("first_person", "一人称"),
    ("second_person", "二人称"),
    ("speech", "話し方"),
    ("endings", "語尾"),
    ("sample_lines", "台詞の例"),
    ("traits", "特徴"),
    ("relations", "関係"),
    ("address", "呼び方"),
    ("arc", "変化"),
    ("kind", "種類"),
    ("people", "人"),
    ("spots", "場所"),
    ("use", "使う表記"),
    ("avoid", "使わない表記"),
    ("rules", "決まり"),
];

/// The keys that a writer does not need.
const UNUSED: [&str; 2] = ["id", "reading"];

/// The keys whose value is shown without the key.
const PLAIN: [&str; 2] = ["note", "meaning"];

/// Returns the text, in Markdown.
pub(super) fn material_text(material: &WritingMaterial, locale: Locale) -> String {
    let plot = &material.plot;
    let named_in = with_full_names(material, &named_in(material));
    let tuning = material.context.tuning().unwrap_or_default();
    let sections = [
        (BilingualText::new("The plot", "プロット"), plot_lines(material, locale)),
        (BilingualText::new("The end of the previous episode", "前の話の結び"), material.previous_end.clone()),
        (
            BilingualText::new("Style", "文体"),
            material.style().describe(material.settings.style_preset, &tuning.forbidden, locale),
        ),
        (BilingualText::new("Characters", "人物"), sheets(material, &named_in, locale)),
        (BilingualText::new("Settings", "設定"), cut_lines(&settings(material, &named_in, locale), SETTINGS)),
        (
            BilingualText::new(
                "Recorded of the earlier episodes; contradict none of it",
                "これまでの話の記録（食い違わないこと）",
            ),
            // Its headings are below that of the section.
            record(material, &named_in, RECORD, locale).unwrap_or_default().replace("## ", "### "),
        ),
    ];
    let title = plot.episode_info.title.as_deref().map(|title| format!("「{title}」")).unwrap_or_default();
    let mut text = match locale {
        Locale::En => format!("# The material of the episode{title}\n"),
        Locale::Ja => format!("# この話の資料{title}\n"),
    };
    for (heading, section) in sections.iter().filter(|(_, section)| !section.trim().is_empty()) {
        text.push_str(&format!("\n## {}\n{}\n", heading.get(locale), section.trim_end()));
    }
    text
}

/// Returns the parts of the plot that it has, one labelled line each. A long part is cut.
pub(super) fn plot_lines(material: &WritingMaterial, locale: Locale) -> String {
    let plot = &material.plot;
    let info = &plot.episode_info;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let list = |items: &[YamlValue]| {
        let items = items.iter().map(|item| item.words().replace('\n', " / "));
        items.filter(|item| !item.trim().is_empty()).collect::<Vec<_>>().join(" | ")
    };
    let acts = &plot.story_structure;
    let emotions = plot.emotional_elements.words();
    let ledger = Ledger::from_files(&material.context.ledger);
    let episode = material.context.episode;
    let is_before = |entry: &&Foreshadowing| entry.plant.episode.is_some_and(|plant| plant < episode);
    let open =
        ledger.entries.iter().filter(is_before).filter(|entry| entry.is_open(episode) || entry.is_overdue(episode));
    let open: Vec<String> = open.map(|entry| format!("{} {}", entry.id, entry.title)).collect();
    let viewpoint = match info.viewpoint_info.words() {
        none if none.is_empty() => text(&material.settings.pov),
        words => words.replace('\n', " / "),
    };
    let scenes = plot.scene_structure.scene_count_target.map(|count| count.to_string());
    let names: Vec<&str> = material.cast.iter().map(|member| member.name.as_str()).collect();
    let parts = [
        ("Viewpoint", "視点", viewpoint),
        ("Characters", "登場人物", names.join(if locale == Locale::Ja { "、" } else { ", " })),
        ("Theme", "主題", text(&info.theme)),
        ("Purpose", "役割", text(&info.purpose)),
        ("Leaves with the reader", "読者に残すもの", text(&info.emotional_core)),
        ("Synopsis", "あらすじ", text(&plot.synopsis)),
        ("Structure", "構成", list(&[acts.setup.clone(), acts.confrontation.clone(), acts.resolution.clone()])),
        ("Events", "出来事", list(&plot.key_events)),
        ("Foreshadowing", "伏線", list(&plot.foreshadowing)),
        ("Points to watch", "留意点", list(&plot.quality_checkpoints)),
        ("Emotions", "感情の動き", emotions.replace('\n', " | ")),
        ("Open foreshadowing", "未回収の伏線", open.join(" | ")),
        ("Planned number of scenes", "予定の場面数", text(&scenes)),
    ];
    let written = parts.into_iter().filter(|(.., words)| !words.trim().is_empty());
    let lines = written.map(|(en, ja, words)| {
        let (label, words) = (if locale == Locale::Ja { ja } else { en }, words.trim().replace('\n', " "));
        format!("{label}: {}\n", shortened(&words, LINE))
    });
    lines.collect()
}

/// Returns the record of the earlier episodes about the people and things that a text names, in at most `characters`
/// characters; `None` if nothing is recorded.
pub(super) fn record(material: &WritingMaterial, named_in: &str, characters: usize, locale: Locale) -> Option<String> {
    let world = &material.context.world;
    let asked = Remembering { characters, with_quotes: false, named_in: Some(named_in), world, locale };
    memory::remembered(&material.states, asked)
}

/// Returns the parts of the plot whose names decide which settings and which facts a writer needs.
pub(super) fn named_in(material: &WritingMaterial) -> String {
    let plot = &material.plot;
    let events = plot.key_events.iter().chain(&plot.foreshadowing).map(YamlValue::words);
    let acts = &plot.story_structure;
    let acts = [&acts.setup, &acts.confrontation, &acts.resolution].map(YamlValue::words);
    let cast = material.cast.iter().flat_map(|member| std::iter::once(&member.name).chain(&member.aliases).cloned());
    let end = std::iter::once(material.previous_end.clone());
    cast.chain(plot.synopsis.clone()).chain(events).chain(acts).chain(end).collect::<Vec<_>>().join("\n")
}

/// Adds the names of the characters that a text names by an alias.
fn with_full_names(material: &WritingMaterial, text: &str) -> String {
    let full = character_sheets(material).filter(|sheet| is_kept(sheet, text)).filter_map(name_of);
    std::iter::once(text).chain(full).collect::<Vec<_>>().join("\n")
}

fn character_sheets(material: &WritingMaterial) -> impl Iterator<Item = &YamlValue> {
    let files = material.context.world.iter().filter_map(|file| file.get("characters"));
    files.flat_map(YamlValue::items)
}

/// Returns the sheets of the characters whom the plot names, one per line; those in the plot's list of characters come first.
/// The sheets share the room, so each is cut shorter if there are many.
fn sheets(material: &WritingMaterial, named_in: &str, locale: Locale) -> String {
    let mut sheets: Vec<&YamlValue> = character_sheets(material).collect();
    let place = |sheet: &&YamlValue| {
        let is_it = |member: &PlotMember| names_of(sheet).any(|name| name == member.name);
        material.cast.iter().position(is_it).unwrap_or(material.cast.len())
    };
    sheets.sort_by_key(place);
    let named: Vec<&YamlValue> = sheets.into_iter().filter(|sheet| is_kept(sheet, named_in)).collect();
    let room = (SHEETS / named.len().max(1)).clamp(SHEET, LINE);
    let named = named.into_iter().filter_map(|sheet| excerpt(sheet, named_in));
    let lines = named.map(|sheet| format!("- {}\n", shortened(&entry(&sheet, locale), room)));
    let lines = lines.collect::<Vec<_>>().concat();
    // With many characters the least room of each adds up to more than the room of all; twice that room is the limit.
    cut_lines(&lines, 2 * SHEETS)
}

/// Returns what the other settings say about what the plot names, and what they say about no single thing.
fn settings(material: &WritingMaterial, named_in: &str, locale: Locale) -> String {
    let pairs = material.context.world.iter().flat_map(|file| match file {
        YamlValue::Map(pairs) => pairs.as_slice(),
        _ => &[],
    });
    let mut lines = String::new();
    for (key, value) in pairs.filter(|(key, _)| key.as_str() != Some("characters")) {
        match excerpt(value, named_in) {
            Some(YamlValue::List(items)) if items.iter().any(|item| name_of(item).is_some()) => {
                lines.extend(items.iter().map(|item| format!("- {}\n", shortened(&entry(item, locale), LINE))));
            }
            Some(value) => {
                lines.push_str(&format!("- {}: {}\n", key_of(key, locale), shortened(&inline(&value, locale), LINE)));
            }
            None => {}
        }
    }
    lines
}

/// Returns the beginning of a line that is longer than a number of characters.
fn shortened(line: &str, characters: usize) -> String {
    // A folded text of YAML has a space where a line ended.
    let line = line.replace("、 ", "、").replace("。 ", "。");
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns the name of an entry and its aliases.
fn names_of(entry: &YamlValue) -> impl Iterator<Item = &str> {
    let aliases = entry.get("aliases").map(YamlValue::items).unwrap_or_default();
    name_of(entry).into_iter().chain(aliases.into_iter().filter_map(YamlValue::as_str))
}

/// Returns the name of a key for readers.
fn key_of(key: &YamlValue, locale: Locale) -> String {
    let key = key.words().replace('\n', " ");
    let known = KEYS.iter().find(|(known, _)| locale == Locale::Ja && *known == key);
    known.map_or(key, |(_, name)| (*name).to_owned())
}

fn name_of(entry: &YamlValue) -> Option<&str> {
    NAMES.iter().find_map(|key| entry.get(key)?.as_str())
}

/// True if a text contains the name of an entry, a part of it, or an alias, and for a value without a name.
fn is_kept(entry: &YamlValue, text: &str) -> bool {
    let Some(name) = name_of(entry) else { return true };
    name.split_whitespace().chain(names_of(entry)).any(|name| !name.trim().is_empty() && text.contains(name.trim()))
}

/// Returns a value without the entries of its lists that a text does not name, and without empty values and unused keys.
fn excerpt(value: &YamlValue, named_in: &str) -> Option<YamlValue> {
    match value {
        YamlValue::List(items) => {
            let kept = items.iter().filter(|item| is_kept(item, named_in));
            let kept: Vec<YamlValue> = kept.filter_map(|item| excerpt(item, named_in)).collect();
            (!kept.is_empty()).then_some(YamlValue::List(kept))
        }
        YamlValue::Map(pairs) => {
            let is_used = |key: &YamlValue| key.as_str().is_none_or(|key| !UNUSED.contains(&key));
            let pairs = pairs.iter().filter(|(key, _)| is_used(key));
            let pairs: Vec<_> =
                pairs.filter_map(|(key, value)| Some((key.clone(), excerpt(value, named_in)?))).collect();
            (!pairs.is_empty()).then_some(YamlValue::Map(pairs))
        }
        value => (!value.words().is_empty()).then(|| value.clone()),
    }
}

/// Returns an entry on one line: its name, then the other values.
fn entry(value: &YamlValue, locale: Locale) -> String {
    let (YamlValue::Map(pairs), Some(name)) = (value, name_of(value)) else { return inline(value, locale) };
    let said = pairs.iter().filter(|(_, value)| value.as_str() != Some(name)).map(|(key, value)| {
        let value = inline(value, locale);
        if key.as_str().is_some_and(|key| PLAIN.contains(&key)) {
            value
        } else {
            format!("{} {value}", key_of(key, locale))
        }
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { name.to_owned() } else { format!("{name}: {}", said.join(" / ")) }
}

/// Returns a value on one line.
fn inline(value: &YamlValue, locale: Locale) -> String {
    let comma = if locale == Locale::Ja { "、" } else { ", " };
    match value {
        YamlValue::List(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(item, locale)).collect();
            items.join(if items.iter().any(|item| item.contains(comma) || item.contains(" / ")) {
                " | "
            } else {
                comma
            })
        }
        YamlValue::Map(_) if name_of(value).is_some() => {
            let said = entry(value, locale);
            said.split_once(": ").map_or_else(|| said.clone(), |(name, rest)| format!("{name}（{rest}）"))
        }
        YamlValue::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| format!("{} {}", key_of(key, locale), inline(value, locale)));
            pairs.collect::<Vec<_>>().join(" / ")
        }
        value => value.words().replace('\n', " "),
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{material_text, sheets};
    use crate::{
        checks::NovelContext,
        project::{EpisodePlot, YamlValue},
        writing::{PlotMember, WritingMaterial},
    };

    fn material(plot: &str, world: &str) -> WritingMaterial {
        let plot = EpisodePlot::read("p", plot).expect("a plot");
        let member = |name: String| PlotMember { name, aliases: Vec::new() };
        let cast = plot.character_names().into_iter().map(member).collect();
        let world = vec![YamlValue::read("w", world).expect("settings")];
        let context = Box::new(NovelContext { world, ..NovelContext::default() });
        WritingMaterial { plot, cast, context, ..WritingMaterial::default() }
    }

    const WORLD: &str = "\
characters:
  - {name: 朝子, id: a, first_person: わたし, relations: [{to: 夜子, note: 妹}, {to: 昼子, note: 姉}]}
  - {name: 夜子, aliases: [よる], age: 九}
  - {name: 昼子}
terms: [{term: 灯台, reading: とうだい, meaning: 島の北にある}, {term: 桟橋, meaning: 南}]
rules: [船は週に二便]
place: {name: 島, spots: [{name: 灯台, note: 白い}, {name: 店}]}
";

    #[test]
    fn only_what_the_plot_names_is_in_the_text() {
        let text =
            material_text(&material("synopsis: 島の灯台で、よるが待つ\ncharacters: [朝子]\n", WORLD), Locale::Ja);
        for line in [
            "あらすじ: 島の灯台で、よるが待つ",
            "- 朝子: 一人称 わたし / 関係 夜子（妹）",
            "- 夜子: 別名 よる / 年齢 九",
            "- 灯台: 島の北にある",
            "- 決まり: 船は週に二便",
            "- place: 島（場所 灯台（白い））",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
        assert!(!text.contains("昼子") && !text.contains("桟橋") && !text.contains('店'), "{text}");
    }

    #[test]
    fn the_characters_of_the_list_come_first() {
        let material = material("synopsis: 夜子と昼子\ncharacters: [昼子]\n", WORLD);
        assert_eq!(sheets(&material, "夜子と昼子", Locale::Ja), "- 昼子\n- 夜子: 別名 よる / 年齢 九\n");
    }

    #[test]
    fn large_settings_are_cut_at_lines() {
        let plot = format!("synopsis: {}\nkey_events: [{}]\n", "波".repeat(5_000), "灯台".repeat(3_000));
        let world = format!(
            "rules: [{}]\nplace: {}\nterms: [{}]\n",
            "海".repeat(9_000),
            "島".repeat(9_000),
            "{term: 灯台, meaning: 白い}, ".repeat(2_000)
        );
        let text = material_text(&material(&plot, &world), Locale::Ja);
        assert!((2_500..11_500).contains(&text.chars().count()), "{}", text.chars().count());
    }
}
