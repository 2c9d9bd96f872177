//! The planning tools: the plot of an episode, and a review of it.

pub mod noveler_plot;
pub mod plot_validate;
