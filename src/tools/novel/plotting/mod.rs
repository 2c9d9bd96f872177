//! The planning tools: the plot of an episode, a review of it, and the blurb of the novel.

pub mod noveler_plot;
pub mod plot_validate;
pub mod write_blurb;
