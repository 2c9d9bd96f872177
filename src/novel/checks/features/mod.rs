//! Features: data about the story of a text that items and tools share, such as scenes, tension, times, senses,
//! characters, feelings, subjects, speakers, speech styles, plot events and the ledger of foreshadowing.
//!
//! Each file computes one kind of data, on first use; none of them scores anything.

mod cast;
mod character_sheets;
mod chronology;
mod endings;
mod events;
mod facts;
mod feelings;
mod glossary;
mod head_and_tail;
mod hooks;
mod ledger;
mod scenes;
pub(super) mod sensory_words;
mod speakers;
mod speech_style;
mod statistics;
mod subjects;
mod tension;
mod time_place_mentions;
mod times;
mod token_runs;
mod told_speech;
mod viewpoint;
mod vocabulary;

pub use cast::{Cast, CastMember, content_words};
pub use character_sheets::speaker_by_sheet;
pub use chronology::{Chronology, StepBack};
pub use endings::SpeechEnding;
pub use events::{PlotEvent, WordsOfScenes, words_of_plot};
pub use facts::{Fact, FactMention, StatedFacts, number};
pub use feelings::{Feeling, Feelings, REACH, Reaction, is_outside_speech};
pub use glossary::{Glossary, GlossaryEntry, Mention};
pub use head_and_tail::{head, tail};
pub use hooks::{ends_in_pause, has_indirect_question, has_pause, has_question_word, is_question, questions};
pub use ledger::{Foreshadowing, ForeshadowingStep, Ledger};
pub use scenes::{Scenes, StorySegment};
pub use sensory_words::{Sense, SensoryWord};
pub use speakers::{LinePosition, SURE, Speakers, SpeechLine};
pub use speech_style::{
    Address, Pronoun, PronounPerson, SpeechObservation, SpeechStyle, SpeechStyles, normal, own_endings, percent,
    reading,
};
pub use statistics::{characters_outside_speech, part_of, spearman};
pub use subjects::{CharacterNames, Person, Subjects};
pub use tension::{Tension, tension, tension_of};
pub use time_place_mentions::TimePlaceMentions;
pub use times::{TimeExpression, TimeMeaning, time_expressions};
pub use token_runs::{Script, ScriptRun, runs, script};
pub use told_speech::is_told_speech;
pub use viewpoint::Viewpoint;
pub use vocabulary::{characteristic_words, characteristic_words_of, is_characteristic, is_characteristic_word, key};
