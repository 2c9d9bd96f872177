//! The domain DOM: nodes as commands refer to them, and the elements that contain frames.

use serde::{Deserialize, Serialize};

use super::{
    page::FrameId,
    runtime::{RemoteObjectId, RemoteValue},
};
use crate::devtools::EmptyReply;

/// The id of a node of a page, the same in all worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BackendNodeId(pub i64);

/// Asks for the element that contains a frame.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetFrameOwner {
    pub frame_id: FrameId,
}
command!(GetFrameOwner => "DOM.getFrameOwner" -> FrameOwner);

/// The element that contains a frame.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameOwner {
    pub backend_node_id: BackendNodeId,
}

/// Asks for a node as an object of a world.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveNode {
    pub backend_node_id: BackendNodeId,
    /// The number of the world, unique within its process.
    pub execution_context_id: i64,
}
command!(ResolveNode => "DOM.resolveNode" -> ResolvedNode);

/// A node as an object of a world.
#[derive(Debug, Deserialize)]
pub struct ResolvedNode {
    pub object: RemoteValue,
}

/// Asks for the id of a node and of the frame that it contains.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribeNode {
    pub object_id: RemoteObjectId,
}
command!(DescribeNode => "DOM.describeNode" -> DescribedNode);

#[derive(Debug, Deserialize)]
pub struct DescribedNode {
    pub node: NodeDescription,
}

/// The description of a node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDescription {
    pub backend_node_id: BackendNodeId,
    /// The frame that the node contains, if it is a frame element.
    pub frame_id: Option<FrameId>,
}

/// Scrolls an element into view, in all frames that contain it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScrollIntoViewIfNeeded {
    pub object_id: RemoteObjectId,
}
command!(ScrollIntoViewIfNeeded => "DOM.scrollIntoViewIfNeeded" -> EmptyReply);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetFileInputFiles {
    /// Absolute paths of the files.
    pub files: Vec<String>,
    /// The file input, by its node id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The file input as an object of a world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}
command!(SetFileInputFiles => "DOM.setFileInputFiles" -> EmptyReply);
