//! Tests of the files of a finished episode, and of the conditions under which it stays finished.

use encoding_rs::SHIFT_JIS;
use fumi_base::{errors::UserError, files::sha256};
use fumi_novel::{
    errors::completion::CompletionError,
    finishing::{BOOK, BOOK_RECORD, PublishExtent, PublishFormat, RecordStatus},
    writing::{UtcTime, WritingSession, WritingSessionId},
};

use super::{Novel, episode};

const FOLDER: &str = ".noveler/publish/episode_001";
const MANUSCRIPT: &str = "40_原稿/第001話_こぶとえくぼ.md";

#[test]
fn an_episode_becomes_a_file_in_every_format_and_a_record_that_names_them() {
    let novel = Novel::sample();
    let done = novel.complete(1).expect("completed");
    assert_eq!(
        novel.names(FOLDER),
        ["aozora.txt", "aozora_sjis.txt", "episode.epub", "episode.html", "kakuyomu.txt", "metadata.json", "narou.txt",]
    );
    let record = &done.record;
    assert_eq!((record.status, record.artifacts.len()), (RecordStatus::Completed, 6));
    for artifact in &record.artifacts {
        let bytes = novel.bytes(&artifact.path);
        assert_eq!(artifact.sha256, sha256(&bytes), "{}", artifact.path);
        assert_eq!(artifact.size_bytes, bytes.len() as u64);
        assert_eq!(artifact.lost, 0, "{artifact:?}");
    }
    assert_eq!(record.manuscript.sha256, sha256(&novel.bytes(MANUSCRIPT)));
    assert!((3_800..4_400).contains(&record.manuscript.characters), "{record:?}");
    assert_eq!((record.title.as_str(), done.heading.as_str()), ("潮のほまち", "第一話　こぶとえくぼ"));
    assert_eq!(record.tags, ["文芸"]);
    assert_eq!(record.quality.method, "not_evaluated");
    assert!(done.preview.starts_with("「海を止めに来た人ですか」") && done.preview.chars().count() == 200);
    assert_eq!(done.remarks, []);
    // The files name the novel and its author.
    let aozora = novel.text(&format!("{FOLDER}/aozora.txt"));
    assert!(aozora.starts_with("潮のほまち\nThe fumi authors\n\n"), "{}", &aozora[..60]);
    let bytes = novel.bytes(&format!("{FOLDER}/aozora_sjis.txt"));
    let (decoded, _, damaged) = SHIFT_JIS.decode(&bytes);
    assert!(!damaged && decoded.starts_with("潮のほまち\r\n"));
    assert!(novel.text(&format!("{FOLDER}/narou.txt")).contains("|帆待島《ほまちじま》"));
    assert!(novel.text(&format!("{FOLDER}/kakuyomu.txt")).contains("|帆待島《ほまちじま》"));
    assert!(novel.text(&format!("{FOLDER}/episode.html")).contains("writing-mode: vertical-rl"));
    let text = novel.text(&done.path);
    assert!(text.contains("2026-01-31T10:00:00.123Z"), "{text}");
}

#[test]
fn an_episode_is_finished_until_its_manuscript_changes() {
    let novel = Novel::sample();
    let is_finished =
        |novel: &Novel| novel.status().episodes[0].progress == fumi_novel::status::EpisodeProgress::Completed;
    assert!(!is_finished(&novel));
    novel.complete(1).expect("completed");
    assert!(is_finished(&novel));
    let text = novel.text(MANUSCRIPT);
    novel.write(MANUSCRIPT, format!("{text}　追記。\n"));
    assert!(!is_finished(&novel));
    novel.write(MANUSCRIPT, &text);
    assert!(is_finished(&novel));
    // The process stopped in the middle of a run: the record has the status of unfinished replacement.
    let record = novel.text(&format!("{FOLDER}/metadata.json"));
    novel.write(&format!("{FOLDER}/metadata.json"), record.replace("status: completed", "status: building"));
    assert!(!is_finished(&novel));
    novel.complete(1).expect("completed again");
    assert!(is_finished(&novel));
    // A copied folder does not count as another episode's record.
    novel.write(".noveler/publish/episode_002/metadata.json", record);
    assert_eq!(novel.status().count(fumi_novel::status::EpisodeProgress::Completed), 1);
}

#[test]
fn a_repeated_run_makes_the_same_files_and_a_changed_title_others() {
    let novel = Novel::sample();
    let later = || fumi_novel::writing::UtcTime::parse("2027-01-01T00:00:00Z").expect("a time");
    let again = |novel: &Novel| {
        let form = |record: &fumi_novel::finishing::PublishRecord| super::yaml(record);
        let done =
            fumi_novel::finishing::complete(&novel.novel(), super::episode(1), PublishExtent::Formats, &later(), form);
        let (done, changes) = done.expect("completed");
        fumi_novel::change_set::apply(&novel.project, None, changes).expect("written");
        done.record
    };
    let first = novel.complete(1).expect("completed").record;
    let second = again(&novel);
    assert_eq!((&first.created_at, &first.artifacts), (&second.created_at, &second.artifacts));
    // A damaged file is written anew.
    novel.write(&format!("{FOLDER}/narou.txt"), "傷");
    again(&novel);
    assert_eq!(sha256(&novel.bytes(&format!("{FOLDER}/narou.txt"))), first.artifacts[0].sha256);
    novel.write("プロジェクト設定.yaml", "title: 別の題\nauthor: 作者\n");
    let third = again(&novel);
    assert_eq!(third.created_at, later());
    assert_ne!(first.artifacts, third.artifacts);
    // The same applies to the book.
    novel.complete(2).expect("completed");
    let book = novel.bind().expect("a book");
    let rebound = fumi_novel::finishing::build_book(&novel.novel(), None, &later(), super::yaml, &|| false);
    assert_eq!(rebound.expect("bound").expect("a book").0.sha256, book.sha256);
}

#[test]
fn old_outputs_are_removed_and_foreign_files_kept() {
    let novel = Novel::empty();
    let path = "40_原稿/第001話_雨.md";
    novel.write(path, "# 第1話　雨\n\n【前書き】\nどうも。\n【本文】\n　雨だ。\n【後書き】\nまた。\n");
    let done = novel.complete_to(1, PublishExtent::WithFormSheets).expect("completed");
    let all: Vec<&str> = PublishFormat::ALL.iter().map(|format| format.name()).collect();
    let made: Vec<&str> = done.record.artifacts.iter().map(|artifact| artifact.format.as_str()).collect();
    assert_eq!(made, all);
    assert_eq!(novel.text(&format!("{FOLDER}/narou_foreword.txt")), "どうも。\n");
    novel.write(&format!("{FOLDER}/覚え書き.txt"), "私の");
    novel.write(path, "# 第1話　雨\n\n　雨だ。\n");
    novel.complete(1).expect("completed");
    let names = novel.names(FOLDER);
    assert_eq!(names.len(), 8, "{names:?}");
    assert!(!names.iter().any(|name| name.contains("foreword") || name.contains("post_")));
    assert_eq!(novel.text(&format!("{FOLDER}/覚え書き.txt")), "私の");
}

#[test]
fn a_file_that_cannot_be_written_changes_none_and_the_run_can_be_repeated() {
    let novel = Novel::sample();
    novel.complete(1).expect("completed");
    let before = novel.text(&format!("{FOLDER}/metadata.json"));
    novel.write(MANUSCRIPT, "# 第一話　別\n\n　別の話。\n");
    // Each file in turn is made unwritable.
    for name in ["narou.txt", "kakuyomu.txt", "aozora_sjis.txt", "episode.epub", "episode.html"] {
        let path = novel.folder.path().join(FOLDER).join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir(&path).expect("a folder in its way");
        assert_eq!(novel.complete(1).expect_err("taken").entry(), "NOT_A_FILE", "{name}");
        assert_eq!(novel.text(&format!("{FOLDER}/metadata.json")), before);
        assert_eq!(novel.status().count(fumi_novel::status::EpisodeProgress::Completed), 0);
        std::fs::remove_dir(&path).expect("removed");
    }
    let done = novel.complete(1).expect("completed");
    assert_eq!(done.record.artifacts.len(), 6);
    assert_eq!(novel.status().count(fumi_novel::status::EpisodeProgress::Completed), 1);
}

#[test]
fn score_is_kept_only_for_the_same_text() {
    let novel = Novel::sample();
    novel.complete(1).expect("completed");
    let path = format!("{FOLDER}/metadata.json");
    let judged = novel.text(&path).replace("method: not_evaluated", "method: host\n  overall_score: 82.5");
    novel.write(&path, judged);
    let again = novel.complete(1).expect("completed").record.quality;
    assert_eq!((again.method.as_str(), again.overall_score), ("host", Some(82.5)));
    let judged = novel.status().episodes[0].judged.clone();
    assert_eq!(judged, Some(("host".to_owned(), 82.5)));
    let text = novel.text(MANUSCRIPT);
    novel.write(MANUSCRIPT, format!("{text}　追記。\n"));
    assert_eq!(novel.complete(1).expect("completed").record.quality.method, "not_evaluated");
}

#[test]
fn finished_episodes_are_bound_into_one_book() {
    let novel = Novel::sample();
    novel.complete(3).expect("completed");
    assert!(novel.bind().is_none());
    novel.complete(1).expect("completed");
    let bound = novel.bind().expect("a book");
    let headings: Vec<&str> = bound.episodes.iter().map(|one| one.heading.as_str()).collect();
    assert_eq!(headings, ["第一話　こぶとえくぼ", "第三話　備考"]);
    assert_eq!(bound.sha256, sha256(&novel.bytes(BOOK)));
    assert!(novel.text(BOOK_RECORD).contains(&bound.sha256));
    // A draft is left out, and a single episode gives no new book.
    novel.write(MANUSCRIPT, "# 書きかけ\n\n　。\n");
    assert!(novel.bind().is_none());
    let stopped = fumi_novel::finishing::build_book(&novel.novel(), None, &super::now(), |_| Vec::new(), &|| true);
    assert!(matches!(stopped, Err(CompletionError::Cancelled)));
}

#[test]
fn a_folder_of_texts_can_be_published_too() {
    let novel = Novel::empty();
    novel.write("第2話.txt", "　本文だけ。\n");
    let done = novel.complete(2).expect("completed");
    let folder = novel.folder.path().file_name().expect("a name").to_string_lossy().into_owned();
    assert_eq!((done.record.title, done.heading), (folder, "第2話".to_owned()));
    assert_eq!(done.record.author, "作者未設定");
    assert!(done.remarks[0].ja.contains("author"), "{:?}", done.remarks);
}

#[test]
fn unpublishable_manuscript_changes_nothing() {
    let novel = Novel::sample();
    novel.write("40_原稿/第004話_空.md", "# 第四話\n\n\n");
    novel.write("40_原稿/第005話_傷.md", b"\xef\xbb\xbf\xe6\xbd\xae\xff\xff\x81\n");
    novel.write("20_プロット/話別/第006話.yaml", "synopsis: まだ\n");
    for (number, code) in [(4, "E003"), (5, "P002"), (6, "E003"), (7, "E001")] {
        let refused = novel.complete(number).expect_err("refused");
        assert_eq!(refused.error_message().code, code, "{number}");
    }
    assert!(!novel.folder.path().join(".noveler").exists());
    // With a broken plot, the tags and the summary are missing, and its position is reported.
    novel.write("20_プロット/話別/第001話.yaml", "a: b: c\n");
    let done = novel.complete(1).expect("completed");
    assert!(done.remarks[0].ja.contains("1 行"), "{:?}", done.remarks);
    assert_eq!(done.record.summary, None);
}

#[test]
fn sheets_for_the_sites_follow_their_forms() {
    let novel = Novel::sample();
    let text = novel.text(MANUSCRIPT).replacen("\n\n", "\n\n【前書き】\n島へ。\n【本文】\n", 1);
    novel.write(MANUSCRIPT, text);
    let done = novel.complete_to(1, PublishExtent::WithFormSheets).expect("completed");
    let sheet = novel.text(&done.posts[0].path);
    let names: Vec<&str> = sheet.lines().filter(|line| line.starts_with("====")).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    assert!(sheet.contains("======== サブタイトル ========\n第一話　こぶとえくぼ\n"));
    assert!(sheet.contains("======== 前書き ========\n島へ。\n"));
    assert!(done.posts[0].steps.iter().all(|step| step.ja.starts_with("小説家になろう")));
    // カクヨム has no such field; both the steps and the losses mention it.
    let steps: Vec<&str> = done.posts[1].steps.iter().map(|step| step.ja.as_ref()).collect();
    assert!(steps.iter().any(|step| step.contains("近況ノート")), "{steps:?}");
    assert!(steps.iter().any(|step| step.contains("1 か所")), "{steps:?}");
    let short = Novel::empty();
    short.write("第1話.txt", "　短い。\n");
    let done = short.complete_to(1, PublishExtent::WithFormSheets).expect("completed");
    assert!(done.posts[0].steps.iter().any(|step| step.ja.contains("200〜70000")));
    assert!(done.record.artifacts.iter().all(|artifact| artifact.path.contains("episode_001")));
}

#[test]
fn an_episode_that_is_still_written_or_lacks_something_is_finished_with_a_remark() {
    let novel = Novel::sample();
    let begun = UtcTime::parse("2026-01-30T10:00:00Z").expect("a time");
    let id = WritingSessionId::new(&begun, 7);
    let session = WritingSession::new(fumi_novel::writing::StageRoute::Whole, id.clone(), episode(1), None, &begun);
    novel
        .write(&format!(".noveler/sessions/{id}.yaml"), session.to_yaml())
        .write("20_プロット/話別/第001話.yaml", "key_events: [")
        .write("プロジェクト設定.yaml", "title: 潮のほまち\n")
        .write(MANUSCRIPT, format!("{}\n｜閉じない《るび\n", novel.text(MANUSCRIPT)));
    let done = novel.complete(1).expect("completed");
    let said: Vec<&str> = done.remarks.iter().map(|remark| remark.ja.as_ref()).collect();
    for words in ["第001話.yaml", "author がない", "第001話_こぶとえくぼ.md:", &id.to_string()] {
        assert!(said.iter().any(|said| said.contains(words)), "{words}: {said:?}");
    }
    assert!(done.remarks.iter().all(|remark| remark.en != remark.ja));
    // With a broken plot, the summary is missing, but every file is made.
    assert_eq!(done.record.artifacts.len(), 6);
}
