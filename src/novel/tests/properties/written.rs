//! Properties of all formats for all texts: letters, rubies and emphasis are kept in order, and pages are well-formed.

use fumi_novel::{
    manuscript::{Emphasis, InlineElement, LineKind, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax},
    publish::{WorkTitle, aozora, html, kakuyomu, narou},
};
use proptest::{prelude::*, sample::select};

use super::{
    invariants::SIGNS,
    made::{Piece, pieces},
    runner,
};

fn work() -> WorkTitle {
    WorkTitle { title: "題".to_owned(), author: "著者".to_owned() }
}

/// Returns the letters of the story with its rubies and dots; empty lines are left out.
fn read(manuscript: &Manuscript) -> String {
    let mut out = String::new();
    for line in manuscript.lines().iter().filter(|line| line.part == ManuscriptPart::Body) {
        if !matches!(line.kind, LineKind::Paragraph | LineKind::Heading { .. }) {
            continue;
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
        for piece in manuscript.inlines(&line.content) {
            match piece {
                InlineElement::Text(text, _) => out.push_str(text),
                InlineElement::Character(c, _) => out.push(c.unwrap_or('※')),
                InlineElement::Ruby { base, text, .. } => out.push_str(&format!("[{base}|{text}]")),
                InlineElement::Begin(Emphasis::Dots, _) => out.push('⟨'),
                InlineElement::End(Emphasis::Dots, _) => out.push('⟩'),
                InlineElement::Begin(..) | InlineElement::End(..) | InlineElement::Note(..) => {}
            }
        }
    }
    out
}

/// Adds a dot after each dotted letter: white space has no dot, and adjacent dots are merged.
fn dotted(text: &str) -> String {
    let mut out = String::new();
    let mut is_dotted = false;
    for c in text.chars() {
        match c {
            '⟨' | '⟩' => is_dotted = c == '⟨',
            c if is_dotted && !c.is_whitespace() => out.extend([c, '﹅']),
            c => out.push(c),
        }
    }
    out
}

/// Returns only the letters, which every text keeps.
fn letters(manuscript: &Manuscript) -> String {
    let mut out = String::new();
    for line in manuscript.lines().iter().filter(|line| line.part == ManuscriptPart::Body) {
        if matches!(line.kind, LineKind::Paragraph | LineKind::Heading { .. }) {
            out.push_str(&manuscript.text_of(&line.content));
        }
    }
    out.retain(|c| !c.is_whitespace());
    out
}

fn web(source: &str) -> Manuscript {
    Manuscript::read(source, ManuscriptOptions::default())
}

fn from_aozora(source: &str) -> Manuscript {
    let syntax = ManuscriptSyntax::Aozora;
    Manuscript::read(source, ManuscriptOptions { syntax, ..ManuscriptOptions::default() })
}

#[test]
fn written_formats_read_back_equal() {
    let lines = prop::collection::vec(prop::collection::vec(pieces(), 1..8), 1..6);
    let result = runner(1_500).run(&lines, |lines| {
        let line = |pieces: &Vec<Piece>| pieces.iter().map(|piece| piece.written.as_str()).collect::<String>();
        let text: String = lines.iter().map(|pieces| line(pieces) + "だ\n").collect();
        let manuscript = web(&text);
        let meant = read(&manuscript);
        let file = aozora::write(&manuscript, &work());
        prop_assert_eq!(read(&from_aozora(&file.output)), meant.clone(), "{}", file.output);
        let site = kakuyomu::write(&manuscript);
        prop_assert_eq!(dotted(&read(&web(&site.output.body))), dotted(&meant), "{}", site.output.body);
        let site = narou::write(&manuscript);
        let again = web(&site.output.body);
        prop_assert_eq!(again.issues(), []);
        prop_assert_eq!(letters(&again), letters(&manuscript), "{}", site.output.body);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn no_text_loses_a_letter_or_breaks_a_page() {
    // Lines that begin a part or end an Aozora file do not belong to the story.
    let is_letter = |sign: &&str| !["【", "底本", "---"].iter().any(|part| sign.starts_with(part));
    let signs: Vec<&str> = SIGNS.iter().copied().filter(is_letter).collect();
    let texts = prop::collection::vec(select(signs), 0..60).prop_map(|signs| format!("始\n{}", signs.concat()));
    let result = runner(4_000).run(&texts, |text| {
        let manuscript = web(&text);
        let wanted = letters(&manuscript);
        let file = aozora::write(&manuscript, &work());
        prop_assert_eq!(letters(&from_aozora(&file.output)), wanted.clone(), "{:?}\n{}", text, file.output);
        for site in [narou::write(&manuscript).output.body, kakuyomu::write(&manuscript).output.body] {
            prop_assert!(holds(&site, &wanted), "{text:?}\n{site}");
        }
        let page = html::write(&manuscript, &work()).output;
        let shown = without_tags(&page);
        prop_assert!(shown.is_ok(), "{text:?}\n{page}\n{shown:?}");
        let control = |c: &char| !c.is_control() && *c != '\u{feff}';
        // Marks that share a cell have their half-width form.
        let wanted: String = wanted.chars().filter(control).map(half_width).collect();
        let shown: String = shown.unwrap_or_default().chars().map(half_width).collect();
        prop_assert!(holds(&shown, &wanted), "{text:?}\n{page}");
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

fn half_width(c: char) -> char {
    match c {
        '！' => '!',
        '？' => '?',
        _ => c,
    }
}

/// True if the letters occur in the text in order; marks may lie between them.
fn holds(text: &str, letters: &str) -> bool {
    let mut rest = text.chars();
    letters.chars().all(|letter| rest.any(|c| c == letter))
}

/// Returns the text of a page whose tags are closed in order, or an error.
fn without_tags(page: &str) -> Result<String, String> {
    let mut open = Vec::new();
    let mut shown = String::new();
    let mut rest = page.trim_start_matches("<!DOCTYPE html>\n");
    while let Some((text, tag)) = rest.split_once('<') {
        shown.push_str(text);
        let (tag, after) = tag.split_once('>').ok_or("a tag without an end")?;
        rest = after;
        if let Some(closed) = tag.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return Err(format!("</{closed}> has no opening tag"));
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    shown.push_str(rest);
    let unescaped = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    if open.is_empty() { Ok(unescaped) } else { Err(format!("{open:?} are open")) }
}

/// Sends megabytes of one sign, as in `hostile.rs`, through every writer with a small stack.
#[test]
fn a_megabyte_of_signs_is_written() {
    const HOSTILE: &[&str] = &[
        "《《あ》》",
        "**あ**",
        "あ［＃「あ」に傍点］",
        "［＃「あ」に傍点］",
        "［＃傍点］あ［＃傍点終わり］",
        "｜あ《か》",
        "漢（か）",
        "|《",
        "｜",
        "※［＃U+57FC］",
        "※",
        "［＃改ページ］\n",
        "\n",
        "【前書き】\nあ\n【本文】\nあ\n",
        "# 題\n",
        "か\u{3099}",
        "《《か\u{3099}",
        "1",
        "!?",
        "&",
        "\u{1}",
    ];
    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let work = small_stack.spawn(|| {
        for sign in HOSTILE {
            let text = format!("始\n{}", sign.repeat((1 << 19) / sign.len()));
            for manuscript in [web(&text), from_aozora(&text)] {
                let file = aozora::write(&manuscript, &work()).output;
                assert!(!aozora::to_shift_jis(&file).output.is_empty());
                assert!(!html::write(&manuscript, &work()).output.is_empty());
                let sites =
                    narou::write(&manuscript).output.body.len() + kakuyomu::write(&manuscript).output.body.len();
                assert!(sites <= 20 * text.len());
            }
        }
    });
    work.expect("a thread").join().expect("all of them were written");
}
