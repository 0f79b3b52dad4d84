//! The frame of all pages, and texts in HTML.

use std::fmt::Write as _;

use crate::web::RESOURCES;

/// So many resources are on every page, from the first on, and the favicon.
const COMMON: usize = 7;

/// Which resources a page has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Embedded {
    /// Those of every page.
    Common,
    /// All of them.
    All,
}

/// A page up to its content.
pub fn head(title: &str, user: &str, embedded: Embedded) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n",
        escaped(title)
    );
    html.push_str("<link rel=\"icon\" href=\"/static/favicon.png\">\n");
    let all = embedded == Embedded::All;
    let count = if all { RESOURCES.len() } else { COMMON };
    let mut images = String::new();
    for name in RESOURCES[..count].iter().map(|resource| resource.name) {
        let _ = match name.rsplit_once('.') {
            Some((_, "css")) => writeln!(html, "<link rel=\"stylesheet\" href=\"/static/{name}\">"),
            Some((_, "js")) => writeln!(html, "<script src=\"/static/{name}\" defer></script>"),
            _ if name == "favicon.png" => Ok(()),
            _ => write!(images, "<img src=\"/static/{name}\" alt=\"\" width=\"64\">"),
        };
    }
    html.push_str("</head>\n<body>\n");
    if !user.is_empty() {
        let _ = writeln!(
            html,
            "<nav><a href=\"/home\">Home</a> <a href=\"/search?q=oak\">Search</a> \
             <a href=\"/dashboard\">Dashboard</a> <form method=\"post\" action=\"/logout\">\
             <button>Sign out {}</button></form></nav>",
            escaped(user)
        );
    }
    let _ = writeln!(html, "{images}\n<h1>{}</h1>", escaped(title));
    html
}

/// The end of a page.
pub const FOOT: &str = "<footer>iGen's shop to load</footer>\n</body>\n</html>\n";

/// A text as it stands in HTML, also in an attribute.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(letter),
        }
    }
    html
}
