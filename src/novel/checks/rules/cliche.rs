//! Rule `cliche`: finds clichés of fiction.

use super::{Found, phrasing, stretches};
use crate::{checks::material::Material, lexicons::cliches::CLICHES};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    for words in stretches::narrated(material) {
        for hit in CLICHES.find(words) {
            found.push(phrasing::at(material, &words[hit.words]));
        }
    }
}
