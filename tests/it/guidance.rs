//! The guidance that tool texts must give a model: markers, workflow, measured costs, ranks, speeds, exclusions.
//!
//! Each test is a scenario of the specification of the guidance. A test cannot judge whether a sentence is good advice.

use std::{fs, path::Path, sync::Arc};

use fumi::app::App;
use fumi_base::text::Locale;
use fumi_kernel::{
    ArgumentRule, Caller,
    access::Access,
    catalogue::{ToolEntry, ToolsetScope},
    texts::ToolTexts,
};
use regex::Regex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    catalogue::valid_value,
    sample::{Sample, call_as, needs_a_page},
    taught::refused,
};

/// The markers in the order of a description, the most important first.
const MARKERS: [&str; 6] = ["⚠️ IMPORTANT", "🎯 RECOMMENDED", "💡 TIP", "⚠️ EXCLUSIVE", "📊 COMPARISON", "📝"];

/// The named formats of a search, the cheapest first.
const FORMATS: [&str; 5] = ["total_only", "count_only_matches", "summary_only", "group_by_file", "optimize_paths"];

/// Tools with several output formats, the cheapest of which is to be tried first.
const STEPWISE: [&str; 6] = [
    "list_files",
    "search_content",
    "check_code_scale",
    "analyze_code_structure",
    "extract_code_section",
    "query_code",
];

fn texts(entry: &ToolEntry) -> [(Locale, ToolTexts); 2] {
    Locale::ALL.map(|locale| (locale, ToolTexts::for_spec(&entry.spec, locale)))
}

/// Returns a word in the given language.
fn word(locale: Locale, en: &'static str, ja: &'static str) -> &'static str {
    match locale {
        Locale::En => en,
        Locale::Ja => ja,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_names_the_toolset_of_a_tool_that_the_url_does_not_offer() {
    let sample = Sample::empty();
    sample.file("40_原稿/第001話_朝.md", "　朝。\n");
    let app = sample.app();
    let within = |scope: ToolsetScope| Caller { access: Arc::new(Access::full(scope)), ..Caller::default() };
    let arguments = json!({"artifact_id": "artifact:000000000000"});
    for (caller, is_said) in [(within(ToolsetScope::single("novel")), true), (within(app.scope.clone()), false)] {
        let reply = call_as(&app, "fetch_artifact", arguments.clone(), caller, CancellationToken::new()).await;
        let guidance = &reply.structured["error"]["guidance"];
        assert_eq!(guidance["suggested_action"], "list_artifacts", "{}", reply.text);
        let said = "This connection does not offer list_artifacts: add its toolset, novel-data.";
        assert_eq!(
            (reply.text.contains(said), guidance.to_string().contains(said)),
            (is_said, is_said),
            "{}",
            reply.text
        );
    }
}

/// Returns every marker and mark of a text, in order.
fn marks(text: &str) -> Vec<String> {
    let mark = Regex::new("(⚠️|🎯|💡|📊|📝)( (IMPORTANT|RECOMMENDED|TIP|EXCLUSIVE|COMPARISON))?").unwrap();
    mark.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

#[test]
fn markers_stand_in_the_order_of_importance_and_head_something() {
    let app = Sample::new().app();
    for entry in app.catalogue.entries() {
        let name = entry.spec.name;
        for (locale, texts) in texts(entry) {
            let found = marks(&texts.description);
            let order: Vec<usize> = found
                .iter()
                .map(|mark| {
                    let known = MARKERS.iter().position(|marker| marker == mark);
                    known.unwrap_or_else(|| panic!("{name} ({}): {mark} is not a marker", locale.tag()))
                })
                .collect();
            assert!(order.is_sorted(), "{name} ({}): {found:?}", locale.tag());
            assert!(order.contains(&1), "{name} ({}) recommends nothing", locale.tag());
            for marker in &found {
                let after = texts.description.split_once(marker.as_str()).unwrap().1;
                let heading = after.lines().next().unwrap_or_default().trim_matches([':', ' ']);
                assert!(heading.chars().count() >= 3, "{name} ({}): {marker} heads nothing", locale.tag());
            }
            if name == "search_content" {
                assert_eq!(order, [0, 1, 2, 3, 4, 5], "{name} ({}): {found:?}", locale.tag());
            }
        }
    }
}

#[test]
fn both_languages_mark_the_same() {
    let app = Sample::new().app();
    for entry in app.catalogue.entries() {
        let [(_, en), (_, ja)] = texts(entry);
        assert_eq!(marks(&en.description), marks(&ja.description), "{}", entry.spec.name);
        for (argument, text) in &en.arguments {
            assert_eq!(marks(text), marks(&ja.arguments[argument]), "{} {argument}", entry.spec.name);
        }
    }
}

#[test]
fn a_long_description_is_divided_into_marked_sections() {
    let app = Sample::new().app();
    for entry in app.catalogue.entries() {
        for (locale, texts) in texts(entry) {
            if texts.description.chars().count() < 450 {
                continue;
            }
            let sections: Vec<&str> = texts.description.split("\n\n").collect();
            assert!(sections.len() > 1, "{} ({}) is one block", entry.spec.name, locale.tag());
            for section in sections {
                assert!(
                    MARKERS.iter().any(|marker| section.starts_with(marker)),
                    "{} ({}): a section without a marker: {section}",
                    entry.spec.name,
                    locale.tag()
                );
            }
        }
    }
}

#[test]
fn a_workflow_says_when_to_go_on() {
    let app = Sample::new().app();
    let step = Regex::new(r"^(\d)\. (\S+)(?: → (.+))?$").unwrap();
    for entry in app.catalogue.entries() {
        for (locale, texts) in texts(entry) {
            if STEPWISE.contains(&entry.spec.name) {
                assert!(texts.description.contains('→'), "{} ({}) names no next step", entry.spec.name, locale.tag());
            }
            if entry.spec.name != "search_content" {
                continue;
            }
            let steps: Vec<_> = texts.description.lines().filter_map(|line| step.captures(line)).collect();
            let wanted = [FORMATS[0], FORMATS[1], FORMATS[2], FORMATS[3], word(locale, "normal", "通常")];
            assert_eq!(steps.len(), wanted.len(), "{}", texts.description);
            for (at, (step, format)) in steps.iter().zip(wanted).enumerate() {
                assert_eq!(&step[1], (at + 1).to_string());
                assert_eq!(&step[2], format);
                // Every step but the last says which step follows under which condition, or that none follows.
                let condition = step.get(3).map_or("", |condition| condition.as_str());
                let goes_on = condition.contains([':', '：']) && condition.contains(|c: char| c.is_ascii_digit());
                assert_eq!(goes_on, at + 1 < wanted.len(), "step {} of {}", at + 1, locale.tag());
            }
        }
    }
}

/// Returns the figures that `./bench tokens` wrote.
fn measured() -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernel/measured.toml");
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn figure(measured: &toml::Table, name: &str) -> f64 {
    measured[name].as_integer().unwrap() as f64
}

/// True if a shown figure is the measured one, to two digits.
fn is_shown(shown: &str, measured: f64) -> bool {
    let shown: f64 = shown.replace(',', "").parse().unwrap();
    (shown - measured).abs() <= measured * 0.051
}

#[test]
fn the_table_of_costs_is_measured_and_sorted() {
    let app = Sample::new().app();
    let measured = measured();
    let entry = app.catalogue.entries().iter().find(|entry| entry.spec.name == "search_content").unwrap();
    for (locale, texts) in texts(entry) {
        let (_, table) = texts.description.split_once("📊").unwrap();
        assert!(table.contains(word(locale, "measured", "実測")), "{table}");
        assert!(table.contains(word(locale, "most efficient first", "効率順")), "{table}");
        let last = word(locale, "normal", "通常");
        let wanted = [&FORMATS[..], &[last]].concat();
        let rows: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .filter(|cells: &Vec<&str>| wanted.contains(&cells[0]))
            .collect();
        let named: Vec<&str> = rows.iter().map(|cells| cells[0]).collect();
        assert_eq!(named, wanted, "{table}");
        let mut above = 0.0;
        for cells in rows {
            let format = if cells[0] == last { "normal" } else { cells[0] };
            for (shown, class) in cells[1..].iter().zip(["few", "medium", "many"]) {
                let value = figure(&measured, &format!("tokens.{format}.{class}"));
                assert!(is_shown(shown, value), "{format} {class}: {shown}, measured {value}");
            }
            let medium = figure(&measured, &format!("tokens.{format}.medium"));
            // Formats with almost the same cost may be in either order.
            assert!(medium > above * 0.95, "{format} is cheaper than the format above it");
            above = medium;
        }
    }
}

#[test]
fn every_format_says_its_rank_cost_speed_and_use() {
    let app = Sample::new().app();
    let shown = Regex::new(r"(?:by tokens \(|実測)([\d,]+)").unwrap();
    let measured = measured();
    for entry in app.catalogue.entries() {
        if !entry.input["properties"].get("total_only").is_some_and(Value::is_object) {
            continue;
        }
        for (locale, texts) in texts(entry) {
            for (at, format) in FORMATS.iter().enumerate() {
                let text = &texts.arguments[*format];
                let complaint = format!("{} {format} ({}): {text}", entry.spec.name, locale.tag());
                let (advice, _) = text.split_once("⚠️ EXCLUSIVE").expect(&complaint);
                let rank = match locale {
                    Locale::En => format!("ank {} of 6 by tokens", at + 1),
                    Locale::Ja => format!("{}/6位（実測", at + 1),
                };
                assert!(advice.contains(&rank), "no rank: {complaint}");
                let cost = shown.captures(advice).expect(&complaint);
                let value = figure(&measured, &format!("tokens.{format}.medium"));
                assert!(is_shown(&cost[1], value), "measured {value}: {complaint}");
                assert!(advice.contains(word(locale, "measured", "実測")), "{complaint}");
                assert!(advice.contains(word(locale, "tokens", "トークン")), "{complaint}");
                let speeds = match locale {
                    Locale::En => ["fastest", "fast", "standard", "slow"],
                    Locale::Ja => ["最速", "高速", "標準", "低速"],
                };
                let (_, after) = speeds
                    .iter()
                    .find_map(|speed| advice.split_once(speed))
                    .unwrap_or_else(|| panic!("no speed: {complaint}"));
                match locale {
                    Locale::En => assert!(after.contains("Use "), "no use: {complaint}"),
                    Locale::Ja => assert!(after.contains('に'), "no use: {complaint}"),
                }
            }
        }
    }
}

/// The longest list of others that a warning has to name one by one.
const NAMED_OTHERS: usize = 3;

/// True if a description lists these arguments as the formats that exclude one another: the description of the tool or
/// of a tool to which it refers.
fn lists_formats(app: &App, texts: &ToolTexts, locale: Locale, names: &[&str]) -> bool {
    let own = &texts.description;
    let described = app.catalogue.entries().iter().filter(|entry| own.contains(entry.spec.name));
    let described: Vec<String> = described.map(|entry| ToolTexts::for_spec(&entry.spec, locale).description).collect();
    let formats = word(locale, "format", "形式");
    own.contains(formats)
        && std::iter::once(own).chain(&described).any(|description| {
            let words = || description.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            description.lines().any(|line| line.starts_with("⚠️ EXCLUSIVE") && line.contains(formats))
                && names.iter().all(|name| words().any(|word| word == *name))
        })
}

#[test]
fn every_exclusive_argument_warns_and_names_the_others() {
    let app = Sample::new().app();
    let mut warned = 0;
    for entry in app.catalogue.entries() {
        // The texts of these tools have no room for it; their errors name the others, which another test checks.
        if needs_a_page(entry) {
            continue;
        }
        for rule in entry.spec.rules {
            let (names, others): (Vec<&str>, &[&str]) = match rule {
                ArgumentRule::AtMostOne(names) | ArgumentRule::ExactlyOne(names) => (names.to_vec(), names),
                // One argument against many: the text names groups, since a full list would be longer than the advice.
                ArgumentRule::Without(name, _) => (vec![*name], &[]),
                ArgumentRule::AnyOf(_)
                | ArgumentRule::Needs(..)
                | ArgumentRule::Encoding(_)
                | ArgumentRule::ClampedTo(..) => continue,
            };
            for (locale, texts) in texts(entry) {
                for name in &names {
                    let text = &texts.arguments[*name];
                    let complaint = format!("{} {name} ({}): {text}", entry.spec.name, locale.tag());
                    let (_, warning) = text.split_once("⚠️ EXCLUSIVE").expect(&complaint);
                    assert!(warning.contains(word(locale, "error", "エラー")), "{complaint}");
                    warned += 1;
                    if others.len() > NAMED_OTHERS + 1 {
                        assert!(warning.contains(word(locale, "another format", "他形式")), "{complaint}");
                        assert!(lists_formats(&app, &texts, locale, others), "the formats are not listed: {complaint}");
                        continue;
                    }
                    for other in others.iter().filter(|other| *other != name) {
                        let mut words = warning.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                        assert!(words.any(|word| word == *other), "{other} is not named: {complaint}");
                    }
                }
            }
        }
    }
    assert!(warned > 20, "only {warned} warnings were found");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exclusive_error_names_what_was_given_what_there_is_and_calls_that_work() {
    let example = Regex::new(r#"\{"[a-z_]+": true\}"#).unwrap();
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries() {
        for rule in entry.spec.rules {
            let ArgumentRule::AtMostOne(names) = rule else { continue };
            for locale in Locale::ALL {
                let mut arguments = sample.example(entry);
                for name in *names {
                    arguments.remove(*name);
                }
                for name in &names[..2] {
                    arguments.insert((*name).to_owned(), valid_value(&entry.input["properties"][*name]));
                }
                let caller = Caller { locale, ..Caller::default() };
                let reply = call_as(
                    &app,
                    entry.spec.name,
                    Value::Object(arguments.clone()),
                    caller.clone(),
                    CancellationToken::new(),
                )
                .await;
                let message = refused(&app, &reply, &["EXCLUSIVE_PARAMETERS"]);
                for name in *names {
                    assert!(message.contains(name), "{name} is not named: {message}");
                }
                let shown = format!("{message}\n{}", reply.text);
                let examples: Vec<&str> = example.find_iter(&shown).map(|found| found.as_str()).collect();
                assert!(examples.len() >= 2, "no correct calls: {message}");
                for example in examples {
                    let format: Value = serde_json::from_str(example).unwrap();
                    let mut corrected = arguments.clone();
                    for name in *names {
                        corrected.remove(*name);
                    }
                    corrected.extend(format.as_object().unwrap().clone());
                    let reply =
                        call_as(&app, entry.spec.name, json!(corrected), caller.clone(), CancellationToken::new())
                            .await;
                    assert!(!reply.is_error, "{example} is refused: {}", reply.text);
                }
            }
        }
    }
}
