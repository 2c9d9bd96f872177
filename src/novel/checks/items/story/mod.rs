//! The items of this category; each a page, and where it is measured a file.

super::category! {
    Story;
    measured: ;
    judged: ;
}
