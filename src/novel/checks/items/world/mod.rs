//! The items of this category; each a page, and where it is measured a file.

super::category! {
    World;
    measured:
        consistency_of_names, setting_facts, time_and_place, natural_exposition, load_of_new_terms, concrete_daily_life,
        sensory_world,;
    judged: setting_logic, plausibility, originality,;
}
