//! Features: data about the story of a text that items and tools share, such as scenes, tension, times, senses,
//! characters, feelings, subjects, speakers, speech styles, plot events and the ledger of foreshadowing.
//!
//! Each file computes one kind of data, on first use; none of them scores anything.

mod cast;
mod chronology;
mod endings;
mod ends;
mod events;
mod facts;
mod feelings;
mod glossary;
mod hooks;
mod ledger;
mod manners;
mod runs;
mod scenes;
pub(super) mod sensed;
mod sheets;
mod speakers;
mod statistics;
mod subjects;
mod tension;
mod times;
mod viewpoint;
mod vocabulary;
mod whereabouts;

pub use cast::{Cast, Member, content_words};
pub use chronology::{Chronology, StepBack};
pub use endings::Ending;
pub use ends::{head, tail};
pub use events::{Event, WordsOfScenes, words_of_plot};
pub use facts::{Fact, Facts, Place, number};
pub use feelings::{Feeling, Feelings, REACH, Reaction, is_told};
pub use glossary::{Entry, Glossary, Mention};
pub use hooks::{asks_within, breaks_off, has_question_word, is_question, pauses, questions};
pub use ledger::{Foreshadowing, Ledger, Step};
pub use manners::{Address, Manner, Manners, Meant, Pronoun, Said, normal, own_endings, percent, reading};
pub use runs::{Run, Script, runs, script};
pub use scenes::{Scenes, Stretch};
pub use sensed::{Sense, Sensed};
pub use sheets::by_sheet;
pub use speakers::{Follows, Line, SURE, Speakers};
pub use statistics::{part_of, spearman, told_characters};
pub use subjects::{Names, Person, Subjects};
pub use tension::{Tension, tension, tension_of};
pub use times::{Told, When, told};
pub use viewpoint::Viewpoint;
pub use vocabulary::{is_telling, key, telling, telling_of, tells};
pub use whereabouts::Whereabouts;
