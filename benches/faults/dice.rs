//! Random numbers from a seed that are the same on every machine (`SplitMix64`).
//!
//! Invariant: the same seed and the same words give the same numbers. They are not suitable for secrets.

/// A source of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Creates a source from a seed, and from words that distinguish its use from others.
    #[must_use]
    pub(crate) fn new(seed: u64, words: &str) -> Self {
        // FNV-1a: the words only have to differ.
        let mut state = 0xcbf2_9ce4_8422_2325_u64;
        for byte in words.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(state ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below another, which is at least 1.
    #[must_use]
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % limit).unwrap_or(0)
    }
}
