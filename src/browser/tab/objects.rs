//! Elements and nodes of a page as remote objects, for commands that take one. Each is released when it is dropped.

use super::{
    Located, Tab, TabFrame,
    frames::World,
    world::{argument, raw, stale_frame},
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
#[must_use]
#[derive(Debug)]
pub(crate) struct RemoteObjectGuard {
    pub(crate) id: RemoteObjectId,
    channel: Channel,
}

impl RemoteObjectGuard {
    pub(crate) fn new(id: RemoteObjectId, channel: Channel) -> Self {
        Self { id, channel }
    }

    /// Returns the session that the object belongs to.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }
}

impl Drop for RemoteObjectGuard {
    fn drop(&mut self) {
        self.channel.send(&ReleaseObject { object_id: self.id.clone() });
    }
}

impl Tab {
    /// Returns the element as an object of fumi's world, for commands that take one.
    pub(crate) async fn object(&self, located: &Located) -> Result<RemoteObjectGuard, BrowserError> {
        let work = async {
            let (channel, world) = self.world(&located.frame).await?;
            let call = CallFunctionOn {
                function_declaration: "function (ref) { return fumi.element(ref); }".to_owned(),
                unique_context_id: Some(world.unique),
                arguments: vec![argument(raw(&located.reference)?)],
                ..CallFunctionOn::default()
            };
            let object = channel.call(&call).await?.result.object_id;
            object.map(|id| RemoteObjectGuard::new(id, channel)).ok_or_else(|| stale_frame(&located.frame))
        };
        self.unless_blocked(self.with_answer_timeout(work)).await
    }

    /// Returns the element as an object of the page's own world, for the page's functions.
    pub(crate) async fn object_in_page(&self, located: &Located) -> Result<RemoteObjectGuard, BrowserError> {
        let ours = self.object(located).await?;
        let work = async {
            let (channel, world) = self.page_world(&located.frame).await?;
            let object_id = ours.id.clone();
            let node = channel.call(&DescribeNode { object_id }).await?.node.backend_node_id;
            self.resolve_node(&located.frame, node, &channel, &world).await
        };
        self.unless_blocked(self.with_answer_timeout(work)).await
    }

    /// Returns a node as an object of a world.
    pub(crate) async fn resolve_node(
        &self,
        frame: &TabFrame,
        node: BackendNodeId,
        channel: &Channel,
        world: &World,
    ) -> Result<RemoteObjectGuard, BrowserError> {
        let resolved = channel.call(&ResolveNode { backend_node_id: node, execution_context_id: world.number }).await?;
        let id = resolved.object.object_id.ok_or_else(|| stale_frame(frame))?;
        Ok(RemoteObjectGuard::new(id, channel.clone()))
    }

    /// Returns the element that contains a frame (such as an iframe), as an object of fumi's world in the parent frame.
    pub(crate) async fn owner(&self, frame: &TabFrame, above: &TabFrame) -> Result<RemoteObjectGuard, BrowserError> {
        self.unless_blocked(async {
            let (channel, world) = self.world(above).await?;
            let owner = GetFrameOwner { frame_id: frame.id.clone() };
            let node = channel.call(&owner).await?.backend_node_id;
            self.resolve_node(above, node, &channel, &world).await
        })
        .await
    }
}
