//! Printing of the page to PDF, read from Chromium as a stream.

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    devtools::{
        Channel,
        protocol::capture::{CloseStream, PrintToPdf, ReadStream, StreamHandle},
    },
    errors::BrowserError,
    tab::Tab,
};

/// The bytes that are read at once.
const CHUNK: u32 = 1 << 20;
/// The maximum size of a document in bytes. A larger one is an error.
const LARGEST: usize = 256 << 20;

impl Tab {
    /// Prints the page to PDF with its backgrounds, in the paper size of its style sheet or else as Letter.
    pub async fn pdf(&self) -> Result<Vec<u8>, BrowserError> {
        let print = PrintToPdf {
            print_background: true,
            prefer_css_page_size: true,
            generate_tagged_pdf: true,
            transfer_mode: "ReturnAsStream",
        };
        let stream = PdfStream { page: self.page(), handle: self.page().call(&print).await?.stream };
        self.check_readable()?;
        let mut document = Vec::new();
        loop {
            let read = ReadStream { handle: stream.handle.clone(), size: CHUNK };
            let chunk = self.page().call(&read).await?;
            if chunk.base64_encoded {
                let bytes = STANDARD.decode(chunk.data).map_err(|error| BrowserError::ChromiumFailed {
                    reason: format!("printed a document that is not base64: {error}"),
                })?;
                document.extend(bytes);
            } else {
                document.extend(chunk.data.as_bytes());
            }
            if document.len() > LARGEST {
                return Err(BrowserError::ChromiumFailed {
                    reason: format!("printed a document of more than {} MiB", LARGEST >> 20),
                });
            }
            if chunk.eof {
                return Ok(document);
            }
        }
    }
}

/// A stream of Chromium. Dropping it closes the stream.
struct PdfStream<'a> {
    page: &'a Channel,
    handle: StreamHandle,
}

impl Drop for PdfStream<'_> {
    fn drop(&mut self) {
        self.page.send(&CloseStream { handle: self.handle.clone() });
    }
}
