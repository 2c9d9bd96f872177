//! Megabytes of one sign, which must be parsed in time proportional to their length and with a small stack.
//!
//! No time limit is needed: quadratic time would take hours, and recursion would abort the process.

use fumi_novel::manuscript::{Manuscript, ManuscriptOptions, ManuscriptSyntax};

use super::invariants::fault_of;

const MEGABYTE: usize = 1 << 20;

/// Texts that are most expensive if a lookahead is unbounded or if all open structures are scanned.
const SIGNS: &[&str] = &[
    "「",
    "」",
    "『",
    "「『（",
    "「\n",
    "（",
    "《",
    "》",
    "《《",
    "《《あ",
    "》》",
    "｜",
    "｜あ",
    "|《",
    "{",
    "{あ|",
    "**",
    "**あ",
    "** ",
    "［＃",
    "［",
    "［［＃",
    "［＃］",
    "※［＃",
    "※",
    "［＃傍点］",
    "［＃傍点終わり］",
    "［＃傍点］［＃太字終わり］",
    "［＃傍点］あ［＃太字］い",
    "あ［＃「あ」に傍点］",
    "［＃「あ」に傍点］",
    "［＃大見出し］あ",
    "漢",
    "漢《",
    "漢《か》",
    "あ",
    "\n",
    "\r",
    "\r\n",
    " \n",
    "　",
    "# ",
    "# 題\n",
    "【前書き】\n",
    "【本文】\nあ\n",
    "【後書き】\n",
    "＊\n",
    "---\n",
    "底本：\n",
    "第1話\n",
    "《《「》》",
    "「《《」》》",
    "**「",
    "\u{feff}",
    "🙂",
    "漢《［＃］》｜",
    "｜［＃《］",
    "｜［＃］",
    "※［＃《］《か》",
];

#[test]
fn a_megabyte_of_any_sign_is_read() {
    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let work = small_stack.spawn(|| {
        for sign in SIGNS {
            for (before, after) in [("", ""), ("あ「", "」［＃「あ」に傍点］》》**］\n底本：")] {
                let text = [before, &sign.repeat(MEGABYTE / sign.len()), after].concat();
                for syntax in [ManuscriptSyntax::Web, ManuscriptSyntax::Aozora] {
                    let manuscript =
                        Manuscript::read(text.as_str(), ManuscriptOptions { syntax, ..ManuscriptOptions::default() });
                    assert_eq!(manuscript.source().len(), text.len());
                    assert!(manuscript.visible().text().len() <= text.len());
                    for issue in manuscript.issues().iter().step_by(1_000) {
                        assert!(manuscript.position(issue.range.start).line >= 1);
                    }
                }
            }
        }
    });
    work.expect("a thread").join().expect("all of them were read");
}

#[test]
fn deep_nesting_is_as_deep_as_it_is_written() {
    let deep = 5_000;
    let text = "「".repeat(deep) + &"」".repeat(deep);
    let manuscript = Manuscript::read(text, ManuscriptOptions::default());
    assert_eq!(manuscript.issues(), []);
    // Additionally the part and the paragraph, and no narration.
    assert_eq!(manuscript.spans().len(), deep + 2);
    assert_eq!(fault_of(&manuscript), None);
}

/// Speech left open at the end of a line gives a span in every line over which it continues.
#[test]
fn speech_that_is_deeper_than_any_does_not_go_on() {
    let deep = 100_000;
    let text = "「".repeat(deep) + &"\nあ".repeat(30) + &"」".repeat(deep);
    let manuscript = Manuscript::read(text, ManuscriptOptions::default());
    assert!(manuscript.spans().len() < 200, "{}", manuscript.spans().len());
}
