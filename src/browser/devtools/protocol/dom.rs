//! The domain DOM: nodes as commands name them, and whose frame is whose.

use serde::{Deserialize, Serialize};

use super::{
    page::FrameId,
    runtime::{RemoteObject, RemoteObjectId},
};
use crate::devtools::Nothing;

/// A node of a page, whatever the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BackendNodeId(pub i64);

/// The element that holds a frame.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetFrameOwner {
    /// The frame.
    pub frame_id: FrameId,
}
command!(GetFrameOwner => "DOM.getFrameOwner" -> FrameOwner);

/// The element.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameOwner {
    /// Which.
    pub backend_node_id: BackendNodeId,
}

/// A node as an object of a world.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveNode {
    /// Which.
    pub backend_node_id: BackendNodeId,
    /// The world's number.
    pub execution_context_id: i64,
}
command!(ResolveNode => "DOM.resolveNode" -> ResolvedNode);

/// The object.
#[derive(Debug, Deserialize)]
pub struct ResolvedNode {
    /// The object.
    pub object: RemoteObject,
}

/// What a node is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribeNode {
    /// Which.
    pub object_id: RemoteObjectId,
}
command!(DescribeNode => "DOM.describeNode" -> DescribedNode);

/// What a node is.
#[derive(Debug, Deserialize)]
pub struct DescribedNode {
    /// The node.
    pub node: Node,
}

/// What a node is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Which.
    pub backend_node_id: BackendNodeId,
    /// The frame that it holds.
    pub frame_id: Option<FrameId>,
}

/// Brings an element into view through all frames that it is in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScrollIntoViewIfNeeded {
    /// Which.
    pub object_id: RemoteObjectId,
}
command!(ScrollIntoViewIfNeeded => "DOM.scrollIntoViewIfNeeded" -> Nothing);

/// Gives files to a field.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetFileInputFiles {
    /// Absolute paths.
    pub files: Vec<String>,
    /// The field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The field as an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}
command!(SetFileInputFiles => "DOM.setFileInputFiles" -> Nothing);
