//! Tests of a novel's status in every state of a project.

use fumi_novel::{
    project::EpisodeId,
    status::{EpisodeProgress, SessionEventKind},
    writing::WritingStage,
};

use super::Novel;

/// A session with one completed stage, one turn of the next, and one feedback.
const OPEN: &str = r#"version: 1
session_id: session_20250904_103000_1a2b3c4d
created_at: "2025-09-04T10:30:00Z"
last_updated: "2025-09-04T10:35:30Z"
episode: 1
current_stage: analyze_plot_structure
total_stages: 10
completed_stages: [plot_data_preparation]
turns:
- {file: a, sha256: b, execution_time: 4.0}
stage_outputs:
  plot_data_preparation:
    output_file: c
    sha256: d
    characters: 100
    execution_time: 25.5
    turns:
    - {file: e, sha256: f, execution_time: 10.0}
    - {file: g, sha256: h, execution_time: 15.5}
user_feedback:
- {stage: plot_data_preparation, feedback: approved, timestamp: "2025-09-04T10:32:15Z"}
"#;

#[test]
fn plans_drafts_and_finished_episodes_are_counted() {
    let novel = Novel::sample();
    novel.write("20_プロット/話別/第004話.yaml", "synopsis: 次\n");
    novel.complete(2).expect("completed");
    let status = novel.status();
    assert_eq!(status.name, "潮のほまち");
    let counts = [EpisodeProgress::Planned, EpisodeProgress::Draft, EpisodeProgress::Completed]
        .map(|progress| status.count(progress));
    assert_eq!(counts, [1, 2, 1]);
    assert_eq!(status.first(EpisodeProgress::Draft).map(EpisodeId::number), Some(1));
    // A draft without a session needs no stage; a plan needs all ten, and no stage has been measured.
    assert_eq!((status.stages_left, status.stage_seconds), (10, None));
    assert!(status.remarks.is_empty() && status.open.is_empty() && status.activity.is_empty());
}

#[test]
fn open_sessions_say_where_they_are_and_what_was_done() {
    let novel = Novel::sample();
    novel.write(".noveler/sessions/session_20250904_103000_1a2b3c4d.yaml", OPEN);
    // An older session of the same episode is not listed; a finished one is not open.
    let older = OPEN.replace("2025-09-04", "2025-09-03").replace("20250904", "20250903");
    novel.write(".noveler/sessions/session_20250903_103000_1a2b3c4d.yaml", older);
    novel.write(
        ".noveler/sessions/session_20250904_103000_00c0ffee.yaml",
        include_str!("../fixtures/session.yaml").replace("episode: 1", "episode: 2"),
    );
    let status = novel.status();
    assert!(status.remarks.is_empty(), "{:?}", status.remarks);
    let open: Vec<(String, u32, usize)> =
        status.open.iter().map(|open| (open.id.to_string(), open.episode.number(), open.done)).collect();
    assert_eq!(open, [("session_20250904_103000_1a2b3c4d".to_owned(), 1, 1)]);
    assert_eq!((status.stages_left, status.stage_seconds), (9, Some(3.0)));
    let events: Vec<(String, SessionEventKind)> =
        status.activity.iter().map(|event| (event.at.to_string(), event.what)).collect();
    let stage = |number| WritingStage::from_number(number).expect("a stage");
    let day = |time: &str| format!("2025-09-04T{time}Z");
    assert_eq!(
        events[..4],
        [
            (day("10:35:30"), SessionEventKind::Worked(stage(2))),
            (day("10:32:15"), SessionEventKind::Remarked(stage(1))),
            (day("10:30:20"), SessionEventKind::Finished),
            (day("10:30:00"), SessionEventKind::Started),
        ]
    );
    assert_eq!(events.len(), 8);
}

/// A session that was begun before a newer one of its episode stays closed when the newer one is finished.
#[test]
fn a_session_that_was_abandoned_for_a_newer_one_is_not_open() {
    let novel = Novel::sample();
    let finished = include_str!("../fixtures/session.yaml").replace("2025-09-04", "2025-09-05");
    let write = |day: &str, number: usize, text: &str| {
        let id = format!("session_202509{day}_103000_{number:08x}");
        let text = text.lines().map(|line| match line.strip_prefix("session_id: ") {
            Some(_) => format!("session_id: {id}\n"),
            None => format!("{line}\n"),
        });
        novel.write(&format!(".noveler/sessions/{id}.yaml"), text.collect::<String>());
    };
    write("04", 1, OPEN);
    write("05", 2, &finished);
    let status = novel.status();
    assert!(status.remarks.is_empty(), "{:?}", status.remarks);
    assert!(status.open.is_empty(), "{:?}", status.open);
    // So it does when many other episodes were finished since, whose sessions are not read.
    for number in 3..40_usize {
        let other = finished.replace("2025-09-05", "2025-09-06").replace("episode: 1", &format!("episode: {number}"));
        write("06", number, &other);
    }
    assert!(novel.status().open.is_empty(), "{:?}", novel.status().open);
    // The session of a draft alone does not close the one that writes the episode.
    let novel = Novel::sample();
    let draft = OPEN
        .replace("2025-09-04", "2025-09-05")
        .replace("20250904", "20250905")
        .split("completed_stages:")
        .next()
        .map(|head| head.replace("analyze_plot_structure", "write_manuscript_draft").replace(": 10", ": 1"))
        .map(|head| format!("{head}route: draft\ncompleted_stages: []\n"))
        .expect("a session");
    novel.write(".noveler/sessions/session_20250904_103000_1a2b3c4d.yaml", OPEN);
    novel.write(".noveler/sessions/session_20250905_103000_1a2b3c4d.yaml", draft.clone());
    let open = novel.status().open;
    assert_eq!(open.len(), 1, "{open:?}");
    // A later session that writes the episode replaces the draft.
    novel.write(".noveler/sessions/session_20250905_103000_1a2b3c4d.yaml", draft.replace("09-05", "09-03"));
    let open = novel.status().open;
    assert_eq!((open.len(), open[0].done), (1, 1), "{open:?}");
}

#[test]
fn events_include_completions_from_the_trace() {
    let novel = Novel::sample();
    let id = "session_20250904_103000_1a2b3c4d";
    let entry = |stage: &str, turn: u32, end: &str| {
        format!(
            "- tool_name: write_stage\n  stage: {stage}\n  turn: {turn}\n  start: \"2025-09-04T10:30:00Z\"\n  \
             end: \"2025-09-04T{end}Z\"\n  status: completed\n  prompt_file: p\n  answer_file: a{turn}\n"
        )
    };
    let trace = [
        entry("plot_data_preparation", 1, "10:31:00"),
        entry("plot_data_preparation", 2, "10:32:00"),
        entry("analyze_plot_structure", 1, "10:35:30"),
    ];
    novel
        .write(&format!(".noveler/sessions/{id}.yaml"), OPEN)
        .write(&format!(".noveler/writes/{id}/trace.yaml"), format!("execution_trace:\n{}", trace.concat()));
    let status = novel.status();
    let events: Vec<(String, SessionEventKind)> =
        status.activity.iter().map(|event| (event.at.to_string(), event.what)).collect();
    let stage = |number| WritingStage::from_number(number).expect("a stage");
    let day = |time: &str| format!("2025-09-04T{time}Z");
    assert_eq!(
        events,
        [
            (day("10:35:30"), SessionEventKind::Worked(stage(2))),
            (day("10:32:15"), SessionEventKind::Remarked(stage(1))),
            (day("10:32:00"), SessionEventKind::Completed(stage(1))),
            (day("10:30:00"), SessionEventKind::Started),
        ]
    );
    // A broken trace counts as empty.
    novel.write(&format!(".noveler/writes/{id}/trace.yaml"), "execution_trace: [\n");
    assert_eq!(novel.status().activity.len(), 3);
}

#[test]
fn broken_files_are_reported_with_positions() {
    let novel = Novel::sample();
    novel
        .write("20_プロット/話別/第002話.yaml", "synopsis: あ\nkey_events: [\n")
        .write("30_設定集/用語集.yaml", "terms:\n\t- 潮\n")
        .write("40_原稿/第003話_写し.md", "# 写し\n\n　本文。\n")
        .write("プロジェクト設定.yaml", "title: \"閉じない\n")
        .write(".noveler/sessions/session_20250904_103000.yaml", "version: 1\n")
        .write(".noveler/sessions/session_20250904_103001.yaml", [0xff, 0xfe, 0x80])
        .write(".noveler/publish/episode_001/metadata.json", "{\"version\": 1,");
    let status = novel.status();
    assert_eq!(status.episodes.len(), 3);
    let remarks: Vec<&str> = status.remarks.iter().map(|remark| remark.ja.as_ref()).collect();
    for part in [
        "第002話.yaml",
        "用語集.yaml",
        "第003話_写し.md",
        "プロジェクト設定.yaml",
        "session_20250904_103000.yaml",
        "session_20250904_103001.yaml",
        "metadata.json",
    ] {
        assert!(remarks.iter().any(|remark| remark.contains(part)), "{part}: {remarks:#?}");
    }
    let terms = remarks.iter().find(|remark| remark.contains("用語集")).expect("a remark");
    assert!(terms.contains("2 行"), "{terms}");
}

#[test]
fn an_empty_folder_has_a_status_too() {
    let status = Novel::empty().status();
    assert!(status.episodes.is_empty() && !status.is_novel);
    assert!(status.remarks[1].ja.contains("fumi novel new"), "{:?}", status.remarks);
    assert_eq!(status.first(EpisodeProgress::Planned), None);
}
