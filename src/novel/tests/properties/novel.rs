//! Tests with a whole novel as distributed by Aozora Bunko.

use fumi_novel::manuscript::{
    Emphasis, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax, SpanKind, TextVoice,
};

use super::invariants::fault_of;

pub(crate) const BOCCHAN: &str = include_str!("../fixtures/bocchan.aozora.txt");

pub(crate) fn bocchan() -> Manuscript {
    let syntax = ManuscriptSyntax::Aozora;
    Manuscript::read(BOCCHAN, ManuscriptOptions { syntax, ..ManuscriptOptions::default() })
}

/// Counts texts between marks independently of the parser, by searching the source for the marks.
fn between(open: &str, close: &str) -> usize {
    let body = BOCCHAN.rsplit_once("-----\n").expect("a legend").1;
    body.matches(open).filter(|_| body.contains(close)).count()
}

#[test]
fn every_mark_of_the_novel_is_found() {
    let manuscript = bocchan();
    assert_eq!(manuscript.issues(), []);
    assert_eq!(fault_of(&manuscript), None);
    let count = |pick: fn(&SpanKind) -> bool| manuscript.spans().iter().filter(|span| pick(&span.kind)).count();
    assert_eq!(count(|kind| matches!(kind, SpanKind::Ruby { .. })), between("《", "》"));
    assert_eq!(count(|kind| *kind == SpanKind::Emphasis(Emphasis::Dots)), between("」に傍点］", "］"));
    assert_eq!(count(|kind| *kind == SpanKind::Heading { level: 2 }), 11);
    let part = |part| manuscript.spans().iter().find(|span| span.kind == SpanKind::Part(part)).expect("exists");
    let text = |which| &BOCCHAN[part(which).range.clone()];
    assert!(text(ManuscriptPart::Front).starts_with("坊っちゃん\n夏目漱石\n"));
    assert!(text(ManuscriptPart::Legend).contains("【テキスト中に現れる記号について】"));
    assert!(text(ManuscriptPart::Colophon).starts_with("底本："));
}

/// The reference figure: 16 % of the characters are dialogue.
#[test]
fn the_novel_speaks_as_much_as_was_measured() {
    let manuscript = bocchan();
    let body = manuscript.count(ManuscriptPart::Body).characters;
    let dialogue = manuscript.count_voice(TextVoice::Dialogue).characters;
    let thought = manuscript.count_voice(TextVoice::Thought).characters;
    let narration = manuscript.count_voice(TextVoice::Narration).characters;
    // The difference is the eleven headings, 一 to 十一.
    assert_eq!(body - dialogue - thought - narration, 12);
    // Counted with another program, which removed the marks by regular expressions.
    assert_eq!((body, dialogue * 100 / body), (88_272, 16));
}
