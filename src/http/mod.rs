//! The HTTP edge: connections, layers, routes, probes, shutdown. The only folder that names `axum` and `tower-http`.
//!
//! It serves one router for everything; what MCP is, it does not know beyond mounting the service.

pub mod access_log;
pub mod auth;
pub mod body;
pub mod connections;
pub mod cors;
pub mod current;
pub mod door;
pub mod health;
pub mod held;
pub mod in_flight;
pub mod layers;
pub mod mcp_route;
pub mod metrics;
pub mod openapi;
pub mod patience;
pub mod refusal;
pub mod reload;
pub mod rest;
pub mod router;
pub mod session_gate;
pub mod session_message;
pub mod shutdown;
pub mod trace;
