//! The server is killed (SIGKILL) at every place at which a write can stop: before a file is created, and when it is
//! written, flushed, renamed, and its folder flushed. The program itself lists the places, for every call of a whole
//! episode; all of them are tested.
//!
//! After each kill another server continues: files are not partial, complete stages are not lost, texts are not
//! repeated, and the same answers make the same manuscript.

use std::path::Path;

use fumi_base::files::sha256;
use fumi_novel::writing::StageRoute;
use serde_json::{Value, json};

use super::{
    FIRST, novel, script,
    writing::{ok, until},
};
use crate::{
    mortal::Mortal,
    sample::{Sample, copy},
};

/// The manuscript that is replaced.
const BEFORE: &str = "# 前の原稿\n\n　前の原稿の本文。\n";

/// Returns the arguments of the first call. The sample's own route is the ten stages.
fn first_call(route: StageRoute) -> Value {
    match route {
        StageRoute::Short => json!({"episode": 1, "route": "short"}),
        _ => json!({"episode": 1}),
    }
}

/// Returns the manuscript at the end of a route.
fn manuscript(route: StageRoute) -> String {
    match route {
        StageRoute::Short => script::manuscript_by_scenes(),
        _ => script::manuscript(),
    }
}

/// One call of the episode: the files before it, and its arguments.
struct Moment {
    before: Sample,
    step: String,
    arguments: Value,
    places: Vec<String>,
}

/// Runs the whole episode once and returns every call with its places. A manuscript exists already, so that the last
/// call backs it up.
fn episode(route: StageRoute) -> Vec<Moment> {
    let sample = novel();
    sample.file(FIRST, BEFORE);
    let mut moments = Vec::new();
    let mut arguments = first_call(route);
    let mut session = Value::Null;
    let steps = script::steps_of(route);
    for at in 0..=steps.len() {
        let before = Sample::empty();
        copy(&sample.root(), &before.root());
        // A process for each call, so that its places are counted from 1.
        let places = Mortal::start(&sample, "list").places("noveler_write", &arguments);
        if session.is_null() {
            session = json!(session_of(&sample));
        }
        let step = if at == 0 { String::new() } else { steps[at - 1].clone() };
        moments.push(Moment { before, step, arguments, places });
        let Some(next) = steps.get(at) else { break };
        arguments = json!({"episode": 1, "session_id": session, "step": next, "content": script::answer(next)});
    }
    assert!(sample.read(FIRST).ends_with(manuscript(route).trim_start_matches('\n')));
    moments
}

/// Returns the only session of a sample.
pub(crate) fn session_of(sample: &Sample) -> String {
    let folder = sample.root().join(".noveler/sessions");
    let mut names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.find_map(|name| name.strip_suffix(".yaml").map(str::to_owned)).expect("a session")
}

/// Every file that is named by its content's hash has that content, and an unfinished file is not used.
fn nothing_is_half(sample: &Sample, place: &str) {
    for (path, content) in sample.state() {
        let path = path.to_string_lossy().into_owned();
        let Some(name) = path.rsplit_once(".noveler/").map(|(_, name)| name) else {
            continue;
        };
        if content.is_empty() || name.starts_with("locks/") {
            continue;
        }
        let stem = Path::new(name).file_stem().unwrap().to_string_lossy().into_owned();
        if let Some((_, hash)) = stem.rsplit_once('-').filter(|(_, hash)| hash.len() == 12) {
            assert!(sha256(&content).starts_with(hash), "{place}: {name} is half");
        }
    }
}

/// The manuscript is the old one, or the new one with the old one in a backup that is marked as complete.
fn nothing_is_lost(route: StageRoute, sample: &Sample, place: &str) {
    let text = sample.read(FIRST);
    if text == BEFORE {
        return;
    }
    assert!(text.ends_with(manuscript(route).trim_start_matches('\n')), "{place}: half a manuscript");
    let project = fumi_base::project::Project::open(&sample.root()).unwrap();
    let backups = fumi_novel::backups::Backups::new(project, "90_バックアップ");
    let (complete, _) = backups.list().unwrap();
    let whole = complete.iter().any(|backup| {
        backups.verify(&backup.id).unwrap().is_empty()
            && sample.read(&format!("90_バックアップ/{}/files/{FIRST}", backup.id)) == BEFORE
    });
    assert!(whole, "{place}: the old manuscript is lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_at_any_even_place_loses_nothing() {
    dies_everywhere(StageRoute::Whole, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_at_any_odd_place_loses_nothing() {
    dies_everywhere(StageRoute::Whole, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_at_any_even_place_of_the_short_route_loses_nothing() {
    dies_everywhere(StageRoute::Short, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_at_any_odd_place_of_the_short_route_loses_nothing() {
    dies_everywhere(StageRoute::Short, 1).await;
}

/// Kills at every place, in two halves that run in parallel.
async fn dies_everywhere(route: StageRoute, half: usize) {
    let moments = tokio::task::spawn_blocking(move || episode(route)).await.unwrap();
    let total: usize = moments.iter().map(|moment| moment.places.len()).sum();
    let of_kind = |what: &str| {
        let places = moments.iter().flat_map(|moment| &moment.places);
        places.filter(|place| place.split(' ').nth(1) == Some(what)).count()
    };
    let steps = script::steps_of(route);
    // Each turn writes an answer, its prompt, the trace and the session; the first call writes the session, and on the short
    // route the material; each stage an
    // output; the last call the manuscript, a copy of the previous one and its manifest; before that,
    // manuscript and session wait in files of their own, which a note lists.
    for what in ["create", "write", "fsync", "rename", "flush"] {
        let first = 1 + usize::from(route == StageRoute::Short);
        assert_eq!(of_kind(what), steps.len() * 4 + first + route.length() + 3 + 3, "{what}");
    }
    let mut number = 0;
    for (at, moment) in moments.iter().enumerate() {
        for place in 1..=moment.places.len() {
            number += 1;
            if number % 2 != half {
                continue;
            }
            let sample = Sample::empty();
            copy(&moment.before.root(), &sample.root());
            let mortal = Mortal::start(&sample, &place.to_string());
            let arguments = moment.arguments.clone();
            let died = tokio::task::spawn_blocking(move || mortal.dies("noveler_write", &arguments)).await.unwrap();
            nothing_is_half(&sample, &died);
            nothing_is_lost(route, &sample, &died);
            // Another server continues at once: it does not wait for the killed one.
            let app = sample.app();
            if at == 0 && !sample.root().join(".noveler/sessions").exists() {
                continue;
            }
            let Ok(session) = std::panic::catch_unwind(|| session_of(&sample)) else {
                continue;
            };
            let resumed = ok(&app, "write_resume", json!({"episode": 1, "session_id": session})).await;
            let asked = resumed["step"].as_str();
            let taken = steps.get(at).map(String::as_str);
            assert!(
                asked == Some(moment.step.as_str()) || asked == taken,
                "{died}: {asked:?} after the answer to {:?}",
                moment.step
            );
            // Continues to the end from every seventh place: all of them would take minutes without showing more.
            if number % 7 == 0 {
                until(&app, resumed, None).await;
                let text = sample.read(FIRST);
                assert!(text.ends_with(manuscript(route).trim_start_matches('\n')), "{died}");
                let all = std::fs::read_dir(sample.root().join("40_原稿")).unwrap().count();
                assert_eq!(all, 3, "{died}");
            }
        }
    }
    assert_eq!(number, total);
}
