//! Tests that formats can be read back without a difference.

use encoding_rs::SHIFT_JIS;
use fumi_novel::{
    manuscript::{
        Emphasis, InlineElement, LineKind, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax, TextVoice,
    },
    publish::{PublishLoss, PublishLossKind, aozora, html, kakuyomu, narou},
};

use super::{bocchan, every_feature, sample};

/// Returns the story as a reader sees it: letters, `[base|ruby]`, `⟨dots⟩`.
fn read(manuscript: &Manuscript) -> String {
    let mut out = String::new();
    for line in manuscript.lines().iter().filter(|line| line.part == ManuscriptPart::Body) {
        if !matches!(line.kind, LineKind::Paragraph | LineKind::Heading { .. }) {
            continue;
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
        out.push('\n');
    }
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
fn a_novel_comes_back_byte_for_byte() {
    let (manuscript, work) = bocchan();
    let written = aozora::write(&manuscript, &work);
    assert!(written.output == manuscript.source(), "{}", first_difference(&written.output, manuscript.source()));
    assert_eq!(written.losses, []);
}

fn first_difference(a: &str, b: &str) -> String {
    let mut lines = a.lines().zip(b.lines()).enumerate();
    let (at, (a, b)) = lines.find(|(_, (a, b))| a != b).unwrap_or_default();
    format!("line {}:\n{a}\n{b}", at + 1)
}

#[test]
fn a_novel_survives_shift_jis() {
    let (manuscript, _) = bocchan();
    let written = aozora::to_shift_jis(manuscript.source());
    let (text, _, damaged) = SHIFT_JIS.decode(&written.output);
    assert!(!damaged);
    // The dash and the wave dash have two code points in Unicode and one code in Shift_JIS.
    let usual = |text: &str| text.replace("\r\n", "\n").replace('〜', "～").replace('—', "―");
    assert_eq!(usual(&text), usual(manuscript.source()));
    assert_eq!(written.losses, []);
}

#[test]
fn an_episode_survives_the_notation_of_aozora() {
    let (manuscript, work) = every_feature();
    let written = aozora::write(&manuscript, &work);
    let again = from_aozora(&written.output);
    let story = read(&again);
    // In this format, the foreword and the title are chapters of the text.
    let story = story.split_once("はじめまして。短い話です。\n").expect("a foreword").1;
    let story = story.split_once("後書き\n").expect("an afterword").0;
    assert_eq!(story, read(&manuscript));
    // Characters missing in JIS X 0208 survive as notes.
    let bytes = aozora::to_shift_jis(&written.output);
    let lost: Vec<PublishLossKind> = bytes.losses.iter().map(|loss| loss.kind).collect();
    assert_eq!(lost, ['🐈', '髙', '①'].map(PublishLossKind::Unencodable));
    let (text, ..) = SHIFT_JIS.decode(&bytes.output);
    assert_eq!(read(&from_aozora(&text)).replace("\r\n", "\n"), read(&again));
}

#[test]
fn site_formats_read_back_unchanged() {
    let (manuscript, _) = every_feature();
    let lossy = read(&manuscript);
    let site = kakuyomu::write(&manuscript).output;
    assert_eq!(read(&web(&site.body)), lossy);
    assert_eq!(site.title.as_deref(), Some("第1話　灯台の猫"));
    let site = narou::write(&manuscript).output;
    // In this format, emphasis dots are rubies.
    let mut is_dotted = false;
    let mut dotted = String::new();
    for c in lossy.chars() {
        match c {
            '⟨' => is_dotted = true,
            '⟩' => is_dotted = false,
            c if is_dotted => dotted.push_str(&format!("[{c}|・]")),
            c => dotted.push(c),
        }
    }
    assert_eq!(read(&web(&site.body)), dotted);
    assert_eq!(site.foreword.as_deref(), Some("はじめまして。短い話です。\n"));
}

#[test]
fn site_formats_list_their_losses() {
    let (manuscript, _) = bocchan();
    let kinds = |losses: Vec<PublishLoss>| {
        let mut kinds: Vec<String> = losses.iter().map(|loss| format!("{:?}", loss.kind)).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    assert_eq!(kinds(kakuyomu::write(&manuscript).losses), ["Heading", "Note", "Part(Colophon)"]);
    // The readings of 踏破千山万岳烟 and 左様御承知被下度候 have more than ten characters.
    assert_eq!(
        kinds(narou::write(&manuscript).losses),
        ["Heading", "Note", "Part(Colophon)", "RubyTooLong { base: 10, ruby: 10 }"]
    );
}

#[test]
fn the_page_holds_every_letter() {
    let (manuscript, work) = bocchan();
    let written = html::write(&manuscript, &work);
    assert_eq!(written.losses, []);
    let page = written.output.split_once("<section class=\"story\">").expect("a story").1;
    let page = page.split_once("</section>").expect("its end").0;
    let mut letters = String::new();
    let mut rest = page;
    while let Some((text, tag)) = rest.split_once('<') {
        letters.push_str(text);
        let (tag, after) = tag.split_once('>').expect("a whole tag");
        rest = if tag == "rt" { after.split_once("</rt>").expect("its end").1 } else { after };
    }
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let body: String = manuscript
        .lines()
        .iter()
        .filter(|line| line.part == ManuscriptPart::Body)
        .map(|line| manuscript.visible_in(&line.content))
        .collect();
    assert_eq!(plain(&letters), plain(&body));
    assert!(manuscript.count_voice(TextVoice::Dialogue).characters > 0);
}

#[test]
fn the_sample_novel_loses_nothing_on_the_sites_and_in_the_library() {
    let (chapters, work) = sample();
    for (title, manuscript) in chapters {
        assert_eq!(manuscript.issues(), []);
        let site = kakuyomu::write(&manuscript);
        assert_eq!(site.losses, [], "{title}");
        assert_eq!(read(&web(&site.output.body)), read(&manuscript));
        assert_eq!(narou::write(&manuscript).losses, [], "{title}");
        let file = aozora::write(&manuscript, &work);
        assert_eq!(file.losses, []);
        assert!(read(&from_aozora(&file.output)).ends_with(&read(&manuscript)));
        assert_eq!(aozora::to_shift_jis(&file.output).losses, [], "{title}");
    }
}
