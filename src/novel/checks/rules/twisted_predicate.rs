//! Rule `twisted_predicate`: finds predicates that do not fit their subject: 夢は、劇場で演じたい.

use std::collections::HashSet;

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::topics::TOPICS, manuscript::is_kanji, morphology::Morpheme};

/// The smallest number of words between the subject and its predicate; shorter sentences have other subjects (夢は叶った).
const SHORTEST: usize = 6;

/// The largest number of words of a sentence after its topic that is read as one statement; longer ones have several.
const LONGEST: usize = 32;

/// The number of words before のは that may judge or feel: 私が驚いたのは, 印象に残っているのは.
const JUDGEMENT: usize = 6;

/// The number of words at the end in which an ending is searched.
const TAIL: usize = 8;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        let topic = words.iter().position(|word| {
            (word.surface == "は" && word.has_parts(&["助詞", "係助詞"]))
                || (word.surface == "とは" && word.has_parts(&["助詞"]))
        });
        let source = topic.and_then(|topic| said_topic(words, topic)).or_else(|| speaking_source(words));
        if let Some(noun) = source {
            found.push(phrasing::at(material, words).with("value", noun.surface));
            continue;
        }
        let Some(subject) = topic.and_then(|topic| Subject::before(words, topic)) else { continue };
        if subject.is_twisted() {
            found.push(phrasing::at(material, words).with("value", subject.noun.surface));
        }
    }
}

/// Returns the topic of a sentence that repeats it as a verb of saying: 口癖は、急ぐなと言っていた.
fn said_topic<'w, 'a>(words: &'w [Morpheme<'a>], topic: usize) -> Option<&'w Morpheme<'a>> {
    let noun = &words[topic.checked_sub(1)?];
    let says = ends_in_saying(words.get(topic + 1..)?, &TOPICS.saying);
    (TOPICS.said.contains(noun.surface) && says).then_some(noun)
}

/// Returns the source of what a sentence tells, if the sentence ends in a verb of saying as if it were a person:
/// 見立てでは、長くないと言った; 噂によれば、…と話していた.
fn speaking_source<'w, 'a>(words: &'w [Morpheme<'a>]) -> Option<&'w Morpheme<'a>> {
    let at = words.iter().position(|word| TOPICS.sources.contains(word.surface))?;
    let (source, rest) = words[at..].split_first()?;
    let comma = rest.iter().position(|word| word.has_parts(&["記号", "読点"]))?;
    let marker: String = rest[..comma].iter().map(|word| word.surface).collect();
    let is_source = matches!(marker.as_str(), "では" | "によると" | "によれば" | "によりますと");
    // 医者の話では、長くないという reports what was heard.
    let is_hearsay = rest
        .iter()
        .rev()
        .find(|word| !word.has_parts(&["記号"]))
        .is_none_or(|word| !is_past(word) && word.base != "いる");
    (is_source && !is_hearsay && ends_in_saying(&rest[comma..], &TOPICS.telling)).then_some(source)
}

/// True if the words end in と and one of these verbs: …と言っていた. A passive has no speaker: …と言われている.
fn ends_in_saying(words: &[Morpheme<'_>], verbs: &HashSet<String>) -> bool {
    let is_quoting = |word: &Morpheme<'_>| word.surface == "と" && word.has_parts(&["助詞", "格助詞", "引用"]);
    let Some(quoting) = words.iter().rposition(is_quoting) else { return false };
    let predicate = &words[quoting + 1..];
    let says = predicate.first().is_some_and(|verb| verbs.contains(verb.base));
    let is_plain = predicate.iter().all(|word| {
        (is_predicate(word) || word.has_parts(&["記号"])) && !matches!(word.base, "れる" | "られる" | "そう" | "らしい")
    });
    says && is_plain && predicate.len() <= TAIL
}

/// The subject of a sentence with what is said of it.
struct Subject<'w, 'a> {
    /// The noun before は; の in a cleft sentence.
    noun: &'w Morpheme<'a>,
    /// The words before the noun.
    before: &'w [Morpheme<'a>],
    /// The words after は and its comma.
    rest: &'w [Morpheme<'a>],
}

impl<'w, 'a> Subject<'w, 'a> {
    /// Returns the subject before は and a comma. `None` if the sentence is short, or has another topic.
    fn before(words: &'w [Morpheme<'a>], topic: usize) -> Option<Self> {
        // 老人の頼みとは、
        let is_defined = topic > 0 && words[topic - 1].surface == "と";
        let noun = topic.checked_sub(if is_defined { 2 } else { 1 })?;
        let after = &words[topic + 1..];
        // 願いはただ一つ、
        let only = after
            .iter()
            .take(4)
            .take_while(|word| matches!(word.surface, "ただ" | "たった" | "一つ" | "ひとつ" | "一" | "つ"));
        let (comma, rest) = after[only.count()..].split_first()?;
        // では and には name no other topic: 腕が悪かったからではなく.
        let is_topic = |at: usize| rest[at].surface == "は" && !(at > 0 && matches!(rest[at - 1].surface, "で" | "に"));
        let is_topic_of_all = comma.has_parts(&["記号", "読点"]) && !(0..rest.len()).any(is_topic);
        (is_topic_of_all && rest.len() >= SHORTEST).then(|| Self { noun: &words[noun], before: &words[..noun], rest })
    }

    /// True if the predicate says what someone does or wants instead of what the subject is.
    fn is_twisted(&self) -> bool {
        let noun = self.noun.surface;
        if self.has_noun_predicate() {
            return self.repeats_subject();
        }
        if self.is_event() || self.repeats_its_verb() {
            return true;
        }
        let (has_subject, has_object) = (self.has_particle("が"), self.has_particle("を"));
        // 歌手になりたい has no object.
        let asks = self.predicate_has(&["ほしい", "欲しい"]) && self.has_particle("て");
        let wants = asks || (self.predicate_has(&["たい"]) && (has_object || self.predicate_has(&["なる"])));
        if TOPICS.aims.contains(noun) {
            if asks {
                return true;
            }
            let is_done = TOPICS.activities.contains(noun) && has_object && self.is_habit();
            // With an object of its own the wish cannot be about the topic: 夢は、いつか叶えたい.
            return (wants && has_object) || ((wants || is_done) && !self.ends_near(&TOPICS.carried_out));
        }
        let judges = self.is_cleft()
            && self.names_feeling()
            && ["が", "を", "も", "まで"].iter().any(|particle| self.has_particle(particle));
        let is_fact = TOPICS.facts.contains(noun);
        let is_deed = self.ends_in_verb() && !self.ends_near(&TOPICS.known_by);
        // 違いは、誰もが目を見張るほど際立っている says how great the difference is.
        let is_state =
            TOPICS.stated.contains(noun) && self.is_habit() && self.rest.iter().all(|word| word.surface != "ほど");
        ((is_fact || judges) && (wants || (has_subject && self.is_bound())))
            || ((is_state || TOPICS.causes.contains(noun)) && has_subject && has_object && is_deed)
            || (judges && (is_deed || self.ends_in_adjective()))
            || (TOPICS.features.contains(noun) && has_subject && self.ends_in_adjective())
    }

    /// True if the sentence tells an event with a subject or an object of its own instead of what its topic is: 原因は、
    /// 線路が冠水していた. Excepted are verbs of which the topic may be the object (約束は、誰もが守った) or the subject (約束は、
    /// 二人を縛った).
    fn is_event(&self) -> bool {
        let clause = self.main_clause();
        let stated = self.stated();
        let before = &stated[..stated.len() - clause.len()];
        // 決め手は、血痕であったが、…: the topic has its predicate before the last clause.
        let is_told_before = before.windows(2).any(|pair| {
            matches!(pair[0].base, "だ" | "です")
                && pair[0].surface != "な"
                && !matches!(pair[1].surface, "は" | "なく" | "ない")
        });
        if self.rest.len() > LONGEST || is_told_before {
            return false;
        }
        let particle = |surface: &str| {
            clause.iter().rposition(|word| word.surface == surface && word.has_parts(&["助詞", "格助詞"]))
        };
        let subject = particle("が").and_then(|at| clause.get(at.checked_sub(1)?));
        // する is said with its noun: 指摘した.
        let is_main = |word: &&Morpheme<'_>| {
            let is_suru = word.has_parts(&["名詞", "サ変接続"]);
            is_suru || word.has_parts(&["動詞", "自立"]) || word.has_parts(&["形容詞", "自立"])
        };
        let main = clause.iter().rposition(|word| word.base != "する" && is_main(&word));
        let Some(at) = main.filter(|_| self.ends_in_verb() || self.ends_in_adjective()) else { return false };
        let main = &clause[at];
        // 手袋をはめて持ち去った, 数を頼む戦で光る: the object of another verb.
        let is_other = |word: &Morpheme<'_>| word.has_parts(&["動詞", "自立"]) && word.base != "する";
        let has_object = particle("を").is_some_and(|of| of < at && !clause[of..at].iter().any(is_other));
        let is_acted_on =
            [&TOPICS.acted_on, &TOPICS.known_by, &TOPICS.carried_out].iter().any(|list| list.contains(main.base));
        // 名前が書いてあった
        let is_result =
            clause.iter().rev().take(3).any(|word| word.base == "ある" && word.has_parts(&["動詞", "非自立"]));
        let is_own = is_result
            || self.predicate_has(&["れる", "られる"])
            || TOPICS.intransitive.contains(main.base)
            || (self.is_cleft() && self.names_feeling());
        let tells = match subject {
            Some(subject) if TOPICS.attitudes.contains(subject.surface) => false,
            Some(_) => has_object || self.ends_in_adjective() || (is_own && (is_result || !is_acted_on)),
            None => {
                let is_caused = self.predicate_has(&["せる", "させる"]);
                let is_of_topic = TOPICS.acting.contains(main.base) || TOPICS.acted_on.contains(main.base);
                has_object && self.ends_in_verb() && !is_caused && !is_of_topic
            }
        };
        let is_named = TOPICS.identities.contains(self.noun.surface) && self.is_own_noun();
        tells && (is_named || (self.is_past_cleft() && subject.is_some() && self.ends_in_verb()))
    }

    /// Returns the words after the last boundary of a clause, without an opinion at the end.
    fn main_clause(&self) -> &'w [Morpheme<'a>] {
        let words = self.stated();
        let is_boundary = |at: usize| {
            let word = &words[at];
            word.has_parts(&["記号", "読点"])
                || (word.has_parts(&["助詞", "接続助詞"]) && !matches!(word.surface, "て" | "で"))
                || (word.base == "た" && word.inflection.is_some_and(|inflection| inflection.form == "仮定形"))
        };
        let start = (0..words.len().saturating_sub(1)).rev().find(|at| is_boundary(*at)).map_or(0, |at| at + 1);
        &words[start..]
    }

    /// True for a noun that the words before it may only describe; ところ, 点 and こと need an adjective: 不思議なところ.
    fn is_own_noun(&self) -> bool {
        let is_described = self.before.last().is_some_and(|word| word.has_parts(&["形容詞"]) || word.surface == "な");
        !matches!(self.noun.surface, "ところ" | "点" | "こと") || is_described
    }

    /// True for 広まったのは, 届けなかったのは and 最後に見たものは.
    fn is_past_cleft(&self) -> bool {
        let is_past = self.before.last().is_some_and(is_past);
        let is_adjective = self.before.last().is_some_and(|word| word.has_parts(&["形容詞"]) || word.base == "ない");
        match self.noun.surface {
            "の" => is_past || is_adjective,
            "もの" | "こと" => is_past && self.names_perception(),
            _ => false,
        }
    }

    /// True if the predicate repeats the verb of the subject: 細い道を選んだのは、人目を避けるために選んだ; 生まれは、小さな村で生まれた.
    fn repeats_its_verb(&self) -> bool {
        let verb = self.stated().iter().rev().find(|word| word.has_parts(&["動詞", "自立"]));
        let Some(verb) = verb.filter(|verb| verb.surface.contains(is_kanji)) else { return false };
        let of_cleft = self.before.iter().rev().take(3).find(|word| word.has_parts(&["動詞", "自立"]));
        let is_same = self.is_past_cleft() && of_cleft.is_some_and(|own| own.base == verb.base);
        let noun = self.noun.surface;
        let is_stem = noun.chars().count() > 1 && verb.base.trim_end_matches('る') == noun;
        self.ends_in_verb() && (is_same || is_stem)
    }

    /// Returns the words without an opinion at the end: …ことだと思う.
    fn stated(&self) -> &'w [Morpheme<'a>] {
        let end = self.rest.iter().rposition(|word| !word.has_parts(&["記号"])).unwrap_or(0);
        let opinion = self.rest[..end]
            .iter()
            .rposition(|word| word.surface == "と" && word.has_parts(&["助詞", "格助詞", "引用"]));
        let thinks = |from: usize| {
            self.rest[from + 1..=end].iter().any(|word| matches!(word.base, "思う" | "考える" | "信じる"))
        };
        opinion.filter(|from| end - from <= 4 && thinks(*from)).map_or(self.rest, |from| &self.rest[..from])
    }

    /// Returns the words of the predicate, the last one first.
    fn predicate(&self) -> impl Iterator<Item = &Morpheme<'a>> {
        self.stated().iter().rev().skip_while(|word| word.has_parts(&["記号"])).take_while(|word| is_predicate(word))
    }

    fn predicate_has(&self, bases: &[&str]) -> bool {
        self.predicate().any(|word| bases.contains(&word.base))
    }

    /// True if the sentence ends in a noun with だ or a form of it, in ある, or in a guess (らしい, だろう, まい). です after an
    /// adjective or たい is polite only: 見ていただきたいです.
    fn has_noun_predicate(&self) -> bool {
        let ends = ["だ", "ある", "らしい", "う", "まい"];
        let mut words = self.predicate().peekable();
        while let Some(word) = words.next() {
            let before = words.peek();
            let is_polite =
                before.is_some_and(|before| before.has_parts(&["形容詞"]) || matches!(before.base, "たい" | "ない"));
            if (ends.contains(&word.base) && !is_past(word)) || (word.base == "です" && !is_polite) {
                return true;
            }
        }
        false
    }

    /// True if the predicate repeats the subject or its description after が: 原因は、古い配線が原因だった;
    /// 残念なのは、一枚も残っていないのが残念だ; 好きな時間は、映画を観るのが好きだ.
    fn repeats_subject(&self) -> bool {
        let mut end = self.rest.iter().rev().skip_while(|word| word.has_parts(&["記号"]) || is_predicate(word));
        let (noun, particle) = (end.next(), end.next());
        let described = self.before.iter().rev().find(|word| word.has_parts(&["名詞", "形容動詞語幹"]));
        noun.is_some_and(|noun| {
            noun.surface == self.noun.surface || described.is_some_and(|word| word.surface == noun.surface)
        }) && particle.is_some_and(|particle| particle.surface == "が")
    }

    fn has_particle(&self, surface: &str) -> bool {
        self.rest.iter().any(|word| word.surface == surface && word.has_parts(&["助詞"]))
    }

    fn ends_in_verb(&self) -> bool {
        self.predicate().any(|word| word.has_parts(&["動詞"]))
    }

    /// True if one of the last words is one of these.
    fn ends_near(&self, bases: &HashSet<String>) -> bool {
        self.rest.iter().rev().take(TAIL).any(|word| bases.contains(word.base))
    }

    fn tail(&self) -> String {
        self.rest[self.rest.len().saturating_sub(TAIL)..].iter().map(|word| word.surface).collect()
    }

    /// True if the predicate is what someone always does: 調べていた, 歩く; not what happened once, or to someone.
    fn is_habit(&self) -> bool {
        let is_over = self.predicate().any(is_past) && !self.predicate_has(&["いる"]);
        self.ends_in_verb() && !is_over && !self.predicate_has(&["れる", "られる", "せる", "させる"])
    }

    /// True if the predicate is an adjective, and no set phrase (仕方がない).
    fn ends_in_adjective(&self) -> bool {
        let is_adjective =
            |word: &Morpheme<'_>| word.has_parts(&["形容詞"]) || matches!(word.base, "た" | "ない" | "ます" | "ん");
        let tail = self.tail();
        // 弱点は、本人が思うほど多くない says how great the feature is.
        let is_measure = !self.is_cleft() && self.predicate().any(|word| TOPICS.measures.contains(word.base));
        self.predicate().all(is_adjective)
            && self.predicate().any(|word| word.has_parts(&["形容詞", "自立"]))
            && !is_measure
            && !TOPICS.set_ends.iter().any(|end| tail.contains(end.as_str()))
    }

    /// True for 驚いたのは, 大切なのは, 案じているのは, and not for what may be an act (驚くのは).
    fn is_cleft(&self) -> bool {
        let is_state = self.before.last().is_some_and(|word| {
            word.inflection.is_some() && (!word.has_parts(&["動詞", "自立"]) || word.base == "いる")
        });
        self.noun.surface == "の" && is_state
    }

    fn names_feeling(&self) -> bool {
        self.before.iter().rev().take(JUDGEMENT).any(|word| TOPICS.felt.contains(word.base))
    }

    /// True for 最後に見たもの, 彼女に教わったこと.
    fn names_perception(&self) -> bool {
        let verb = self.before.iter().rev().find(|word| word.has_parts(&["動詞", "自立"]));
        verb.is_some_and(|verb| TOPICS.perceived.contains(verb.base))
    }

    fn is_bound(&self) -> bool {
        let tail = self.tail();
        TOPICS.bound.iter().any(|end| tail.trim_end_matches('。').ends_with(end.as_str()))
    }
}

/// True for た, and for だ of 読んだ.
fn is_past(word: &Morpheme<'_>) -> bool {
    word.inflection.is_some_and(|inflection| inflection.kind == "特殊・タ")
}

fn is_predicate(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助動詞"])
        || word.has_parts(&["動詞"])
        || word.has_parts(&["形容詞"])
        || matches!(word.surface, "て" | "で")
}
