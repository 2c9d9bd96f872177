//! Nothing yet.

use crate::{extract::Draft, parse::Parsed};
pub(crate) fn refine<'t>(_: &'t Parsed, _: &mut Vec<Draft<'t>>) {}
