//! The image of a front cover: a PNG or a JPEG, recognised by its contents and not by its name.
//!
//! Invariant: the header of the image could be read to its width and height, so that a text or a cut file is not bound
//! as a cover. The picture itself is not decoded.

/// The image of a front cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverImage {
    kind: ImageKind,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImageKind {
    Png,
    Jpeg,
}

/// The error of bytes that are not a PNG or JPEG image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnImage;

impl CoverImage {
    /// Recognises an image.
    pub fn read(bytes: Vec<u8>) -> Result<Self, NotAnImage> {
        let (kind, size) = match bytes.as_slice() {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', rest @ ..] => (ImageKind::Png, png_size(rest)),
            [0xff, 0xd8, rest @ ..] => (ImageKind::Jpeg, jpeg_size(rest)),
            _ => return Err(NotAnImage),
        };
        match size {
            Some((width, height)) if width > 0 && height > 0 => Ok(Self { kind, bytes }),
            _ => Err(NotAnImage),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the name of the file in the book.
    pub(super) const fn file_name(&self) -> &'static str {
        match self.kind {
            ImageKind::Png => "cover.png",
            ImageKind::Jpeg => "cover.jpg",
        }
    }

    pub(super) const fn media_type(&self) -> &'static str {
        match self.kind {
            ImageKind::Png => "image/png",
            ImageKind::Jpeg => "image/jpeg",
        }
    }
}

/// Returns width and height of a PNG from the bytes after its signature, where the chunk `IHDR` is first.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let (length_and_name, rest) = bytes.split_first_chunk::<8>()?;
    let (width, rest) = rest.split_first_chunk()?;
    let (height, _) = rest.split_first_chunk()?;
    let is_header = length_and_name.ends_with(b"IHDR");
    is_header.then(|| (u32::from_be_bytes(*width), u32::from_be_bytes(*height)))
}

/// Returns width and height of a JPEG from the bytes after its first marker: those of the first frame header.
fn jpeg_size(mut bytes: &[u8]) -> Option<(u32, u32)> {
    loop {
        let ([0xff, marker], rest) = bytes.split_first_chunk()? else {
            return None;
        };
        match marker {
            // Any number of 0xff may fill the space before a marker.
            0xff => bytes = &bytes[1..],
            // A frame header; C4, C8 and CC are tables and an extension.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let [_, _, _, height_high, height_low, width_high, width_low, ..] = rest else {
                    return None;
                };
                let number = |high: &u8, low: &u8| u32::from(u16::from_be_bytes([*high, *low]));
                return Some((number(width_high, width_low), number(height_high, height_low)));
            }
            // The picture or its end, before any frame header.
            0xd9 | 0xda => return None,
            _ => {
                let (length, _) = rest.split_first_chunk()?;
                bytes = rest.get(usize::from(u16::from_be_bytes(*length)).max(2)..)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CoverImage, NotAnImage};

    #[test]
    fn only_whole_headers_of_png_and_jpeg_are_images() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0".to_vec();
        let jpeg = b"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xc2\0\x0b\x08\0\x03\0\x02\x01".to_vec();
        for (image, name) in [(png, "cover.png"), (jpeg, "cover.jpg")] {
            assert_eq!(CoverImage::read(image.clone()).map(|cover| cover.file_name()), Ok(name));
            // A file that was cut at any place before its size, or is without size, is not an image.
            let size = image.windows(2).rposition(|pair| pair == b"\0\x02").expect("its width") + 1;
            for cut in 0..size {
                assert_eq!(CoverImage::read(image[..cut].to_vec()), Err(NotAnImage), "{name} of {cut} bytes");
            }
            let mut empty = image;
            empty[size] = 0;
            assert_eq!(CoverImage::read(empty), Err(NotAnImage), "{name}");
        }
        for other in [&b""[..], b"GIF89a", b"RIFF\0\0\0\0WEBP", b"<svg/>", b"\xff\xd8\xff\xd9", b"\xff\xd8\xff\xe0\0\0"]
        {
            assert_eq!(CoverImage::read(other.to_vec()), Err(NotAnImage), "{other:?}");
        }
    }
}
