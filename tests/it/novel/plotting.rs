//! Plots: existing, requested and replaced ones, and their reviews.

use serde_json::json;

use super::{
    novel,
    refused::written,
    writing::{ok, refused},
};

/// A plot of an episode that the sample does not have.
pub(super) const PLOT: &str = "
episode_info: {title: 引き潮, theme: 残すこと, purpose: 後日の島を見せる, emotional_core: 静かな安堵}
synopsis: 検潮所を閉めて一年、みちるが島へ戻ると、小屋の壁には新しい盥が掛かっている。一平が量りたいのは犬である。
key_events: [みちるが連絡船で島へ戻る, 一平が犬を連れて桟橋で待っている, 徳次が新しい盥を見せる, 犬を井戸に浮かべる, みちるが備考に書く]
story_structure: {setup: 島へ戻る。桟橋に一平と犬がいる, confrontation: 盥は新しく、秤はあいかわらず重い。犬は浮くのを嫌がる, resolution: 犬の重さが備考に加わる}
characters: [梶みちる, 穂刈一平, 穂刈徳次]
emotional_elements: {primary_emotion: 懐かしさ, emotional_journey: [懐かしさ, 戸惑い, おかしみ, 安堵]}
foreshadowing: [{id: F009, role: plant, content: 盥の裏に書かれた名前}]
独自の欄: 残すこと
";

#[tokio::test(flavor = "multi_thread")]
async fn a_plot_that_is_there_is_given_and_not_made_again() {
    let sample = novel();
    let app = sample.app();
    let before = written(&sample);
    let plot = ok(&app, "noveler_plot", json!({"episode": 1})).await;
    assert_eq!(plot["generation_method"], "existing");
    assert_eq!(plot["plot_file_path"], "20_プロット/話別/第001話.yaml");
    // 8 events, 4 characters, 2 foreshadowings and 4 scenes: 40 + 24 + 16 + 16.
    assert_eq!(plot["plot_quality_preview"]["complexity_score"], 96);
    assert_eq!(plot["plot_quality_preview"]["estimated_length"], 4000);
    assert!(plot["plot_generated"].as_str().unwrap().chars().count() <= 201);
    assert!(written(&sample) == before);
    let error = refused(&app, "noveler_plot", json!({"episode": 1, "content": PLOT})).await;
    assert_eq!((&error["code"], &error["details"]["kind"]), (&json!("FILE_EXISTS"), &json!("PLOT_EXISTS")));
    assert!(written(&sample) == before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_plot_is_asked_for_judged_and_kept_whole() {
    let sample = novel();
    let app = sample.app();
    let asked = ok(&app, "noveler_plot", json!({"episode": 4})).await;
    let instruction = asked["instruction"].as_str().unwrap();
    for known in ["潮のほまち", "鯨井ふさ", "(not decided)"] {
        assert!(instruction.contains(known), "{known}: {instruction}");
    }
    let error = refused(&app, "noveler_plot", json!({"episode": 4, "content": "synopsis: 短い\n"})).await;
    assert_eq!(error["code"], "S005");
    for missed in ["episode_info.title", "[synopsis]", "[key_events]", "story_structure.setup", "[characters]"] {
        assert!(error["message"].as_str().unwrap().contains(missed), "{missed}: {error}");
    }
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(PLOT);
    let plot = ok(&app, "noveler_plot", arguments).await;
    assert_eq!(plot["plot_file_path"], "20_プロット/話別/第004話.yaml");
    let written = sample.read("20_プロット/話別/第004話.yaml");
    assert!(written.contains("独自の欄") && written.contains("episode_number: 4"), "{written}");
    // An episode can be written from it at once.
    let asked = ok(&app, "noveler_write", json!({"episode": 4})).await;
    assert_eq!(asked["status"], "needs_text");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plot_is_replaced_after_a_backup() {
    let sample = novel();
    let app = sample.app();
    let old = sample.read("20_プロット/話別/第002話.yaml");
    let asked = ok(&app, "noveler_plot", json!({"episode": 2, "regenerate": true})).await;
    let instruction = asked["instruction"].as_str().unwrap();
    assert!(instruction.contains("F001 payoff"), "the ledger's plan for the episode: {instruction}");
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(PLOT);
    let plot = ok(&app, "noveler_plot", arguments).await;
    let id = plot["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{id}/files/20_プロット/話別/第002話.yaml")), old);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_counts_ten_points_and_names_what_is_weak() {
    let sample = novel();
    let app = sample.app();
    let good = ok(&app, "plot_validate", json!({"episode": 1})).await;
    assert_eq!((&good["deprecated"], &good["verdict"]), (&json!(true), &json!("pass")), "{good}");
    assert_eq!(good["points"].as_array().unwrap().len(), 10);
    let judged = good["points"].as_array().unwrap().iter().filter(|point| point["method"] == "not_evaluated").count();
    assert!(judged >= 2, "criteria that only a model can judge have no score: {good}");
    sample.file(
        "20_プロット/話別/第001話.yaml",
        "episode_info: {title: 薄い}\nkey_events: [何かが起きる]\ncharacters: [梶みちる, 謎の男]\n",
    );
    let weak = ok(&app, "plot_validate", json!({"episode": 1})).await;
    assert_eq!(weak["verdict"], "fail", "{weak}");
    let said = weak["improvement_suggestions"].to_string();
    for found in ["setup", "F001", "謎の男", "theme"] {
        assert!(said.contains(found), "{found}: {said}");
    }
    let listed = app
        .catalogue
        .list(&fumi_kernel::Access::full(app.scope.clone()))
        .any(|entry| entry.spec.name == "plot_validate");
    assert!(!listed);
}
