//! Setting a slider: by its value if it is an `<input>`, otherwise with keys (WAI-ARIA Authoring Practices, "Slider").

use fumi_base::{project::quoted, text::BilingualText};

use super::{FieldMismatch, MismatchKind, chord::Chord, keys};
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{Located, Tab},
};

/// The maximum number of key presses; a slider with more steps is left where it is then.
const MOST: u32 = 1_000;

impl Tab {
    /// Moves a slider to a value. Returns the difference if it ends at another value.
    pub(super) async fn slide(&self, located: &Located, value: &str) -> Result<Option<FieldMismatch>, BrowserError> {
        let Some(began) = self.slider(located).await? else {
            return self.fill_in(located, value, false).await;
        };
        let wanted = finite(value)?;
        let close = f64::EPSILON * wanted.abs().max(1.0) * 8.0;
        let mut now = began;
        let mut pressed = 0;
        // Stops if a press overshoots the value or brings the slider no nearer.
        while (now - wanted).abs() > close && pressed < MOST {
            let key = if wanted > now { "ArrowRight" } else { "ArrowLeft" };
            keys::press_chord(self.page(), &Chord::parse(key)?).await?;
            pressed += 1;
            let before = now;
            now = self.slider(located).await?.unwrap_or(before);
            let overshot = (before - wanted).signum() * (now - wanted).signum() < 0.0;
            let is_nearer = (now - wanted).abs() < (before - wanted).abs();
            if overshot || !is_nearer {
                break;
            }
        }
        let stands = MismatchKind::Holds(now.to_string());
        Ok(((now - wanted).abs() > close).then(|| FieldMismatch::new(located, stands)))
    }

    /// Focuses a slider that listens to keys and returns its value. Returns `None` for any other slider.
    async fn slider(&self, located: &Located) -> Result<Option<f64>, BrowserError> {
        let said: ScriptReply<Slider> = self.ask(&located.frame, "slider", (&located.reference,)).await?;
        Ok(said.into_result(&located.called)?.now)
    }
}

/// Parses the value for a slider. Rust's parser also accepts NaN and infinities, to which no comparison brings a slider
/// nearer, so that they would count as reached.
pub(super) fn finite(value: &str) -> Result<f64, BrowserError> {
    let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| BrowserError::BadBrowserArgument {
        argument: "value",
        reason: BilingualText::new(
            format!("a slider takes a finite number such as 12.5, not {}", quoted(value)),
            format!("スライダーに指定できるのは 12.5 のような有限の数です。{} は指定できません", quoted(value)),
        ),
    })
}

#[derive(serde::Deserialize)]
struct Slider {
    now: Option<f64>,
}
