//! Generates `src/novel/checks/metrics/reference.toml` from 坊っちゃん: `cargo run -p fumi-novel --example make_reference >
//! reference.toml`.

use std::collections::BTreeMap;

use fumi_novel::{
    checks::{Context, Draft, Material, Tuning, metrics::figures},
    manuscript::{LineKind, Manuscript, Part, Reading, Syntax},
    morphology::Ipadic,
};

/// The smallest number of visible characters in a window.
const WINDOW: usize = 3_000;

fn main() {
    let reading = Reading {
        syntax: Syntax::Aozora,
        ..Reading::default()
    };
    let text = include_str!("../fixtures/bocchan.aozora.txt");
    let book = Manuscript::read(text, reading);
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut window = String::new();
    for line in book.lines() {
        if line.part != Part::Body || line.kind != LineKind::Paragraph {
            continue;
        }
        window.push_str(&text[line.content.start..line.next]);
        if window.chars().count() < WINDOW {
            continue;
        }
        let (context, tuning) = (Context::default(), Tuning::default());
        let draft = Draft::read(std::mem::take(&mut window), reading);
        let material = Material::of(&draft, &context, &tuning, Ipadic::shared());
        for (name, value) in figures(&material).unwrap_or_default() {
            all.entry(name).or_default().push(value);
        }
    }
    println!(
        "# Twelve figures of windows of about {WINDOW} characters of 坊っちゃん (夏目漱石, public domain), each list from the least."
    );
    println!("# Made by the example make_reference; see comparison.rs.\n\n[figures]");
    for (name, values) in &mut all {
        values.sort_by(f64::total_cmp);
        let shown: Vec<String> = values.iter().map(|value| format!("{value:.4}")).collect();
        println!("{name} = [{}]", shown.join(", "));
    }
}
