//! Moving the pointer over something.

use super::{Aim, mouse::Mouse};
use crate::{errors::BrowserError, tab::Tab};

impl Tab {
    /// Moves the pointer over an element or to a point.
    pub async fn hover(&self, aim: &Aim) -> Result<(), BrowserError> {
        let hovering = async {
            let point = self.point_of(aim).await?;
            Mouse::new(self.page()).move_to(point).await
        };
        self.acting(hovering).await
    }
}
