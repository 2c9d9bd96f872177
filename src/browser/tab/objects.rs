//! Elements and nodes of a page as remote objects, for commands that take one. Each is released when it is dropped.

use super::{
    Frame, Located, Tab,
    frames::World,
    world::{argument, gone, raw},
};
use crate::{
    devtools::{
        Channel,
        protocol::{
            dom::{BackendNodeId, DescribeNode, GetFrameOwner, ResolveNode},
            runtime::{CallFunctionOn, ReleaseObject, RemoteObjectId},
        },
    },
    errors::BrowserError,
};

/// A remote object of a page. Dropping it releases the object.
#[derive(Debug)]
pub(crate) struct RemoteObject {
    pub(crate) id: RemoteObjectId,
    channel: Channel,
}

impl RemoteObject {
    pub(crate) fn new(id: RemoteObjectId, channel: Channel) -> Self {
        Self { id, channel }
    }

    /// Returns the session that the object belongs to.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }
}

impl Drop for RemoteObject {
    fn drop(&mut self) {
        self.channel.send(&ReleaseObject {
            object_id: self.id.clone(),
        });
    }
}

impl Tab {
    /// Returns the element as an object of fumi's world, for commands that take one.
    pub(crate) async fn object(&self, located: &Located) -> Result<RemoteObject, BrowserError> {
        let work = async {
            let (channel, world) = self.world(&located.frame).await?;
            let call = CallFunctionOn {
                function_declaration: "function (ref) { return fumi.element(ref); }".to_owned(),
                unique_context_id: Some(world.unique),
                arguments: vec![argument(raw(&located.reference)?)],
                ..CallFunctionOn::default()
            };
            let object = channel.call(&call).await?.result.object_id;
            object
                .map(|id| RemoteObject::new(id, channel))
                .ok_or_else(|| gone(&located.frame))
        };
        self.unless_stopped(self.answered(work)).await
    }

    /// Returns the element as an object of the page's own world, for the page's functions.
    pub(crate) async fn object_in_page(&self, located: &Located) -> Result<RemoteObject, BrowserError> {
        let ours = self.object(located).await?;
        let work = async {
            let (channel, world) = self.page_world(&located.frame).await?;
            let object_id = ours.id.clone();
            let node = channel.call(&DescribeNode { object_id }).await?.node.backend_node_id;
            self.resolve_node(&located.frame, node, &channel, &world).await
        };
        self.unless_stopped(self.answered(work)).await
    }

    /// Returns a node as an object of a world.
    pub(crate) async fn resolve_node(
        &self,
        frame: &Frame,
        node: BackendNodeId,
        channel: &Channel,
        world: &World,
    ) -> Result<RemoteObject, BrowserError> {
        let resolved = channel
            .call(&ResolveNode {
                backend_node_id: node,
                execution_context_id: world.number,
            })
            .await?;
        let id = resolved.object.object_id.ok_or_else(|| gone(frame))?;
        Ok(RemoteObject::new(id, channel.clone()))
    }

    /// Returns the element that contains a frame (such as an iframe), as an object of fumi's world in the parent frame.
    pub(crate) async fn owner(&self, frame: &Frame, above: &Frame) -> Result<RemoteObject, BrowserError> {
        self.unless_stopped(async {
            let (channel, world) = self.world(above).await?;
            let owner = GetFrameOwner {
                frame_id: frame.id.clone(),
            };
            let node = channel.call(&owner).await?.backend_node_id;
            self.resolve_node(above, node, &channel, &world).await
        })
        .await
    }
}
