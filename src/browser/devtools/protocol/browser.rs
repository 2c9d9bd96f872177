//! The domain Browser: the program itself.

use serde::{Deserialize, Serialize};

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
