//! Rule `contradiction`: reports passages that contradict the recorded states of the episodes, or the settings.

use super::RuleReporter;
use crate::checks::{correction::find_first, finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let own = material.context().episode;
    for one in &material.context().contradictions {
        // The passage may have been changed since the state was recorded.
        let Some(source) = find_first(material, &one.quote) else { continue };
        let (en, ja) = match one.episode {
            0 => ("the settings".to_owned(), "設定".to_owned()),
            episode if episode == own => ("this episode".to_owned(), "この話".to_owned()),
            episode => (format!("episode {episode}"), format!("第{episode}話")),
        };
        let finding = Finding::at(source)
            .with("where", en)
            .with("where_ja", ja)
            .with("other", &one.other_quote)
            .with("reason", &one.reason);
        found.push_with_severity(one.severity, finding);
    }
}
