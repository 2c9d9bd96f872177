//! Resources: files and statistics of the project by URI.

use std::sync::Arc;

use fumi_base::{project::Project, text::Locale};
use rmcp::{
    ErrorData,
    model::{
        CompleteRequestParams, CompleteResult, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult,
    },
};
use tokio_util::sync::CancellationToken;

use crate::{app::App, tool::Caller};

pub async fn list(
    _p: Arc<Project>,
    _c: Option<String>,
    _t: CancellationToken,
) -> Result<ListResourcesResult, ErrorData> {
    Ok(ListResourcesResult::default())
}
pub fn templates(_l: Locale) -> ListResourceTemplatesResult {
    ListResourceTemplatesResult::default()
}
pub async fn read(
    _a: &App,
    _p: Arc<Project>,
    uri: &str,
    _c: &Caller,
    _t: CancellationToken,
) -> Result<ReadResourceResult, ErrorData> {
    Err(ErrorData::resource_not_found(uri.to_owned(), None))
}
pub async fn complete(
    _p: Arc<Project>,
    _r: CompleteRequestParams,
    _t: CancellationToken,
) -> Result<CompleteResult, ErrorData> {
    Ok(CompleteResult::default())
}
