//! Rule `long_paragraph`: finds paragraphs of narration that fill the screen, and proposes where to divide them.

use std::ops::Range;

use super::RuleReporter;
use crate::{
    checks::{
        Severity,
        finding::Finding,
        material::{CheckMaterial, Prose},
    },
    manuscript::{CharacterCounts, SpanKind, TextVoice},
    text::ManuscriptSentence,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (long, very_long) = (found.limit("long"), found.limit("very_long"));
    let sentences = material.sentences();
    // A page of a book holds paragraphs that fill a screen.
    let (at_long, at_very_long) = if material.context().is_on_screen() {
        (Severity::Medium, Severity::High)
    } else {
        (Severity::Low, Severity::Medium)
    };
    let (mut findings, mut paragraphs) = (Vec::new(), 0);
    for prose in material.paragraphs() {
        let from = sentences.partition_point(|sentence| sentence.line < prose.line);
        let to = sentences.partition_point(|sentence| sentence.line <= prose.line);
        let Some(first) = sentences[from..to].first().filter(|first| first.voice == TextVoice::Narration) else {
            continue;
        };
        paragraphs += 1;
        let count = CharacterCounts::count(&material.text()[prose.visible.clone()]).characters;
        if count <= long {
            continue;
        }
        let severity = if count > very_long { at_very_long } else { at_long };
        let mut finding = Finding::at(first.source()).with("count", count).with("limit", long);
        for gap in divided(material, &prose, &sentences[from..to], long) {
            finding = finding.with_edit(gap, break_of(material, &prose));
        }
        findings.push((severity, finding));
    }
    found.push_habit(findings, paragraphs);
}

/// Returns the line end and the indent that separate two parts of the paragraph.
fn break_of(material: &CheckMaterial<'_>, prose: &Prose) -> String {
    let source = material.manuscript().source();
    let text = &source[prose.source.clone()];
    let indent = &text[..text.len() - text.trim_start().len()];
    let end = if source[prose.source.end..].starts_with("\r\n") { "\r\n" } else { "\n" };
    format!("{end}{indent}")
}

/// Returns the source gaps at which to divide a paragraph so that no part is longer than allowed, as far as its
/// sentences permit.
fn divided(
    material: &CheckMaterial<'_>,
    prose: &Prose,
    sentences: &[ManuscriptSentence],
    long: usize,
) -> Vec<Range<usize>> {
    let gaps = gaps(material, prose, sentences);
    // The number of characters before each gap.
    let counts = gaps.iter().map(|gap| gap.before).collect::<Vec<_>>();
    let all = CharacterCounts::count(&material.text()[prose.visible.clone()]).characters;
    let mut chosen = Vec::new();
    let mut parts = vec![(0, 0..gaps.len(), all)];
    while let Some((from, within, to)) = parts.pop() {
        if to - from <= long || within.is_empty() {
            continue;
        }
        // In units of half a character, so that the middle is exact; of two equally near gaps the earlier one.
        let nearest = within.clone().min_by_key(|gap| (2 * counts[*gap]).abs_diff(from + to));
        let Some(gap) = nearest else { continue };
        chosen.push(gap);
        parts.push((from, within.start..gap, counts[gap]));
        parts.push((counts[gap], gap + 1..within.end, to));
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|gap| gaps[gap].source.clone()).collect()
}

/// A gap between two sentences of narration.
struct Gap {
    source: Range<usize>,
    /// The number of characters of the paragraph before the gap.
    before: usize,
}

fn gaps(material: &CheckMaterial<'_>, prose: &Prose, sentences: &[ManuscriptSentence]) -> Vec<Gap> {
    let manuscript = material.manuscript();
    let spans = manuscript.spans();
    let first = spans.partition_point(|span| span.range.start < prose.source.start);
    let within = spans[first..].iter().take_while(|span| span.range.start < prose.source.end);
    let marked: Vec<&Range<usize>> = within
        .filter(|span| matches!(span.kind, SpanKind::Emphasis(_) | SpanKind::Ruby { .. } | SpanKind::Note(_)))
        .map(|span| &span.range)
        .collect();
    let (mut gaps, mut end, mut before, mut counted) = (Vec::new(), 0, 0, prose.visible.start);
    let mut covered = 0;
    for (one, next) in sentences.iter().zip(sentences.iter().skip(1)) {
        end = end.max(one.visible().end);
        let is_outer = one.visible().end == end && next.visible().start >= end;
        if !is_outer || one.voice != TextVoice::Narration || next.voice != TextVoice::Narration {
            continue;
        }
        let source = one.source().end..next.source().start;
        while covered < marked.len() && marked[covered].end <= source.start {
            covered += 1;
        }
        let is_marked = marked.get(covered).is_some_and(|mark| mark.start < source.end);
        if is_marked || !manuscript.source()[source.clone()].trim().is_empty() {
            continue;
        }
        before += CharacterCounts::count(&material.text()[counted..end]).characters;
        counted = end;
        gaps.push(Gap { source, before });
    }
    gaps
}
