//! The domain Browser: the program itself.

use serde::{Deserialize, Serialize};

use super::target::ContextId;
use crate::devtools::Nothing;

/// Asks for its version.
#[derive(Debug, Serialize)]
pub struct GetVersion {}
command!(GetVersion => "Browser.getVersion" -> Version);

/// Its version.
#[derive(Debug, Deserialize)]
pub struct Version {
    /// Name and version, such as `Chrome/156.0.8078.79`.
    pub product: String,
}

/// Decides about a permission for all pages of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetPermission {
    /// Which.
    pub permission: Permission,
    /// `granted`, `denied` or `prompt`.
    pub setting: &'static str,
    /// The context.
    pub browser_context_id: ContextId,
}
command!(SetPermission => "Browser.setPermission" -> Nothing);

/// A permission, as pages query it.
#[derive(Debug, Serialize)]
pub struct Permission {
    /// Such as `clipboard-write`.
    pub name: &'static str,
}
