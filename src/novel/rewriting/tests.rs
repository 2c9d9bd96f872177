//! Passages by quotation, and what is accepted in their place.

use super::{ManuscriptPassage, NewText, PassageError, RewriteMode, VariantError, put_in, verify_variant};
use crate::manuscript::{Manuscript, ManuscriptOptions};

const TEXT: &str = "# 第一話\n\n　｜検潮所《けんちょうじょ》の朝は早い。雨だ。\n「もう《《帰る》》よ」と兄が言った。\n　雨だ。波の音がする。\n";

fn read(text: &str) -> Manuscript {
    Manuscript::read(text, ManuscriptOptions::default())
}

fn found(text: &str, quote: &str) -> Result<(String, usize), PassageError> {
    let manuscript = read(text);
    let passage = ManuscriptPassage::find(&manuscript, quote)?;
    assert_eq!(passage.text, super::passage::line_feeds(&manuscript.source()[passage.range.clone()]));
    Ok((passage.text, passage.line))
}

fn put(text: &str, quote: &str, new: &str) -> Result<NewText, VariantError> {
    let manuscript = read(text);
    put_in(&manuscript, &ManuscriptPassage::find(&manuscript, quote).expect(quote), new)
}

fn verified(quote: &str, mode: RewriteMode, new: &str, earlier: &[&str]) -> Result<usize, VariantError> {
    let manuscript = read(TEXT);
    let passage = ManuscriptPassage::find(&manuscript, quote).expect(quote);
    let earlier: Vec<String> = earlier.iter().map(|text| (*text).to_owned()).collect();
    verify_variant(&manuscript, &passage, mode, new, &earlier).map(|new| new.characters)
}

#[test]
fn a_quotation_stands_for_one_passage_with_or_without_its_ruby() {
    let whole = ("｜検潮所《けんちょうじょ》の朝は早い。".to_owned(), 3);
    for quote in ["検潮所の朝は早い。", "｜検潮所《けんちょうじょ》の朝は早い。", "\r\n検潮所の朝は早い。\n"]
    {
        assert_eq!(found(TEXT, quote), Ok(whole.clone()), "{quote}");
    }
    let across = "兄が言った。\n　雨だ。";
    for text in [TEXT.to_owned(), TEXT.replace('\n', "\r\n")] {
        for quote in [across.to_owned(), across.replace('\n', "\r\n")] {
            assert_eq!(found(&text, &quote), Ok((across.to_owned(), 4)), "{text}");
        }
    }
    assert_eq!(found(TEXT, "もう帰るよ"), Ok(("もう《《帰る》》よ".to_owned(), 4)));
}

#[test]
fn other_quotations_stand_for_none() {
    assert_eq!(found(TEXT, "　\n"), Err(PassageError::Empty));
    assert_eq!(found(TEXT, "晴れだ。"), Err(PassageError::NotInText));
    assert_eq!(found(TEXT, "雨だ。"), Err(PassageError::Ambiguous(2, vec![3, 5])));
    assert_eq!(found(TEXT, "所の朝"), Err(PassageError::CutsMarkup("｜検潮所《けんちょうじょ》".to_owned())));
    assert_eq!(found(TEXT, "じょ》の朝"), Err(PassageError::CutsMarkup("｜検潮所《けんちょうじょ》".to_owned())));
    assert_eq!(found(TEXT, "もう帰"), Err(PassageError::CutsMarkup("《《帰る》》".to_owned())));
}

#[test]
fn a_text_takes_the_place_of_the_passage_alone_and_has_the_line_ends_of_the_file() {
    let new = put(TEXT, "波の音がする。", "波が鳴る。\n\n「何だ」\n").expect("put");
    assert_eq!(new.source, TEXT.replace("波の音がする。", "波が鳴る。\n\n「何だ」"));
    assert_eq!((&new.source[new.range.clone()], new.characters), ("波が鳴る。\n\n「何だ」", 9));
    let returns = TEXT.replace('\n', "\r\n");
    let new = put(&returns, "波の音がする。", "波が鳴る。\n「何だ」").expect("put");
    assert_eq!(new.source, returns.replace("波の音がする。", "波が鳴る。\r\n「何だ」"));
    assert_eq!(new.passage, "波が鳴る。\n「何だ」");
    // The ruby belongs to the passage.
    let new = put(TEXT, "検潮所の朝は早い。", "朝が来た。").expect("put");
    assert_eq!(new.source, TEXT.replace("｜検潮所《けんちょうじょ》の朝は早い。", "朝が来た。"));
}

#[test]
fn a_text_that_would_change_its_surroundings_is_rejected() {
    for (quote, new, error) in [
        ("波の音がする。", " \n", VariantError::Empty),
        ("波の音がする。", "波の音がする。\n", VariantError::Unchanged),
        ("波の音がする。", "波の\u{202e}音", VariantError::Invisible),
        ("波の音がする。", "波の音が《する。", VariantError::Markup),
        ("波の音がする。", "「波の音がする。", VariantError::Markup),
        ("と兄が言った。", "」と言った。", VariantError::Markup),
        ("波の音がする。", "波の音がする。\n```\n", VariantError::Markup),
    ] {
        match (put(TEXT, quote, new), error) {
            // A fence at the end of the text has nothing after it that it could change.
            (Ok(_), VariantError::Markup) if new.contains("```") => {}
            (result, error) => assert_eq!(result.map(|new| new.source), Err(error), "{new}"),
        }
    }
    // A call that is made twice: the longer text stands there.
    let grown = TEXT.replace("波の音がする。", "遠くで波の音がする。");
    assert_eq!(
        put(&grown, "波の音がする。", "遠くで波の音がする。").map(|new| new.source),
        Err(VariantError::StandsAlready)
    );
}

#[test]
fn a_variant_keeps_ruby_and_length_and_is_new() {
    let quote = "検潮所の朝は早い。";
    let good = "朝の早い｜検潮所《けんちょうじょ》だ。";
    assert_eq!(verified(quote, RewriteMode::Rewrite, good, &[]), Ok(9));
    let lost = || VariantError::Lost("検潮所《けんちょうじょ》".to_owned());
    assert_eq!(verified(quote, RewriteMode::Rewrite, "検潮所は朝が早い。", &[]), Err(lost()));
    assert_eq!(verified(quote, RewriteMode::Rewrite, "｜検潮所《けんちょうしょ》は朝が早い。", &[]), Err(lost()));
    assert_eq!(verified(quote, RewriteMode::Tighten, "朝は早い。", &[]), Ok(5));
    assert_eq!(verified(quote, RewriteMode::Tighten, "朝。", &[]), Ok(2));
    assert_eq!(
        verified(quote, RewriteMode::Expand, good, &[]),
        Err(VariantError::Length { length: 9, least: 11, most: 27 })
    );
    assert_eq!(verified(quote, RewriteMode::Rewrite, good, &["別の案。", good]), Err(VariantError::Repeats(2)));
    let same = "｜検潮所《けんちょうじょ》の朝は　早い。";
    assert_eq!(verified(quote, RewriteMode::Rewrite, same, &[]), Err(VariantError::Unchanged));
    let remnants = format!("承知しました。\n{good}");
    assert!(matches!(verified(quote, RewriteMode::Expand, &remnants, &[]), Err(VariantError::Remnants(_))));
}
