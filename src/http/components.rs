//! The schemas of the `OpenAPI` document: each is written once, under `components/schemas`, and referred to from there on.
//!
//! The tools publish their schemas inlined, because not every MCP client follows references. Many tools answer with the
//! same objects, so that an inlined document would be twice as large, and a generated client would have one class for
//! each place of an object.
//!
//! A component is the reply of a tool, or an object with properties that occurs in two places or more. Schemas are
//! equal if they differ at most in the order of their keys. Names come from tools and properties: inlined schemas have
//! no names of Rust types, and clients know the properties. They come from all tools, so that they do not depend on
//! what a server offers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fumi_kernel::schema::Object;
use serde_json::{Value, json};

/// The beginning of a reference to a component.
const COMPONENTS: &str = "#/components/schemas/";
/// The words for what has no name of its own: the items of an array, and the values of an object with any keys.
const ITEM: &str = "item";
const VALUE: &str = "value";

/// A tool's schemas.
#[derive(Debug)]
pub struct ToolSchemas<'n> {
    /// The name of the tool.
    pub name: &'n str,
    /// The schema of the arguments.
    pub arguments: Object,
    /// The schema of the reply.
    pub reply: Object,
}

/// The components, and the schemas of the tools as references to them.
#[derive(Debug)]
pub struct Components {
    schemas: BTreeMap<String, Value>,
    /// The arguments and the reply of each tool.
    calls: BTreeMap<String, (Value, Value)>,
}

impl Components {
    /// Makes the components of these tools, besides those that the document has in any case.
    pub fn new(calls: Vec<ToolSchemas<'_>>, fixed: BTreeMap<String, Value>) -> Self {
        let mut taken: BTreeSet<String> = fixed.keys().cloned().collect();
        let mut roots = Vec::new();
        for call in calls {
            for (kind, schema) in [("arguments", call.arguments), ("reply", call.reply)] {
                roots.push(([call.name, kind], schema));
            }
        }
        let mut parts = SchemaPlaces::default();
        for (place, schema) in &roots {
            parts.count(schema, place);
        }
        let mut names = HashMap::new();
        for (place, schema) in &roots {
            let least = if place[1] == "reply" { 1 } else { 2 };
            let places = parts.places.get(schema).map_or(0, Vec::len);
            if places >= least && !names.contains_key(schema) {
                names.insert(schema, claim(&mut taken, root_names(*place)));
            }
        }
        for &schema in &parts.order {
            let places = &parts.places[schema];
            if places.len() > 1 && !names.contains_key(schema) {
                names.insert(schema, claim(&mut taken, part_names(&places[0])));
            }
        }

        let mut writer = ReferenceWriter { names, schemas: fixed };
        let mut calls = BTreeMap::<String, (Value, Value)>::new();
        for ([tool, kind], schema) in &roots {
            let call = calls.entry((*tool).to_owned()).or_default();
            let side = if *kind == "reply" { &mut call.1 } else { &mut call.0 };
            *side = writer.reference(schema);
        }
        let schemas = writer.schemas;
        Self { schemas, calls }
    }

    /// Returns the schema of a tool's arguments.
    pub fn arguments(&self, tool: &str) -> Option<&Value> {
        Some(&self.calls.get(tool)?.0)
    }

    /// Returns the schema of a tool's reply.
    pub fn reply(&self, tool: &str) -> Option<&Value> {
        Some(&self.calls.get(tool)?.1)
    }

    /// Returns the components that a document refers to, and those that these refer to, sorted by name.
    pub fn used_by(&self, document: &Value) -> Object {
        let mut used = BTreeMap::<&str, &Value>::new();
        let mut open = vec![document];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(fields) => {
                    let target = fields.get("$ref").and_then(Value::as_str);
                    if let Some(name) = target.and_then(|target| target.strip_prefix(COMPONENTS))
                        && let Some(schema) = self.schemas.get(name)
                        && used.insert(name, schema).is_none()
                    {
                        open.push(schema);
                    }
                    open.extend(fields.values());
                }
                _ => {}
            }
        }
        used.into_iter().map(|(name, schema)| (name.to_owned(), schema.clone())).collect()
    }
}

/// The meaning of a keyword's value, as far as it can contain other schemas. Everything else, such as `enum`, is data.
enum SchemaKeyword {
    Properties,
    One(&'static str),
    Variants,
    Nothing,
}

impl SchemaKeyword {
    fn for_keyword(keyword: &str) -> Self {
        match keyword {
            "properties" => Self::Properties,
            "items" => Self::One(ITEM),
            "additionalProperties" => Self::One(VALUE),
            "anyOf" | "oneOf" | "allOf" => Self::Variants,
            _ => Self::Nothing,
        }
    }
}

/// True if a schema can be a component. A schema without properties is hardly longer than a reference to it.
fn has_properties(schema: &Object) -> bool {
    schema.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty())
}

/// The places at which each object with properties occurs.
#[derive(Default)]
struct SchemaPlaces<'a> {
    /// The places of each object; a place is the words that lead to it, beginning with the tool.
    places: HashMap<&'a Object, Vec<Vec<&'a str>>>,
    /// The objects in the order of their first places. The order of the map would differ from process to process.
    order: Vec<&'a Object>,
}

impl<'a> SchemaPlaces<'a> {
    fn count(&mut self, schema: &'a Object, place: &[&'a str]) {
        if has_properties(schema) {
            let places = self.places.entry(schema).or_default();
            places.push(place.to_vec());
            // The object will be a component, so its parts, which are counted already, are written only once.
            if places.len() > 1 {
                return;
            }
            self.order.push(schema);
        }
        for (keyword, value) in schema {
            match (SchemaKeyword::for_keyword(keyword), value) {
                (SchemaKeyword::Properties, Value::Object(properties)) => {
                    for (name, property) in properties {
                        self.count_inner(property, place, Some(name.as_str()));
                    }
                }
                (SchemaKeyword::One(word), value) => self.count_inner(value, place, Some(word)),
                (SchemaKeyword::Variants, Value::Array(variants)) => {
                    for variant in variants {
                        self.count_inner(variant, place, None);
                    }
                }
                _ => {}
            }
        }
    }

    fn count_inner(&mut self, schema: &'a Value, place: &[&'a str], word: Option<&'a str>) {
        if let Some(schema) = schema.as_object() {
            let place: Vec<_> = place.iter().copied().chain(word).collect();
            self.count(schema, &place);
        }
    }
}

/// Replaces parts by references.
struct ReferenceWriter<'a> {
    names: HashMap<&'a Object, String>,
    /// The components so far.
    schemas: BTreeMap<String, Value>,
}

impl ReferenceWriter<'_> {
    /// Returns a reference if the schema is a component, otherwise its content.
    fn reference(&mut self, schema: &Object) -> Value {
        let name = if has_properties(schema) { self.names.get(schema).cloned() } else { None };
        let Some(name) = name else {
            return self.content(schema);
        };
        let reference = json!({"$ref": format!("{COMPONENTS}{name}")});
        if self.schemas.contains_key(&name) {
            return reference;
        }
        let content = self.content(schema);
        self.schemas.insert(name, content);
        reference
    }

    /// Returns a schema with references instead of its parts.
    fn content(&mut self, schema: &Object) -> Value {
        let mut written = Object::new();
        for (keyword, value) in schema {
            let value = match (SchemaKeyword::for_keyword(keyword), value) {
                (SchemaKeyword::Properties, Value::Object(properties)) => {
                    let properties = properties.iter();
                    Value::Object(properties.map(|(name, one)| (name.clone(), self.inner(one))).collect())
                }
                (SchemaKeyword::One(_), value) => self.inner(value),
                (SchemaKeyword::Variants, Value::Array(variants)) => {
                    variants.iter().map(|one| self.inner(one)).collect()
                }
                _ => value.clone(),
            };
            written.insert(keyword.clone(), value);
        }
        Value::Object(written)
    }

    fn inner(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(schema) => self.reference(schema),
            other => other.clone(),
        }
    }
}

/// Takes the first name that is free, or the last one with a number.
fn claim(taken: &mut BTreeSet<String>, names: impl IntoIterator<Item = String>) -> String {
    let mut last = String::new();
    for name in names {
        if taken.insert(name.clone()) {
            return name;
        }
        last = name;
    }
    let mut number = 2;
    loop {
        let name = format!("{last}{number}");
        if taken.insert(name.clone()) {
            return name;
        }
        number += 1;
    }
}

/// Returns names for a tool's own schema, best first: `ListFilesReply`. A number at the end of the tool's name is left
/// out if possible, because tools whose names differ only in a number have the same reply.
fn root_names(place: [&str; 2]) -> [String; 2] {
    let [tool, kind] = place;
    let unnumbered = match tool.rsplit_once('_') {
        Some((begin, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => begin,
        _ => tool,
    };
    [pascal(&[unnumbered, kind]), pascal(&[tool, kind])]
}

/// Returns names for a schema that occurs at several places, best first: the property at the first place, then longer
/// names, each of which begins one enclosing property earlier, up to the tool.
fn part_names(place: &[&str]) -> Vec<String> {
    let property = place.iter().rposition(|word| *word != ITEM && *word != VALUE);
    let names = (0..=property.unwrap_or_default()).rev().map(|begin| pascal(&place[begin..]));
    // A property without a Latin letter has no name of its own.
    names.filter(|name| !name.is_empty()).collect()
}

/// Joins words to a name of a component, which may contain letters and digits only.
fn pascal(words: &[&str]) -> String {
    let mut name = String::new();
    for word in words {
        for word in word.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            let mut letters = word.chars();
            name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            name.push_str(letters.as_str());
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::{Components, ToolSchemas};
    use fumi_kernel::schema::Object;

    fn object(value: &Value) -> Object {
        value.as_object().cloned().unwrap_or_default()
    }

    fn closed(properties: &Value) -> Value {
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }

    /// Returns the components of tools with these replies, and without arguments.
    fn replying(replies: &[(&'static str, Value)]) -> Components {
        let calls = replies.iter().map(|(name, reply)| ToolSchemas {
            name,
            arguments: object(&json!({"type": "object"})),
            reply: object(reply),
        });
        let fixed = BTreeMap::from([("Error".to_owned(), json!({"type": "object"}))]);
        Components::new(calls.collect(), fixed)
    }

    fn reference(name: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    #[test]
    fn equal_schemas_are_one_component_in_any_order_of_keys() {
        let page = closed(&json!({"cursor": {"type": "string"}}));
        let same =
            json!({"additionalProperties": false, "properties": {"cursor": {"type": "string"}}, "type": "object"});
        let made = replying(&[
            ("step_1", closed(&json!({"next": page}))),
            ("step_2", closed(&json!({"next": same}))),
            ("find", closed(&json!({"next": page, "pages": {"type": "array", "items": same}}))),
        ]);
        assert_eq!(made.reply("step_1"), Some(&reference("StepReply")));
        assert_eq!(made.reply("step_2"), Some(&reference("StepReply")));
        assert_eq!(made.reply("find"), Some(&reference("FindReply")));
        assert_eq!(made.arguments("find"), Some(&json!({"type": "object"})));
        let names: Vec<_> = made.schemas.keys().map(String::as_str).collect();
        assert_eq!(names, ["Error", "FindReply", "Next", "StepReply"]);
        assert_eq!(made.schemas["Next"], page);
        let items = &made.schemas["FindReply"]["properties"]["pages"]["items"];
        assert_eq!(items, &reference("Next"));
        // A server that offers one tool has only what that tool needs, under the same names.
        let used = made.used_by(&json!([made.reply("step_2")]));
        assert_eq!(used.keys().collect::<Vec<_>>(), ["Next", "StepReply"]);
    }

    #[test]
    fn different_schemas_never_share_a_name() {
        let kind = |kind: &str| closed(&json!({"at": {"type": kind}}));
        let twice =
            |kind: &Value| closed(&json!({"error": kind, "errors": {"items": {"properties": {"error": kind}}}}));
        let made = replying(&[
            ("step_1", twice(&kind("string"))),
            ("step_2", twice(&kind("integer"))),
            ("step_3", twice(&kind("number"))),
        ]);
        for (step, name, part, kind) in [
            ("step_1", "StepReply", "ReplyError", "string"),
            ("step_2", "Step2Reply", "Step2ReplyError", "integer"),
            ("step_3", "Step3Reply", "Step3ReplyError", "number"),
        ] {
            assert_eq!(made.reply(step), Some(&reference(name)));
            assert_eq!(made.schemas[name]["properties"]["error"], reference(part));
            assert_eq!(made.schemas[part]["properties"]["at"]["type"], kind);
        }
        assert_eq!(made.schemas["Error"], json!({"type": "object"}));
    }
}
