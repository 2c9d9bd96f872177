//! Generates the schemas that clients see from Rust types: closed at every depth, without null unions, without
//! combinators.
//!
//! Clients differ in what they accept; the published form is what all of them accept. Descriptions come from the tool's
//! texts, never from doc comments, so that no language mixes with another.

use fumi_base::text::Locale;
use schemars::{
    JsonSchema,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};

use super::{Tool, ToolSpec, expectation, options::CallOptions, texts::ToolTexts};

/// The field of a reply that lists expected fields which do not exist.
pub const UNKNOWN_FIELDS: &str = "unknown_fields";
/// The field of a reply that describes what was left out for lack of room.
pub const LEFT_OUT: &str = "left_out";

/// The fields of a JSON object.
pub type Object = Map<String, Value>;

/// Returns the input schema of a tool without descriptions: its own arguments and its shared options.
///
/// # Panics
/// If an option has the name of an argument: a programming error that every start would show.
pub fn input<T: Tool>() -> Object {
    with_options(for_type::<T::Args>(Contract::Deserialize), &T::SPEC)
}

fn with_options(mut schema: Object, spec: &ToolSpec) -> Object {
    let options = for_type::<CallOptions>(Contract::Deserialize);
    let properties =
        schema.entry("properties").or_insert_with(|| json!({})).as_object_mut().expect("properties are an object");
    for name in spec.shared() {
        let property = match *name {
            expectation::NAME => expectation::published(),
            name => options["properties"][name].clone(),
        };
        let taken = properties.insert((*name).to_owned(), property);
        assert!(taken.is_none(), "the option {name} shadows an argument of {}", spec.name);
    }
    schema
}

/// Returns the output schema of a tool, which is valid for every structure of its replies: results, receipts, questions
/// and errors. So every field is optional at every depth, and `error` is published as any object: its full form, which
/// is the same for all tools, is in the REST API's description.
///
/// # Panics
/// If a field of the answer has another type than the same field of a question or of an error: a programming error that
/// every start would show.
pub fn output<T: Tool>() -> Object {
    with_common_fields(for_type::<T::Output>(Contract::Serialize), &T::SPEC, T::ASKS)
}

fn with_common_fields(mut schema: Object, spec: &ToolSpec, asks: bool) -> Object {
    loosen(&mut schema);
    let properties =
        schema.entry("properties").or_insert_with(|| json!({})).as_object_mut().expect("properties are an object");
    let mut options = spec.options.iter().chain(spec.family.unlisted);
    if options.any(|option| *option == super::SharedOption::Delivery) {
        properties.insert("output_file_path".to_owned(), json!({"type": "string"}));
    }
    properties.insert(UNKNOWN_FIELDS.to_owned(), json!({"type": "array", "items": {"type": "string"}}));
    properties.insert(LEFT_OUT.to_owned(), json!({"type": "string"}));
    if spec.cached {
        properties.insert("cache_hit".to_owned(), json!({"type": "boolean"}));
    }
    let mut add = |name: &str, property: Value| {
        let kind = property["type"].clone();
        // A tool may declare itself that a field of its answer has another type in its questions.
        if let Some(Value::Array(kinds)) = properties.get(name).map(|taken| &taken["anyOf"])
            && kinds.iter().any(|one| one["type"] == kind)
        {
            return;
        }
        let taken = properties.insert(name.to_owned(), property);
        let is_same = taken.is_none_or(|taken| taken["type"] == kind);
        assert!(is_same, "{name} of {} has two types", spec.name);
    };
    if asks {
        let ask = for_type::<super::QuestionReply>(Contract::Serialize);
        for (name, property) in ask["properties"].as_object().into_iter().flatten() {
            add(name, property.clone());
        }
    }
    add("success", json!({"type": "boolean"}));
    add("error", json!({"type": "object"}));
    if spec.effect == super::Effect::Write {
        add("arguments", json!({"type": "object"}));
    }
    schema
}

/// Removes `required`, at every depth.
fn loosen(schema: &mut Object) {
    schema.remove("required");
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(keyword) {
            loosen(inner);
        }
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        if let Value::Object(property) = property {
            loosen(property);
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        let variants = schema.get_mut(keyword).and_then(Value::as_array_mut);
        for variant in variants.into_iter().flatten().filter_map(Value::as_object_mut) {
            loosen(variant);
        }
    }
}

/// Returns a type's schema in the published form, as the type is serialized.
///
/// # Panics
/// If the type is neither struct nor enum.
pub fn for_serialize<T: JsonSchema>() -> Object {
    for_type::<T>(Contract::Serialize)
}

/// Returns a type's schema in the published form, as the type is deserialized.
///
/// # Panics
/// If the type is neither struct nor enum.
pub fn for_deserialize<T: JsonSchema>() -> Object {
    for_type::<T>(Contract::Deserialize)
}

/// Returns a type's schema in the published form.
fn for_type<T: JsonSchema>(contract: Contract) -> Object {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    published_form(settings.into_generator().into_root_schema_for::<T>().to_value())
}

fn published_form(mut schema: Value) -> Object {
    normalise(&mut schema);
    let Value::Object(mut schema) = schema else {
        unreachable!("the root schema of a struct or enum is an object");
    };
    for noise in ["$schema", "title", "description"] {
        schema.remove(noise);
    }
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

/// Converts a schema to the published form, at every depth.
fn normalise(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                // Property names are data: a property called `description` must not be treated as a keyword.
                if name == "properties" {
                    value.as_object_mut().into_iter().flatten().for_each(|(_, property)| normalise(property));
                } else {
                    normalise(value);
                }
            }
            drop_null(fields);
            for keyword in ["anyOf", "oneOf"] {
                if let Some(Value::Array(variants)) = fields.remove(keyword) {
                    join(fields, keyword, variants);
                }
            }
            for noise in ["format", "title", "description"] {
                if fields.get(noise).is_some_and(Value::is_string) {
                    fields.remove(noise);
                }
            }
            // `false`, `null` and empty lists mean the same as an omitted argument.
            if fields.get("default").is_some_and(|default| {
                default.is_null() || default == &json!(false) || default.as_array().is_some_and(Vec::is_empty)
            }) {
                fields.remove("default");
            }
            if fields.get("type") == Some(&json!("object")) && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        _ => {}
    }
}

/// Replaces `["integer", "null"]` by `"integer"`: an omitted argument is the only form of no value.
fn drop_null(fields: &mut Object) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(options)) = fields.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
}

/// Joins variants: a single one left after dropping null replaces the union, constants become an `enum`, objects become
/// one object with the properties of all.
fn join(fields: &mut Object, keyword: &str, mut variants: Vec<Value>) {
    variants.retain(|variant| variant.get("type") != Some(&json!("null")));
    let constants: Option<Vec<Value>> = variants
        .iter()
        .map(|variant| {
            variant
                .get("const")
                .map(|constant| vec![constant.clone()])
                .or_else(|| variant.get("enum").and_then(Value::as_array).cloned())
        })
        .collect::<Option<Vec<_>>>()
        .map(|lists| lists.concat());
    let objects = variants.iter().all(|variant| variant.get("type") == Some(&json!("object")));
    match (variants.len(), constants) {
        (1, None) => {
            if let Some(Value::Object(only)) = variants.pop() {
                fields.extend(only);
            }
        }
        (_, Some(constants)) => {
            fields.insert("type".to_owned(), json!("string"));
            fields.insert("enum".to_owned(), Value::Array(constants));
        }
        _ if objects => {
            // Fields beside the variants (a flattened enum) stay.
            let mut properties = match fields.remove("properties") {
                Some(Value::Object(properties)) => properties,
                _ => Object::new(),
            };
            for variant in &variants {
                merge_properties(&mut properties, variant);
            }
            fields.insert("type".to_owned(), json!("object"));
            fields.insert("properties".to_owned(), Value::Object(properties));
            fields.insert("additionalProperties".to_owned(), json!(false));
        }
        _ => drop(fields.insert(keyword.to_owned(), Value::Array(variants))),
    }
}

/// Adds the properties of an object's schema to others. A value that fits either of two properties of one name fits the
/// merged one.
fn merge_properties(properties: &mut Object, other: &Value) {
    for (name, property) in other["properties"].as_object().into_iter().flatten() {
        match properties.get_mut(name) {
            None => drop(properties.insert(name.clone(), property.clone())),
            Some(known) => merge(known, property),
        }
    }
}

/// Widens a schema by another one of the same type.
///
/// # Panics
/// If the types differ, which the published form cannot express: a programming error that every start would show.
fn merge(known: &mut Value, other: &Value) {
    if known == other {
        return;
    }
    assert_eq!(known["type"], other["type"], "two types of one name: {known} and {other}");
    let Some(fields) = known.as_object_mut() else { return };
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        merge_properties(properties, other);
    }
    if let (Some(items), Some(others)) = (fields.get_mut("items"), other.get("items")) {
        merge(items, others);
    }
    if let (Some(Value::Array(values)), Some(Value::Array(others))) = (fields.get_mut("enum"), other.get("enum")) {
        let new: Vec<Value> = others.iter().filter(|value| !values.contains(value)).cloned().collect();
        values.extend(new);
    }
}

/// Returns the schema with the descriptions of one language.
pub fn describe(schema: &Object, texts: &ToolTexts) -> Object {
    let mut schema = schema.clone();
    describe_properties(&mut schema, "", texts);
    schema
}

fn describe_properties(schema: &mut Object, prefix: &str, texts: &ToolTexts) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, property) in properties {
        let path = format!("{prefix}{name}");
        let Some(property) = property.as_object_mut() else {
            continue;
        };
        if let Some(text) = texts.arguments.get(&path) {
            property.insert("description".to_owned(), json!(text));
        }
        let inner = format!("{path}.");
        describe_properties(property, &inner, texts);
        if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
            describe_properties(items, &inner, texts);
        }
    }
}

/// Returns the published schema of a tool for one language.
pub fn published(spec: &ToolSpec, schema: &Object, locale: Locale) -> Object {
    describe(schema, &ToolTexts::for_spec(spec, locale))
}

/// Returns every dotted path of a property in a schema, which the texts must cover.
pub fn paths(schema: &Object) -> Vec<String> {
    fn walk(schema: &Object, prefix: &str, found: &mut Vec<String>) {
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{prefix}{name}");
            found.push(path.clone());
            for inner in [Some(property), property.get("items")].into_iter().flatten() {
                if let Some(inner) = inner.as_object() {
                    walk(inner, &format!("{path}."), found);
                }
            }
        }
    }
    let mut found = Vec::new();
    walk(schema, "", &mut found);
    found
}
