//! Requirements for every tool of the catalogue: schemas that all clients accept, texts in both languages, an example
//! that runs, errors with a next step. The tests loop over all tools, so they apply to a new tool too.

use std::collections::BTreeSet;

use fumi_base::text::Locale;
use fumi_kernel::{
    ArgumentRule, Caller, ToolSpec,
    catalogue::ToolEntry,
    schema::{self, Object},
    texts::ToolTexts,
};
use regex::Regex;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    harness::{Server, Stateless},
    sample::{Sample, call, call_as, needs_a_page, only_teaches},
    taught::{is_japanese, refused},
};

/// Arguments that are free-form on purpose: their schema stays open. Each is written as `tool argument`.
const FREE_FORM: [&str; 8] = [
    "batch_execute steps[].arguments",
    "batch_execute steps[].expectation",
    "browser_batch_execute steps[].arguments",
    "browser_batch_execute steps[].expectation",
    "browser_batch_execute globalExpectation",
    "convert_cli_to_json cli_result",
    "validate_json_response json_data",
    "execute_check_step input_data",
];

/// Parts of replies that are free-form on purpose: values of files and pages, and results of other programs. Each is
/// written as `tool field`.
const FREE_ANSWERS: [&str; 14] = [
    "browser_evaluate result",
    "batch_execute steps[].result",
    "batch_execute steps[].error",
    "browser_batch_execute steps[].result",
    "browser_batch_execute steps[].error",
    "convert_cli_to_json error_response.error.alternative_actions[]",
    "fetch_artifact data",
    "convert_cli_to_json response.metadata",
    "convert_cli_to_json error_response.metadata",
    "convert_cli_to_json error_response.arguments",
    "convert_cli_to_json error_response.error.context",
    "convert_cli_to_json error_response.error.details",
    "convert_cli_to_json error_response.error.guidance.parameters",
    "convert_cli_to_json error_response.error.claude_guidance.parameters",
];

/// Reports the faults of one schema, at every depth. `is_root` is true for the outermost schema.
fn faults(schema: &Value, at: &str, is_root: bool, faults_found: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        return;
    };
    let mut complain = |what: &str| faults_found.push(format!("{at}: {what}"));
    for keyword in ["$ref", "$defs", "definitions", "not", "if"] {
        if fields.contains_key(keyword) {
            complain(&format!("has {keyword}"));
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if fields.contains_key(keyword) && is_root {
            complain(&format!("has {keyword} at the root"));
        } else if fields.contains_key(keyword) && at.starts_with("input") {
            complain(&format!("has {keyword}"));
        }
    }
    match fields.get("type") {
        Some(Value::String(name)) if name == "null" => complain("is null"),
        Some(Value::String(_)) => {}
        Some(other) => complain(&format!("has a union of types {other}")),
        None if fields.contains_key("enum") || fields.contains_key("anyOf") || fields.contains_key("oneOf") => {}
        None => complain("has no type"),
    }
    if fields.get("enum").and_then(Value::as_array).is_some_and(|options| options.contains(&Value::Null)) {
        complain("has null among its values");
    }
    if fields.get("type") == Some(&json!("object")) {
        let closed = fields.get("additionalProperties") == Some(&json!(false));
        // A map from names to values (counts by file) is closed by the schema of its values.
        let typed_map = fields.get("additionalProperties").is_some_and(Value::is_object) && !is_root;
        if !closed && !typed_map {
            complain("is open");
        }
        if let Some(values) = fields.get("additionalProperties").filter(|values| values.is_object()) {
            faults(values, &format!("{at}.*"), false, faults_found);
        }
    }
    for (name, property) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
        faults(property, &format!("{at}.{name}"), false, faults_found);
    }
    if let Some(items) = fields.get("items") {
        faults(items, &format!("{at}[]"), false, faults_found);
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for variant in fields.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            faults(variant, &format!("{at}({keyword})"), false, faults_found);
        }
    }
}

#[test]
fn schemas_are_closed_at_every_depth_without_combinators_or_null() {
    let app = Sample::new().app();
    let mut found = Vec::new();
    for entry in app.catalogue.entries() {
        let mut of_tool = Vec::new();
        for (at, schema) in [("input", &entry.input), ("output", &*entry.output)] {
            faults(&Value::Object(schema.clone()), at, true, &mut of_tool);
        }
        let name = entry.spec.name;
        let is_free = |fault: &str, list: &[&str], root: &str| {
            list.iter().any(|free| {
                free.split_once(' ')
                    .is_some_and(|(tool, at)| tool == name && fault.starts_with(&format!("{root}.{at}:")))
            })
        };
        // A question contains another call's arguments, the schema of an answer and the name of its step; the answer of
        // a stage has the step's number.
        let is_asked = |fault: &str| {
            let parts = ["output.submit.arguments:", "output.response_schema:", "output.step:"];
            entry.asks && parts.iter().any(|part| fault.starts_with(part))
        };
        // The same for all tools: the error object, and the arguments of a call that writes.
        let is_failed = |fault: &str| {
            // Its replies are those of other tools.
            (name == "noveler" && fault == "output: is open")
                || ["output.error:", "output.arguments:"].iter().any(|part| fault.starts_with(part))
        };
        // Checked against the whole schema, which only one tool lists.
        let is_expectation = |fault: &str| fault.starts_with("input.expectation:");
        let exempt = |fault: &String| {
            is_expectation(fault)
                || is_free(fault, &FREE_FORM, "input")
                || is_free(fault, &FREE_ANSWERS, "output")
                || is_asked(fault)
                || is_failed(fault)
        };
        of_tool.retain(|fault| !exempt(fault));
        found.extend(of_tool.into_iter().map(|fault| format!("{name} {fault}")));
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_schema_check_sees_what_it_forbids() {
    for bad in [
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": false, "oneOf": []}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": ["string", "null"]}}}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {"$ref": "#/x"}}}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": "array", "items": {"type": "object"}}}}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {"anyOf": [{"type": "string"}]}}}),
    ] {
        let mut found = Vec::new();
        faults(&bad, "input", true, &mut found);
        assert!(!found.is_empty(), "{bad}");
    }
}

#[test]
fn names_are_what_all_clients_accept_and_unique() {
    let app = Sample::new().app();
    let form = Regex::new(r"^[A-Za-z0-9_-]{1,64}$").unwrap();
    let mut seen = BTreeSet::new();
    for entry in app.catalogue.entries() {
        for name in std::iter::once(&entry.spec.name).chain(entry.spec.aliases) {
            assert!(form.is_match(name), "{name}");
            assert!(seen.insert(name.to_lowercase()), "{name} is taken");
        }
    }
}

#[test]
fn the_catalogue_is_the_same_at_every_start() {
    let sample = Sample::new();
    let list = || {
        let app = sample.app();
        fumi_tools::published(&app.catalogue, &app.scope).to_string()
    };
    assert_eq!(list(), list());
}

/// Arguments of browser tools with self-explanatory names, mostly known from Playwright's tools. A text would cost
/// tokens in each of the many tools; `browser_session` is explained in `browser_navigate`.
const SPEAKING: [&str; 38] = [
    "accept",
    "action",
    "browser_session",
    "button",
    "colorScheme",
    "coordinate",
    "domain",
    "doubleClick",
    "endTarget",
    "fields",
    "fields.name",
    "fields.target",
    "fields.type",
    "fullPage",
    "height",
    "httpOnly",
    "maxRequests",
    "maxResults",
    "media",
    "method",
    "modifiers",
    "name",
    "part",
    "path",
    "promptText",
    "reducedMotion",
    "regex",
    "role",
    "sameSite",
    "secure",
    "startTarget",
    "tagName",
    "text",
    "textGone",
    "type",
    "url",
    "value",
    "width",
];

/// Arguments of code tools with self-explanatory names, mostly known from `rg` and `fd`.
const SPEAKING_OF_CODE: [&str; 14] = [
    "context_after",
    "context_before",
    "depth",
    "end_line",
    "exclude_globs",
    "file_path",
    "fixed_strings",
    "follow_symlinks",
    "hidden",
    "language",
    "limit",
    "no_ignore",
    "sections.end_line",
    "sections.start_line",
];

/// Arguments that `find_and_grep` shares with `list_files` or `search_content`, whose texts explain them.
const EXPLAINED_BEFORE: [&str; 10] =
    ["case", "encoding", "exclude", "full_path_match", "include_globs", "multiline", "pcre2", "roles", "roots", "word"];

/// True if a text would only repeat the name, in every tool that has it. `expectation` is explained once, the replies
/// that give a `cursor` say how to use it, and the batch tool for browsers refers to the general one.
fn needs_no_text(spec: &ToolSpec, name: &str) -> bool {
    ["expectation", "cursor", "timeout_ms"].contains(&name)
        || spec.toolset == "browser" && SPEAKING.contains(&name)
        || spec.toolset == "code" && SPEAKING_OF_CODE.contains(&name)
        || spec.name == "find_and_grep" && EXPLAINED_BEFORE.contains(&name)
        || spec.name == "batch_execute" && (name.starts_with("globalExpectation.") || name.starts_with("steps."))
        || spec.name == "browser_batch_execute" && name != "steps"
}

#[test]
fn every_argument_has_a_text_in_both_languages_and_no_text_is_stale() {
    let app = Sample::new().app();
    let mut wrong = Vec::new();
    for entry in app.catalogue.entries() {
        let arguments: BTreeSet<String> = schema::paths(&entry.input).into_iter().collect();
        for locale in Locale::ALL {
            let texts = ToolTexts::for_spec(&entry.spec, locale);
            let mut complain = |what: String| wrong.push(format!("{} ({}): {what}", entry.spec.name, locale.tag()));
            let written: BTreeSet<String> = texts.arguments.keys().cloned().collect();
            for missing in arguments.difference(&written).filter(|name| !needs_no_text(&entry.spec, name)) {
                complain(format!("no text for {missing}"));
            }
            for stale in written.difference(&arguments) {
                complain(format!("a text for {stale}, which is not an argument"));
            }
            let head = [("title", &texts.title), ("summary", &texts.summary), ("description", &texts.description)];
            let hint = Some(("hint", &texts.hint)).filter(|(_, hint)| !hint.is_empty());
            for (what, text) in
                head.into_iter().chain(hint).chain(texts.arguments.iter().map(|(name, text)| (name.as_str(), text)))
            {
                if text.trim().is_empty() {
                    complain(format!("{what} is empty"));
                } else if text.contains("{{") {
                    complain(format!("{what} has an unfilled figure"));
                }
                match locale {
                    Locale::En if is_japanese(text) => complain(format!("{what} has Japanese: {text}")),
                    Locale::Ja if !is_japanese(text) => complain(format!("{what} has no Japanese: {text}")),
                    _ => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_find_and_grep_does_not_explain_stands_in_the_tools_that_it_combines() {
    let app = Sample::new().app();
    let find = |name: &str| app.catalogue.entries().iter().find(|entry| entry.spec.name == name).unwrap();
    for locale in Locale::ALL {
        let before = ["list_files", "search_content"].map(|name| ToolTexts::for_spec(&find(name).spec, locale));
        let own = ToolTexts::for_spec(&find("find_and_grep").spec, locale);
        for name in EXPLAINED_BEFORE {
            assert!(!own.arguments.contains_key(name), "{name} is explained twice");
            assert!(before.iter().any(|texts| texts.arguments.contains_key(name)), "{name} is explained nowhere");
        }
        assert!(own.description.contains("search_content"), "{}", own.description);
    }
}

/// Returns the fault of a summary, which must be one short sentence on one line.
fn faults_of_summary(summary: &str, locale: Locale) -> Vec<String> {
    let (longest, end) = match locale {
        Locale::En => (90, ". "),
        Locale::Ja => (50, "。"),
    };
    let mut found = Vec::new();
    let length = summary.chars().count();
    if length > longest {
        found.push(format!("has {length} characters, more than {longest}"));
    }
    if summary.chars().any(char::is_control) {
        found.push("is not one line".to_owned());
    }
    match summary.strip_suffix(end.trim_end()) {
        None => found.push(format!("does not end with {}", end.trim_end())),
        Some("") => found.push("is empty".to_owned()),
        Some(sentence) if sentence.contains(end) => found.push("is more than one sentence".to_owned()),
        Some(_) => {}
    }
    found
}

#[test]
fn every_tool_has_a_summary_of_one_short_sentence_in_both_languages() {
    let app = Sample::new().app();
    let mut wrong = Vec::new();
    for entry in app.catalogue.entries() {
        for locale in Locale::ALL {
            let summary = &entry.published(locale).summary;
            for fault in faults_of_summary(summary, locale) {
                wrong.push(format!("{} ({}) {fault}: {summary}", entry.spec.name, locale.tag()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_faulty_summary_is_noticed() {
    let of_length = |length: usize, end: &str| format!("{}{end}", "a".repeat(length - 1));
    for (summary, locale, fault) in [
        (String::new(), Locale::En, Some("does not end")),
        (String::new(), Locale::Ja, Some("does not end")),
        (".".to_owned(), Locale::En, Some("is empty")),
        ("List files".to_owned(), Locale::En, Some("does not end")),
        ("List files.".to_owned(), Locale::Ja, Some("does not end")),
        ("List files. Fast.".to_owned(), Locale::En, Some("more than one sentence")),
        ("一覧を返す。高速。".to_owned(), Locale::Ja, Some("more than one sentence")),
        ("List\nfiles.".to_owned(), Locale::En, Some("not one line")),
        (of_length(91, "."), Locale::En, Some("91 characters")),
        (of_length(51, "。"), Locale::Ja, Some("51 characters")),
        (of_length(90, "."), Locale::En, None),
        (of_length(50, "。"), Locale::Ja, None),
        ("Edit `.gitignore`.".to_owned(), Locale::En, None),
    ] {
        let found = faults_of_summary(&summary, locale);
        assert_eq!(found.len(), usize::from(fault.is_some()), "{summary}: {found:?}");
        assert!(fault.is_none_or(|fault| found[0].contains(fault)), "{summary}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_runs_and_answers_as_its_output_schema_says() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries().iter().filter(|entry| !only_teaches(entry)) {
        let name = entry.spec.name;
        let reply = call(&app, name, Value::Object(sample.example(entry))).await;
        assert!(!reply.is_error, "{name}: {}", reply.text);
        assert!(!reply.text.is_empty(), "{name}: no text");
        answers_as_published(entry, &reply.structured);
        // The structured content must not be a second copy of the text.
        assert_ne!(
            serde_json::from_str::<Value>(&reply.text).ok().filter(Value::is_object),
            Some(reply.structured),
            "{name}"
        );
    }
}

/// Asserts that a structure is valid under the tool's published output schema.
#[track_caller]
pub(crate) fn answers_as_published(entry: &ToolEntry, structured: &Value) {
    let schema = Value::Object((*entry.output).clone());
    let validator = jsonschema::validator_for(&schema).unwrap();
    let problems: Vec<String> =
        validator.iter_errors(structured).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{}:\n{}\n{structured}", entry.spec.name, problems.join("\n"));
}

/// Returns every object in a schema with its path: an unknown key could be in any of them.
fn objects(schema: &Object, at: &str, found: &mut Vec<(String, Vec<String>)>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    found.push((at.to_owned(), properties.keys().cloned().collect()));
    for (name, property) in properties {
        if let Some(property) = property.as_object() {
            objects(property, &format!("{at}/{name}"), found);
        }
        if let Some(items) = property.get("items").and_then(Value::as_object) {
            objects(items, &format!("{at}/{name}/0"), found);
        }
    }
}

/// Sets a value at a path such as `/sections/0`, and creates the objects on the way.
fn put(arguments: &mut Map<String, Value>, path: &str, key: &str, value: Value) {
    let mut at = arguments;
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let slot = at.entry(part.to_owned()).or_insert(Value::Null);
        if parts.peek() == Some(&"0") {
            parts.next();
            if slot.get(0).is_none_or(|first| !first.is_object()) {
                *slot = json!([{}]);
            }
            at = slot[0].as_object_mut().unwrap();
        } else {
            if !slot.is_object() {
                *slot = json!({});
            }
            at = slot.as_object_mut().unwrap();
        }
    }
    at.insert(key.to_owned(), value);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelt_argument_is_refused_at_every_depth_with_the_nearest_name() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries() {
        let mut places = Vec::new();
        objects(&entry.input, "", &mut places);
        for (path, names) in places {
            for name in names {
                // A doubled letter in the middle, as a typing error.
                let middle = name.len() / 2;
                let wrong = format!("{}{}{}", &name[..=middle], &name[middle..=middle], &name[middle + 1..]);
                let mut arguments = sample.example(entry);
                put(&mut arguments, &path, &wrong, json!("x"));
                let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
                refused(&app, &reply, &["INVALID_ARGUMENTS", "EXCLUSIVE_PARAMETERS"]);
                let problems = reply.structured["error"]["details"]["problems"].as_array().unwrap().clone();
                let problem = problems
                    .iter()
                    .find(|problem| problem["parameter"].as_str().is_some_and(|parameter| parameter.ends_with(&wrong)));
                let problem =
                    problem.unwrap_or_else(|| panic!("{} {path}/{wrong} was accepted: {problems:?}", entry.spec.name));
                assert_eq!(problem["allowed"]["nearest"], json!(name), "{} {path}/{wrong}", entry.spec.name);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_problems_of_a_call_come_back_at_once() {
    let sample = Sample::new();
    let app = sample.app();
    let mut most = 0;
    for entry in app.catalogue.entries() {
        let mut arguments = sample.example(entry);
        let properties = entry.input["properties"].as_object().unwrap();
        let mut wrong = vec!["surely_unknown".to_owned()];
        arguments.insert("surely_unknown".to_owned(), json!(1));
        for (name, property) in properties {
            // A value of another type, whatever the declared type is.
            let is_map = property["type"] == "object" || property["additionalProperties"].is_object();
            let other = if is_map { json!(7) } else { json!({"surely": "wrong"}) };
            arguments.insert(name.clone(), other);
            wrong.push(name.clone());
        }
        let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
        refused(&app, &reply, &["INVALID_ARGUMENTS", "EXCLUSIVE_PARAMETERS"]);
        let problems = reply.structured["error"]["details"]["problems"].as_array().unwrap();
        let named = wrong.iter().filter(|name| {
            problems.iter().any(|problem| problem["parameter"].as_str().is_some_and(|at| at.starts_with(name.as_str())))
        });
        // At most twenty are listed, and the problems of rules name parameters again.
        assert!(named.count() >= wrong.len().min(19 - entry.spec.rules.len()), "{}: {problems:?}", entry.spec.name);
        most = most.max(problems.len());
    }
    assert_eq!(most, 20, "a tool with more arguments than are shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_between_arguments_teach_in_both_languages() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries() {
        for rule in entry.spec.rules {
            let mut arguments = sample.example(entry);
            let (names, codes): (Vec<&str>, _) = match rule {
                ArgumentRule::AtMostOne(names) => (names.to_vec(), ["EXCLUSIVE_PARAMETERS"]),
                ArgumentRule::ExactlyOne(names) | ArgumentRule::AnyOf(names) => {
                    for name in *names {
                        arguments.remove(*name);
                    }
                    (names.to_vec(), ["INVALID_ARGUMENTS"])
                }
                ArgumentRule::Encoding(name) => {
                    arguments.insert((*name).to_owned(), json!("klingon"));
                    (vec![*name], ["INVALID_ARGUMENTS"])
                }
                ArgumentRule::ClampedTo(name, _) => {
                    arguments.insert((*name).to_owned(), json!(0));
                    (vec![*name], ["INVALID_ARGUMENTS"])
                }
                ArgumentRule::Needs(name, other) => {
                    arguments.remove(*other);
                    arguments.insert((*name).to_owned(), valid_value(&entry.input["properties"][*name]));
                    (vec![*name, *other], ["INVALID_ARGUMENTS"])
                }
                ArgumentRule::Without(name, others) => {
                    // One of the others, because several may exclude one another too.
                    for name in [*name, others[0]] {
                        arguments.remove("group_by_file");
                        arguments.insert(name.to_owned(), valid_value(&entry.input["properties"][name]));
                    }
                    (vec![*name, others[0]], ["INVALID_ARGUMENTS"])
                }
            };
            if let ArgumentRule::AtMostOne(names) = rule {
                for name in *names {
                    arguments.insert((*name).to_owned(), valid_value(&entry.input["properties"][*name]));
                }
            }
            let reply = call(&app, entry.spec.name, Value::Object(arguments.clone())).await;
            let message = refused(&app, &reply, &codes);
            for name in &names {
                assert!(message.contains(name), "{}: {name} is not named in {message}", entry.spec.name);
            }
            let caller = Caller { locale: Locale::Ja, ..Caller::default() };
            let reply =
                call_as(&app, entry.spec.name, Value::Object(arguments), caller, CancellationToken::new()).await;
            let message = refused(&app, &reply, &codes);
            assert!(is_japanese(&message), "{message}");
            if codes == ["EXCLUSIVE_PARAMETERS"] {
                assert!(message.contains("出力形式パラメータは排他的です"), "{message}");
            }
        }
    }
}

/// Returns a value that a property's schema accepts.
pub(crate) fn valid_value(property: &Value) -> Value {
    if let Some(first) = property["enum"].as_array().and_then(|options| options.first()) {
        return first.clone();
    }
    match property["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => property.get("minimum").cloned().unwrap_or(json!(1)),
        Some("array") => json!([valid_value(&property["items"])]),
        Some("object") => json!({}),
        _ => json!("x"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn null_means_absent_and_whole_floats_are_integers() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries().iter().filter(|entry| !only_teaches(entry)) {
        let mut arguments = sample.example(entry);
        let given: Vec<String> = arguments.keys().cloned().collect();
        for name in entry.input["properties"].as_object().unwrap().keys().filter(|name| !given.contains(name)) {
            arguments.insert(name.clone(), Value::Null);
        }
        for value in arguments.values_mut() {
            if let Some(number) = value.as_i64() {
                *value = serde_json::from_str(&format!("{number}.0")).unwrap();
            }
        }
        let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
        assert!(!reply.is_error, "{}: {}", entry.spec.name, reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_arguments_are_answered_not_panicked_over() {
    let sample = Sample::new();
    let app = sample.app();
    let long = "あ".repeat(400_000);
    for entry in app.catalogue.entries().iter().filter(|entry| !needs_a_page(entry)) {
        // The pipeline handles the unlisted options of a family, so one tool of each family is enough.
        let unlisted = entry.spec.family.unlisted.iter().flat_map(|option| option.names());
        let unlisted: Vec<_> = unlisted.filter(|_| entry.spec.name != "status").collect();
        let properties = entry.input["properties"].as_object().unwrap().iter();
        for (name, property) in properties.filter(|(name, _)| !unlisted.iter().any(|unlisted| name == *unlisted)) {
            let of = |value: Value| {
                if property["type"] == "array" { json!([value]) } else { value }
            };
            for evil in [
                of(json!("")),
                of(json!("\u{0}\u{202e}\u{feff}")),
                of(json!("--help")),
                of(json!("((((((((((")),
                of(json!(long)),
                of(json!(i64::MAX)),
                of(json!(-1)),
                of(json!(1e300)),
                of(json!({})),
                json!([]),
                Value::Array(vec![json!("x"); 1_001]),
            ] {
                let mut arguments = sample.example(entry);
                arguments.insert(name.clone(), evil.clone());
                let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
                let code = reply.structured["error"]["code"].as_str();
                let shown: String = evil.to_string().chars().take(60).collect();
                assert_ne!(code, Some("TOOL_EXECUTION_FAILED"), "{} {name} = {shown}: {}", entry.spec.name, reply.text);
                assert!(
                    reply.text.len() < 300_000,
                    "{} {name} = {shown} answers {} bytes",
                    entry.spec.name,
                    reply.text.len()
                );
                if reply.is_error {
                    let params = &reply.structured["error"]["context"]["input_params"];
                    let longest =
                        params.as_object().unwrap().values().map(|shown| shown.to_string().chars().count()).max();
                    assert!(longest.unwrap_or(0) < 450, "{} {name} = {shown} is echoed whole", entry.spec.name);
                }
            }
        }
    }
}

/// An empty result is a reply too, and says that nothing was found.
#[tokio::test(flavor = "multi_thread")]
async fn an_empty_file_gets_an_answer_with_a_text() {
    let sample = Sample::new();
    sample.file("src/main.py", "");
    let app = sample.app();
    for entry in app.catalogue.entries().iter().filter(|entry| !only_teaches(entry)) {
        let mut example = sample.example(entry);
        let formats = entry.input["properties"]["format_type"]["enum"].as_array().cloned();
        for format in formats.unwrap_or_else(|| vec![Value::Null]) {
            example.insert("format_type".to_owned(), format);
            example.retain(|name, _| entry.input["properties"].get(name).is_some());
            let reply = call(&app, entry.spec.name, Value::Object(example.clone())).await;
            let is_line = reply.structured["error"]["code"] == "INVALID_ARGUMENTS";
            assert!(!reply.is_error || is_line, "{}: {}", entry.spec.name, reply.text);
            assert!(!reply.text.trim().is_empty(), "{} has no text: {}", entry.spec.name, reply.structured);
        }
    }
}

/// Clients show the title of the annotations.
#[tokio::test(flavor = "multi_thread")]
async fn every_listed_tool_has_its_title_in_the_annotations() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let all: Vec<&str> = server.app.catalogue.toolsets().into_iter().collect();
    let client = Stateless { url: format!("{}/{}", server.url(), all.join(",")), ..Stateless::new(&server) };
    let list = client.request("tools/list", json!({})).await;
    let tools = list.result()["tools"].as_array().unwrap();
    assert!(tools.len() > 80, "{} tools", tools.len());
    for tool in tools {
        let title = tool["annotations"]["title"].as_str().unwrap_or_default();
        assert!(!title.is_empty() && tool["title"] == title, "{tool}");
    }
}

/// Numbers whose limit is in a file, or in a list that the error names.
const LIMITED_BY_CONTENT: [&str; 3] =
    ["extract_code_section start_line", "extract_code_section start_column", "enhanced_execute_writing_step step_id"];

/// A model must not learn a limit by an error: a number without a maximum is accepted, however large.
#[tokio::test(flavor = "multi_thread")]
async fn every_limited_number_has_its_maximum_in_the_schema() {
    let sample = Sample::new();
    let app = sample.app();
    let tools = app.catalogue.entries().iter();
    for entry in tools.filter(|entry| entry.spec.listed && !only_teaches(entry)) {
        let tool = entry.spec.name;
        for (name, property) in entry.input["properties"].as_object().unwrap() {
            if property["type"] != "integer" || LIMITED_BY_CONTENT.contains(&format!("{tool} {name}").as_str()) {
                continue;
            }
            let maximum = property["maximum"].as_i64();
            let mut arguments = sample.example(entry);
            let number = maximum.map_or(i64::from(i32::MAX), |maximum| maximum + 1);
            arguments.insert(name.clone(), json!(number));
            let reply = call(&app, tool, Value::Object(arguments)).await;
            if maximum.is_some() {
                refused(&app, &reply, &["INVALID_ARGUMENTS"]);
                let problems = &reply.structured["error"]["details"]["problems"];
                assert_eq!(problems[0]["parameter"], json!(name), "{tool}: {problems}");
            } else {
                assert!(!reply.is_error, "{tool} {name}: {}", reply.text);
            }
        }
    }
}
