//! A31-025: the mean of the three acts, each 1 within the tolerance of its share of the text and 0 at the most deviation; times how
//! far the scenes stand in the order of the acts of the plot.

use crate::checks::{
    Material,
    features::words_of_plot,
    items::{Gauge, Measure, ramp, share},
};

pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.len() < gauge.limit("scenes") {
        return Measure::not_applicable();
    }
    let wanted = ["setup", "confrontation", "resolution"].map(|act| gauge.threshold(act));
    // Where each scene begins, as a share of the text.
    let all: usize = scenes.iter().map(|scene| scene.characters).sum();
    let mut before = 0;
    let mut begins = Vec::with_capacity(scenes.len() + 1);
    for scene in scenes {
        begins.push(share(before, all));
        before += scene.characters;
    }
    begins.push(1.0);
    let shared = shared(material);
    let [second, third] = boundaries(&shared, &begins, wanted);
    let shares = [begins[second], begins[third] - begins[second], 1.0 - begins[third]];
    let away = [0, 1, 2].map(|act| (shares[act] - wanted[act]).abs());
    let scores = away.map(|away| ramp(away, gauge.threshold("most"), gauge.threshold("tolerance")));
    let places = [second, third].map(|scene| scenes[scene].paragraphs[0].source.clone());
    Measure::of(order(&shared, [second, third], gauge) * scores.iter().sum::<f64>() / 3.0)
        .from(away.into_iter().fold(0.0, f64::max))
        .at(places)
}

/// How far the scenes stand in the order of the acts: what they share with their acts, of what they would share each with the act
/// that it is nearest to. 1 where the plot says too little.
fn order(shared: &[Vec<usize>; 3], [second, third]: [usize; 2], gauge: &Gauge<'_>) -> f64 {
    let scenes = 0..shared[0].len();
    let act = |scene: usize| usize::from(scene >= second) + usize::from(scene >= third);
    let own: usize = scenes.clone().map(|scene| shared[act(scene)][scene]).sum();
    let best: usize = scenes
        .map(|scene| shared.iter().map(|act| act[scene]).max().unwrap_or_default())
        .sum();
    if best < gauge.limit("words") {
        return 1.0;
    }
    ramp(
        share(own, best),
        gauge.threshold("disordered"),
        gauge.threshold("ordered"),
    )
}

/// How many words each scene shares with the sentences of each act; zeros without such a plot.
fn shared(material: &Material<'_>) -> [Vec<usize>; 3] {
    let scenes = material.scenes().scenes.len();
    let structure = material.context().plot.as_ref().map(|plot| &plot.story_structure);
    let texts = structure.map(|own| [&own.setup, &own.confrontation, &own.resolution].map(crate::project::Yaml::words));
    match texts {
        Some(texts) if texts.iter().all(|text| !text.trim().is_empty()) => texts.map(|text| {
            material
                .words_of_scenes()
                .shared(&words_of_plot(material, &text), scenes)
        }),
        _ => [(); 3].map(|()| vec![0; scenes]),
    }
}

/// The scenes with which the second and the third act begin: the most shared words, and then the nearest to the shares that are
/// wanted. Goes over the scenes once.
#[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
fn boundaries(shared: &[Vec<usize>; 3], begins: &[f64], wanted: [f64; 3]) -> [usize; 2] {
    let scenes = begins.len() - 1;
    // Less than one word, for both boundaries together.
    let near = |scene: usize, at: f64| (begins[scene] - at).abs() * 0.4;
    let (mut first, mut both) = (0.0, 0.0);
    // The best so far: with the second act begun, and with the third.
    let mut second = (f64::MIN, 1);
    let mut third = (f64::MIN, [1, 2]);
    for scene in 0..scenes {
        let own = [0, 1, 2].map(|act| shared[act][scene] as f64);
        third.0 += own[2];
        let turned = both - near(scene, wanted[0] + wanted[1]) + own[2];
        if scene >= 2 && turned > third.0 {
            third = (turned, [second.1, scene]);
        }
        second.0 += own[1];
        let begun = first - near(scene, wanted[0]) + own[1];
        if scene >= 1 && begun > second.0 {
            second = (begun, scene);
        }
        first += own[0];
        both = second.0;
    }
    third.1
}
