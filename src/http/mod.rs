//! The HTTP edge: routes, layers, probes, shutdown. The only folder that names `axum` and `tower-http`.
//!
//! It serves one router for everything; what MCP is, it does not know beyond mounting the service.

pub mod auth;
pub mod current;
pub mod door;
pub mod health;
pub mod layers;
pub mod metrics;
pub mod openapi;
pub mod refusal;
pub mod reload;
pub mod rest;
pub mod router;
pub mod session_gate;
pub mod shutdown;
pub mod trace;
