//! Comparison with Python's own `json` and `tomllib` over the manifests and data of the crates in this build: the same
//! keys, with the same paths and types. Files that Python rejects are not compared.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
};

use fumi_code::{elements::ElementDetail, extract::extract, parse::parse};
use tokio_util::sync::CancellationToken;

use super::{compare, python::python, source};

/// The number of files: enough for every construct of real manifests, few enough for a few seconds.
const FILES: usize = 400;

/// The maximum file size in the sample; larger files are repetitive.
const BYTES: u64 = 300_000;

#[test]
#[ignore = "needs python3"]
fn keys_of_toml_are_those_of_tomllib() {
    compare(&read(&sources("toml")), 5_000, ours);
}

#[test]
#[ignore = "needs python3"]
fn keys_of_json_are_those_of_json() {
    compare(&read(&sources("json")), 5_000, ours);
}

/// Returns an even sample of the files in Cargo's registry, which exists after a build.
fn sources(extension: &str) -> Vec<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let mut open = vec![home.expect("a home").join("registry/src")];
    let mut found = BTreeSet::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|known| known == extension) && about.len() < BYTES {
                found.insert(path);
            }
        }
    }
    let step = found.len().div_ceil(FILES).max(1);
    found.into_iter().step_by(step).collect()
}

fn read(files: &[PathBuf]) -> BTreeMap<String, BTreeSet<String>> {
    let list: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/data.py");
    let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in python(&[script], &list.join("\n")).lines() {
        let (path, fact) = line.split_once('\t').expect("a path and a fact");
        match fact {
            "refused" => {}
            "read" => {
                facts.entry(path.to_owned()).or_default();
            }
            _ => {
                facts.entry(path.to_owned()).or_default().insert(fact.to_owned());
            }
        }
    }
    facts
}

fn ours(path: &str) -> BTreeSet<String> {
    let cancel = CancellationToken::new();
    let parsed = parse(source(path), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    let is_toml = parsed.source.language.name == "toml";
    let mut facts = BTreeSet::new();
    for (at, element) in elements.list.iter().enumerate() {
        let ElementDetail::Key { type_name, value } = &element.detail else {
            continue;
        };
        // The value of a container is compared through its entries; its own type differs only in name, table or
        // mapping.
        let holds_others = *type_name == "mapping" || (is_toml && *type_name == "list" && value.is_empty());
        if !holds_others {
            facts.insert(format!("{}\t{type_name}", elements.qualified_name(at)));
        }
    }
    facts
}
