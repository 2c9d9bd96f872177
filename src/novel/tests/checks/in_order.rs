//! Tests that the links between paragraphs tell a text from the same text with its paragraphs in random orders.
//!
//! The texts are the labelled ones: the beginnings of 24 public-domain works and our good texts. How many paragraphs back
//! the measure looks was chosen on every second work; the others are for judging alone. A single text may fail: 檸檬 moves from
//! image to image.

use std::{fs, path::Path};

use fumi_novel::checks::{NovelContext, Tuning, metrics::figures};

use super::{labelled::rank, with_material};

/// The smallest probability that a text in order has a higher value than one in a random order; 0.5 is chance.
const RANK: f64 = 0.7;

/// The number of random orders of each text.
const ORDERS: usize = 5;

/// The links of a text as it is, and in random orders.
struct Links {
    name: String,
    own: f64,
    shuffled: Vec<f64>,
}

fn links(text: &str) -> f64 {
    with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
        let figures = figures(material).expect("narration");
        figures.into_iter().find(|(name, _)| *name == "paragraph_links").expect("four paragraphs").1
    })
}

fn measured(folder: &str, prefix: &str) -> Vec<Links> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled").join(folder);
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the texts").map(|entry| entry.expect("a text").path()).collect();
    files.sort();
    let texts = files.into_iter().filter_map(|path| {
        let name = path.file_stem()?.to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        name.starts_with(prefix).then(|| Links { own: links(&text), shuffled: in_random_orders(&text), name })
    });
    texts.collect()
}

fn in_random_orders(text: &str) -> Vec<f64> {
    let mut paragraphs: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut random: u64 = 1;
    let orders = (0..ORDERS).map(|_| {
        for last in (1..paragraphs.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = usize::try_from((random >> 33) % (last as u64 + 1)).expect("an index");
            paragraphs.swap(last, other);
        }
        links(&(paragraphs.join("\n") + "\n"))
    });
    orders.collect()
}

#[test]
fn paragraphs_in_order_are_linked_more_than_in_random_orders() {
    let literature = measured("literature", "");
    assert_eq!(literature.len(), 24);
    let good = measured("own", "good");
    for text in literature.iter().chain(&good) {
        let mean = text.shuffled.iter().sum::<f64>() / ORDERS as f64;
        println!("{}: {:.2} in order, {mean:.2} in random orders", text.name, text.own);
    }
    let chosen: Vec<&Links> = literature.iter().step_by(2).collect();
    let judged: Vec<&Links> = literature.iter().skip(1).step_by(2).collect();
    let own: Vec<&Links> = good.iter().collect();
    for (set, texts) in [("chosen on", chosen), ("judged", judged), ("ours", own)] {
        let own: Vec<f64> = texts.iter().map(|text| text.own).collect();
        let shuffled: Vec<f64> = texts.iter().flat_map(|text| text.shuffled.iter().copied()).collect();
        let rank = rank(&own, &shuffled).expect("texts");
        println!("{set}: rank {rank:.2}");
        assert!(rank >= RANK, "{set}: {rank:.2}");
    }
    let is_above = |text: &&Links| text.own > text.shuffled.iter().sum::<f64>() / ORDERS as f64;
    let above = literature.iter().filter(is_above).count();
    println!("{above} of 24 works are above the mean of their random orders");
    assert!(above >= 18, "{above}");
}
