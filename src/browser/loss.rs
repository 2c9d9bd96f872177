//! Why a session has none of its tabs and cookies any more.

use fumi_base::text::Text;

/// Why a session begins anew. Told once, with the next call: a caller that is not told would look for its page in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It was not used for long.
    Idle,
    /// Chromium crashed.
    Crash,
    /// Chromium held too much memory.
    Memory,
    /// Chromium was too old.
    Age,
}

impl Loss {
    /// One sentence.
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
