//! Tests of reading manuscripts for checks, and of writing fixed ones back.

use std::fs;

use fumi_novel::{
    backups::{BackupTime, Backups},
    change_set,
    checks::Tuning,
    errors::reviewing::ReviewError,
    project::NovelProject,
    references::ContentHash,
    reviewing::{CheckedManuscript, ReplacedManuscript, prepare_replacement, read_manuscript},
};

use super::{entry, episode, sample::copied};

const MANUSCRIPT: &str = "40_原稿/第001話_こぶとえくぼ.md";

fn look(novel: &NovelProject) -> CheckedManuscript {
    read_manuscript(novel, episode(1), None, &Tuning::default()).expect("a manuscript")
}

fn given(novel: &NovelProject, text: &str, tuning: &Tuning) -> Result<CheckedManuscript, ReviewError> {
    read_manuscript(novel, episode(1), Some(text), tuning)
}

fn stamp() -> BackupTime {
    BackupTime::parse("20260131T100000Z").expect("a time")
}

#[test]
fn a_manuscript_is_read_with_what_its_novel_says() {
    let (folder, novel) = copied();
    let bytes = fs::read(folder.path().join(MANUSCRIPT)).expect("the sample's");
    let looked = look(&novel);
    assert_eq!(looked.subject.manuscript, MANUSCRIPT);
    assert_eq!((looked.subject.episode, looked.encoding.as_str()), (1, "utf-8"));
    assert_eq!(looked.subject.sha256, ContentHash::from_bytes(&bytes).digits());
    assert_eq!(looked.draft.manuscript.source().as_bytes(), bytes);
    assert!(looked.subject.characters > 3_000 && !looked.is_damaged);
    assert_eq!(looked.context.plot.expect("a plot").character_names().len(), 4);
    assert!(looked.context.previous.is_none());
    let second = read_manuscript(&novel, episode(2), None, &Tuning::default()).expect("a manuscript");
    assert_eq!(second.context.previous.expect("the first one").as_bytes(), bytes);
    let none = read_manuscript(&novel, episode(9), None, &Tuning::default()).expect_err("a missing manuscript");
    assert!(matches!(none, ReviewError::Project(_)), "{none}");
    entry(&none);
}

#[test]
fn a_given_text_stands_for_the_manuscript_up_to_a_length() {
    let (_folder, novel) = copied();
    let looked = given(&novel, "\u{feff}猫が鳴いた。", &Tuning::default()).expect("read");
    assert_eq!((looked.subject.manuscript.as_str(), looked.subject.characters), ("", 6));
    // The byte order mark is kept, because a rule may remove it.
    assert_eq!(looked.draft.manuscript.source(), "\u{feff}猫が鳴いた。");
    assert!(given(&novel, &"猫".repeat(200_000), &Tuning::default()).is_ok());
    let long = given(&novel, &"猫".repeat(200_001), &Tuning::default()).expect_err("too long");
    assert!(matches!(&long, ReviewError::ManuscriptTooLong { characters: 200_001, limit: 200_000, .. }), "{long}");
    entry(&long);
}

#[test]
fn novel_tuning_overrides_caller_tuning() {
    let (folder, novel) = copied();
    let settings = folder.path().join("プロジェクト設定.yaml");
    let own = fs::read_to_string(&settings).expect("the sample's");
    let say = |checks: &str| fs::write(&settings, format!("{own}{checks}")).expect("written");
    say("checks:\n  disabled: [ellipsis]\n  paragraph_indent: never\n");
    let tuning = Tuning { disabled: vec!["dash".to_owned()], ..Tuning::default() };
    let looked = given(&novel, "猫。", &tuning).expect("read");
    assert!(
        looked.tuning.is_disabled("dash")
            && looked.tuning.is_disabled("ellipsis")
            && !looked.tuning.is_disabled("long_sentence")
    );
    assert_eq!(looked.tuning.paragraph_indent, Some(fumi_novel::checks::ParagraphIndent::Never));
    for wrong in [
        "checks:\n  disabled: [no_such_rule]\n",
        "checks:\n  thresholds: {no_such_rule.most: 3}\n",
        "checks:\n  thresholds: {long_sentence.hard: -1}\n",
        "checks:\n  colour: blue\n",
    ] {
        say(wrong);
        let error = given(&novel, "猫。", &Tuning::default()).expect_err(wrong);
        assert!(matches!(error, ReviewError::ChecksTunedWrongly { .. }), "{wrong}: {error}");
        entry(&error);
    }
}

fn write_back(
    novel: &NovelProject,
    looked: &CheckedManuscript,
    text: &str,
    now: &BackupTime,
) -> Result<ReplacedManuscript, ReviewError> {
    let (written, change) = prepare_replacement(novel, looked, text, "before a test", now)?;
    change_set::apply(novel.project(), None, change.into_iter().collect())?;
    Ok(written)
}

#[test]
fn a_mended_text_is_written_over_what_was_read_and_over_nothing_else() {
    let (folder, novel) = copied();
    let file = folder.path().join(MANUSCRIPT);
    let looked = look(&novel);
    let old = looked.draft.manuscript.source().to_owned();
    // An unchanged text writes nothing.
    let same = write_back(&novel, &looked, &old, &stamp()).expect("written");
    assert_eq!((same.sha256.as_str(), same.backup), (looked.subject.sha256.as_str(), None));
    assert!(!folder.path().join(&novel.names().backups).exists());
    let mended = old.replacen("桟橋", "浮桟橋", 1);
    let written = write_back(&novel, &looked, &mended, &stamp()).expect("written");
    assert_eq!(fs::read_to_string(&file).expect("text"), mended);
    assert_eq!(written.sha256, ContentHash::from_bytes(mended.as_bytes()).digits());
    // The old text can be restored from its backup.
    let backups = Backups::new(novel.project().clone(), &novel.names().backups);
    let id = written.backup.expect("a backup");
    backups.restore(&id, None, &stamp()).expect("restored");
    assert_eq!(fs::read_to_string(&file).expect("text"), old);
    // A text written by another program in the meantime is kept.
    fs::write(&file, "ほかの誰かが書いた。").expect("written");
    let changed = write_back(&novel, &looked, &mended, &stamp()).expect_err("changed");
    assert!(matches!(changed, ReviewError::ManuscriptChanged { .. }), "{changed}");
    entry(&changed);
    assert_eq!(fs::read_to_string(&file).expect("text"), "ほかの誰かが書いた。");
}

#[test]
fn an_encoding_is_kept_or_nothing_is_written() {
    let (folder, novel) = copied();
    let file = folder.path().join(MANUSCRIPT);
    // The bytes of 猫が鳴いた。 with a line feed in Shift_JIS, repeated as several lines.
    let line = [0x94, 0x4c, 0x82, 0xaa, 0x96, 0xc2, 0x82, 0xa2, 0x82, 0xbd, 0x81, 0x42, 0x0a];
    let bytes = line.repeat(20);
    fs::write(&file, &bytes).expect("written");
    let looked = look(&novel);
    assert_eq!((looked.encoding.as_str(), looked.is_damaged), ("shift_jis", false));
    let text = looked.draft.manuscript.source().to_owned();
    let unsayable = write_back(&novel, &looked, &text.replacen('猫', "𠮷", 1), &stamp()).expect_err("no such sign");
    assert!(matches!(unsayable, ReviewError::FixNotInEncoding { .. }), "{unsayable}");
    entry(&unsayable);
    assert_eq!(fs::read(&file).expect("bytes"), bytes);
    write_back(&novel, &looked, &text.replacen("鳴", "泣", 1), &stamp()).expect("written");
    let mended = fs::read(&file).expect("bytes");
    assert_eq!((&mended[..4], &mended[4..6], &mended[6..]), (&bytes[..4], &[0x8b, 0x83][..], &bytes[6..]));
    // A text with undecodable bytes is checked but not changed.
    let mut broken = format!("\u{feff}{}", "猫が鳴いた。\n".repeat(20)).into_bytes();
    broken.extend([0xff, b'\n']);
    fs::write(&file, &broken).expect("written");
    let damaged = look(&novel);
    assert!(damaged.is_damaged);
    let error = write_back(&novel, &damaged, "猫。", &stamp()).expect_err("damaged");
    assert!(matches!(error, ReviewError::ManuscriptDamaged { .. }), "{error}");
    entry(&error);
    assert_eq!(fs::read(&file).expect("bytes"), broken);
}
