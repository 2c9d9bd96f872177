//! The tests of the code crate that compare it with other programs, and with properties of all texts.

mod index;
mod oracle;
mod patterns;
mod properties;
mod readers;
mod roles;
