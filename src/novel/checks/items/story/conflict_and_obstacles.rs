//! Item A31-036: the share of scenes with words of goals or obstacles.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, share},
    },
    lexicons::DRAMA,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.is_empty() {
        return Measure::not_applicable();
    }
    let least = gauge.limit("per_scene");
    let mut places = Vec::new();
    let mut count = 0;
    for scene in scenes {
        let mut own = Vec::new();
        for at in scene.sentences(material) {
            let words = material.words_of(at);
            let hits = [&DRAMA.goal, &DRAMA.obstacle].into_iter().flat_map(|list| list.find(words));
            own.extend(hits.map(|hit| words[hit.words.start].source.start..words[hit.words.end - 1].source.end));
        }
        if own.len() >= least {
            count += 1;
            own.sort_by_key(|place| place.start);
            places.extend(own.into_iter().next());
        }
    }
    let drawn = share(count, scenes.len());
    Measure::from_score(drawn).with_value(drawn).with_places(places)
}
