//! The 23 resources of a page, of the types and sizes that a business application has: made from the
//! seed, and valid, so that a real browser takes them.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::seed::{Numbers, Seed};

/// A resource.
pub struct Resource {
    /// Its name below `/static/`.
    pub name: &'static str,
    /// About how long it is; images are this long by their pixels.
    bytes: usize,
}

/// What resources of a type have in common.
pub struct MediaType {
    /// Its name, as HTTP has it.
    pub content_type: &'static str,
    /// How long clients may keep it: icons are asked for again each time, which is answered by 304.
    pub cache_control: &'static str,
    /// True if it gets shorter by compression.
    pub is_text: bool,
}

const STYLE: MediaType = MediaType {
    content_type: "text/css",
    cache_control: "public, max-age=3600",
    is_text: true,
};
const SCRIPT: MediaType = MediaType {
    content_type: "text/javascript",
    cache_control: "public, max-age=3600",
    is_text: true,
};
const ICON: MediaType = MediaType {
    content_type: "image/svg+xml",
    cache_control: "no-cache",
    is_text: true,
};
const IMAGE: MediaType = MediaType {
    content_type: "image/png",
    cache_control: "public, max-age=86400",
    is_text: false,
};

/// THE list of resources. Every page has the first seven and the favicon; the dashboard has them all.
pub const RESOURCES: [Resource; 23] = [
    of("shop.css", 24_000),
    of("theme.css", 8_000),
    of("print.css", 2_000),
    of("shop.js", 60_000),
    of("library.js", 180_000),
    of("forms.js", 12_000),
    of("table.js", 20_000),
    of("charts.js", 90_000),
    of("icon-home.svg", 1_200),
    of("icon-search.svg", 900),
    of("icon-edit.svg", 1_100),
    of("icon-chart.svg", 1_600),
    of("icon-user.svg", 1_000),
    of("icon-cart.svg", 1_300),
    of("icon-help.svg", 800),
    of("icon-exit.svg", 700),
    of("favicon.png", 256),
    of("logo.png", 4_096),
    of("banner.png", 65_536),
    of("product-1.png", 16_384),
    of("product-2.png", 16_384),
    of("product-3.png", 16_384),
    of("map.png", 36_864),
];

const fn of(name: &'static str, bytes: usize) -> Resource {
    Resource { name, bytes }
}

impl Resource {
    /// What it is, by its name.
    pub fn media_type(&self) -> &'static MediaType {
        match self.name.rsplit_once('.') {
            Some((_, "css")) => &STYLE,
            Some((_, "js")) => &SCRIPT,
            Some((_, "svg")) => &ICON,
            _ => &IMAGE,
        }
    }

    /// What is in it.
    pub fn content(&self, seed: Seed) -> Vec<u8> {
        let mut numbers = seed.numbers(self.name);
        match self.name.rsplit_once('.') {
            Some((_, "css")) => style(&mut numbers, self.bytes),
            Some((_, "js")) => script(&mut numbers, self.name, self.bytes),
            Some((_, "svg")) => icon(&mut numbers, self.bytes),
            _ => image(&mut numbers, self.bytes),
        }
    }
}

fn style(numbers: &mut Numbers, bytes: usize) -> Vec<u8> {
    let mut text = String::from("body { font-family: sans-serif; margin: 2em }\n");
    while text.len() < bytes {
        let (color, size) = (numbers.below(1 << 24), numbers.below(40));
        let _ = writeln!(
            text,
            ".c{} {{ color: #{color:06x}; padding: {size}px; margin: {}px }}",
            numbers.below(2_000),
            numbers.below(40)
        );
    }
    text.into_bytes()
}

/// Asks for the charts of a dashboard, as its page does in a browser.
const ASK_FOR_CHARTS: &str = "\
document.querySelectorAll('[data-chart]').forEach(async place => {
  const answer = await fetch(place.dataset.chart);
  place.textContent = JSON.stringify(await answer.json());
});
";

fn script(numbers: &mut Numbers, name: &str, bytes: usize) -> Vec<u8> {
    let own = if name == "shop.js" {
        ASK_FOR_CHARTS
    } else {
        ""
    };
    let mut text = format!("'use strict';\n{{\n{own}");
    while text.len() < bytes {
        let (number, factor, offset) =
            (numbers.next() >> 40, numbers.below(97), numbers.below(997));
        let _ = writeln!(
            text,
            "const f{number} = value => (value * {factor} + {offset}) % {};",
            numbers.below(9_973) + 1
        );
    }
    text.push_str("}\n");
    text.into_bytes()
}

fn icon(numbers: &mut Numbers, bytes: usize) -> Vec<u8> {
    let mut text = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\"><path d=\"M32 32",
    );
    while text.len() < bytes {
        let _ = write!(text, " L{} {}", numbers.below(64), numbers.below(64));
    }
    text.push_str("\"/></svg>\n");
    text.into_bytes()
}

/// A square of random grey pixels, which no compression makes shorter (PNG: RFC 2083).
fn image(numbers: &mut Numbers, pixels: usize) -> Vec<u8> {
    let side = pixels.isqrt();
    let mut rows = Vec::with_capacity(pixels + side);
    for _ in 0..side {
        rows.push(0); // no filter
        rows.extend((0..side).map(|_| numbers.next().to_le_bytes()[0]));
    }
    // Stored: no release of a compressor changes it.
    let mut stored = ZlibEncoder::new(Vec::new(), Compression::none());
    let _ = stored.write_all(&rows);
    let side = u32::try_from(side).unwrap_or(u32::MAX).to_be_bytes();
    let mut header = [side, side].concat();
    header.extend([8, 0, 0, 0, 0]); // bits, grey, and the usual ways
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header);
    chunk(&mut png, *b"IDAT", &stored.finish().unwrap_or_default());
    chunk(&mut png, *b"IEND", b"");
    png
}

fn chunk(png: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    png.extend(length.to_be_bytes());
    let start = png.len();
    png.extend(name);
    png.extend(content);
    let mut crc = Crc::new();
    crc.update(&png[start..]);
    png.extend(crc.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_about_as_long_as_they_should_be_and_follow_from_the_seed() {
        for resource in &RESOURCES {
            let content = resource.content(Seed(1));
            let most = resource.bytes + resource.bytes / 8 + 200;
            assert!(
                (resource.bytes..most).contains(&content.len()),
                "{}",
                resource.name
            );
            assert_eq!(content, resource.content(Seed(1)));
            assert_ne!(content, resource.content(Seed(2)));
        }
    }

    #[test]
    fn images_are_whole() {
        let png = image(&mut Seed(1).numbers("test"), 16);
        assert_eq!(&png[12..24], b"IHDR\0\0\0\x04\0\0\0\x04");
        assert!(png.ends_with(b"IEND\xae\x42\x60\x82"));
    }
}
