//! The domain DOM: nodes as commands refer to them, and the elements that contain frames.

use serde::{Deserialize, Serialize};

use super::{
    page::FrameId,
    runtime::{RemoteObjectId, RemoteValue},
};

/// The id of a node of a page, the same in all worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BackendNodeId(pub i64);

protocol! {
    /// Asks for the element that contains a frame.
    command GetFrameOwner: "DOM.getFrameOwner" -> FrameOwner {
        frame_id: FrameId,
    }

    /// The element that contains a frame.
    received FrameOwner {
        backend_node_id: BackendNodeId,
    }

    /// Asks for a node as an object of a world.
    command ResolveNode: "DOM.resolveNode" -> ResolvedNode {
        backend_node_id: BackendNodeId,
        /// The number of the world, unique within its process.
        execution_context_id: i64,
    }

    /// A node as an object of a world.
    received ResolvedNode {
        object: RemoteValue,
    }

    /// Asks for the id of a node and of the frame that it contains.
    command DescribeNode: "DOM.describeNode" -> DescribedNode {
        object_id: RemoteObjectId,
    }

    received DescribedNode {
        node: NodeDescription,
    }

    /// The description of a node.
    received NodeDescription {
        backend_node_id: BackendNodeId,
        /// The frame that the node contains, if it is a frame element.
        frame_id: Option<FrameId>,
    }

    /// Scrolls an element into view, in all frames that contain it.
    command ScrollIntoViewIfNeeded: "DOM.scrollIntoViewIfNeeded" {
        object_id: RemoteObjectId,
    }

    command SetFileInputFiles: "DOM.setFileInputFiles" {
        /// Absolute paths of the files.
        files: Vec<String>,
        /// The file input.
        backend_node_id: BackendNodeId,
    }
}
