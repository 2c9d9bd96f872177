//! A connection bound to one session of the protocol. Most of the crate sends its commands through this type.

use std::sync::Arc;

use super::{CallError, Command, Connection, Events, SessionId};

/// A connection bound to one session, or to the browser itself.
#[derive(Clone, Debug)]
pub struct Channel {
    connection: Arc<Connection>,
    session: Option<SessionId>,
}

impl Channel {
    /// Creates the channel of the browser itself.
    #[must_use]
    pub fn of_browser(connection: Arc<Connection>) -> Self {
        Self {
            connection,
            session: None,
        }
    }

    /// Returns a channel of another session on the same connection.
    #[must_use]
    pub fn to(&self, session: SessionId) -> Self {
        Self {
            connection: Arc::clone(&self.connection),
            session: Some(session),
        }
    }

    /// Returns the session; `None` for the browser itself.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }

    /// Sends a command and waits for its reply.
    pub async fn call<C: Command>(&self, command: &C) -> Result<C::Reply, CallError> {
        self.connection.call(self.session.as_ref(), command).await
    }

    /// Sends a command without waiting for its reply. Chromium still receives it before any command that is sent later.
    pub fn send<C: Command>(&self, command: &C) {
        // The reply is dropped on arrival. A closed connection shows up at the next call that waits for something.
        let _ = self.connection.ask(self.session.as_ref(), command);
    }

    /// Returns the events of this session; see [`Connection::events`].
    #[must_use]
    pub fn events(&self) -> Events {
        self.connection.events(self.session.as_ref())
    }

    #[must_use]
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}
