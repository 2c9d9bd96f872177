//! fumi: token-efficient tools over text for AI clients, served through MCP.
//!
//! The modules, from the outside in. `ARCHITECTURE.md` lists the invariants.
//!
//! | module | purpose |
//! | --- | --- |
//! | [`http`] | the HTTP edge: routes, layers, probes, shutdown; the only folder that names axum |
//! | [`mcp`] | the protocol: sessions, roots, resources, progress; the only folder that names rmcp |
//! | [`provider`] | models of a provider, asked for the texts that tools need |
//! | [`tools`] | one file per tool, and the list of all of them |
//! | [`tool`] | the kernel: how any tool is described, checked, run and answered |
//! | [`novel_commands`] | commands outside any server: new novels, the slash command |
//! | [`app`], [`config`], [`state`], [`telemetry`] | built once in `main`, passed down |
//! | `fumi-code`, `fumi-base` | the domains and the foundation, separate crates |

pub mod app;
pub mod config;
pub mod http;
pub mod mcp;
pub mod novel_commands;
pub mod provider;
pub mod state;
pub mod telemetry;
pub mod tool;
pub mod tools;
