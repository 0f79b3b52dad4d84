//! The pages.

use std::fmt::Write as _;

use serde_json::Value;

use super::html::{Embedded, FOOT, escaped, head};
use crate::data::{CHARTS, PAGE_ROWS};

/// What everybody sees.
pub fn start() -> String {
    format!(
        "{}<p>Everything for house and garden.</p>\n<a href=\"/login\">Sign in</a>\n{FOOT}",
        head("The shop", "", Embedded::Common)
    )
}

/// The form to sign in.
pub fn login(token: &str, complaint: &str) -> String {
    let complaint = match complaint {
        "" => String::new(),
        text => format!("<p role=\"alert\">{text}</p>\n"),
    };
    format!(
        "{}{complaint}<form method=\"post\" action=\"/login\">\n\
         <input type=\"hidden\" name=\"csrf_token\" value=\"{token}\">\n\
         <label>Name <input name=\"user\" autocomplete=\"username\"></label>\n\
         <label>Password <input name=\"password\" type=\"password\"></label>\n\
         <button>Sign in</button>\n</form>\n{FOOT}",
        head("Sign in", "", Embedded::Common)
    )
}

/// Where one is after signing in.
pub fn home(user: &str, found: &Value) -> String {
    format!(
        "{}<p>Welcome, {}.</p>\n{}{FOOT}",
        head("Home", user, Embedded::Common),
        escaped(user),
        table(found)
    )
}

/// What was found for some words; in pieces, as it would come.
pub fn search(user: &str, words: &str, found: &Value) -> Vec<String> {
    let (count, page) = (&found["count"], found["page"].as_u64().unwrap_or(0));
    let asked = percent_encoding::utf8_percent_encode(words, percent_encoding::NON_ALPHANUMERIC);
    let further = if count.as_u64().unwrap_or(0) > (page + 1) * u64::from(PAGE_ROWS) {
        format!(
            "<a rel=\"next\" href=\"/search?q={asked}&amp;page={}\">More</a>\n",
            page + 1
        )
    } else {
        String::new()
    };
    let begin = format!(
        "{}<form action=\"/search\"><input name=\"q\" value=\"{}\"><button>Search</button></form>\n\
         <p>{count} products</p>\n",
        head("Search", user, Embedded::Common),
        escaped(words)
    );
    vec![begin, table(found), format!("{further}{FOOT}")]
}

/// A product.
pub fn product(user: &str, product: &Value) -> String {
    let text = |name: &str| escaped(product[name].as_str().unwrap_or_default());
    format!(
        "{}<dl>\n<dt>Category</dt><dd>{}</dd>\n<dt>Price</dt><dd>{}</dd>\n<dt>In stock</dt><dd>{}</dd>\n</dl>\n\
         <p>{}</p>\n<a href=\"/product/{}/edit\">Edit the note</a>\n{FOOT}",
        head(
            product["name"].as_str().unwrap_or_default(),
            user,
            Embedded::Common
        ),
        text("category"),
        price(product),
        product["stock"],
        text("description"),
        product["id"],
    )
}

/// The form for a product's note.
pub fn edit(user: &str, id: &str, found: &Value, token: &str) -> String {
    let text = |name: &str| escaped(found[name].as_str().unwrap_or_default());
    format!(
        "{}<p>{}</p>\n<form method=\"post\" action=\"/product/{id}/edit\">\n\
         <input type=\"hidden\" name=\"csrf_token\" value=\"{token}\">\n\
         <label>Note <textarea name=\"note\">{}</textarea></label>\n\
         <button>Save</button>\n</form>\n{FOOT}",
        head("Note", user, Embedded::Common),
        text("name"),
        text("note"),
    )
}

/// The dashboard of all regions or of one.
pub fn dashboard(user: &str, region: Option<u32>) -> String {
    let of = region.map_or_else(String::new, |region| format!("?region={region}"));
    let mut html = head("Dashboard", user, Embedded::All);
    for (name, _) in CHARTS {
        let _ = writeln!(
            html,
            "<figure><figcaption>{name}</figcaption><div data-chart=\"/api/chart/{name}{of}\"></div></figure>"
        );
    }
    html.push_str(FOOT);
    html
}

fn table(found: &Value) -> String {
    let mut html = String::from("<table>\n");
    for product in found["products"].as_array().into_iter().flatten() {
        let _ = writeln!(
            html,
            "<tr><td><a href=\"/product/{}\">{}</a></td><td>{}</td><td>{}</td></tr>",
            product["id"],
            escaped(product["name"].as_str().unwrap_or_default()),
            escaped(product["category"].as_str().unwrap_or_default()),
            price(product)
        );
    }
    html.push_str("</table>\n");
    html
}

fn price(product: &Value) -> String {
    let cents = product["price_cents"].as_u64().unwrap_or(0);
    format!("{}.{:02}", cents / 100, cents % 100)
}
