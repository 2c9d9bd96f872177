//! The index in the state folder of a server that is killed while it writes there.

use std::{fs, path::PathBuf, thread, time::Duration};

use serde_json::json;

use crate::{mortal::Mortal, program::Served, sample::Sample};

/// The number of files of the project.
const FILES: u64 = 30;

/// Creates a project whose files are so old that every later change shows.
fn project() -> Sample {
    let sample = Sample::empty();
    for n in 0..FILES {
        sample.file(&format!("{n}.txt"), format!("needle{n}"));
    }
    thread::sleep(Duration::from_millis(3_300));
    sample
}

/// Returns the names in the folder of the index.
fn written(sample: &Sample) -> Vec<String> {
    let folders: Vec<PathBuf> = fs::read_dir(sample.outside().join("state/index"))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("readable"));
    files.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}

/// Searches twice, so that the second search is that of an index, if there is one.
fn assert_finds_all(server: &Mortal) {
    for query in ["needle", "needle[0-9]"] {
        let search = json!({"query": query, "total_only": true});
        let reply = server.answer("search_content", &search);
        assert_eq!(reply["total_matches"], FILES, "{reply}");
    }
}

#[test]
fn a_server_killed_at_a_step_of_writing_its_index_is_right_after_the_next_start() {
    let sample = project();
    let search = json!({"query": "needle", "total_only": true});
    // A write of two files has five steps for each; one under load may have more.
    for step in 1.. {
        let _ = fs::remove_dir_all(sample.outside().join("state/index"));
        let place = Mortal::start_by(Served::command(&sample), &step.to_string()).dies_writing_index(&search);
        let next = Mortal::start_by(Served::command(&sample), "list");
        assert_finds_all(&next);
        if !place.ends_with("flush segments") && !place.ends_with("rename segments") {
            next.writes_index("flush segments", &search);
        }
        drop(next);
        // It may be killed again here, before it removes what the first one left.
        let names = written(&sample);
        let is_segment = |name: &String| name.starts_with("segment-");
        assert!(names.iter().any(is_segment) && names.contains(&"segments".to_owned()), "{place}: {names:?}");
        assert_finds_all(&Mortal::start_by(Served::command(&sample), ""));
        if place.ends_with("flush segments") {
            assert!(step >= 10, "two files of five steps: {step}");
            return;
        }
    }
}
