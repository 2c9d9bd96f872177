//! The limits of the sites for a blurb, in `sites.toml`.
//!
//! A text for several sites must fit all of them.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use crate::{project::StylePreset, publish::PostingSite};

/// The limits of one site.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteLimits {
    #[serde(rename = "id")]
    pub site: PostingSite,
    pub blurb: LengthLimits,
    /// The longest catchphrase, in characters; `None` if the form has no field for one.
    pub catchphrase: Option<usize>,
    pub tags: TagLimits,
    /// The pages where the figures can be read.
    pub source: String,
}

/// A range of lengths in characters, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LengthLimits {
    pub min: usize,
    pub max: usize,
}

/// The largest number of tags, and the longest tag in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagLimits {
    pub count: usize,
    pub length: usize,
}

/// The limits that a text for some sites must keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlurbLimits {
    /// The sites, each once, in the order of [`PostingSite::ALL`].
    pub sites: Vec<PostingSite>,
    pub blurb: LengthLimits,
    /// The longest catchphrase, in characters. Announcements use it too, so it has a limit even if no site takes it.
    pub catchphrase: usize,
    pub tags: TagLimits,
}

/// The parsed contents of `sites.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SitesFile {
    site: Vec<SiteLimits>,
}

/// The limits of every site, loaded on first use.
pub static SITES: LazyLock<Vec<SiteLimits>> = LazyLock::new(|| {
    let file: SitesFile = embedded::toml("sites.toml", include_str!("sites.toml"));
    file.site
});

/// The limits without any site, in characters and tags: a text that a reader takes in at once.
const NO_SITE: BlurbLimits = BlurbLimits {
    sites: Vec::new(),
    blurb: LengthLimits { min: 1, max: 10_000 },
    catchphrase: 35,
    tags: TagLimits { count: 15, length: 20 },
};

impl BlurbLimits {
    /// Returns the limits that satisfy all these sites.
    pub fn of_sites(sites: &[PostingSite]) -> Self {
        let mut limits = NO_SITE.clone();
        for one in SITES.iter().filter(|one| sites.contains(&one.site)) {
            limits.sites.push(one.site);
            limits.blurb.min = limits.blurb.min.max(one.blurb.min);
            limits.blurb.max = limits.blurb.max.min(one.blurb.max);
            limits.catchphrase = limits.catchphrase.min(one.catchphrase.unwrap_or(limits.catchphrase));
            limits.tags.count = limits.tags.count.min(one.tags.count);
            limits.tags.length = limits.tags.length.min(one.tags.length);
        }
        limits
    }
}

/// Returns the sites for which a novel of this preset is presented: its own site, otherwise all of them.
pub fn sites_of_preset(preset: Option<StylePreset>) -> Vec<PostingSite> {
    match preset {
        Some(StylePreset::Narou) => vec![PostingSite::Narou],
        Some(StylePreset::Kakuyomu) => vec![PostingSite::Kakuyomu],
        Some(StylePreset::Bunko | StylePreset::Custom) | None => PostingSite::ALL.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::{BlurbLimits, LengthLimits, SITES, TagLimits, sites_of_preset};
    use crate::{project::StylePreset, publish::PostingSite};

    #[test]
    fn every_site_has_limits_with_their_source() {
        assert_eq!(SITES.iter().map(|one| one.site).collect::<Vec<_>>(), PostingSite::ALL);
        assert!(SITES.iter().all(|one| one.source.contains("https://") && one.blurb.min <= one.blurb.max));
    }

    #[test]
    fn a_text_for_several_sites_fits_all_of_them() {
        let narou = BlurbLimits::of_sites(&[PostingSite::Narou]);
        assert_eq!((narou.blurb, narou.catchphrase), (LengthLimits { min: 10, max: 1_000 }, 35));
        assert_eq!(narou.tags, TagLimits { count: 15, length: 10 });
        let kakuyomu = BlurbLimits::of_sites(&[PostingSite::Kakuyomu]);
        assert_eq!((kakuyomu.blurb.max, kakuyomu.catchphrase), (10_000, 35));
        let both = BlurbLimits::of_sites(&[PostingSite::Kakuyomu, PostingSite::Narou, PostingSite::Kakuyomu]);
        assert_eq!((both.sites.as_slice(), both.blurb), (PostingSite::ALL.as_slice(), narou.blurb));
        assert_eq!(both.tags, TagLimits { count: 8, length: 10 });
    }

    #[test]
    fn a_preset_without_a_site_means_all_sites() {
        assert_eq!(sites_of_preset(Some(StylePreset::Narou)), [PostingSite::Narou]);
        assert_eq!(sites_of_preset(Some(StylePreset::Kakuyomu)), [PostingSite::Kakuyomu]);
        for preset in [None, Some(StylePreset::Bunko), Some(StylePreset::Custom)] {
            assert_eq!(sites_of_preset(preset), PostingSite::ALL);
        }
    }
}
