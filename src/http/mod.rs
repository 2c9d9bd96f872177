//! The HTTP edge: connections, layers, routes, probes, shutdown. The only folder that uses `axum` and `tower-http`.
//!
//! One router serves everything. The edge mounts the MCP service and does not depend on MCP otherwise.

pub mod access;
pub mod access_log;
pub mod auth;
pub mod body;
pub mod components;
pub mod connections;
pub mod cors;
pub mod forward;
pub mod guarded_body;
pub mod health;
pub mod http_error;
pub mod in_flight;
pub mod io_timeout;
pub mod layers;
pub mod mcp_route;
pub mod metrics;
pub mod openapi;
pub mod page;
pub mod reload;
pub mod reloadable;
pub mod rest;
pub mod router;
pub mod session_gate;
pub mod session_message;
pub mod shutdown;
pub mod trace;
