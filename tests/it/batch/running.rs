//! Running steps: values that pass on, errors that stop the batch, cancellation, progress, questions.

use std::sync::Arc;

use fumi_kernel::{
    Answerer, CallProgress,
    pipeline::{self, Call},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{bad, batch, counts, good, outcomes, ran};
use crate::{
    gate::app_with_gate,
    harness::{Server, Session, Stateless},
    sample::{NOVEL, Sample, call, whole},
};

#[tokio::test(flavor = "multi_thread")]
async fn search_cut_and_query_fit_into_one_call() {
    let sample = Sample::new();
    let app = sample.app();
    let steps = json!([
        {"tool": "search_content", "arguments": {"query": "class Order", "roots": ["src"], "include_globs": ["*.py"]}},
        {"tool": "extract_code_section", "arguments": {
            "file_path": "${steps[0].result.results[0].file}",
            "start_line": "${steps[0].result.results[0].line}",
            "end_line": "${/steps/0/result/results/0/line}",
            "format": "raw",
        }},
        {"tool": "query_code", "arguments": {"file_path": "src/main.py", "query_key": "functions", "filter": "name=add"}},
        {"tool": "search_content", "arguments": {"query": "L${steps[0].result.results[0].line} ${steps[1].success}", "files": ["${steps[0].result.results[0].file}"]}},
    ]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let structured = ran(&reply);
    assert_eq!(counts(structured), [4, 4, 0, 0]);
    assert_eq!(structured["success"], true);
    let single = call(
        &app,
        "extract_code_section",
        json!({"file_path": "src/main.py", "start_line": 28, "end_line": 28, "format": "raw"}),
    )
    .await;
    let text = |value: &Value| {
        let mut value = value.clone();
        for noise in ["elapsed_ms", "cache_hit"] {
            value.as_object_mut().unwrap().remove(noise);
        }
        value
    };
    assert_eq!(text(&structured["steps"][1]["result"]), text(&single.structured));
    assert_eq!(structured["steps"][3]["result"]["total_matches"], 0);
    for (at, step) in structured["steps"].as_array().unwrap().iter().enumerate() {
        assert_eq!(step["stepIndex"], json!(at));
        assert!(step["tokens"].as_u64().unwrap() > 0 && step["elapsed_ms"].is_u64());
        assert!(reply.text.contains(&format!("## steps[{at}] {}", step["tool"].as_str().unwrap())));
    }
    assert!(reply.text.contains("class Order"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_sees_what_fields_leave_out_and_filled_arguments_are_checked_again() {
    let sample = Sample::new();
    let app = sample.app();
    let search = json!({"tool": "search_content", "arguments": {"query": "class Order", "roots": ["src"], "include_globs": ["*.py"]},
        "expectation": {"fields": ["/total_matches"]}});
    let steps = json!([
        search,
        {"tool": "check_code_scale", "arguments": {"file_path": "${steps[0].result.results[0].file}"}, "expectation": {"fields": ["/file_info"]}},
        {"tool": "list_files", "arguments": {"roots": ["."], "limit": "${steps[0].result.results[0].file}"}, "continueOnError": true},
        {"tool": "list_files", "arguments": {"roots": ["${steps[0].result.results[7].file}"]}, "continueOnError": true},
    ]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let structured = ran(&reply);
    assert_eq!(structured["steps"][0]["result"], json!({"total_matches": 1}));
    assert_eq!(outcomes(structured), [true, true, false, false]);
    let error = |at: usize| structured["steps"][at]["error"]["message"].as_str().unwrap().to_owned();
    assert!(error(2).contains("limit: must be an integer"), "{}", error(2));
    assert!(error(3).contains("steps[0].result.results has [entries: 1]"), "{}", error(3));
    assert_eq!(structured["steps"][3]["error"]["tool"], "list_files");
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestion_of_a_failed_step_names_the_project_of_the_batch() {
    let sample = Sample::new();
    sample.file("inner/src/main.py", "x = 1\n");
    let (app, inner) = (sample.app(), json!(sample.root().join("inner")));
    let reply = batch(&app, json!({"steps": [good(), bad()], "project_root": inner})).await;
    assert_eq!(outcomes(ran(&reply)), [true, false]);
    let error = &reply.structured["steps"][1]["error"];
    assert_eq!(error["guidance"]["parameters"]["project_root"], inner, "{error}");
    assert!(reply.text.contains(&format!("\"project_root\":{inner}")), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_stops_unless_its_step_goes_on_and_the_whole_can_forbid_that() {
    let sample = Sample::new();
    let app = sample.app();
    let mut lenient = bad();
    lenient["continueOnError"] = json!(true);
    for (steps, stop, expected) in [
        (json!([good(), bad(), good()]), false, [3, 1, 1, 1]),
        (json!([good(), lenient, good()]), false, [3, 2, 1, 0]),
        (json!([good(), lenient, good()]), true, [3, 1, 1, 1]),
    ] {
        let reply = batch(&app, json!({"steps": steps, "stopOnFirstError": stop})).await;
        let structured = ran(&reply);
        assert_eq!(counts(structured), expected);
        assert_eq!(structured["success"], false);
        assert_eq!(structured["steps"][1]["error"]["code"], "FILE_NOT_FOUND");
        assert!(structured["steps"][1].get("result").is_none());
        assert!(
            reply.text.contains("failed, ") && reply.text.contains("## steps[1] check_code_scale\nFILE_NOT_FOUND: "),
            "{}",
            reply.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_steps_all_run_and_come_back_in_order() {
    let sample = Sample::new();
    let app = sample.app();
    let steps: Vec<Value> = (0..20).map(|at| if at == 3 { bad() } else { good() }).collect();
    let reply = batch(&app, json!({"steps": steps, "parallel": true})).await;
    let structured = ran(&reply);
    assert_eq!(counts(structured), [20, 19, 1, 0]);
    let order: Vec<u64> =
        structured["steps"].as_array().unwrap().iter().map(|step| step["stepIndex"].as_u64().unwrap()).collect();
    assert_eq!(order, (0..20).collect::<Vec<_>>());
    assert!(!outcomes(structured)[3]);
}

/// Each step waits for a slot, and the batch itself holds none: with a single slot it does not wait for itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_holds_no_place_itself() {
    let sample = Sample::new();
    let app = sample.app_with(&[], |config| {
        config.pools.analysis = 1;
        config.pools.wait_seconds = 2;
    });
    let steps = vec![good(); 5];
    for parallel in [false, true] {
        let reply = batch(&app, json!({"steps": steps, "parallel": parallel})).await;
        assert_eq!(counts(ran(&reply)), [5, 5, 0, 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_batch_begins_no_further_step_and_counts_those_that_ran() {
    let sample = Sample::large(200, 20);
    let app = sample.app();
    let (cancel, progress) = (CancellationToken::new(), CallProgress::default());
    let slow =
        |at: usize| json!({"tool": "search_content", "arguments": {"query": format!("nothing{at}"), "roots": ["."]}});
    let steps: Vec<Value> = (0..50).map(slow).collect();
    let Value::Object(arguments) = json!({"steps": steps}) else { unreachable!() };
    let call = Call {
        arguments,
        caller: whole(&app),
        answerer: Answerer::Host,
        project: Arc::clone(app.kernel.roots.default_project()),
        cancel: cancel.clone(),
        progress: progress.clone(),
        batch: None,
    };
    let entry = app.catalogue.find(&app.scope, "batch_execute").unwrap();
    let watch = async {
        while progress.get().0 < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(progress.get().1, Some(50));
        assert!(progress.current_step().unwrap().en.contains("/50: search_content"));
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(pipeline::run(&app.kernel, &app.catalogue, entry, call), watch);
    assert_eq!(reply.structured["error"]["code"], "CANCELLED", "{}", reply.text);
    assert!(progress.get().0 < 50, "it went on to the end");
}

/// After a timeout the finished steps are reported, because they may have changed something.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_times_out_reports_its_finished_steps() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let list = json!({"tool": "list_files", "arguments": {"roots": ["."]}});
    let wait = json!({"tool": "wait_at_gate", "arguments": {}, "continueOnError": true});
    let reply = batch(&app, json!({"steps": [list, wait, list], "timeout_ms": 2_000})).await;
    let structured = ran(&reply);
    assert_eq!(structured["success"], false);
    let [total, succeeded, failed, not_run] = counts(structured);
    assert_eq!((total, succeeded), (3, 1), "{}", reply.text);
    assert_eq!(failed + not_run, 2);
    assert!(not_run > 0, "the last step did not run");
    gate.stopped().await;
}

/// A tool that asks has returned a result: the question.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_a_result() {
    let sample = Sample::new();
    let app = sample.app();
    let novel = sample.root().join(NOVEL);
    let ask = json!({"tool": "noveler_write", "arguments": {"episode": 1, "project_root": novel}});
    let steps = json!([ask, good()]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let structured = ran(&reply);
    assert_eq!(structured["steps"][0]["result"]["status"], "needs_text", "{}", reply.text);
    assert_eq!(counts(structured), [2, 2, 0, 0]);
}

/// A call that stands for another tool's call has the same result as that call alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_stands_for_another_call_is_that_call() {
    let sample = Sample::new();
    let app = sample.app();
    let novel = sample.root().join(NOVEL);
    let steps = json!([{"tool": "noveler", "arguments": {"command": "status", "project_root": novel}}]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let result = &ran(&reply)["steps"][0]["result"];
    assert!(result.get("arguments").is_none(), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_a_step_chooses_is_that_of_the_later_ones() {
    let sample = Sample::new();
    sample.file("inner/only.txt", "x\n");
    let app = sample.app_with(&[], |config| {
        config.projects.allowed_roots.push(sample.root().join("inner"));
    });
    let list = json!({"tool": "list_files", "arguments": {"roots": ["."], "absolute": false}, "expectation": {"fields": ["/results/*/path"]}});
    let steps = json!([{"tool": "set_project_path", "arguments": {"project_path": sample.root().join("inner")}}, list]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let paths = &ran(&reply)["steps"][1]["result"]["results"];
    assert_eq!(paths, &json!([{"path": "only.txt"}]));
}

/// Over HTTP, in both eras.
#[tokio::test(flavor = "multi_thread")]
async fn batches_are_served_in_both_eras() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let arguments = json!({"steps": [good(), bad()]});
    let session = Session::open(&server).await;
    let stateless = Stateless::new(&server);
    for answer in
        [session.call("batch_execute", arguments.clone()).await, stateless.call("batch_execute", arguments).await]
    {
        let (structured, text, is_error) = answer.called();
        assert!(!is_error, "{}", answer.raw);
        assert_eq!(counts(structured), [2, 1, 1, 0]);
        assert!(text.contains("## steps[1]"), "{text}");
    }
    let metrics = server.app.metrics.text();
    for line in ["fumi_batch_calls_saved", "fumi_batch_steps", "result=\"failed\"", "fumi_batch_tokens_saved"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}
