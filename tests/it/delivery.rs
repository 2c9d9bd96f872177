//! `output_file` and `suppress_output`, for every tool that has them: the file equals the reply, the reply names the
//! file, the file is replaced as a whole, and a refused call writes nothing.

use std::{fs, io::Read as _};

use serde_json::{Value, json};

use crate::{
    sample::{Sample, call, delivering},
    taught::refused,
};

/// Removes the parts that differ between two runs or that only the reply has.
fn plain(mut structured: Value) -> Value {
    fn still(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields.iter_mut() {
                    if name.ends_with("elapsed_ms") {
                        *field = json!(0);
                    }
                    still(field);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(still),
            _ => {}
        }
    }
    still(&mut structured);
    if let Some(fields) = structured.as_object_mut() {
        fields.remove("output_file_path");
        fields.remove("cache_hit");
    }
    structured
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_equals_the_answer_and_can_be_found_again() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in delivering(&app) {
        let name = entry.spec.name;
        for (file, is_json) in [("result.json", true), ("deep/result.txt", false)] {
            let mut arguments = sample.example(entry);
            arguments.insert("output_file".to_owned(), json!(file));
            let reply = call(&app, name, Value::Object(arguments)).await;
            assert!(!reply.is_error, "{name}: {}", reply.text);
            let path = format!(".fumi/output/{file}");
            assert_eq!(reply.structured["output_file_path"], json!(path), "{name}");
            assert!(reply.text.contains(&path), "{name}: the text does not name the file: {}", reply.text);
            let written = sample.read(&path);
            if is_json {
                let written: Value = serde_json::from_str(&written).unwrap();
                assert_eq!(plain(written), plain(reply.structured.clone()), "{name}");
            } else {
                assert!(
                    reply.text.starts_with(&written),
                    "{name}: the file is not the text:\n{written}\n---\n{}",
                    reply.text
                );
            }
            let again = call(
                &app,
                "list_files",
                json!({"roots": [".fumi/output"], "hidden": true, "no_ignore": true, "absolute": false}),
            )
            .await;
            assert!(again.text.contains(&path), "{name}: {}", again.text);
        }
        assert_eq!(sample.read(".fumi/.gitignore"), "*\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suppressing_leaves_counts_and_the_name() {
    let sample = Sample::large(1, 60);
    let app = sample.app();
    for entry in delivering(&app) {
        let name = entry.spec.name;
        let arguments = crate::sample::wide(entry, &sample.example(entry));
        let full = call(&app, name, Value::Object(arguments.clone())).await;
        assert!(!full.is_error, "{name}: {}", full.text);
        for file in [Some("result.json"), None] {
            let mut arguments = arguments.clone();
            arguments.insert("suppress_output".to_owned(), json!(true));
            if let Some(file) = file {
                arguments.insert("output_file".to_owned(), json!(file));
            }
            let reply = call(&app, name, Value::Object(arguments)).await;
            assert!(!reply.is_error, "{name}: {}", reply.text);
            assert!(no_lists(&reply.structured), "{name} suppresses too little: {}", reply.structured);
            assert_eq!(reply.structured.get("output_file_path").is_some(), file.is_some(), "{name}");
            crate::catalogue::answers_as_published(entry, &reply.structured);
            let most = reply.text.len().max(reply.structured.to_string().len());
            assert!(most < 2_500, "{name}: a receipt of {most} bytes");
        }
    }
}

fn no_lists(value: &Value) -> bool {
    match value {
        Value::Array(_) => false,
        Value::Object(fields) => fields.values().all(no_lists),
        _ => true,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_replaced_as_a_whole() {
    let sample = Sample::new();
    sample.file(".fumi/output/result.json", "old");
    let app = sample.app();
    for entry in delivering(&app) {
        // A reader that has the old file open still reads the old content, because the file is replaced, not
        // overwritten.
        sample.file(".fumi/output/result.json", "old");
        let mut before = fs::File::open(sample.root().join(".fumi/output/result.json")).unwrap();
        let mut arguments = sample.example(entry);
        arguments.insert("output_file".to_owned(), json!("result.json"));
        let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
        assert!(!reply.is_error, "{}: {}", entry.spec.name, reply.text);
        let mut old = String::new();
        before.read_to_string(&mut old).unwrap();
        assert_eq!(old, "old", "{}", entry.spec.name);
        assert_ne!(sample.read(".fumi/output/result.json"), "old", "{}", entry.spec.name);
        let left: Vec<_> =
            fs::read_dir(sample.root().join(".fumi/output")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["result.json"], "{} leaves files behind", entry.spec.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_writes_nothing() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in delivering(&app) {
        let name = entry.spec.name;
        let before = sample.state();
        for file in ["../x", "a/../../x.json", "/tmp/fumi-x.json", "..", ".", "", "x/", "a\u{0}b", "C:\\x", "a\\..\\b"]
        {
            let mut arguments = sample.example(entry);
            arguments.insert("output_file".to_owned(), json!(file));
            let reply = call(&app, name, Value::Object(arguments)).await;
            refused(&app, &reply, &["READ_ONLY", "INVALID_ARGUMENTS"]);
            assert_eq!(sample.state(), before, "{name} with {file:?} wrote something");
        }
        // A call that is refused for another reason does not write either.
        let mut arguments = sample.example(entry);
        arguments.insert("output_file".to_owned(), json!("good.json"));
        arguments.insert("surely_unknown".to_owned(), json!(1));
        let reply = call(&app, name, Value::Object(arguments)).await;
        refused(&app, &reply, &["INVALID_ARGUMENTS"]);
        assert_eq!(sample.state(), before, "{name} wrote although it was refused");
    }
}

/// The output folder may be a link to a folder outside the project.
#[tokio::test(flavor = "multi_thread")]
async fn a_linked_output_folder_does_not_lead_out_of_the_project() {
    let sample = Sample::new();
    std::os::unix::fs::symlink(sample.outside(), sample.root().join(".fumi")).unwrap();
    let app = sample.app();
    for entry in delivering(&app) {
        let mut arguments = sample.example(entry);
        arguments.insert("output_file".to_owned(), json!("result.json"));
        let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
        assert!(reply.is_error, "{}: {}", entry.spec.name, reply.text);
        assert_eq!(fs::read_dir(sample.outside()).unwrap().count(), 0, "{} wrote outside", entry.spec.name);
    }
}
