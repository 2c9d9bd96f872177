//! Generates `src/novel/checks/metrics/reference.toml` from 坊っちゃん: `cargo run -p fumi-novel --example make_reference >
//! reference.toml`.

use std::collections::BTreeMap;

use fumi_novel::{
    checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning, metrics::figures},
    manuscript::{LineKind, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax},
    morphology::Ipadic,
};

/// The smallest number of visible characters in a window.
const WINDOW: usize = 3_000;

fn main() {
    let reading = ManuscriptOptions { syntax: ManuscriptSyntax::Aozora, ..ManuscriptOptions::default() };
    let text = include_str!("../fixtures/bocchan.aozora.txt");
    let book = Manuscript::read(text, reading);
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut window = String::new();
    for line in book.lines() {
        if line.part != ManuscriptPart::Body || line.kind != LineKind::Paragraph {
            continue;
        }
        window.push_str(&text[line.content.start..line.next]);
        if window.chars().count() < WINDOW {
            continue;
        }
        let (context, tuning) = (NovelContext::default(), Tuning::default());
        let draft = AnalysedDraft::read(std::mem::take(&mut window), reading);
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        for (name, value) in figures(&material).unwrap_or_default() {
            all.entry(name).or_default().push(value);
        }
    }
    println!(
        "# Thirteen figures of windows of about {WINDOW} characters of 坊っちゃん (夏目漱石, public domain), each list in ascending order."
    );
    println!("# Made by the example make_reference; see comparison.rs.\n\n[figures]");
    for (name, values) in &mut all {
        values.sort_by(f64::total_cmp);
        let shown: Vec<String> = values.iter().map(|value| format!("{value:.4}")).collect();
        println!("{name} = [{}]", shown.join(", "));
    }
}
