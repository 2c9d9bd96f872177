//! What a client calls an element, and the other forms in which it may say so.
//!
//! Published is one string, since a choice of forms in a schema is what many clients refuse and every tool would pay for.
//! Here the forms are brought to that string; what it means on a page is not decided here.

use fumi_browser::{Aim, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// An element as the client names it: `e12`, CSS, `text=Save`, `role=button[name="Save"]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Named(String);

impl Named {
    /// As the browser understands it.
    pub(super) fn target(&self) -> Target {
        Target::Written(self.0.clone())
    }
}

/// Where to point: at an element or at a place. A rule of the tools sees to it that one of them is there.
pub(super) fn aim(target: Option<&Named>, coordinate: Option<[f64; 2]>) -> Aim {
    match (target, coordinate) {
        (Some(named), _) => Aim::Target(named.target()),
        (None, place) => {
            let [x, y] = place.unwrap_or_default();
            Aim::Point(x, y)
        }
    }
}

/// Arguments that name an element.
const TARGETS: [&str; 3] = ["target", "startTarget", "endTarget"];
/// What an element is for people: other servers ask for it, and nothing is done with it.
const REMARKS: [&str; 3] = ["element", "startElement", "endElement"];

/// Brings every form of naming an element to the string, also in the fields of a form.
pub(super) fn plain(arguments: &mut Map<String, Value>) {
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
        if let Some(text) = arguments.get(name).and_then(Value::as_object).and_then(written) {
            arguments.insert(name.to_owned(), Value::from(text));
        }
    }
}

/// `{role, name}`, `{text}` and the like as one string; `None` for what is neither, which the schema then refuses.
fn written(target: &Map<String, Value>) -> Option<String> {
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

    use super::plain;

    fn plained(mut arguments: Value) -> Value {
        if let Some(fields) = arguments.as_object_mut() {
            plain(fields);
        }
        arguments
    }

    #[test]
    fn objects_become_the_published_string() {
        for (object, text) in [
            (
                json!({"role": "button", "name": "Say \"hi\""}),
                r#"role=button[name="Say \"hi\""]"#,
            ),
            (json!({"role": "main"}), "role=main"),
            (json!({"text": "Save"}), "text=Save"),
            (json!({"ref": "e12"}), "e12"),
            (json!({"selector": "#save"}), "#save"),
            (json!("e12"), "e12"),
        ] {
            assert_eq!(plained(json!({"target": object})), json!({"target": text}));
        }
        let drag = json!({"startTarget": {"text": "A"}, "endTarget": {"role": "list"}, "startElement": "a", "endElement": "b"});
        assert_eq!(
            plained(drag),
            json!({"startTarget": "text=A", "endTarget": "role=list"})
        );
    }

    #[test]
    fn what_is_no_form_of_a_target_stays_for_the_schema_to_refuse() {
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
