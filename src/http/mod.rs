//! The HTTP edge: connections, layers, routes, probes, shutdown. The only folder that uses `axum` and `tower-http`.
//!
//! One router serves everything. The edge mounts the MCP service and knows nothing else of MCP.

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
