//! The toolset of a suggested tool that the caller's URL, or `--toolsets` of the command line, does not contain.

use fumi_base::text::Locale;
use serde_json::{Map, json};

use super::{
    Caller, ToolReply, ToolSpec,
    catalogue::{Catalogue, ToolEntry},
};

/// Adds to the reply of an error the toolset of the suggested tool, if the caller's URL does not contain it.
pub(super) fn name_missing_toolset(reply: &mut ToolReply, failed: &ToolEntry, catalogue: &Catalogue, caller: &Caller) {
    let action = reply.structured["error"]["guidance"]["suggested_action"].as_str().unwrap_or_default();
    let Some(entry) = catalogue.entries().iter().find(|entry| entry.spec.name == action) else { return };
    let ToolSpec { name: tool, toolset, .. } = entry.spec;
    // An internal caller has no URL: its scope does not contain the failed tool either.
    if entry.spec.is_in(&caller.access.scope) || !failed.spec.is_in(&caller.access.scope) {
        return;
    }
    let said = match caller.locale {
        Locale::En => format!(" This connection does not offer {tool}: add its toolset, {toolset}."),
        Locale::Ja => {
            format!(" この接続では {tool} を使えません。ツールセット {toolset} も選んでください。")
        }
    };
    reply.text.push_str(&said);
    // Some families repeat the guidance under another name.
    let parts = reply.structured["error"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for guidance in parts.filter(|part| part["suggested_action"] == tool) {
        let explanation = guidance["explanation"].as_str().unwrap_or_default();
        guidance["explanation"] = json!(format!("{explanation}{said}"));
    }
}
