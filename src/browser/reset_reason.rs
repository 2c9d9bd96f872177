//! The reasons why a session has lost its tabs and cookies.

use fumi_base::text::BilingualText;

/// The reason why a session starts again without its tabs. Reported once, with the next call, since the caller would
/// otherwise look for its page in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetReason {
    /// The session was idle for too long.
    Idle,
    /// Another session needed its place.
    Evicted,
    Crash,
    /// Chromium used too much memory.
    Memory,
    /// Chromium was older than the configured limit.
    Age,
}

impl ResetReason {
    /// Returns one sentence for the caller.
    pub fn text(self) -> BilingualText {
        match self {
            Self::Idle => BilingualText::new(
                "The session was idle for too long: its tabs and cookies are gone.",
                "長く使われなかったため、このセッションのタブと Cookie は破棄されました。",
            ),
            Self::Evicted => BilingualText::new(
                "The session was closed to make room for newer ones: its tabs and cookies are gone.",
                "新しいセッションに場所を譲るため、このセッションは閉じられました。タブと Cookie は失われています。",
            ),
            Self::Crash => BilingualText::new(
                "Chromium crashed and was restarted: the session's tabs and cookies are gone.",
                "Chromium が異常終了し、起動し直しました。このセッションのタブと Cookie は失われています。",
            ),
            Self::Memory => BilingualText::new(
                "Chromium used too much memory and was restarted: the session's tabs and cookies are gone.",
                "Chromium のメモリー使用量が上限を超えたため再起動しました。このセッションのタブと Cookie は失われています。",
            ),
            Self::Age => BilingualText::new(
                "Chromium was replaced by a new one: the session's tabs and cookies are gone.",
                "Chromium を新しいものに入れ替えました。このセッションのタブと Cookie は失われています。",
            ),
        }
    }
}
