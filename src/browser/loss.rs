//! The reasons why a session has lost its tabs and cookies.

use fumi_base::text::Text;

/// The reason why a session starts again without its tabs. Reported once, with the next call, since the caller would
/// otherwise look for its page in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The session was idle for too long.
    Idle,
    Crash,
    /// Chromium used too much memory.
    Memory,
    /// Chromium was older than the configured limit.
    Age,
}

impl Loss {
    /// Returns one sentence for the caller.
    #[must_use]
    pub fn text(self) -> Text {
        match self {
            Self::Idle => Text::new(
                "The session was idle for long: its tabs and cookies are gone.",
                "長く使われなかったため、このセッションのタブと Cookie は破棄されました。",
            ),
            Self::Crash => Text::new(
                "Chromium crashed and was started anew: tabs and cookies of the session are gone.",
                "Chromium が異常終了し、起動し直しました。このセッションのタブと Cookie は失われています。",
            ),
            Self::Memory => Text::new(
                "Chromium used too much memory and was restarted: tabs and cookies of the session are gone.",
                "Chromium のメモリー使用量が上限を超えたため再起動しました。このセッションのタブと Cookie は失われています。",
            ),
            Self::Age => Text::new(
                "Chromium was replaced by a fresh one: tabs and cookies of the session are gone.",
                "Chromium を新しいものに入れ替えました。このセッションのタブと Cookie は失われています。",
            ),
        }
    }
}
