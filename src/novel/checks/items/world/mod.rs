//! The items of the category world and setting. Each has a page, and if it is measured a Rust file.

super::category! {
    World;
    measured:
        consistency_of_names, setting_facts, time_and_place, natural_exposition, load_of_new_terms, concrete_daily_life,
        sensory_world,;
    judged: setting_logic, plausibility, originality,;
}
