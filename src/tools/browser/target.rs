//! The names of elements in calls, and the conversion of their alternative forms.
//!
//! The published schema has one string: many clients reject a choice of forms, and every tool's schema would grow. This
//! module converts the other forms to that string; it does not interpret the string.

use fumi_browser::{Aim, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// An element as the client names it: `e12`, CSS, `text=Save`, `role=button[name="Save"]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TargetArg(String);

impl TargetArg {
    /// Returns the target as `fumi-browser` takes it.
    pub(super) fn target(&self) -> Target {
        Target::Written(self.0.clone())
    }
}

/// Returns the element or point that a call names. The tools' rules ensure that one of them is given.
pub(super) fn aim(target: Option<&TargetArg>, coordinate: Option<[f64; 2]>) -> Aim {
    match (target, coordinate) {
        (Some(named), _) => Aim::Target(named.target()),
        (None, place) => {
            let [x, y] = place.unwrap_or_default();
            Aim::Point(x, y)
        }
    }
}

/// The arguments that name an element.
const TARGETS: [&str; 3] = ["target", "startTarget", "endTarget"];
/// The arguments that describe an element for people. Other servers require them; they are ignored here.
const REMARKS: [&str; 3] = ["element", "startElement", "endElement"];

/// Converts every form of naming an element to the string, including the fields of a form.
pub(super) fn normalise_targets(arguments: &mut Map<String, Value>) {
    elements(arguments);
    let fields = arguments.get_mut("fields").and_then(Value::as_array_mut);
    for field in fields.into_iter().flatten().filter_map(Value::as_object_mut) {
        for other in ["ref", "selector"] {
            if !field.contains_key("target")
                && let Some(value) = field.remove(other)
            {
                field.insert("target".to_owned(), value);
            }
        }
        elements(field);
    }
}

fn elements(arguments: &mut Map<String, Value>) {
    for remark in REMARKS {
        if arguments.get(remark).is_some_and(Value::is_string) {
            arguments.remove(remark);
        }
    }
    for name in TARGETS {
        if let Some(text) = arguments.get(name).and_then(Value::as_object).and_then(target_from_object) {
            arguments.insert(name.to_owned(), Value::from(text));
        }
    }
}

/// Converts `{role, name}`, `{text}` and similar objects to one string. Returns `None` for any other object, which the
/// schema then rejects.
fn target_from_object(target: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| target.get(name).and_then(Value::as_str);
    let only = |names: &[&str]| target.keys().all(|key| names.contains(&key.as_str()));
    if let Some(role) = text("role") {
        let name = text("name").map(|name| format!("[name={}]", Value::from(name)));
        return only(&["role", "name"]).then(|| format!("role={role}{}", name.unwrap_or_default()));
    }
    if let Some(said) = text("text") {
        return only(&["text"]).then(|| format!("text={said}"));
    }
    let same = ["ref", "selector", "target"].into_iter().find_map(text)?;
    (target.len() == 1).then(|| same.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::normalise_targets;

    fn plained(mut arguments: Value) -> Value {
        if let Some(fields) = arguments.as_object_mut() {
            normalise_targets(fields);
        }
        arguments
    }

    #[test]
    fn objects_become_the_published_string() {
        for (object, text) in [
            (json!({"role": "button", "name": "Say \"hi\""}), r#"role=button[name="Say \"hi\""]"#),
            (json!({"role": "main"}), "role=main"),
            (json!({"text": "Save"}), "text=Save"),
            (json!({"ref": "e12"}), "e12"),
            (json!({"selector": "#save"}), "#save"),
            (json!("e12"), "e12"),
        ] {
            assert_eq!(plained(json!({"target": object})), json!({"target": text}));
        }
        let drag = json!({"startTarget": {"text": "A"}, "endTarget": {"role": "list"}, "startElement": "a", "endElement": "b"});
        assert_eq!(plained(drag), json!({"startTarget": "text=A", "endTarget": "role=list"}));
    }

    #[test]
    fn unknown_target_forms_are_left_to_the_schema() {
        for other in [
            json!({"role": "button", "nam": "Save"}),
            json!({"role": 1}),
            json!({}),
            json!({"text": "a", "ref": "e1"}),
            json!(7),
        ] {
            let arguments = json!({"target": other});
            assert_eq!(plained(arguments.clone()), arguments);
        }
        assert_eq!(plained(json!({"element": 7})), json!({"element": 7}));
    }

    #[test]
    fn fields_of_a_form_have_the_same_forms() {
        let form = json!({"fields": [{"element": "User", "ref": "e1", "value": "x"}, {"target": {"text": "Mail"}, "value": "y"}, 3]});
        let expected = json!({"fields": [{"value": "x", "target": "e1"}, {"target": "text=Mail", "value": "y"}, 3]});
        assert_eq!(plained(form), expected);
    }
}
