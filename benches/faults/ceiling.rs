//! Findings of the rules in 坊っちゃん, a text that needs no correction: an upper limit of false findings.
//!
//! The text is read as Aozora Bunko distributes it, with rubies and notes. Findings that only inform are not counted.

use std::{collections::BTreeMap, path::Path};

use fumi_novel::{
    checks::{AnalysedDraft, CheckMaterial, NovelContext, RULES, RuleGroup, Severity, Tuning, run_rules},
    manuscript::Manuscript,
    morphology::Ipadic,
    text::Sentences,
};

use crate::inputs::bocchan;

/// The maximum number of findings in 1,000 characters, for each group.
pub(crate) const MOST: f64 = 1.0;

/// By rule: findings above information, and those that only inform.
pub(crate) type Counts = BTreeMap<&'static str, (usize, usize)>;

/// The findings in a classic.
#[derive(Debug)]
pub(crate) struct Ceiling {
    /// Visible characters of the story.
    pub(crate) characters: usize,
    /// The findings of the rules of each group.
    pub(crate) groups: Vec<(RuleGroup, Counts)>,
}

pub(crate) fn run(root: &Path) -> Ceiling {
    let manuscript: Manuscript = bocchan(root);
    let draft = AnalysedDraft {
        sentences: Sentences::find(&manuscript),
        manuscript,
    };
    let (context, tuning) = (NovelContext::default(), Tuning::default());
    let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
    let groups = RuleGroup::ALL.map(|group| {
        let mut rules = Counts::new();
        let own = RULES.iter().filter(|rule| rule.page.group == group);
        rules.extend(own.map(|rule| (rule.name, (0, 0))));
        for finding in run_rules(&material, &[group], &|| false).expect("the call is not cancelled") {
            let counts = rules.entry(finding.rule).or_default();
            if finding.severity > Severity::Info {
                counts.0 += 1;
            } else {
                counts.1 += 1;
            }
        }
        (group, rules)
    });
    Ceiling {
        characters: material.characters(),
        groups: groups.into(),
    }
}

impl Ceiling {
    /// Returns the findings above information in 1,000 characters.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub(crate) fn rate(&self, rules: &Counts) -> f64 {
        let found: usize = rules.values().map(|(above, _)| above).sum();
        found as f64 * 1e3 / self.characters.max(1) as f64
    }
}
