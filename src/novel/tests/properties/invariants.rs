//! Invariants of parsed manuscripts: spans nest, offsets are character boundaries, nothing of the source is lost.

use std::ops::Range;

use fumi_novel::manuscript::{
    LineKind, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax, SpanKind, ThoughtBrackets,
};
use proptest::{prelude::*, sample::select};

use super::runner;

/// All signs of the notations, and some ordinary text.
pub(crate) const SIGNS: &[&str] = &[
    "「",
    "」",
    "『",
    "』",
    "（",
    "）",
    "《",
    "》",
    "《《",
    "》》",
    "｜",
    "|",
    "［＃",
    "］",
    "［",
    "※",
    "※［＃",
    "「あ」に傍点］",
    "［＃「あ」に傍点］",
    "［＃「漢字」は太字］",
    "［＃傍点］",
    "［＃傍点終わり］",
    "［＃太字］",
    "［＃太字終わり］",
    "［＃改ページ］",
    "［＃「あ」は中見出し］",
    "［＃大見出し］",
    "［＃大見出し終わり］",
    "［＃３字下げ］",
    "※［＃U+57FC］",
    "あ",
    "ア",
    "漢字",
    "々",
    "A1",
    "。",
    "！",
    "、",
    "　",
    " ",
    "**",
    "*",
    "{",
    "}",
    "{漢|か}",
    "《かん》",
    "# ",
    "## ",
    "第1話",
    "【前書き】",
    "【本文】",
    "【後書き】",
    "＊＊＊",
    "---",
    "----------",
    "底本：",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\n\n\n",
    "🙂",
    "𠮟",
    "\u{3099}",
    "\u{feff}",
    "か\u{3099}",
];

pub(crate) fn readings() -> impl Strategy<Value = ManuscriptOptions> {
    (any::<bool>(), any::<bool>()).prop_map(|(aozora, quotes)| ManuscriptOptions {
        syntax: if aozora { ManuscriptSyntax::Aozora } else { ManuscriptSyntax::Web },
        thoughts: if quotes { ThoughtBrackets::DoubleQuotes } else { ThoughtBrackets::Parentheses },
    })
}

#[test]
fn no_text_breaks_the_spans_or_loses_a_byte() {
    let texts = prop::collection::vec(select(SIGNS), 0..60).prop_map(|signs| signs.concat());
    let result = runner(6_000).run(&(texts, readings()), |(text, reading)| {
        let fault = fault_of(&Manuscript::read(text.as_str(), reading));
        prop_assert!(fault.is_none(), "{}\n{text:?}", fault.unwrap_or_default());
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Returns a violated invariant of a manuscript, if there is one.
pub(crate) fn fault_of(manuscript: &Manuscript) -> Option<String> {
    let source = manuscript.source();
    let faults = [
        spans_fault(manuscript),
        parts_fault(manuscript),
        visible_fault(manuscript),
        markup_fault(manuscript),
        voices_fault(manuscript),
    ];
    let issue = manuscript.issues().iter().find(|issue| source.get(issue.range.clone()).is_none_or(str::is_empty));
    faults.into_iter().flatten().next().or_else(|| issue.map(|issue| format!("{issue:?} has an invalid range")))
}

fn spans_fault(manuscript: &Manuscript) -> Option<String> {
    let spans = manuscript.spans();
    let mut around: Vec<usize> = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let inner = match &span.kind {
            SpanKind::Ruby { base, text } => vec![base, text],
            _ => Vec::new(),
        };
        for range in inner.into_iter().chain([&span.range]) {
            if manuscript.source().get(range.clone()).is_none_or(str::is_empty) {
                return Some(format!("{span:?} is empty or cuts a character"));
            }
            if range.start < span.range.start || range.end > span.range.end {
                return Some(format!("{span:?} does not contain its own parts"));
            }
        }
        while around.pop_if(|outer| spans[*outer].range.end <= span.range.start).is_some() {}
        let crossed = around
            .last()
            .map(|outer| &spans[*outer])
            .filter(|outer| outer.range.start > span.range.start || outer.range.end < span.range.end);
        if let Some(outer) = crossed {
            return Some(format!("{span:?} crosses {outer:?}"));
        }
        if span.parent != around.last().copied() {
            return Some(format!("{span:?} should have the parent {:?}", around.last()));
        }
        if matches!(span.kind, SpanKind::Part(_)) != span.parent.is_none() {
            return Some(format!("{span:?} is a nested part, or lies outside all parts"));
        }
        around.push(at);
    }
    None
}

/// Checks that parts and lines cover the source without a gap.
fn parts_fault(manuscript: &Manuscript) -> Option<String> {
    let mut end = 0;
    let parts = manuscript.spans().iter().filter(|span| matches!(span.kind, SpanKind::Part(_)));
    for span in parts {
        if span.range.start != end {
            return Some(format!("{span:?} does not begin at {end}"));
        }
        end = span.range.end;
    }
    let mut line_end = 0;
    for line in manuscript.lines() {
        if line.content.start < line_end || line.content.end > line.next || line.next <= line_end {
            return Some(format!("{line:?} does not follow {line_end}"));
        }
        line_end = line.next;
    }
    let whole = manuscript.source().len();
    (end != whole || line_end != whole)
        .then(|| format!("parts end at {end}, lines at {line_end}, the source at {whole}"))
}

/// Checks that the visible text consists of its runs, in order, and that offsets convert in both directions.
fn visible_fault(manuscript: &Manuscript) -> Option<String> {
    let (source, visible) = (manuscript.source(), manuscript.visible());
    let mut text = String::new();
    let mut end = None;
    for run in visible.runs() {
        if end.is_some_and(|end| run.start <= end) || run.is_empty() {
            return Some(format!("the run {run:?} does not follow {end:?}"));
        }
        let Some(seen) = source.get(run.clone()) else {
            return Some(format!("the run {run:?} cuts a character"));
        };
        for (at, _) in seen.char_indices() {
            if visible.from_source(run.start + at) != text.len() + at
                || visible.to_source(text.len() + at) != run.start + at
            {
                return Some(format!("byte {at} of the run {run:?} does not convert back"));
            }
        }
        text.push_str(seen);
        end = Some(run.end);
    }
    (text != visible.text()).then(|| format!("the runs are {text:?}, the visible text {:?}", visible.text()))
}

/// Checks that all markup belongs to some span or line.
fn markup_fault(manuscript: &Manuscript) -> Option<String> {
    let source = manuscript.source();
    let marks: Vec<&Range<usize>> = manuscript
        .spans()
        .iter()
        .filter(|span| matches!(span.kind, SpanKind::Ruby { .. } | SpanKind::Emphasis(_) | SpanKind::Note(_)))
        .map(|span| &span.range)
        .collect();
    for line in manuscript.lines() {
        let start = match line.kind {
            LineKind::Heading { text, .. } => text,
            LineKind::Empty | LineKind::Paragraph => line.content.start,
            _ => continue,
        };
        let mut seen = vec![false; line.content.end];
        for run in manuscript.visible().runs() {
            seen[run.start.min(line.content.end)..run.end.min(line.content.end)].fill(true);
        }
        for (at, c) in source[start..line.content.end].char_indices() {
            let at = start + at;
            let is_mark = marks.iter().any(|mark| mark.contains(&at));
            let keeps = matches!(c, '｜' | '|') && source[at + c.len_utf8()..].starts_with(['《', '（', '(']);
            if !seen[at] && !is_mark && !keeps {
                return Some(format!("{c:?} at {at} is neither visible nor markup"));
            }
        }
    }
    None
}

/// Checks that voices follow one another and stay in the story.
fn voices_fault(manuscript: &Manuscript) -> Option<String> {
    let mut end = 0;
    for (range, voice) in manuscript.voices() {
        if range.start < end || manuscript.source().get(range.clone()).is_none_or(str::is_empty) {
            return Some(format!("{voice:?} at {range:?} follows {end}"));
        }
        let part = manuscript.lines().iter().find(|line| line.next > range.start).map(|line| line.part);
        if part != Some(ManuscriptPart::Body) {
            return Some(format!("{voice:?} at {range:?} is in {part:?}"));
        }
        end = range.end;
    }
    None
}
