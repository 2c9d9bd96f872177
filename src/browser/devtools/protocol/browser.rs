//! The domain Browser: the version of the program and the permissions of its contexts.

use serde::{Deserialize, Serialize};

use super::target::ContextId;
use crate::devtools::EmptyReply;

/// Asks for the version of Chromium.
#[derive(Debug, Serialize)]
pub struct GetVersion {}
command!(GetVersion => "Browser.getVersion" -> Version);

#[derive(Debug, Deserialize)]
pub struct Version {
    /// Name and version, such as `Chrome/156.0.8078.79`.
    pub product: String,
}

/// Sets a permission for all pages of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetPermission {
    pub permission: Permission,
    /// `granted`, `denied` or `prompt`.
    pub setting: &'static str,
    pub browser_context_id: ContextId,
}
command!(SetPermission => "Browser.setPermission" -> EmptyReply);

/// A permission, named as in the Permissions interface of pages.
#[derive(Debug, Serialize)]
pub struct Permission {
    /// The name, such as `clipboard-write`.
    pub name: &'static str,
}
