//! Tests of plots for the sample novel: material, rejected answers, plot files, reviews.

use std::fs;

use fumi_base::text::Locale;
use fumi_novel::{
    backups::BackupTime,
    errors::writing::WritingError,
    plotting::{self, PlotMaterial, PlotReview, PlotVerdict, StoredPlot},
    project::{EpisodeId, EpisodePlot, NovelProject},
    references::ContentHash,
};

use super::{episode, sample, sample::copied};

fn number(number: u32) -> EpisodeId {
    EpisodeId::new(number).expect("a number")
}

/// Returns the plot of the first episode.
fn first() -> StoredPlot {
    plotting::existing(&sample(), episode()).expect("read").expect("a plot")
}

fn review(plot: &EpisodePlot) -> PlotReview {
    plotting::review(&sample(), episode(), plot).expect("a review")
}

fn score(review: &PlotReview, id: &str) -> Option<f64> {
    let point = review.points.iter().find(|point| point.id == id).expect("a point");
    point.score
}

/// Returns the criteria that an answer misses.
fn missed(content: &str) -> Vec<String> {
    match plotting::validate_answer(episode(), content) {
        Err(WritingError::PlotMissed { misses }) => {
            for miss in &misses {
                assert!(!miss.message.en.is_empty() && !miss.message.ja.is_empty(), "{miss:?}");
            }
            misses.into_iter().map(|miss| miss.criterion).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plot_that_is_there_is_found_and_would_be_taken() {
    let placed = first();
    assert_eq!(placed.path, "20_プロット/話別/第001話.yaml");
    assert_eq!(placed.sha256, ContentHash::from_bytes(placed.text.as_bytes()).digits());
    let judged = plotting::validate_answer(episode(), &placed.text).expect("a plot");
    assert_eq!(judged, placed.plot);
    assert_eq!(plotting::title_of(&judged, Locale::En), "こぶとえくぼ");
    assert_eq!(plotting::title_of(&EpisodePlot::default(), Locale::En), "(untitled)");
    assert_eq!(plotting::title_of(&EpisodePlot::default(), Locale::Ja), "（無題）");
    assert!(plotting::existing(&sample(), number(9)).expect("read").is_none());
    assert_eq!(plotting::criteria().len(), 7);
}

#[test]
fn a_preview_counts_what_is_planned() {
    // The score counts 8 events, 4 characters, 2 foreshadowings and 4 scenes.
    let preview = plotting::preview(&first().plot, 3_000);
    assert_eq!((preview.estimated_length, preview.complexity_score), (4_000, 40 + 24 + 16 + 16));
    assert_eq!(preview.key_elements.len(), 5);
    assert!(preview.key_elements.iter().all(|event| event.chars().count() <= 40));
    let empty = plotting::preview(&EpisodePlot::default(), 3_000);
    assert_eq!((empty.estimated_length, empty.complexity_score), (3_000, 0));
    let huge = EpisodePlot::read("p", "key_events: [a, b, c]\nscene_structure: {scene_count_target: 4000000000}\n");
    assert_eq!(plotting::preview(&huge.expect("a plot"), 1).complexity_score, 100);
}

#[test]
fn everything_that_an_answer_misses_is_named_at_once() {
    assert_eq!(
        missed("episode_info:\n  episode_number: 2\nsynopsis: 短い\nkey_events: [一つ]\n"),
        [
            "episode_info.episode_number",
            "episode_info.title",
            "synopsis",
            "key_events",
            "story_structure.setup",
            "story_structure.confrontation",
            "story_structure.resolution",
            "characters",
        ]
    );
    assert_eq!(missed("key_events: ["), ["form"]);
    let good = first().text;
    assert_eq!(missed(&format!("{good}\n# 承知しました\n承知しました: 次の通りです\n")), ["remnants"]);
    assert_eq!(missed(&good.replace("episode_number: 1", "episode_number: 3")), ["episode_info.episode_number"]);
    let large = plotting::validate_answer(episode(), &" ".repeat((1 << 20) + 1)).expect_err("too large");
    assert!(matches!(large, WritingError::ContentTooLarge { limit: 1_048_576, .. }), "{large}");
    // A missing episode number is filled in.
    let unsaid = plotting::validate_answer(episode(), &good.replace("  episode_number: 1\n", "")).expect("a plot");
    assert_eq!(unsaid.episode_info.episode_number, Some(1));
}

#[test]
fn a_plot_is_placed_and_what_it_replaces_is_backed_up() {
    let (folder, novel) = copied();
    let stamp = BackupTime::parse("20250904T103000Z").expect("a time");
    let place = |episode, plot: &EpisodePlot| {
        plotting::store_plot(novel.project(), &novel, episode, plot.clone(), &stamp).expect("placed")
    };
    let read = |placed: &StoredPlot| fs::read_to_string(folder.path().join(&placed.path)).expect("a file");
    let mut plot = first().plot;
    let new = place(number(4), &plot);
    assert_eq!((new.path.as_str(), new.backup.as_ref()), ("20_プロット/話別/第004話.yaml", None));
    assert_eq!(read(&new), new.text);
    assert_eq!(EpisodePlot::read("p", &new.text).expect("a plot"), plot);
    // Placing the same plot again writes nothing.
    assert_eq!(place(number(4), &plot).backup, None);
    plot.synopsis = Some("別のあらすじ".to_owned());
    let other = place(number(4), &plot);
    assert_eq!(other.path, new.path);
    let backup = other.backup.as_deref().expect("a backup");
    let kept = folder.path().join(&novel.names().backups).join(backup);
    assert!(kept.is_dir(), "{}", kept.display());
    assert!(read(&other).contains("別のあらすじ"));
    // With two files for one episode, neither is overwritten.
    fs::write(folder.path().join("20_プロット/話別/第004話_別.yaml"), "synopsis: 別\n").expect("written");
    assert!(plotting::store_plot(novel.project(), &novel, number(4), first().plot, &stamp).is_err());
    assert!(read(&other).contains("別のあらすじ"));
}

fn asked(novel: &NovelProject, of: u32, before: Option<&str>, locale: Locale) -> String {
    let material = PlotMaterial::gather(novel, number(of), before.map(str::to_owned)).expect("material");
    material.instruction(number(of), locale)
}

#[test]
fn a_plot_is_asked_for_with_all_that_is_planned_of_it() {
    let novel = sample();
    let material = PlotMaterial::gather(&novel, number(2), None).expect("material");
    assert_eq!(material.target(), 4_000);
    let described = |member: &String| member.starts_with("梶みちる: ") && member.contains("沿岸測地局の技官");
    assert!(material.cast.iter().any(described), "{:?}", material.cast);
    // The chapter's purpose and summary with its line about the episode; hints and the payoff from the ledger.
    assert_eq!(material.chapter.len(), 3);
    assert!(material.chapter[2].contains("正体"), "{:?}", material.chapter);
    let planned: Vec<&str> = material.ledger.iter().filter_map(|line| line.en.split(':').next()).collect();
    assert!(planned.starts_with(&["F001 payoff", "F001 hint", "F002 hint"]), "{planned:?}");
    assert_eq!(material.previous.len(), 2);
    let japanese = asked(&novel, 2, Some("前のプロット"), Locale::Ja);
    for words in ["潮のほまち", "第2話", "F001 payoff", "壁の盥が消えていた", "前のプロット", "穂刈徳次: "]
    {
        assert!(japanese.contains(words), "{words}: {japanese}");
    }
    assert!(!japanese.contains('{'), "{japanese}");
    let english = asked(&novel, 2, Some("{episode}"), Locale::En);
    // Placeholders inside inserted values are not filled.
    assert!(english.contains("to be improved:\n{episode}"), "{english}");
    // Nothing is planned for a later episode, and no episode precedes it.
    let later = asked(&novel, 9, None, Locale::Ja);
    assert_eq!(later.matches("（未定）").count(), 3, "{later}");
    assert!(PlotMaterial::gather(&novel, number(1), None).expect("material").previous.is_empty());
}

#[test]
fn unreadable_settings_are_shown_as_undecided() {
    let (folder, novel) = copied();
    for file in ["20_プロット/章別/第01章.yaml", "50_管理資料/伏線管理.yaml", "30_設定集/キャラクター.yaml"]
    {
        fs::write(folder.path().join(file), "a: [").expect("written");
    }
    fs::write(folder.path().join("20_プロット/章別/第02章.yaml"), "episodes: 一覧ではない\n").expect("written");
    let material = PlotMaterial::gather(&novel, number(1), None).expect("material");
    assert!(material.cast.is_empty() && material.chapter.is_empty() && material.ledger.is_empty());
    assert!(material.instruction(number(1), Locale::En).contains("(not decided)"));
}

#[test]
fn the_plan_of_the_sample_passes_and_an_empty_one_fails() {
    let placed = first();
    let whole = review(&placed.plot);
    let ids: Vec<&str> = whole.points.iter().map(|point| point.id).collect();
    assert_eq!(ids, ["P-01", "P-02", "P-03", "P-04", "P-05", "P-06", "P-07", "P-08", "P-09", "P-10"]);
    for id in ["P-02", "P-03", "P-05", "P-06", "P-07", "P-10"] {
        assert_eq!(score(&whole, id), Some(100.0), "{id}");
    }
    assert_eq!((score(&whole, "P-08"), score(&whole, "P-09")), (None, None));
    assert!((whole.coverage() - 0.8).abs() < 1e-9);
    assert_eq!(whole.verdict(), PlotVerdict::Pass);
    let (some, _) = whole.group_result(&["P-02", "P-03", "P-08"]);
    assert_eq!((some, whole.group_result(&["P-08"]).0), (Some(100.0), None));
    let empty = review(&EpisodePlot::default());
    assert_eq!(empty.verdict(), PlotVerdict::Fail);
    for (id, expected) in [("P-01", Some(0.0)), ("P-02", Some(0.0)), ("P-03", None), ("P-05", Some(0.0))] {
        assert_eq!(score(&empty, id), expected, "{id}");
    }
    // One finding for each act, events, ledger plans, journey, two purposes, theme and hook.
    let found = empty.group_result(&ids).1;
    assert!(found.len() >= 9, "{found:?}");
    for text in found {
        assert!(!text.en.is_empty() && !text.ja.is_empty());
    }
}

#[test]
fn points_follow_what_is_counted() {
    let mut plot = first().plot;
    let events = plot.key_events.clone();
    plot.key_events.truncate(3);
    assert_eq!(score(&review(&plot), "P-02"), Some(60.0));
    plot.key_events = events.iter().cycle().take(11).cloned().collect();
    assert_eq!(score(&review(&plot), "P-02"), Some(90.0));
    // One of two foreshadowings in the ledger is missing, and the other lacks its role.
    let ledgered = score(&review(&first().plot), "P-04").expect("counted");
    let text = first().text.replace("  - id: F002\n    role: plant\n", "  - id: X\n");
    let thin = EpisodePlot::read("p", &text).expect("a plot");
    assert_eq!(score(&review(&thin), "P-03"), Some(50.0));
    assert!(score(&review(&thin), "P-04").expect("counted") < ledgered);
    // One act has nearly all the text: each act is reported.
    let text =
        "story_structure: {setup: 短い, confrontation: 短い, resolution: 長い長い長い長い長い長い長い長い長い長い}";
    let uneven = EpisodePlot::read("p", text).expect("a plot");
    let (score_of_acts, findings) = review(&uneven).group_result(&["P-01"]);
    assert!(score_of_acts.expect("counted") < 80.0);
    assert_eq!(findings.len(), 2, "{findings:?}");
}

#[test]
fn verdicts_follow_score_thresholds() {
    for (score, verdict) in [
        (100.0, PlotVerdict::Pass),
        (80.0, PlotVerdict::Pass),
        (79.9, PlotVerdict::Conditional),
        (70.0, PlotVerdict::Conditional),
        (69.9, PlotVerdict::Fail),
    ] {
        let mut review = review(&EpisodePlot::default());
        for point in &mut review.points {
            point.score = Some(score);
        }
        assert_eq!(review.verdict(), verdict, "{score}");
    }
    let nothing = PlotReview { points: Vec::new() };
    assert_eq!((nothing.overall(), nothing.verdict()), (0.0, PlotVerdict::Fail));
}

#[test]
fn unused_characters_are_reported() {
    let mut plot = first().plot;
    assert!(plotting::unused_characters(&plot).is_empty());
    plot.characters.push(fumi_novel::project::YamlValue::Text("蔵前権兵衛".to_owned()));
    assert_eq!(plotting::unused_characters(&plot), ["蔵前権兵衛"]);
}
