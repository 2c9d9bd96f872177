//! `browser_fill_form`: sets several fields of a form in one call, each in the way of its kind.

use fumi_base::text::BilingualText;
use fumi_browser::{self as browser, FieldKind};
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    ACTS, DefaultExpectation,
    errors::BrowserCallError,
    fill_reply::FillOutput,
    on_tab::{TabContext, TabTool},
    playwright::{self, CodeLine},
    target::TargetArg,
    texts,
};

#[derive(Debug)]
pub struct FillForm;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The fields, in the order in which they are set.
    #[schemars(length(min = 1))]
    pub fields: Vec<FormFieldArg>,
}

/// One field of a form.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FormFieldArg {
    /// The name of the field for people.
    pub name: Option<String>,
    /// The element of the field.
    pub target: TargetArg,
    /// The kind of the field; by default detected from the element.
    #[serde(rename = "type")]
    pub kind: Option<FieldKind>,
    /// The new value: a text, `true` or `false`, the label of an option, or a number.
    pub value: String,
}

impl FormFieldArg {
    fn code(&self) -> CodeLine {
        let value = playwright::quoted(&self.value);
        let call = match self.kind {
            Some(FieldKind::Checkbox | FieldKind::Radio) => format!("setChecked({})", self.value == "true"),
            Some(FieldKind::Combobox) => format!("selectOption({value})"),
            _ => format!("fill({value})"),
        };
        CodeLine::on(self.target.target(), &call)
    }
}

/// Returns the error of a field, with its index and the fields that are filled already.
fn stopped(error: browser::FormError) -> ToolError {
    let filled = match error.filled {
        0 => BilingualText::new("Nothing was filled.", "まだ何も入力していません。"),
        1 => BilingualText::new("Filled before it: fields[0].", "fields[0] は入力済みです。"),
        several => {
            let last = several - 1;
            BilingualText::new(
                format!("Filled before it: fields[0] to fields[{last}]."),
                format!("fields[0] から fields[{last}] までは入力済みです。"),
            )
        }
    };
    let index = error.index;
    let own =
        ToolError::from(error.error).with_detail("field", json!(index)).with_detail("filled", json!(error.filled));
    ToolError::combine(vec![own.clone(), BrowserCallError::FormStopped { index, filled }.into()]).unwrap_or(own)
}

impl TabTool for FillForm {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_fill_form",
        texts: texts!("browser_fill_form"),
        example: r#"{"fields": [{"target": "role=textbox[name=\"User\"]", "value": "Mika"}, {"target": "role=checkbox[name=\"Remember me\"]", "value": "true"}]}"#,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = FillOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        args.fields.iter().map(FormFieldArg::code).collect()
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<FillOutput, ToolError> {
        let fields: Vec<browser::FormField> = args
            .fields
            .into_iter()
            .map(|field| browser::FormField {
                target: field.target.target(),
                name: field.name,
                kind: field.kind,
                value: field.value,
            })
            .collect();
        let filled = on.tab.fill_form(&fields).await.map_err(stopped)?;
        Ok(FillOutput::from(filled.differing).stopped_at(filled.stopped_at))
    }
}
