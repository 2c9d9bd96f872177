//! `browser_fill_form`: sets several fields of a form in one call, each in the way of its kind.

use fumi_base::expectation::Expectation;
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    filled::Filled,
    on_tab::{On, TabTool},
    playwright::{self, Line},
    target::Named,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct FillForm;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The fields, in the order in which they are set.
    #[schemars(length(min = 1))]
    pub fields: Vec<Field>,
}

/// One field.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Field {
    /// What people call it.
    pub name: Option<String>,
    /// Which it is.
    pub target: Named,
    /// Its kind; seen from the element without.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// What it holds afterwards: a text, `true` or `false`, the label of an option, a number.
    pub value: String,
}

/// The kind of a field.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Takes a text.
    Textbox,
    /// `true` or `false`.
    Checkbox,
    /// `true` to choose it.
    Radio,
    /// The value or label of an option.
    Combobox,
    /// A number.
    Slider,
}

impl From<Kind> for browser::FieldKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Textbox => Self::Textbox,
            Kind::Checkbox => Self::Checkbox,
            Kind::Radio => Self::Radio,
            Kind::Combobox => Self::Combobox,
            Kind::Slider => Self::Slider,
        }
    }
}

impl Field {
    fn code(&self) -> Line {
        let value = playwright::quoted(&self.value);
        let call = match self.kind {
            Some(Kind::Checkbox | Kind::Radio) => format!("setChecked({})", self.value == "true"),
            Some(Kind::Combobox) => format!("selectOption({value})"),
            _ => format!("fill({value})"),
        };
        Line::on(self.target.target(), &call)
    }
}

impl TabTool for FillForm {
    const SPEC: Spec = Spec {
        name: "browser_fill_form",
        texts: texts!("browser_fill_form"),
        example: r#"{"fields": [{"target": "role=textbox[name=\"User\"]", "value": "Mika"}, {"target": "role=checkbox[name=\"Remember me\"]", "value": "true"}]}"#,
        ..ACTS
    };
    const IS_HASTY: bool = true;
    type Args = Args;
    type Done = Filled;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        args.fields.iter().map(Field::code).collect()
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Filled, ToolError> {
        let fields: Vec<browser::Field> = args
            .fields
            .into_iter()
            .map(|field| browser::Field {
                target: field.target.target(),
                name: field.name,
                kind: field.kind.map(Into::into),
                value: field.value,
            })
            .collect();
        Ok(on.tab.fill_form(&fields).await?.into())
    }
}
