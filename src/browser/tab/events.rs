//! The event loop of a tab: one task for each of its sessions, which dispatches the events to the modules that record
//! them.

use std::sync::{Arc, Weak};

use super::{Tab, TabState, frames::World, world::WORLD};
use crate::{
    clipboard,
    devtools::{
        Channel, EventStream, RawEvent,
        protocol::{log, network, page, runtime, target},
    },
    emulate::Emulation,
    errors::BrowserError,
    page::SCRIPT,
};

/// The total bytes of bodies that Chromium keeps for [`Tab::request`].
const BODIES: u64 = 16 << 20;
/// The maximum bytes of one body that Chromium keeps.
const BODY: u64 = 4 << 20;
/// The maximum bytes of a request's body that are included in its event.
const POSTED: u64 = 16 << 10;

/// The kind of target that a session is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    /// The page itself.
    Page,
    /// A frame that lives in another process.
    Frame,
    /// A worker, of which only the console messages are recorded.
    Worker,
}

/// Prepares a session, reads its frame tree, and spawns a task that handles its events.
pub(super) async fn listen(tab: &Arc<Tab>, channel: Channel, place: TargetKind) -> Result<(), BrowserError> {
    let events = channel.events();
    prepare(tab, &channel, place);
    if place != TargetKind::Worker {
        // Sent after all of `prepare` and before any wait: a page that waits for the debugger answers no command that
        // its process has to answer.
        let tree = channel.call(&page::GetFrameTree {});
        let tree = tree.await?.frame_tree;
        // The events that led to this tree are still queued. Applying them again changes nothing.
        tab.change(|state| state.frames.apply_tree(tree, &channel));
    }
    tokio::spawn(run_event_loop(Arc::downgrade(tab), channel, events, place));
    Ok(())
}

fn prepare(tab: &Tab, channel: &Channel, place: TargetKind) {
    channel.send(&runtime::EnableRuntime {});
    if place != TargetKind::Worker {
        channel.send(&page::EnablePage {});
        channel.send(&page::SetLifecycleEventsEnabled { enabled: true });
        channel.send(&page::EnableInspector {});
        channel.send(&runtime::AddBinding { name: clipboard::REPORT_FUNCTION, execution_context_name: WORLD });
        channel.send(&page::AddScriptToEvaluateOnNewDocument {
            source: SCRIPT,
            world_name: WORLD,
            run_immediately: true,
        });
        channel.send(&page::SetInterceptFileChooserDialog { enabled: true });
        channel.send(&log::EnableLog {});
        channel.send(&network::EnableNetwork {
            max_total_buffer_size: BODIES,
            max_resource_buffer_size: BODY,
            max_post_data_size: POSTED,
        });
    }
    if place == TargetKind::Frame {
        // A process that starts later has not received the preferences that were set before.
        channel.send(&tab.set_preferences(Emulation::default()).media());
    }
    channel.send(&target::SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true });
    channel.send(&runtime::RunIfWaitingForDebugger {});
}

async fn run_event_loop(tab: Weak<Tab>, channel: Channel, mut events: EventStream, place: TargetKind) {
    while let Some(event) = events.recv().await {
        let Some(tab) = tab.upgrade() else { return };
        tab.on_event(&channel, place, &event);
    }
    let Some(tab) = tab.upgrade() else { return };
    match place {
        TargetKind::Page => tab.change(|state| state.is_closed = true),
        TargetKind::Frame => tab.change(|state| {
            state.frames.remove_session(&channel);
            if state.dialog.as_ref().is_some_and(|open| open.belongs_to(&channel)) {
                state.dialog = None;
            }
        }),
        TargetKind::Worker => {}
    }
}

impl Tab {
    fn on_event(self: &Arc<Self>, channel: &Channel, place: TargetKind, event: &RawEvent) {
        if let Some(attached) = event.get::<target::AttachedToTarget>() {
            self.listen_to_child(channel, attached);
        } else if place == TargetKind::Page && event.get::<page::TargetCrashed>().is_some() {
            self.change(|state| {
                state.has_crashed = true;
                state.dialog = None;
                state.frames.worlds_cleared(channel);
            });
        } else if let Some(told) = event.get::<runtime::BindingCalled>() {
            if told.name == clipboard::REPORT_FUNCTION {
                self.settings().clipboard.keep(told.payload);
            }
        } else {
            self.change(|state| state.on_event(channel, event));
        }
    }

    /// Starts listening to a frame in a process of its own, or to a worker.
    fn listen_to_child(self: &Arc<Self>, channel: &Channel, attached: target::AttachedToTarget) {
        let child = channel.with_session(attached.session_id);
        let place = match attached.target_info.kind.as_str() {
            "iframe" => TargetKind::Frame,
            "worker" | "shared_worker" | "service_worker" => TargetKind::Worker,
            _ => {
                child.send(&runtime::RunIfWaitingForDebugger {});
                return;
            }
        };
        let tab = Arc::clone(self);
        // A task of its own: the frame may disappear before it answers, and the events of this session must be handled
        // meanwhile.
        tokio::spawn(async move {
            if let Err(error) = listen(&tab, child, place).await {
                tracing::debug!(%error, "a frame was removed before it was set up");
            }
        });
    }
}

impl TabState {
    fn on_event(&mut self, channel: &Channel, event: &RawEvent) {
        let (domain, _) = event.method.split_once('.').unwrap_or_default();
        match domain {
            "Page" => self.on_page_event(channel, event),
            "Runtime" => self.on_runtime_event(channel, event),
            "Network" => self.on_network_event(channel, event),
            "Input" => self.on_input_event(event),
            "Log" => {
                if let Some(log::EntryAdded { entry }) = event.get() {
                    self.console.add_log_entry(entry);
                }
            }
            _ => {}
        }
    }

    fn on_page_event(&mut self, channel: &Channel, event: &RawEvent) {
        match &*event.method {
            "Page.frameAttached" => {
                if let Some(page::FrameAttached { frame_id, parent_frame_id }) = event.get() {
                    self.frames.attach(&frame_id, &parent_frame_id, channel);
                }
            }
            "Page.frameDetached" => {
                if let Some(page::FrameDetached { frame_id, reason }) = event.get() {
                    self.frames.detach(&frame_id, reason == "swap", channel);
                }
            }
            "Page.javascriptDialogOpening" => {
                if let Some(opening) = event.get() {
                    self.dialog_opened(opening, channel);
                }
            }
            "Page.javascriptDialogClosed" => self.dialog = None,
            "Page.fileChooserOpened" => {
                if let Some(opened) = event.get() {
                    self.chooser_opened(&opened, channel);
                }
            }
            "Page.downloadWillBegin" | "Page.downloadProgress" => self.on_download_event(channel, event),
            _ => self.on_navigation_event(channel, event),
        }
    }

    fn on_runtime_event(&mut self, channel: &Channel, event: &RawEvent) {
        match &*event.method {
            "Runtime.executionContextCreated" => {
                let Some(runtime::ExecutionContextCreated { context }) = event.get() else {
                    return;
                };
                let Some(runtime::ContextOwner { is_default, frame_id: Some(frame) }) = context.aux_data else {
                    return;
                };
                if is_default || context.name == WORLD {
                    let world = World { number: context.id, unique: context.unique_id };
                    self.frames.world_made(&frame, world, is_default, channel);
                }
            }
            "Runtime.executionContextDestroyed" => {
                if let Some(runtime::ExecutionContextDestroyed { execution_context_unique_id }) = event.get() {
                    self.frames.world_ended(&execution_context_unique_id);
                }
            }
            "Runtime.executionContextsCleared" => self.frames.worlds_cleared(channel),
            "Runtime.consoleAPICalled" => {
                if let Some(called) = event.get() {
                    self.console.add_api_call(called, channel);
                }
            }
            "Runtime.exceptionThrown" => {
                if let Some(thrown) = event.get() {
                    self.console.add_exception(thrown, channel);
                }
            }
            _ => {}
        }
    }
}
