//! Item A31-025: the mean over the three acts, each 1 within `tolerance` of its share of the text and 0 at `most`
//! deviation, multiplied by how well the scenes follow the order of the acts in the plot.

use crate::{
    checks::{
        CheckMaterial,
        features::words_of_plot,
        items::{ItemThresholds, Measure, ramp, share},
    },
    project::YamlValue,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.len() < gauge.limit("scenes") {
        return Measure::not_applicable();
    }
    let wanted = ["setup", "confrontation", "resolution"].map(|act| gauge.threshold(act));
    // The beginning of each scene, as a share of the text.
    let all: usize = scenes.iter().map(|scene| scene.characters).sum();
    let mut before = 0;
    let mut begins = Vec::with_capacity(scenes.len() + 1);
    for scene in scenes {
        begins.push(share(before, all));
        before += scene.characters;
    }
    begins.push(1.0);
    let words = shared(material);
    let [second, third] = boundaries(&words, &begins, wanted);
    let shares = [begins[second], begins[third] - begins[second], 1.0 - begins[third]];
    let away = [0, 1, 2].map(|act| (shares[act] - wanted[act]).abs());
    let scores = away.map(|away| ramp(away, gauge.threshold("most"), gauge.threshold("tolerance")));
    let places = [second, third].map(|scene| scenes[scene].paragraphs[0].source.clone());
    Measure::from_score(order(&words, [second, third], gauge) * scores.iter().sum::<f64>() / 3.0)
        .with_value(away.into_iter().fold(0.0, f64::max))
        .with_places(places)
}

/// Returns how well the scenes follow the order of the acts: the words that they share with their own acts, relative to
/// those that they share with the closest act each. Returns 1 if the plot has too few words.
fn order(shared: &[[usize; 3]], [second, third]: [usize; 2], gauge: &ItemThresholds<'_>) -> f64 {
    let act = |scene: usize| usize::from(scene >= second) + usize::from(scene >= third);
    let own: usize = shared.iter().enumerate().map(|(scene, words)| words[act(scene)]).sum();
    let best: usize = shared.iter().map(|[one, two, three]| *one.max(two).max(three)).sum();
    if best < gauge.limit("words") {
        return 1.0;
    }
    let (none, full) = (gauge.threshold("disordered"), gauge.threshold("ordered"));
    ramp(share(own, best), none, full)
}

/// Returns for each scene the number of words that it shares with each act; zeros if the plot describes no acts.
fn shared(material: &CheckMaterial<'_>) -> Vec<[usize; 3]> {
    let scenes = material.scenes().scenes.len();
    let structure = material.context().plot.as_ref().map(|plot| &plot.story_structure);
    let texts = structure.map(|own| [&own.setup, &own.confrontation, &own.resolution].map(YamlValue::words));
    let Some(texts) = texts.filter(|texts| texts.iter().all(|text| !text.trim().is_empty())) else {
        return vec![[0; 3]; scenes];
    };
    let of_acts = texts.map(|text| {
        let words = words_of_plot(material, &text);
        material.words_of_scenes().shared_words_by_scene(&words, scenes)
    });
    (0..scenes).map(|scene| [0, 1, 2].map(|act| of_acts[act][scene])).collect()
}

/// Returns the scenes with which the second and the third act begin: those with the most shared words, and among equals
/// the nearest to the wanted shares. Needs at least three scenes; makes one pass over them.
fn boundaries(shared: &[[usize; 3]], begins: &[f64], wanted: [f64; 3]) -> [usize; 2] {
    let mut first = 0.0;
    // The best boundaries so far: with the second act begun, and with the third.
    let mut second = (f64::MIN, 1);
    let mut third = (f64::MIN, [1, 2]);
    for (scene, (words, begin)) in shared.iter().zip(begins).enumerate() {
        let own = words.map(float);
        third.0 += own[2];
        let turned = second.0 - off(*begin, wanted[0] + wanted[1]) + own[2];
        if scene >= 2 && turned > third.0 {
            third = (turned, [second.1, scene]);
        }
        second.0 += own[1];
        let begun = first - off(*begin, wanted[0]) + own[1];
        if scene >= 1 && begun > second.0 {
            second = (begun, scene);
        }
        first += own[0];
    }
    third.1
}

/// Returns the cost of an act that begins elsewhere; for both boundaries together it is less than one word.
fn off(begin: f64, wanted: f64) -> f64 {
    (begin - wanted).abs() * 0.4
}

fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{boundaries, float, off};

    const WANTED: [f64; 3] = [0.25, 0.5, 0.25];

    /// Returns the value of two boundaries.
    fn worth(shared: &[[usize; 3]], begins: &[f64], [second, third]: [usize; 2]) -> f64 {
        let act = |scene: usize| usize::from(scene >= second) + usize::from(scene >= third);
        let words = shared.iter().enumerate().map(|(scene, words)| words[act(scene)]).sum();
        float(words) - off(begins[second], 0.25) - off(begins[third], 0.75)
    }

    #[test]
    fn boundaries_are_optimal() {
        let scenes = prop::collection::vec((prop::array::uniform3(0_usize..4), 1_usize..9), 3..9);
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(scenes in scenes)| {
            let shared: Vec<[usize; 3]> = scenes.iter().map(|(words, _)| *words).collect();
            let all: usize = scenes.iter().map(|(_, length)| length).sum();
            let before = |scene: usize| scenes[..scene].iter().map(|(_, length)| length).sum::<usize>();
            let begins: Vec<f64> = (0..=scenes.len()).map(|scene| float(before(scene)) / float(all)).collect();
            let found = boundaries(&shared, &begins, WANTED);
            let best = (1..scenes.len() - 1)
                .flat_map(|second| (second + 1..scenes.len()).map(move |third| [second, third]))
                .map(|acts| worth(&shared, &begins, acts))
                .fold(f64::MIN, f64::max);
            prop_assert!((worth(&shared, &begins, found) - best).abs() < 1e-9, "{found:?}");
        });
    }
}
