//! Each call on a novel in which the system cannot read one file or folder, for every one in turn: the call does the same
//! as without the failure, because it does not need that file, or it is a system failure and leaves all files as they were.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use fumi_base::{errors::UserError, project::Project, text::Locale};
use fumi_novel::{
    artifacts::{ArtifactKind, ArtifactStore},
    backups::{BackupTime, Backups},
    change_set,
    checks::NovelContext,
    errors::{completion::CompletionError, writing::WritingError},
    file_writing::{ExpectedFile, FileWriter},
    finishing::{self, BookRecord, PublishExtent, PublishRecord},
    plotting::{self, PlotMaterial},
    project::{EpisodeId, NovelProject, ProjectNames},
    writing::{
        CallTime, NextStep, SessionAction, SessionSelector, StageRoute, UtcTime, WritingService, place_manuscript,
    },
};

use crate::{
    sample::{copied, copy},
    writing::{answer, good},
};

type Failure = Box<dyn UserError>;

/// The contents of all files of a novel, and `None` for its folders, by path.
type Files = BTreeMap<String, Option<Vec<u8>>>;

fn files(root: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("inside").to_str().expect("UTF-8").to_owned();
            if path.is_dir() {
                found.insert(name, None);
                folders.push(path);
            } else {
                found.insert(name, Some(fs::read(&path).expect("read")));
            }
        }
    }
    found
}

fn novel_in(root: &Path) -> NovelProject {
    NovelProject::new(Project::open(root).expect("a project"), ProjectNames::default())
}

fn failure(error: impl UserError) -> Failure {
    Box::new(error)
}

/// Makes a novel, then repeats a call on copies of it in which one path fails. The call returns its reply as text.
fn check(make: impl FnOnce(&NovelProject), call: impl Fn(&NovelProject) -> Result<String, Failure>) {
    let (original, novel) = copied();
    make(&novel);
    let before = files(original.path());
    let on_copy = |failing: Option<&str>| {
        let folder = tempfile::tempdir().expect("a folder");
        copy(original.path(), folder.path());
        let novel = novel_in(folder.path());
        if let Some(failing) = failing {
            novel.project().failures().fail_at(failing);
        }
        let reply = call(&novel).map(|reply| reply.replace(folder.path().to_str().expect("UTF-8"), "ROOT"));
        (reply, files(folder.path()))
    };
    let (reply, after) = on_copy(None);
    let reply = reply.unwrap_or_else(|error| panic!("{error}"));
    let mut failed = 0;
    for failing in before.keys() {
        match on_copy(Some(failing)) {
            (Ok(now), files) => {
                assert_eq!(now, reply, "{failing}");
                assert!(files == after, "{failing}: {:?} and {:?}", files.keys(), after.keys());
            }
            (Err(error), files) => {
                assert!(error.is_system_failure(), "{failing}: {error}");
                for (path, bytes) in &before {
                    assert!(files.get(path) == Some(bytes), "{failing}: {path} is another");
                }
                failed += 1;
            }
        }
    }
    assert!(failed > 0, "the call reads nothing");
}

fn episode(number: u32) -> EpisodeId {
    EpisodeId::new(number).expect("a number")
}

fn at(time: &str) -> UtcTime {
    UtcTime::parse(time).expect("a time")
}

fn stamp(second: u32) -> BackupTime {
    BackupTime::parse(&format!("20260131T1000{second:02}Z")).expect("a time")
}

fn now() -> CallTime {
    CallTime { moment: at("2026-01-31T10:00:00Z"), stamp: stamp(0), random: 1 }
}

fn yaml(value: &impl serde::Serialize) -> Vec<u8> {
    serde_saphyr::to_string(value).expect("YAML").into_bytes()
}

/// Finishes an episode and builds the book, as the tool does.
fn complete(novel: &NovelProject, number: u32, time: &str) -> Result<String, CompletionError> {
    let record = |record: &PublishRecord| yaml(record);
    let bound = |book: &BookRecord| yaml(book);
    let (done, mut changes) =
        finishing::complete(novel, episode(number), PublishExtent::WithFormSheets, &at(time), record)?;
    let book = finishing::build_book(novel, Some(&done.record), &at(time), bound, &|| false)?;
    let (book, of_book) = book.unzip();
    changes.extend(of_book.into_iter().flatten());
    change_set::apply(novel.project(), None, changes)?;
    Ok(format!("{done:?} {book:?}"))
}

#[test]
fn finished_episode_and_book_lack_nothing() {
    let make = |novel: &NovelProject| {
        for number in [1, 2] {
            complete(novel, number, "2026-01-31T10:00:00Z").expect("completed");
        }
        // A score of the present text, which the record would lack.
        let manuscript =
            fs::read(novel.project().root().join("40_原稿/第001話_こぶとえくぼ.md")).expect("the sample's");
        let sha256 = fumi_base::files::sha256(&manuscript);
        let checks = novel.project().root().join(".noveler/checks");
        let score = format!("scores/00001_20260131_100000_0a1b2c3d_001_87.5_host_{}.json", &sha256[..12]);
        for (path, text) in [(score.as_str(), ""), ("check_20260131_100000_0a1b2c3d/manifest.json", "{}")] {
            fs::create_dir_all(checks.join(path).parent().expect("a folder")).expect("folders");
            fs::write(checks.join(path), text).expect("written");
        }
        open(novel);
    };
    check(make, |novel| complete(novel, 1, "2027-01-31T10:00:00Z").map_err(failure));
}

fn service(novel: &NovelProject) -> Result<WritingService, Failure> {
    WritingService::new(Arc::clone(novel.project()), novel.clone(), episode(1), Locale::Ja).map_err(failure)
}

/// Runs the next step of the open session, or of a new one.
fn step(novel: &NovelProject, act: SessionAction) -> Result<(NextStep, String), Failure> {
    let desk = service(novel)?;
    let run = || {
        let opened = desk.open(SessionSelector::Open(StageRoute::Whole), None, &now())?;
        let outcome = desk.run_step(opened, act, "write_step", false, &now())?;
        let shown = format!("{outcome:?}");
        Ok::<_, WritingError>((outcome.next, shown))
    };
    run().map_err(failure)
}

/// Begins a session and answers its first question. Returns an answer to the second.
fn open(novel: &NovelProject) -> String {
    let NextStep::Ask(ask) = step(novel, SessionAction::Peek).expect("begun").0 else { panic!("a question") };
    let NextStep::Ask(ask) = step(novel, SessionAction::Answer(answer(good(&ask)))).expect("taken").0 else {
        panic!("another question")
    };
    good(&ask)
}

#[test]
fn session_loses_nothing() {
    let content = std::cell::OnceCell::new();
    check(
        |novel| content.set(open(novel)).expect("once"),
        |novel| step(novel, SessionAction::Answer(answer(content.get().expect("set").clone()))).map(|step| step.1),
    );
    // A session that is begun records the manuscript that is there.
    check(|_| (), |novel| step(novel, SessionAction::Peek).map(|step| step.1));
    // An edited manuscript is reported.
    let edit = |novel: &NovelProject| {
        open(novel);
        fs::write(novel.project().root().join("40_原稿/第001話_こぶとえくぼ.md"), "# 別\n\n　別の話。\n")
            .expect("written");
    };
    check(edit, |novel| step(novel, SessionAction::Peek).map(|step| step.1));
}

#[test]
fn second_manuscript_is_not_written_beside_the_first() {
    let place = |novel: &NovelProject| {
        let (placed, change) =
            place_manuscript(novel.project(), novel, episode(1), "別", "別の話。", &stamp(0)).map_err(failure)?;
        change_set::apply(novel.project(), None, change.into_iter().collect()).map_err(failure)?;
        Ok(format!("{placed:?}"))
    };
    check(|_| (), place);
}

#[test]
fn plot_and_its_prompt_lack_nothing() {
    let prompt = |novel: &NovelProject| {
        let material = PlotMaterial::gather(novel, episode(2), None).map_err(failure)?;
        Ok(format!("{} {:?}", material.instruction(episode(2), Locale::Ja), material.references))
    };
    check(|_| (), prompt);
    let store = |novel: &NovelProject| {
        let mut plot = plotting::existing(novel, episode(1)).map_err(failure)?.expect("a plot").plot;
        plot.synopsis = Some("別".to_owned());
        let stored = plotting::store_plot(novel.project(), novel, episode(1), plot, &stamp(0)).map_err(failure)?;
        Ok(format!("{stored:?}"))
    };
    check(|_| (), store);
}

#[test]
fn check_has_the_whole_novel_around_its_manuscript() {
    check(
        |_| (),
        |novel| {
            let context = NovelContext::of_project(novel, episode(2)).map_err(failure)?;
            Ok(format!("{:?} {:?} {:?}", context.settings, context.plot, context.next)
                + &format!("{:?} {:?} {:?}", context.world, context.ledger, context.previous))
        },
    );
}

#[test]
fn backups_are_neither_incomplete_nor_damaged() {
    let backups = |novel: &NovelProject| Backups::new(Arc::clone(novel.project()), &novel.names().backups);
    let make = |novel: &NovelProject| {
        for second in [1, 2] {
            backups(novel).create(&["40_原稿", "20_プロット"], "執筆前", &stamp(second)).expect("made");
        }
    };
    let newest = |novel: &NovelProject| {
        let (complete, incomplete) = backups(novel).list().map_err(failure)?;
        Ok::<_, Failure>((complete[0].id.clone(), format!("{complete:?} {incomplete:?}")))
    };
    check(make, |novel| Ok(newest(novel)?.1));
    check(make, |novel| {
        let damage = backups(novel).verify(&newest(novel)?.0).map_err(failure)?;
        Ok(format!("{damage:?}"))
    });
    check(make, |novel| {
        let restored = backups(novel).restore(&newest(novel)?.0, None, &stamp(3)).map_err(failure)?;
        Ok(format!("{restored:?}"))
    });
    check(make, |novel| Ok(format!("{:?}", backups(novel).prune(1).map_err(failure)?)));
    check(make, |novel| {
        let whole = backups(novel).create(&["."], "全部", &stamp(3)).map_err(failure)?;
        Ok(format!("{whole:?}"))
    });
}

#[test]
fn texts_that_are_there_are_not_written_again() {
    let keep = |novel: &NovelProject, time: &str| {
        let kept = ArtifactStore::new(novel.clone()).keep("本文", ArtifactKind::Markdown, "tool", &at(time));
        kept.map(|kept| format!("{:?} {:?}", kept.created_at, kept.file)).map_err(failure)
    };
    let make = |novel: &NovelProject| drop(keep(novel, "2026-01-31T10:00:00Z").expect("kept"));
    check(make, |novel| keep(novel, "2027-01-31T10:00:00Z"));
    let save = |novel: &NovelProject| {
        let writer = FileWriter::new(Arc::clone(novel.project()), &novel.names().backups);
        let saved = writer.save("50_管理資料/全体構成.yaml", "a: 1\n", &ExpectedFile::Anything, &stamp(0));
        saved.map(|saved| format!("{saved:?}")).map_err(failure)
    };
    check(|_| (), save);
}
