//! The commands and events that fumi uses, as typed structs. Names, fields and units are those of the protocol's
//! documentation; fields that fumi does not read are left out.

/// Defines structs with public fields, which are named in camelCase in JSON:
///
/// - `command Name: "Domain.method" -> Reply { .. }` is sent as a command; without `-> Reply`, its reply is ignored.
/// - `event Name: "Domain.event" { .. }` is received as an event.
/// - `sent Name { .. }` is a part of a command.
/// - `received Name { .. }` is a reply, or a part of a reply or an event.
macro_rules! protocol {
    () => {};
    ($(#[$meta:meta])* command $name:ident $(<$life:lifetime>)?: $method:literal $(-> $reply:ident)? { $($fields:tt)* }
        $($rest:tt)*) => {
        protocol!(@struct serde::Serialize, $(#[$meta])* $name $(<$life>)? { $($fields)* });
        impl $(<$life>)? $crate::devtools::ProtocolCommand for $name $(<$life>)? {
            const METHOD: &'static str = $method;
            type Reply = protocol!(@reply $($reply)?);
        }
        protocol! { $($rest)* }
    };
    ($(#[$meta:meta])* event $name:ident: $method:literal $fields:tt $($rest:tt)*) => {
        protocol!(@struct serde::Deserialize, $(#[$meta])* $name $fields);
        impl $crate::devtools::ProtocolEvent for $name {
            const METHOD: &'static str = $method;
        }
        protocol! { $($rest)* }
    };
    ($(#[$meta:meta])* sent $name:ident $fields:tt $($rest:tt)*) => {
        protocol!(@struct serde::Serialize, $(#[$meta])* $name $fields);
        protocol! { $($rest)* }
    };
    ($(#[$meta:meta])* received $name:ident $fields:tt $($rest:tt)*) => {
        protocol!(@struct serde::Deserialize, $(#[$meta])* $name $fields);
        protocol! { $($rest)* }
    };
    (@struct $format:path, $(#[$meta:meta])* $name:ident $(<$life:lifetime>)?
        { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, $format)]
        #[serde(rename_all = "camelCase")]
        pub struct $name $(<$life>)? {
            $($(#[$field_meta])* pub $field: $type,)*
        }
    };
    (@reply) => { $crate::devtools::EmptyReply };
    (@reply $reply:ident) => { $reply };
}

pub mod browser;
pub mod browser_downloads;
pub mod capture;
pub mod dom;
pub mod emulation;
pub mod input;
pub mod log;
pub mod network;
pub mod page;
pub mod runtime;
pub mod scripts;
pub mod storage;
pub mod target;
