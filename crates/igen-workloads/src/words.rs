//! Words of loaded texts. Changing one changes every loaded database.

#[rustfmt::skip]
pub(crate) const FIRST_NAMES: &[&str] = &[
    "Alice", "Andrew", "Barbara", "Brian", "Carlos", "Charlotte", "Daniel", "Deborah", "Edward",
    "Elizabeth", "Frank", "Gloria", "Helen", "Isabel", "Jack", "Jennifer", "Kevin", "Laura",
    "Margaret", "Michael", "Nancy", "Oliver", "Patricia", "Peter", "Rachel", "Robert", "Sandra",
    "Stephanie", "Thomas", "Victoria", "Walter", "Yvonne",
];

#[rustfmt::skip]
pub(crate) const LAST_NAMES: &[&str] = &[
    "Adams", "Bennett", "Campbell", "Davies", "Edwards", "Fernandez", "Garcia", "Hernandez",
    "Ibrahim", "Johnson", "Kowalski", "Lindqvist", "Martinez", "Nakamura", "Okafor", "Petersen",
    "Quinn", "Rodriguez", "Schneider", "Thompson", "Ueda", "Vasquez", "Williams", "Zimmermann",
];

#[rustfmt::skip]
pub(crate) const STREETS: &[&str] = &[
    "Arlington Avenue", "Beacon Hill Road", "Cedar Street", "Dockside Lane", "Elm Grove Terrace",
    "Fairview Boulevard", "Green Park Crescent", "Harbour Street", "Industrial Parkway",
    "Jefferson Square", "King Edward Road", "Lakeside Drive", "Market Street", "North Main Street",
    "Old Mill Lane", "Poplar Avenue", "Queens Road", "Riverbank Walk", "Station Approach",
    "University Avenue",
];

#[rustfmt::skip]
pub(crate) const CITIES: &[&str] = &[
    "Amsterdam", "Barcelona", "Chicago", "Dublin", "Edinburgh", "Frankfurt", "Gothenburg",
    "Helsinki", "Istanbul", "Johannesburg", "Kyoto", "Los Angeles", "Melbourne", "New Orleans",
    "Oslo", "Philadelphia", "Quebec", "Rotterdam", "San Francisco", "Toronto", "Utrecht",
    "Vancouver", "Warsaw", "Zurich",
];

#[rustfmt::skip]
pub(crate) const ITEM_KINDS: &[&str] = &[
    "brass", "cast iron", "ceramic", "galvanised", "lacquered", "oak", "plastic", "polished",
    "rubber", "stainless", "threaded", "waterproof",
];

#[rustfmt::skip]
pub(crate) const ITEMS: &[&str] = &[
    "bearing", "bracket", "cable", "clamp", "coupling", "fitting", "gasket", "hinge", "housing",
    "pipe", "pulley", "switch", "valve", "washer",
];

#[rustfmt::skip]
pub(crate) const COMMENT_WORDS: &[&str] = &[
    "after", "agent", "back", "before", "blue", "box", "by", "call", "cash", "door", "early",
    "express", "fragile", "front", "gate", "gift", "hand", "insured", "late", "leave", "morning",
    "night", "no", "office", "pallet", "paper", "please", "ring", "ship", "sign", "today", "wrap",
];
