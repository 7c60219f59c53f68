//! The programs of the seed articles.

mod demos;
mod masks;
mod matrix;
mod search;
mod warp;

use crate::case::Case;

pub(super) fn all() -> Vec<Case> {
    let mut cases = demos::all();
    cases.extend(matrix::all());
    cases.extend(warp::all());
    cases.extend(search::all());
    cases.extend(masks::all());
    cases
}
