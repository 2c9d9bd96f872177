//! Keeps readings.
#![allow(dead_code)]

extern crate alloc as heap;
use std::{
    collections::{BTreeMap, HashMap as Map, hash_map::*},
    fmt::{self, Write as _},
};
use super::*;
pub use crate::model::Reading;
#[cfg(unix)]
pub(crate) use self::sys::open;

/// The most readings.
///
/// Per second.
pub const LIMIT: usize = 10;
static mut COUNT: u32 = 0;
pub(crate) type Pair<T> = (T, T);

/// A reading.
#[derive(Clone, Debug)]
// a plain comment
#[serde(rename_all = "camelCase")]
pub struct Reading<'a, T: Copy = f64>
where
    T: Default,
{
    /// Its name.
    #[serde(default)]
    pub name: &'a str,
    pub(super) value: T, /* not documentation */
    hidden: Option<Box<dyn Fn(u8, u8) -> u8 + 'a>>,
}

pub struct Meters(pub f64, u8);
struct Unit;

#[doc = "What happened."]
#[non_exhaustive]
pub enum Event {
    /// Nothing.
    Idle = 1,
    Moved(i32, #[serde(skip)] i32),
    #[deprecated]
    Failed { code: u8, reason: String },
}

#[repr(C)]
union Bits {
    int: u32,
    float: f32,
}

/**
 * Stores readings.
 */
pub trait Store<K>: Send + fmt::Debug {
    type Item: Clone;
    const SIZE: usize = 1;
    /// Finds one.
    fn get(&self, key: K) -> Option<Self::Item>;
    fn len(&self) -> usize {
        0
    }
}

impl<'a, T: Copy> Reading<'a, T> {
    pub const ZERO: u8 = 0;

    #[must_use]
    pub const fn new(name: &'a str, value: T) -> Self {
        Self { name, value, hidden: None }
    }

    async unsafe fn poll(self: Box<Self>, mut tries: u8) -> Result<(), fmt::Error> {
        fn nested(deep: bool) -> u8 {
            if deep { 1 } else { 0 }
        }
        let is_odd = |n: u8| n % 2 == 1 && n > 2;
        const INSIDE: u8 = 1;
        let Some(first) = self.hidden else { return Ok(()) };
        while let Some(x) = next() && x > 0 {
            match x {
                0 | 1 if is_odd(x) => {}
                2 => assert!(x == 1 && x == 2 || x == 3),
                _ => for _ in 0..tries {},
            }
        }
        Ok(())
    }
}

impl<T> Store<String> for &'_ mut super::Meters<Vec<T>>
where
    T: Send,
{
    type Item = f64;
    fn get(&self, _: String) -> Option<f64> {
        None
    }
}
unsafe impl !Send for Unit {}

unsafe extern "C" {
    pub fn write(fd: i32, ...) -> isize;
    static errno: i32;
}

/// Adds up.
#[macro_export]
macro_rules! sum {
    ($($x:expr),*) => { 0 $(+ $x)* };
}

thread_local! { static LOCAL: u8 = 0; }

pub(in crate::model) extern "C" fn callback<F, const N: usize>(f: F) -> impl Iterator<Item = u8>
where
    F: FnMut(&[u8; N]) -> bool,
{
    std::iter::empty()
}

mod sys;

#[cfg(test)]
mod tests {
    //! What holds.
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn opens() {}

    #[test]
    fn closes() {
        struct Local(u8);
        impl Drop for Local {
            fn drop(&mut self) {}
        }
    }
}
