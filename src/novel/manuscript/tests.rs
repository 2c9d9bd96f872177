//! Tests of manuscripts and their spans, each on one screen.
//!
//! `shown` writes the spans of the story as a tree in one line; properties over random texts are in `tests/properties`.

use super::{
    Emphasis, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax, MarkupIssueKind, SpanKind, SpeechEnd,
    TextVoice, ThoughtBrackets,
};

fn web(source: &str) -> Manuscript {
    Manuscript::read(source, ManuscriptOptions::default())
}

fn aozora(source: &str) -> Manuscript {
    let syntax = ManuscriptSyntax::Aozora;
    Manuscript::read(source, ManuscriptOptions { syntax, ..ManuscriptOptions::default() })
}

/// Writes the spans below the parts: `name(visible text, inner spans)`.
fn shown(manuscript: &Manuscript) -> String {
    let mut out = String::new();
    let mut ends = Vec::new();
    for span in manuscript.spans() {
        while ends.pop_if(|end| *end <= span.range.start).is_some() {
            out.push(')');
        }
        let name = match &span.kind {
            SpanKind::Part(_) => continue,
            SpanKind::Heading { level } => format!("h{level}"),
            SpanKind::Paragraph => "p".to_owned(),
            SpanKind::SceneBreak(kind) => format!("{kind:?}"),
            SpanKind::Narration => "n".to_owned(),
            SpanKind::Dialogue(SpeechEnd::Closed) => "d".to_owned(),
            SpanKind::Dialogue(closing) => format!("d:{closing:?}"),
            SpanKind::Thought(_) => "t".to_owned(),
            SpanKind::Ruby { text, .. } => format!("r:{}", &manuscript.source()[text.clone()]),
            SpanKind::Emphasis(kind) => format!("{kind:?}"),
            SpanKind::Note(note) => format!("{note:?}"),
        };
        let text = manuscript.visible_in(&span.range).trim_matches(['\n']);
        let text = if matches!(span.kind, SpanKind::Paragraph) { "" } else { text };
        out.push_str(&format!(" {name}[{text}]("));
        ends.push(span.range.end);
    }
    out.extend(ends.iter().map(|_| ')'));
    out.replace("()", "").replace("[]", "").trim().to_owned()
}

fn issues(manuscript: &Manuscript) -> Vec<(MarkupIssueKind, &str)> {
    let found = manuscript.issues().iter();
    found.map(|issue| (issue.kind, &manuscript.source()[issue.range.clone()])).collect()
}

#[track_caller]
fn check(manuscript: &Manuscript, expected: &str) {
    assert_eq!(shown(manuscript), expected);
    assert_eq!(issues(manuscript), []);
}

#[test]
fn ruby_stands_on_a_bar_on_kanji_or_in_braces() {
    check(
        &web("私は｜Dragon《ドラゴン》と|お伽話《フェアリーテイル》を、今日《きょう》{電子|でんし}で。"),
        "p( n[私はDragonとお伽話を、今日電子で。]( r:ドラゴン[Dragon] r:フェアリーテイル[お伽話] r:きょう[今日] r:でんし[電子]))",
    );
    // On the web, only kanji carry a ruby without a bar; in Aozora files, any run of one class does.
    let bare = "これはライト《光》だ。";
    assert_eq!(issues(&web(bare)), [(MarkupIssueKind::RubyWithoutBase, "《光》")]);
    check(&aozora(bare), "p( n[これはライトだ。]( r:光[ライト]))");
    check(&web("佐々木《ささき》"), "p( n[佐々木]( r:ささき[佐々木]))");
}

#[test]
fn unpaired_marks_stay_text_and_are_reported() {
    let manuscript = web("漢字《かんじ\n》そして《《傍点》\n｜《これ》は｜（笑）\n");
    assert_eq!(manuscript.visible().text(), "漢字《かんじ\n》そして《《傍点》\n《これ》は（笑）\n");
    assert_eq!(
        issues(&manuscript),
        [
            (MarkupIssueKind::UnpairedRubyMark, "《"),
            (MarkupIssueKind::UnpairedRubyMark, "》"),
            (MarkupIssueKind::UnpairedRubyMark, "《"),
            (MarkupIssueKind::RubyWithoutBase, "《傍点》"),
        ]
    );
    check(&web("彼は｜《印》と書いた。"), "p( n[彼は《印》と書いた。])");
    assert_eq!(
        issues(&web("漢字《》と｜字《》")),
        [(MarkupIssueKind::EmptyRuby, "《》"), (MarkupIssueKind::EmptyRuby, "｜字《》")]
    );
}

#[test]
fn speech_nests_and_narration_is_the_rest() {
    check(
        &web("　「兄が『来るな「絶対」』と」彼は笑った。（嘘だ）そう、（たぶん）嘘だ。"),
        "p( d[「兄が『来るな「絶対」』と」]( d[『来るな「絶対」』]( d[「絶対」])) n[彼は笑った。] t[（嘘だ）] n[そう、（たぶん）嘘だ。])",
    );
    check(&web("本の題は『門』である。"), "p( n[本の題は『門』である。])");
    check(&web("『もしもし』"), "p( d[『もしもし』])");
    let thoughts = ManuscriptOptions { thoughts: ThoughtBrackets::DoubleQuotes, ..ManuscriptOptions::default() };
    check(&Manuscript::read("『もしもし』（電話）", thoughts), "p( t[『もしもし』] n[（電話）])");
}

#[test]
fn speech_goes_on_over_paragraphs_until_it_is_closed() {
    check(
        &web("「一行目。\n　二行目。\n三行目」と言った。\n"),
        "p( d:Continues[「一行目。]) p( d:Continues[　二行目。]) p( d[三行目」] n[と言った。])",
    );
    check(&web("「第一段落。\n「第二段落」\n"), "p( d:Open[「第一段落。]) p( d[「第二段落」])");
    let forgotten = web("「閉じ忘れ。\n　地の文。\n「次」\n");
    assert_eq!(shown(&forgotten), "p( d:Open[「閉じ忘れ。]) p( n[　地の文。]) p( d[「次」])");
    assert_eq!(issues(&forgotten), [(MarkupIssueKind::UnclosedBracket('「'), "「")]);
    let middle = web("彼は「と言い（た。そして」閉じ」た");
    assert_eq!(
        issues(&middle),
        [(MarkupIssueKind::UnclosedBracket('（'), "（"), (MarkupIssueKind::StrayBracket('」'), "」"),]
    );
}

#[test]
fn brackets_in_marks_are_not_speech() {
    check(
        &web("これが｜「最強」《さいきょう》と《《「本物」》》だ。"),
        "p( n[これが「最強」と「本物」だ。]( r:さいきょう[「最強」] Dots[「本物」]( d[「本物」])))",
    );
    let crossing = web("「《《やめろ」》》");
    assert_eq!(
        issues(&crossing),
        [(MarkupIssueKind::UnclosedBracket('「'), "「"), (MarkupIssueKind::StrayBracket('」'), "」")]
    );
}

#[test]
fn emphasis_has_four_notations() {
    check(
        &web("《《傍点》》と**太字**、うん［＃「うん」に傍点］、［＃傍線］線の字《じ》［＃傍線終わり］"),
        "p( n[傍点と太字、うん、線の字]( Dots[傍点] Bold[太字] Dots[うん]( Emphasis(Dots)) Line[線の字]( Emphasis(Line) r:じ[字] Emphasis(Line))))",
    );
    // The emphasis encloses whole rubies and never begins inside one.
    check(
        &aozora("あの｜煽動《せんどう》して［＃「煽動して」に傍点］"),
        "p( n[あの煽動して]( Dots[煽動して]( r:せんどう[煽動] Emphasis(Dots))))",
    );
    let cut = aozora("煽動《せんどう》して［＃「動して」に傍点］");
    assert_eq!(issues(&cut), [(MarkupIssueKind::NoteWithoutTarget, "［＃「動して」に傍点］")]);
    // An emphasis may be nested in another, but not begin in the base of a ruby.
    check(&web("《《あ**い**》》"), "p( n[あい]( Dots[あい]( Bold[い])))");
    let in_base = web("｜あ［＃太字終わり］い《ルビ》");
    assert_eq!(
        issues(&in_base),
        [(MarkupIssueKind::UnpairedEmphasis, "［＃太字終わり］"), (MarkupIssueKind::RubyWithoutBase, "《ルビ》"),]
    );
    let alone = web("［＃傍点］始まりだけ\n終わりだけ［＃太字終わり］\n［＃閉じない");
    assert_eq!(
        issues(&alone),
        [
            (MarkupIssueKind::UnpairedEmphasis, "［＃傍点］"),
            (MarkupIssueKind::UnpairedEmphasis, "［＃太字終わり］"),
            (MarkupIssueKind::UnclosedNote, "［＃"),
        ]
    );
}

#[test]
fn spans_never_cross() {
    for source in [
        "**漢字《か**ん》",
        "《《あ［＃「い》》」に傍点］",
        "**あ《《い**う》》",
        "［＃傍点］**あ［＃傍点終わり］い**",
        "**［＃傍点］あ**［＃傍点終わり］",
        "｜あ［＃「い《う》」に傍点］",
        "{あ|い《う}え》",
        "あ**い［＃「あい」に傍点］う**",
        "「《《あ」い》》",
        "x［＃「x」に傍点］［＃「x」は太字］",
    ] {
        for syntax in [ManuscriptSyntax::Web, ManuscriptSyntax::Aozora] {
            let manuscript = Manuscript::read(source, ManuscriptOptions { syntax, ..ManuscriptOptions::default() });
            let spans = manuscript.spans();
            for (at, a) in spans.iter().enumerate() {
                for b in &spans[at + 1..] {
                    let apart = a.range.end <= b.range.start;
                    assert!(apart || b.range.end <= a.range.end, "{source}: {a:?} crosses {b:?}");
                }
            }
        }
    }
}

#[test]
fn breaks_divide_scenes_and_single_empty_lines_do_not() {
    check(
        &web("朝。\n\n昼。\n\n\n夜。\n\n\n＊＊＊\n\n\n翌朝。\n［＃改ページ］\n昼。\n"),
        "p( n[朝。]) p( n[昼。]) Empty p( n[夜。]) Signs p( n[翌朝。]) Page( PageBreak) p( n[昼。])",
    );
}

#[test]
fn aozora_headings_and_characters_are_read() {
    let manuscript = aozora(
        "\n［＃５字下げ］一［＃「一」は中見出し］\n　※［＃「土へん＋竒」、U+57FC、1-1］玉《さいたま》に帰る。\n　一［＃「一」は同行小見出し］　春。\n",
    );
    check(
        &manuscript,
        "h2[一]( Indent(5) Heading(2)) p( n[　※玉に帰る。]( r:さいたま[※玉]( Character(Some('埼'))))) p( n[　一　春。]( Heading(3)))",
    );
    assert_eq!(manuscript.visible().text(), "\n一\n　※玉に帰る。\n　一　春。\n");
}

#[test]
fn counts_are_of_the_story_alone() {
    let manuscript =
        web("# 第1話　題\n【前書き】\nどうも。\n【本文】\n　今日《きょう》は、「晴《は》れ　だ」と。\n（うそ）\n");
    let body = manuscript.count(ManuscriptPart::Body);
    assert_eq!((body.characters, body.with_spaces), ("今日は、「晴れだ」と。（うそ）".chars().count(), 17));
    assert_eq!(manuscript.count(ManuscriptPart::Title).characters, "第1話題".chars().count());
    assert_eq!(manuscript.count(ManuscriptPart::Foreword).characters, 4);
    let voices: Vec<usize> = [TextVoice::Narration, TextVoice::Dialogue, TextVoice::Thought]
        .map(|voice| manuscript.count_voice(voice).characters)
        .to_vec();
    assert_eq!(voices, [6, 5, 4]);
    assert_eq!(voices.iter().sum::<usize>(), body.characters);
}

#[test]
fn positions_are_lines_and_columns() {
    let manuscript = web("\n　漢字《かんじ\n");
    let place = manuscript.position(manuscript.issues()[0].range.start);
    assert_eq!((place.line, place.column), (2, 4));
}

#[test]
fn every_issue_is_told_in_both_languages() {
    for kind in [
        MarkupIssueKind::UnpairedRubyMark,
        MarkupIssueKind::RubyWithoutBase,
        MarkupIssueKind::EmptyRuby,
        MarkupIssueKind::UnclosedBracket('「'),
        MarkupIssueKind::StrayBracket('」'),
        MarkupIssueKind::UnclosedNote,
        MarkupIssueKind::NoteWithoutTarget,
        MarkupIssueKind::UnpairedEmphasis,
        MarkupIssueKind::OpenForeword,
    ] {
        let said = kind.message();
        assert!(said.en.ends_with('.') && said.ja.ends_with('。'), "{said:?}");
    }
}

#[test]
fn emphasis_notes_map_to_styles() {
    let manuscript = aozora("甲［＃「甲」に白丸傍点］乙［＃「乙」に波線］丙［＃「丙」は斜体］");
    let kinds: Vec<Emphasis> = manuscript
        .spans()
        .iter()
        .filter_map(|span| match span.kind {
            SpanKind::Emphasis(emphasis) => Some(emphasis),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [Emphasis::Dots, Emphasis::Line, Emphasis::Italic]);
}
