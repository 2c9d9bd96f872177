//! Answers that a tool refuses: the model that wrote them gets the reason and tries again, a few times; then a person
//! gets the question.

use serde_json::{Value, json};

use super::{ask, brings, message, required, sampling, start};
use crate::{
    harness::{Answer, Session, Stateless},
    sample::Sample,
};

/// Returns the texts of a prompt, turn by turn.
#[track_caller]
pub(super) fn turns(request: &Value) -> Vec<(String, String)> {
    let messages = request["params"]["messages"].as_array();
    let messages = messages.unwrap_or_else(|| panic!("no messages: {request}"));
    let said = |message: &Value| {
        let word = |place: &str| message.pointer(place).and_then(Value::as_str).unwrap().to_owned();
        (word("/role"), word("/content/text"))
    };
    messages.iter().map(said).collect()
}

fn wet() -> Value {
    json!({"topic": "rain", "word": "wet"})
}

/// Asserts the form of the last refusal, and that it says how to continue.
#[track_caller]
pub(super) fn is_given_up(reply: &Value, text: &str) {
    let error = &reply["error"];
    assert_eq!(error["code"], "S005", "{reply}");
    assert_eq!(error["details"]["tries"], 3, "{reply}");
    assert_eq!(error["guidance"]["suggested_action"], "compose", "{reply}");
    let again = &error["guidance"]["parameters"];
    assert!(again["topic"] == "rain" && again["content"].is_null(), "{reply}");
    assert!(text.contains("3 answers were rejected"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_model_gets_the_reason_of_a_refusal() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", wet()).await;
    let request = called.asked().await;
    let asked = turns(&request);
    assert_eq!(asked.len(), 1);
    session.respond(&request, message("Dry.")).await;
    let request = called.asked().await;
    let again = turns(&request);
    assert_eq!(again[0], asked[0]);
    assert_eq!(again[1], ("assistant".to_owned(), "Dry.".to_owned()));
    assert!(again[2].0 == "user" && again[2].1.contains("does not have the word wet"), "{again:?}");
    session.respond(&request, message("Wet wet.")).await;
    assert_eq!(called.answered().await["structuredContent"]["text"], "Wet wet.");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_three_refusals_the_caller_decides() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", wet()).await;
    for part in 1..=3 {
        let request = called.asked().await;
        // Only the last attempt is repeated in the prompt.
        assert_eq!(turns(&request).len(), if part == 1 { 1 } else { 3 });
        session.respond(&request, message(&format!("Dry {part}."))).await;
    }
    let result = called.answered().await;
    assert_eq!(result["isError"], true);
    is_given_up(&result["structuredContent"], result["content"][0]["text"].as_str().unwrap());
    // Its suggested call asks the question again.
    let again = result["structuredContent"]["error"]["guidance"]["parameters"].clone();
    let asked = Stateless::new(&server).call("compose", again).await;
    assert_eq!(asked.called().0["status"], "needs_text", "{}", asked.raw);
}

/// Declining another attempt returns the refusal.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_declines_to_correct_gets_the_refusal() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", wet()).await;
    let request = called.asked().await;
    session.respond(&request, message("Dry.")).await;
    let request = called.asked().await;
    let no = json!({"error": {"code": -1, "message": "the user said no"}});
    session.answer(&request, no).await;
    let result = called.answered().await;
    assert_eq!(result["structuredContent"]["error"]["code"], "S005", "{result}");
}

fn asked(answer: &Answer) -> (Vec<(String, String)>, String) {
    let (_, state) = required(answer);
    (turns(&answer.result()["inputRequests"]["answer"]), state)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stateless_client_gets_the_reason_with_the_next_state() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let (first, mut state) = asked(&ask(&client, wet(), json!({})).await);
    for part in 1..=2 {
        let dry = format!("Dry {part}.");
        let (again, next) = asked(&ask(&client, wet(), brings(&state, &dry)).await);
        assert_eq!(again[0], first[0]);
        assert_eq!(again[1], ("assistant".to_owned(), dry));
        assert!(again[2].1.contains("does not have the word wet"), "{again:?}");
        state = next;
    }
    // Refused twice before, accepted the third time.
    let (again, other) = asked(&ask(&client, wet(), json!({})).await);
    assert_eq!(again, first);
    let answer = ask(&client, wet(), brings(&state, "Wet wet.")).await;
    assert_eq!(answer.called().0["text"], "Wet wet.", "{}", answer.raw);
    // And wrong three times.
    let mut state = other;
    for _ in 1..3 {
        state = asked(&ask(&client, wet(), brings(&state, "Dry.")).await).1;
    }
    let answer = ask(&client, wet(), brings(&state, "Dry.")).await;
    let (reply, text, failed) = answer.called();
    assert!(failed, "{}", answer.raw);
    is_given_up(reply, text);
}

/// A text that ends at the length limit is incomplete.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_cut_off_is_refused() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    let request = called.asked().await;
    let mut cut = message("It began to r");
    cut["stopReason"] = json!("maxTokens");
    session.respond(&request, cut).await;
    assert_eq!(called.answered().await["structuredContent"]["status"], "needs_text");
}
