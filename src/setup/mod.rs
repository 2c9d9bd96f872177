//! Commands that help a person to set fumi up: `fumi doctor` and `fumi connect`. Their texts are in `texts.toml`.

pub mod connect;
pub mod doctor;

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use fumi_base::{
    template,
    text::{BilingualText, Locale},
};

static TEXTS: LazyLock<BTreeMap<String, BilingualText>> =
    LazyLock::new(|| toml::from_str(include_str!("texts.toml")).expect("a test reads it"));

/// Returns a text in one language, with its placeholders filled by facts.
fn text(locale: Locale, name: &str, facts: &[(&str, &str)]) -> String {
    let text = TEXTS.get(name).map_or("?", |text| text.get(locale));
    let fact = |name: &str| facts.iter().find(|(known, _)| *known == name).map(|(_, fact)| Cow::Borrowed(*fact));
    template::fill(text, ("{", "}"), fact)
}

#[cfg(test)]
mod tests {
    use super::TEXTS;

    #[test]
    fn every_text_is_used_and_every_fault_has_a_next_step() {
        let sources = [include_str!("doctor.rs"), include_str!("connect.rs")].concat();
        for name in TEXTS.keys() {
            let used = name.strip_suffix("_next").unwrap_or(name);
            assert!(sources.contains(&format!("\"{used}\"")), "{name} is not used");
        }
        for call in sources.split("report.fault(\"").skip(1) {
            let name = call.split('"').next().unwrap_or_default();
            assert!(TEXTS.contains_key(&format!("{name}_next")), "{name} has no next step");
        }
    }
}
