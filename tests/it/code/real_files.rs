//! Files as real projects have them, each reduced to the few lines that showed a wrong or missing answer.

use serde_json::json;

use super::text_alone;
use crate::sample::{Sample, call};

#[tokio::test(flavor = "multi_thread")]
async fn comments_of_unknown_files_are_not_headings() {
    let sample = Sample::empty();
    sample
        .file("Dockerfile", "# The image of the program.\n\nFROM scratch\n# COPY says where.\nCOPY a /a\n")
        .file("Makefile", "# Variables\nCC=gcc\n# Targets\nall:\n\tgcc x.c\n")
        .file("requirements.txt", "# Tools\n\nruff==1\n")
        .file("nginx.conf", "# Servers\n\nserver { listen 80; }\n")
        .file("README", "# Title\n\nSee [the guide](docs/guide.md).\n\n## Use\n\ntext\n")
        .file("NOTES", "---\ntitle: x\n---\n\n# Title\n\n```sh\nls\n```\n");
    let app = sample.app();
    for (path, language) in [
        ("Dockerfile", "text"),
        ("Makefile", "text"),
        ("requirements.txt", "text"),
        ("nginx.conf", "text"),
        ("README", "markdown"),
        ("NOTES", "markdown"),
    ] {
        let reply = call(&app, "check_code_scale", json!({"file_path": path})).await;
        assert_eq!(reply.structured["file_info"]["language"], language, "{path}");
    }
    let text = text_alone(&app, "search_content", json!({"query": "COPY", "files": ["Dockerfile"]})).await;
    assert_eq!(text, "4:# COPY says where.\n5:COPY a /a");
}
