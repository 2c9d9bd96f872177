//! A connection bound to one session of the protocol. Most of the crate sends its commands through this type.

use std::sync::Arc;

use super::{CallError, Connection, DevtoolsSessionId, EventStream, ProtocolCommand};

/// A connection bound to one session, or to the browser itself.
#[derive(Clone, Debug)]
pub struct Channel {
    connection: Arc<Connection>,
    session: Option<DevtoolsSessionId>,
}

impl Channel {
    /// Creates the channel of the browser itself.
    pub fn for_browser(connection: Arc<Connection>) -> Self {
        Self { connection, session: None }
    }

    /// Returns a channel of another session on the same connection.
    pub fn with_session(&self, session: DevtoolsSessionId) -> Self {
        Self { connection: Arc::clone(&self.connection), session: Some(session) }
    }

    /// Returns the session; `None` for the browser itself.
    pub fn session(&self) -> Option<&DevtoolsSessionId> {
        self.session.as_ref()
    }

    /// Sends a command and waits for its reply.
    pub async fn call<C: ProtocolCommand>(&self, command: &C) -> Result<C::Reply, CallError> {
        self.connection.call(self.session.as_ref(), command).await
    }

    /// Sends a command without waiting for its reply. Chromium still receives it before any command that is sent later.
    pub fn send<C: ProtocolCommand>(&self, command: &C) {
        // The reply is dropped on arrival. A closed connection shows up at the next call that waits for something.
        let _ = self.connection.send_command(self.session.as_ref(), command);
    }

    /// Returns the events of this session; see [`Connection::events`].
    pub fn events(&self) -> EventStream {
        self.connection.events(self.session.as_ref())
    }

    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}
