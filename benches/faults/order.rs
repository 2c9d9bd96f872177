//! The order of texts: what the rules' score and the links between paragraphs say of texts whose order is known.
//!
//! The texts are the labelled ones of fumi-novel: the beginnings of 24 public-domain works, and ours in four classes.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use fumi_novel::checks::{CheckMaterial, RuleGroup, Score, metrics::figures, run_rules};

use crate::{dice::Dice, inputs::with_material};

/// The pairs of classes: the better one, the worse one.
const PAIRS: [(&str, &str); 5] = [
    ("good", "mediocre"),
    ("mediocre", "broken"),
    ("literature", "broken"),
    ("good", "cliche"),
    ("literature", "cliche"),
];

/// The smallest rank of a pair of classes, and of texts above their paragraphs in random orders.
const CLASSES: f64 = 0.95;
const PARAGRAPHS: f64 = 0.7;

/// The number of random orders of each text.
const ORDERS: usize = 20;

/// The score of a text, and its links in its own order and in random ones.
struct Ordered {
    score: f64,
    links: f64,
    shuffled: Vec<f64>,
}

/// The texts by class.
#[derive(Default)]
pub(crate) struct Order(BTreeMap<String, Vec<Ordered>>);

pub(crate) fn run(root: &Path) -> Order {
    let mut order = Order::default();
    for folder in ["literature", "own"] {
        let path = root.join("src/novel/tests/labelled").join(folder);
        let mut files: Vec<_> = fs::read_dir(path)
            .expect("the texts")
            .map(|entry| entry.expect("a text").path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let class = if folder == "own" {
                name.split('_').next().unwrap_or_default()
            } else {
                folder
            };
            let text = fs::read_to_string(&file).expect("a text");
            order
                .0
                .entry(class.to_owned())
                .or_default()
                .push(measured(&name, &text));
        }
    }
    order
}

fn measured(name: &str, text: &str) -> Ordered {
    let score = with_material(text, |material| {
        let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("the call is not cancelled");
        Score::from_findings(&findings, material.characters()).0
    });
    let mut paragraphs: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut dice = Dice::new(1, name);
    let shuffled = (0..ORDERS).map(|_| {
        for last in (1..paragraphs.len()).rev() {
            paragraphs.swap(last, dice.below(last + 1));
        }
        with_material(&(paragraphs.join("\n") + "\n"), links)
    });
    Ordered {
        score,
        shuffled: shuffled.collect(),
        links: with_material(text, links),
    }
}

/// Returns the links between paragraphs; 0.5, chance, for a text of fewer than four.
fn links(material: &CheckMaterial<'_>) -> f64 {
    let figures = figures(material).unwrap_or_default();
    figures
        .into_iter()
        .find(|(name, _)| *name == "paragraph_links")
        .map_or(0.5, |(_, value)| value)
}

/// Returns the probability that a better value is above a worse one, where equal ones count half; 0.5 is chance.
fn rank(better: &[f64], worse: &[f64]) -> f64 {
    let wins = better.iter().flat_map(|better| {
        worse.iter().map(move |worse| match better.total_cmp(worse) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
    });
    wins.sum::<f64>() / (better.len() * worse.len()).max(1) as f64
}

impl Order {
    fn of(&self, class: &str) -> &[Ordered] {
        self.0.get(class).map_or(&[], Vec::as_slice)
    }

    /// Returns the section of the report.
    pub(crate) fn section(&self) -> String {
        let holds = |rank: f64, bar: f64| if rank >= bar { "yes" } else { "**no**" };
        let mut page = "\n## The order of texts\n\nThe beginnings of 24 works in the public domain and 16 texts of ours in four classes \
                        (`src/novel/tests/labelled`; where they come from is noted there). *Rank* is the probability that a text of the \
                        better side has the higher value; 0.5 is chance. By the score of the rules:\n\n\
                        | better | worse | texts | rank | bar | held |\n| --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
        for (better, worse) in PAIRS {
            let scores = |class: &str| self.of(class).iter().map(|text| text.score).collect::<Vec<_>>();
            let (good, bad) = (scores(better), scores(worse));
            let (count, rank) = (good.len() + bad.len(), rank(&good, &bad));
            let _ = writeln!(
                page,
                "| {better} | {worse} | {count} | {rank:.2} | {CLASSES:.2} | {} |",
                holds(rank, CLASSES)
            );
        }
        let _ = write!(
            page,
            "\nBy the links between paragraphs, each text beside {ORDERS} random orders of its own paragraphs. How many paragraphs back \
             the measure looks was chosen on every second work; no other text was used.\n\n\
             | texts | number | above the mean of its random orders | rank | bar | held |\n| --- | --- | --- | --- | --- | --- |\n"
        );
        let works: Vec<&Ordered> = self.of("literature").iter().collect();
        let every_second = |from: usize| works.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
        for (name, texts) in [
            ("works that the reach was chosen on", every_second(0)),
            ("other works", every_second(1)),
            ("ours, good", self.of("good").iter().collect()),
        ] {
            let own: Vec<f64> = texts.iter().map(|text| text.links).collect();
            let shuffled: Vec<f64> = texts.iter().flat_map(|text| text.shuffled.iter().copied()).collect();
            let is_above = |text: &&&Ordered| text.links > text.shuffled.iter().sum::<f64>() / ORDERS as f64;
            let (above, rank) = (texts.iter().filter(is_above).count(), rank(&own, &shuffled));
            let _ = writeln!(
                page,
                "| {name} | {} | {above} | {rank:.2} | {PARAGRAPHS:.2} | {} |",
                texts.len(),
                holds(rank, PARAGRAPHS)
            );
        }
        page
    }
}
