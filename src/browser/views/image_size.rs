//! The size of an image, read from its first bytes: the size that Chromium actually drew, not the requested one.

/// Returns width and height in pixels of a PNG, JPEG or WebP. Returns `None` if the bytes are another format or
/// damaged.
pub(super) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    png(bytes).or_else(|| webp(bytes)).or_else(|| jpeg(bytes))
}

/// Reads the size of a PNG from its first chunk IHDR, which begins with both numbers.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let sizes = rest.get(4..)?.strip_prefix(b"IHDR")?;
    Some((big(sizes, 0, 4)?, big(sizes, 4, 4)?))
}

/// Reads the size of a JPEG from its frame header (SOF). The segments before it state their length.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        rest = rest.strip_prefix(b"\xff")?;
        let (marker, after) = rest.split_first()?;
        rest = match marker {
            0xff => continue,
            // All frame headers, but not the tables with codes between them: DHT, JPG, DAC.
            0xc0..=0xcf if ![0xc4, 0xc8, 0xcc].contains(marker) => {
                return Some((big(after, 5, 2)?, big(after, 3, 2)?));
            }
            _ => after.get(usize::try_from(big(after, 0, 2)?).ok()?..)?,
        };
    }
}

/// Reads the size of a WebP from its first chunk, which has one of three types: extended, lossless, lossy.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let chunk = bytes.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    let (name, data) = (chunk.get(..4)?, chunk.get(8..)?);
    match name {
        b"VP8X" => Some((little(data, 4, 3)? + 1, little(data, 7, 3)? + 1)),
        b"VP8L" => {
            let both = little(data, 1, 4)?;
            Some(((both & 0x3fff) + 1, ((both >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => Some((little(data, 6, 2)? & 0x3fff, little(data, 8, 2)? & 0x3fff)),
        _ => None,
    }
}

fn big(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_first_bytes() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x05\0\0\0\x02\xd0\x08\x02";
        assert_eq!(size(png), Some((1280, 720)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08\x02\xd0\x05\0\x03";
        assert_eq!(size(jpeg), Some((1280, 720)));
        let lossy = b"RIFF....WEBPVP8 ....\0\0\0\x9d\x01\x2a\0\x05\xd0\x02";
        assert_eq!(size(lossy), Some((1280, 720)));
        let lossless = b"RIFF....WEBPVP8L....\x2f\xff\xc4\xb3\0";
        assert_eq!(size(lossless), Some((1280, 720)));
        assert_eq!([size(b""), size(b"\xff\xd8\xff"), size(b"GIF89a")], [None; 3]);
    }
}
