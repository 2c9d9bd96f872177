//! A connection as one session uses it: what most of the crate speaks through.

use std::sync::Arc;

use super::{CallError, Command, Connection, Events, SessionId};

/// A connection as one session uses it.
#[derive(Clone, Debug)]
pub struct Channel {
    connection: Arc<Connection>,
    session: Option<SessionId>,
}

impl Channel {
    /// The browser itself.
    #[must_use]
    pub fn of_browser(connection: Arc<Connection>) -> Self {
        Self {
            connection,
            session: None,
        }
    }

    /// A session of the same connection.
    #[must_use]
    pub fn to(&self, session: SessionId) -> Self {
        Self {
            connection: Arc::clone(&self.connection),
            session: Some(session),
        }
    }

    /// The session; none for the browser itself.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }

    /// Sends a command and waits for its reply.
    pub async fn call<C: Command>(&self, command: &C) -> Result<C::Reply, CallError> {
        self.connection.call(self.session.as_ref(), command).await
    }

    /// Sends a command and does not wait. It still comes before whatever is sent afterwards.
    pub fn send<C: Command>(&self, command: &C) {
        // The reply is dropped on arrival; a closed connection is noticed by whoever waits for something.
        let _ = self.connection.ask(self.session.as_ref(), command);
    }

    /// See [`Connection::events`].
    #[must_use]
    pub fn events(&self) -> Events {
        self.connection.events(self.session.as_ref())
    }

    /// The connection.
    #[must_use]
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}
