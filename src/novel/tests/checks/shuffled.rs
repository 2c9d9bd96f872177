//! Tests that a story with shuffled scenes scores lower, on average over all orders, for every episode of the sample
//! novel.
//!
//! The order expected by `act_proportions` was chosen with these episodes in view: the test preserves that result and
//! proves nothing about other novels. A single order may score higher, because the position of acts and turns is
//! measured, not whether the story is understandable.

use fumi_novel::{
    checks::{
        CheckMaterial, NovelContext, Tuning,
        items::{ITEMS, ItemCategory},
    },
    morphology::NameLexicon,
    project::{EpisodePlot, YamlValue},
};

use super::with_material;

const NOVEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/novel");

fn text(path: &str) -> String {
    std::fs::read_to_string(format!("{NOVEL}/{path}")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn yaml(path: &str) -> YamlValue {
    YamlValue::read(path, &text(path)).expect("YAML")
}

fn context(episode: u32) -> NovelContext {
    let world = ["キャラクター", "用語集", "世界観"].map(|name| yaml(&format!("30_設定集/{name}.yaml")));
    let plot = format!("20_プロット/話別/第{episode:03}話.yaml");
    NovelContext {
        plot: Some(EpisodePlot::read(&plot, &text(&plot)).expect("a plot")),
        names: NameLexicon::of_settings(&world),
        world: world.into(),
        ledger: vec![yaml("50_管理資料/伏線管理.yaml")],
        episode,
        ..NovelContext::default()
    }
}

/// Returns the sum of all measured scores of story items.
fn story(material: &CheckMaterial<'_>) -> f64 {
    let items = ITEMS.iter().filter(|item| item.category == ItemCategory::Story);
    items.filter_map(|item| item.measured(material)?.score).sum()
}

/// Returns all orders of the scenes except the original one.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for scene in 0..count {
        let longer = orders.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).rev().map(|at| {
                let mut order = order.clone();
                order.insert(at, scene);
                order
            })
        });
        orders = longer.collect();
    }
    orders.remove(0);
    orders
}

#[test]
fn shuffled_scenes_score_lower() {
    for (episode, name) in [(1, "第001話_こぶとえくぼ"), (2, "第002話_ほまち"), (3, "第003話_備考")] {
        let (manuscript, context, tuning) = (text(&format!("40_原稿/{name}.md")), context(episode), Tuning::default());
        let (own, scenes) = with_material(&manuscript, &context, &tuning, |material| {
            let scenes = material.scenes().scenes.iter().map(|scene| manuscript[scene.source()].to_owned());
            (story(material), scenes.collect::<Vec<_>>())
        });
        let orders = orders(scenes.len());
        let shuffled = orders.iter().map(|order| {
            let text: Vec<&str> = order.iter().map(|scene| scenes[*scene].as_str()).collect();
            with_material(&text.join("\n\n＊＊＊\n\n"), &context, &tuning, story)
        });
        let mean = shuffled.sum::<f64>() / orders.len() as f64;
        assert!(own > mean + 0.1, "episode {episode}: {own:.2}, shuffled {mean:.2}");
    }
}
