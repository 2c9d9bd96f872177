//! Every kind of fault in many texts: the findings of all rules, compared with those in the clean texts.
//!
//! Invariant: a finding counts as new only if the clean text has none of the same rule at the same place, shifted by
//! the change, nor on a line of the same words. Each clean text is checked once: all kinds share it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
    path::Path,
    rc::Rc,
};

use fumi_novel::checks::{CheckMaterial, Finding, RuleGroup, ids, run_rules};

use crate::{
    inputs::{Origin, texts, window, with_material},
    kinds::{Fault, Faulty, KINDS, Kind},
};

/// Texts of each origin that a kind is put into.
pub(crate) const SEEDS: usize = 25;

/// How many seeds are tried until that many texts had a place.
const TRIED: u64 = 150;

/// A text with a fault, and its new findings.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) kind: &'static Kind,
    pub(crate) origin: Origin,
    pub(crate) seed: u64,
    /// The text before.
    pub(crate) clean: Rc<String>,
    pub(crate) faulty: Faulty,
    /// Findings that the clean text does not have.
    pub(crate) fresh: Vec<Finding>,
}

/// The figures of a rule in the texts of one origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// Texts with the fault.
    pub(crate) injected: usize,
    /// Texts in which the rule finds the whole fault.
    pub(crate) found: usize,
    /// New findings of the rule in the faulty texts of all kinds.
    pub(crate) fresh: usize,
    /// New findings about a fault of the rule's own kind.
    pub(crate) right: usize,
    /// New findings about a fault of another kind, which do not count as wrong.
    pub(crate) also: usize,
}

impl Row {
    /// Returns the found faults as a share of all faults.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn recall(&self) -> Option<f64> {
        (self.injected > 0).then(|| self.found as f64 / self.injected as f64)
    }

    /// Returns the right findings as a share of those that could be wrong.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn precision(&self) -> Option<f64> {
        let judged = self.fresh - self.also;
        (judged > 0).then(|| self.right as f64 / judged as f64)
    }
}

/// Puts every kind into texts of both origins.
pub(crate) fn run(root: &Path) -> Vec<Case> {
    Origin::ALL
        .into_iter()
        .flat_map(|origin| of_origin(root, origin))
        .collect()
}

fn of_origin(root: &Path, origin: Origin) -> Vec<Case> {
    let texts = texts(root, origin);
    let mut cases = Vec::new();
    let mut injected = [0; KINDS.len()];
    for seed in 0..TRIED {
        if injected.iter().all(|count| *count == SEEDS) {
            break;
        }
        let clean = Rc::new(window(&texts, seed).manuscript);
        let faults: Vec<(&'static Kind, Faulty)>;
        let before;
        (before, faults) = with_material(&clean, |material| {
            let mut faults = Vec::new();
            for (kind, count) in KINDS.iter().zip(&mut injected) {
                if *count < SEEDS
                    && let Some(faulty) = kind.inject(material, seed)
                {
                    *count += 1;
                    faults.push((kind, faulty));
                }
            }
            (Known::of(material), faults)
        });
        for (kind, faulty) in faults {
            let fresh = with_material(&faulty.text, |material| before.fresh(material, &faulty.fault));
            cases.push(Case {
                kind,
                origin,
                seed,
                clean: Rc::clone(&clean),
                faulty,
                fresh,
            });
        }
    }
    cases
}

/// The findings in a clean text.
struct Known {
    findings: Vec<Finding>,
    ids: HashSet<String>,
}

fn all(material: &CheckMaterial<'_>) -> Vec<Finding> {
    run_rules(material, &RuleGroup::ALL, &|| false).expect("the call is not cancelled")
}

impl Known {
    fn of(material: &CheckMaterial<'_>) -> Self {
        let findings = all(material);
        let ids = ids(material, &findings).into_iter().map(|(id, _)| id).collect();
        Self { findings, ids }
    }

    /// Returns the findings in the text with a fault that the clean text does not have.
    fn fresh(&self, material: &CheckMaterial<'_>, fault: &Fault) -> Vec<Finding> {
        let moved = self
            .findings
            .iter()
            .map(|known| (known.rule, fault.moved(&known.source)));
        let moved: HashSet<(&str, Range<usize>)> = moved.collect();
        let findings = all(material);
        let ids = ids(material, &findings);
        let with_ids = findings.into_iter().zip(ids);
        let fresh = with_ids.filter(|(finding, (id, _))| {
            !moved.contains(&(finding.rule, finding.source.clone())) && !self.ids.contains(id)
        });
        fresh.map(|(finding, _)| finding).collect()
    }
}

/// True if two ranges overlap; a finding about a whole text is at a byte.
pub(crate) fn touch(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end.max(other.start + 1) && other.start < one.end.max(one.start + 1)
}

impl Case {
    /// True if the kind's own rule finds the whole fault.
    pub(crate) fn is_found(&self) -> bool {
        let own = || self.fresh.iter().filter(|finding| finding.rule == self.kind.name);
        let mut expected = self.faulty.fault.expected.iter();
        expected.all(|range| own().any(|finding| touch(&finding.source, range)))
    }

    /// True if a finding is about the fault.
    pub(crate) fn is_at_place(&self, finding: &Finding) -> bool {
        let place = self.faulty.fault.place();
        place.iter().any(|range| touch(&finding.source, range))
    }

    /// Returns a finding or a fault with some characters around it.
    pub(crate) fn shown(&self, range: &Range<usize>) -> String {
        const AROUND: usize = 12;
        const LONGEST: usize = 40;
        let text = &self.faulty.text;
        let from = text[..range.start]
            .char_indices()
            .rev()
            .nth(AROUND - 1)
            .map_or(0, |(at, _)| at);
        let to = text[range.end..]
            .char_indices()
            .nth(AROUND)
            .map_or(text.len(), |(at, _)| range.end + at);
        let within: String = text[range.clone()].chars().take(LONGEST).collect();
        format!("{}⟦{within}⟧{}", &text[from..range.start], &text[range.end..to]).replace('\n', "⏎")
    }
}

/// Returns for each kind the figures of its rule in the texts of one origin.
pub(crate) fn rows(cases: &[Case], origin: Origin) -> Vec<(&'static Kind, Row)> {
    let mut rows: HashMap<&str, Row> = HashMap::new();
    for case in cases.iter().filter(|case| case.origin == origin) {
        let row = rows.entry(case.kind.name).or_default();
        row.injected += 1;
        row.found += usize::from(case.is_found());
        for finding in &case.fresh {
            let row = rows.entry(finding.rule).or_default();
            row.fresh += 1;
            let is_at_place = case.is_at_place(finding);
            row.right += usize::from(is_at_place && finding.rule == case.kind.name);
            row.also += usize::from(is_at_place && finding.rule != case.kind.name);
        }
    }
    let of = |kind: &'static Kind| (kind, rows.get(kind.name).copied().unwrap_or_default());
    KINDS.iter().map(of).collect()
}

/// Returns how often other rules find a fault too: by kind, then by rule.
pub(crate) fn also(cases: &[Case]) -> BTreeMap<&'static str, BTreeMap<&'static str, usize>> {
    let mut also: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (case, finding) in fresh(cases) {
        if finding.rule != case.kind.name && case.is_at_place(finding) {
            *also.entry(case.kind.name).or_default().entry(finding.rule).or_default() += 1;
        }
    }
    also
}

/// Returns new findings at places without a fault, by rule.
pub(crate) fn elsewhere(cases: &[Case]) -> BTreeMap<&'static str, Vec<(&Case, &Finding)>> {
    let mut elsewhere: BTreeMap<&str, Vec<(&Case, &Finding)>> = BTreeMap::new();
    for (case, finding) in fresh(cases) {
        if !case.is_at_place(finding) {
            elsewhere.entry(finding.rule).or_default().push((case, finding));
        }
    }
    elsewhere
}

fn fresh(cases: &[Case]) -> impl Iterator<Item = (&Case, &Finding)> {
    cases
        .iter()
        .flat_map(|case| case.fresh.iter().map(move |finding| (case, finding)))
}
