//! Rule `tautology`: finds phrases that say one thing twice: 頭痛が痛い, 一番最初.

use super::{Found, phrasing, stretches};
use crate::{checks::material::Material, lexicons::misuses::TAUTOLOGIES};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    for words in stretches::narrated(material) {
        for hit in TAUTOLOGIES.find(words) {
            let (_, single) = TAUTOLOGIES.pair(&hit);
            found.push(phrasing::at(material, &words[hit.words]).with("expected", single));
        }
    }
}
