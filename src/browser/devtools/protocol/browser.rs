//! The domain Browser: the version of the program and the permissions of its contexts.

use super::target::ContextId;

protocol! {
    /// Asks for the version of Chromium.
    command GetVersion: "Browser.getVersion" -> Version {}

    received Version {
        /// Name and version, such as `Chrome/156.0.8078.79`.
        product: String,
    }

    /// Sets a permission for all pages of a context.
    command SetPermission: "Browser.setPermission" {
        permission: Permission,
        /// `granted`, `denied` or `prompt`.
        setting: &'static str,
        browser_context_id: ContextId,
    }

    /// A permission, named as in the Permissions interface of pages.
    sent Permission {
        /// The name, such as `clipboard-write`.
        name: &'static str,
    }
}
