//! The choice of the store: the configured one, or memory if its folder cannot be used.
//!
//! If the operator named a folder, it must be usable, or fumi does not start. The default folder need not be: a
//! container without a home is served too, and its sessions end with the process. A Redis server that denies access is
//! an error too; one that is away is not, since it may start later than fumi, and `/readyz` fails until it answers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::store::{Clock, Store, StoreError, fs::FolderStore, memory::MemoryStore, redis::RedisStore};
use fumi_config::{self, ConfigError, StoreKind};

/// The folder of the store inside the state folder.
const FOLDER: &str = "store";

/// The state of the server that outlives a call.
#[derive(Debug)]
pub struct State {
    pub store: Arc<dyn Store>,
    /// The folder for what outlives the process; `None` if nothing does.
    pub folder: Option<PathBuf>,
}

impl State {
    /// Creates a state that ends with the process.
    pub fn in_memory() -> Self {
        Self { store: Arc::new(MemoryStore::default()), folder: None }
    }
}

/// Opens the configured store.
pub async fn open(
    config: &fumi_config::StoreConfig,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<State, ConfigError> {
    let is_named = !config.dir.as_os_str().is_empty();
    let usual = || fumi_config::state_folder(environment);
    let folder = is_named.then(|| config.dir.clone()).or_else(usual);
    match config.kind {
        StoreKind::Fs => {}
        StoreKind::Memory => return Ok(State::in_memory()),
        // Indexes stay in the folder: each process has its own.
        StoreKind::Redis => return Ok(State { store: open_redis(config).await?, folder }),
    }
    let Some(folder) = folder else {
        tracing::warn!(
            "no folder for state: HOME is not set; sessions end with this process. Name a folder with --state."
        );
        return Ok(State::in_memory());
    };
    match FolderStore::open(&folder.join(FOLDER), Clock::system()) {
        Ok(store) => Ok(State { store: Arc::new(store), folder: Some(folder) }),
        Err(error) if is_named => Err(refused(&folder, &error)),
        Err(error) => {
            tracing::warn!(
                folder = %folder.display(),
                %error,
                "the state folder cannot be used; sessions end with this process. Name another with --state."
            );
            Ok(State::in_memory())
        }
    }
}

/// Opens the store on a Redis server, and checks that it grants access if it answers.
async fn open_redis(config: &fumi_config::StoreConfig) -> Result<Arc<dyn Store>, ConfigError> {
    let (address, keys) = config.redis()?;
    let refused = |error: &StoreError| {
        ConfigError(format!(
            "the store at {address}: {error}; correct user and password in store.url or FUMI__STORE__URL, or what the server allows them"
        ))
    };
    let store = RedisStore::new(address.clone(), keys).map_err(|error| refused(&error))?;
    // A script, which a user of the server may not be allowed to run. The session does not exist.
    match store.get("session/none").await {
        Err(error @ StoreError::Denied { .. }) => return Err(refused(&error)),
        Err(error) => {
            tracing::warn!(server = %address, %error, "starting without the store; sessions fail until it can be reached");
        }
        Ok(_) => tracing::info!(server = %address, prefix = config.prefix, "the store is open"),
    }
    Ok(Arc::new(store))
}

fn refused(folder: &Path, error: &StoreError) -> ConfigError {
    ConfigError(format!(
        "the state folder {} cannot be used: {error}; name one that can be written with --state, or use --store memory",
        folder.display()
    ))
}
