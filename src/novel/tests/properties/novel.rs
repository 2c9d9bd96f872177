//! Tests with a whole novel as distributed by Aozora Bunko.

use fumi_novel::manuscript::{Emphasis, Kind, Manuscript, Part, Reading, Syntax, Voice};

use crate::invariants::fault_of;

pub(crate) const BOCCHAN: &str = include_str!("../fixtures/bocchan.aozora.txt");

pub(crate) fn bocchan() -> Manuscript {
    let syntax = Syntax::Aozora;
    Manuscript::read(
        BOCCHAN,
        Reading {
            syntax,
            ..Reading::default()
        },
    )
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
    let count = |pick: fn(&Kind) -> bool| manuscript.spans().iter().filter(|span| pick(&span.kind)).count();
    assert_eq!(count(|kind| matches!(kind, Kind::Ruby { .. })), between("《", "》"));
    assert_eq!(
        count(|kind| *kind == Kind::Emphasis(Emphasis::Dots)),
        between("」に傍点］", "］")
    );
    assert_eq!(count(|kind| *kind == Kind::Heading { level: 2 }), 11);
    let part = |part| {
        manuscript
            .spans()
            .iter()
            .find(|span| span.kind == Kind::Part(part))
            .expect("there")
    };
    let text = |which| &BOCCHAN[part(which).range.clone()];
    assert!(text(Part::Front).starts_with("坊っちゃん\n夏目漱石\n"));
    assert!(text(Part::Legend).contains("【テキスト中に現れる記号について】"));
    assert!(text(Part::Colophon).starts_with("底本："));
}

/// The reference figure: 16 % of the characters are dialogue.
#[test]
fn the_novel_speaks_as_much_as_was_measured() {
    let manuscript = bocchan();
    let body = manuscript.count(Part::Body).characters;
    let dialogue = manuscript.count_voice(Voice::Dialogue).characters;
    let thought = manuscript.count_voice(Voice::Thought).characters;
    let narration = manuscript.count_voice(Voice::Narration).characters;
    // The difference is the eleven headings, 一 to 十一.
    assert_eq!(body - dialogue - thought - narration, 12);
    // Counted with another program, which removed the marks by regular expressions.
    assert_eq!((body, dialogue * 100 / body), (88_272, 16));
}
