//! The scores of documents: BM25F.
//!
//! The formula is Okapi BM25 with weighted fields, as in Robertson and Zaragoza, "The Probabilistic Relevance Framework:
//! BM25 and Beyond" (2009), section 3.6: the occurrences of a term are added over the fields, each weighted and
//! normalised by the field's length, and the sum is saturated once. The weights were chosen by the questions of
//! `./bench ranking` that are not held out.

use super::{
    fields::{DocumentSize, DocumentWeight, FIELDS, Field, Fields, RankedDocument},
    place::PlaceKind,
};

/// The saturation of term frequency (k1), the usual value: the smaller, the less further occurrences count.
const K1: f64 = 1.2;

/// The length normalisation (b): the larger, the more long fields are discounted. Less than the usual 0.75: a long
/// function is seldom a wordy one.
const B: f64 = 0.5;

/// The share of the score that less wanted documents keep: a text beside code, a constant, a test.
const LESSER: f64 = 0.5;

/// All fields, each with the weight of an occurrence in it.
const WEIGHTS: [(Field, f64); FIELDS] = [
    (Field::Name, 5.0),
    (Field::Params, 1.0),
    (Field::Summary, 8.0),
    (Field::Doc, 2.0),
    (Field::Code, 0.5),
    (Field::Path, 2.0),
];

/// Scores the documents: rare terms count more, further occurrences less, long fields less. `total` and `lengths` are
/// those of all documents in the compared files, with matches or not.
pub(super) fn score(documents: &mut [RankedDocument], total: usize, lengths: Fields) {
    let rarity = rarity(documents, total);
    for document in documents {
        let factors = WEIGHTS.map(|(field, weight)| {
            let at = field as usize;
            let average = (lengths[at] / total.max(1) as f64).max(1.0);
            weight / (1.0 - B + B * document.lengths[at] / average)
        });
        let score: f64 = document
            .counts
            .iter()
            .zip(&rarity)
            .map(|(counts, rarity)| {
                let weighted: f64 = counts.iter().zip(&factors).map(|(count, factor)| count * factor).sum();
                rarity * weighted * (K1 + 1.0) / (weighted + K1)
            })
            .sum();
        document.row.score = (score * kept_share(document.weight) * 100.0).round() / 100.0;
    }
}

/// Returns the inverse document frequency of each term. The path does not count: its terms are those of a whole file.
fn rarity(documents: &[RankedDocument], total: usize) -> Vec<f64> {
    let terms = documents.first().map_or(0, |document| document.counts.len());
    let has = |counts: &Fields| counts[..Field::Path as usize].iter().any(|count| *count > 0.0);
    (0..terms)
        .map(|term| {
            let with = documents.iter().filter(|document| has(&document.counts[term])).count() as f64;
            (1.0 + (total as f64 - with + 0.5) / (with + 0.5)).ln()
        })
        .collect()
}

fn kept_share(weight: DocumentWeight) -> f64 {
    let size = if weight.size == DocumentSize::Whole { 1.0 } else { LESSER };
    let place = if weight.place == PlaceKind::Own { 1.0 } else { LESSER };
    size * place
}
