//! fumi: token-efficient tools over text for AI clients, served through MCP.
//!
//! This crate has the edges. The modules, from the outside in, then the crates below them; `ARCHITECTURE.md` lists the
//! invariants.
//!
//! | module or crate | purpose |
//! | --- | --- |
//! | [`http`] | the HTTP edge: routes, layers, probes, shutdown; the only folder that names axum |
//! | [`mcp`] | the protocol: sessions, roots, resources, progress; the only folder that names rmcp |
//! | [`novel_commands`] | commands outside any server: new novels, the slash command |
//! | [`app`], [`state`], [`telemetry`] | built once in `main`, passed down |
//! | `fumi-tools` | one file per tool, and the list of all of them |
//! | `fumi-provider` | models of a provider, asked for the texts that tools need |
//! | `fumi-config` | the configuration, checked once |
//! | `fumi-kernel` | how any tool is described, checked, run and answered |
//! | `fumi-code`, `fumi-novel`, `fumi-browser` | the domains, which know neither tools nor protocols |
//! | `fumi-base` | projects, files, locks, caches |

pub mod app;
pub mod http;
pub mod mcp;
pub mod novel_commands;
pub mod setup;
pub mod state;
pub mod telemetry;
