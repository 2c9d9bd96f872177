//! The catalogue of tools, with one line for each, grouped by toolset.
//!
//! One file is one tool (its spec, arguments, output and a short call), with its texts beside it. A tool never calls
//! another tool: tools share functions of a domain crate, or a group of arguments.

pub mod batch;
pub mod browser;
pub mod code;
pub mod novel;
pub mod sessions;

use std::sync::Arc;

use fumi_base::{roots::AllowedRoots, store::Store, text::Locale};
use fumi_browser::Browser;
use fumi_code::{parser_pool::ParserPool, user_queries::UserQueries};
use serde_json::{Map, Value, json};

use crate::{
    config::Config,
    tool::catalogue::{Catalogue, Entry, Scope},
};
use browser::{BrowserDeps, on_tab::OnTab};
use code::{ProjectDeps, SearchDeps, source::StructureDeps};
use novel::{
    NovelDeps, checking, data, enhanced,
    plotting::{noveler_plot, plot_validate},
    write,
    writing::{noveler_write, write_manuscript_draft, write_resume, write_stage, write_step, write_with_claude},
};

pub use sessions::Sessions;

/// Returns all tools, in the order in which clients see them.
#[must_use]
#[expect(clippy::too_many_lines, reason = "one line a tool, and nothing else")]
pub fn catalogue(
    config: &Config,
    queries: UserQueries,
    roots: &Arc<AllowedRoots>,
    sessions: &Arc<Sessions>,
    browser: &Arc<Browser>,
    parsers: &Arc<ParserPool>,
    store: &Arc<dyn Store>,
) -> Catalogue {
    let search = Arc::new(SearchDeps::new(config, Arc::clone(parsers)));
    // A tool's dependencies are shared, and its work moves to another thread: hence the inner handle.
    let structure = Arc::new(Arc::new(StructureDeps::new(config, queries, Arc::clone(parsers))));
    let project = Arc::new(ProjectDeps {
        roots: Arc::clone(roots),
        sessions: Arc::clone(sessions),
    });
    let novel = Arc::new(NovelDeps::new(&config.novel, Arc::clone(store)));
    let browser = Arc::new(BrowserDeps {
        browser: Arc::clone(browser),
    });
    let mut entries = vec![
        // code: finding
        Entry::of::<code::list_files::ListFiles>(Arc::clone(&search)),
        Entry::of::<code::search_content::SearchContent>(Arc::clone(&search)),
        Entry::of::<code::find_and_grep::FindAndGrep>(Arc::clone(&search)),
        // code: understanding
        Entry::of::<code::check_code_scale::CheckCodeScale>(Arc::clone(&structure)),
        Entry::of::<code::analyze_code_structure::AnalyzeCodeStructure>(Arc::clone(&structure)),
        Entry::of::<code::extract_code_section::ExtractCodeSection>(Arc::clone(&structure)),
        Entry::of::<code::query_code::QueryCode>(structure),
        // code: choosing the project
        Entry::of::<code::set_project_path::SetProjectPath>(project),
        // novel: planning
        Entry::of::<noveler_plot::NovelerPlot>(Arc::clone(&novel)),
        Entry::of::<plot_validate::PlotValidate>(Arc::clone(&novel)),
        // novel: writing
        Entry::of::<noveler_write::NovelerWrite>(Arc::clone(&novel)),
        Entry::of::<write_stage::WriteStage>(Arc::clone(&novel)),
        Entry::of::<write_resume::WriteResume>(Arc::clone(&novel)),
        Entry::of::<write_manuscript_draft::WriteManuscriptDraft>(Arc::clone(&novel)),
        Entry::of::<write_with_claude::WriteWithClaude>(Arc::clone(&novel)),
        // novel: checking
        Entry::of::<checking::check_basic::CheckBasic>(Arc::clone(&novel)),
        Entry::of::<checking::noveler_check::NovelerCheck>(Arc::clone(&novel)),
        Entry::of::<checking::check_story_structure::CheckStoryStructure>(Arc::clone(&novel)),
        Entry::of::<checking::check_story_elements::CheckStoryElements>(Arc::clone(&novel)),
        Entry::of::<checking::check_rhythm::CheckRhythm>(Arc::clone(&novel)),
        Entry::of::<checking::check_writing_expression::CheckWritingExpression>(Arc::clone(&novel)),
        Entry::of::<checking::check_fix::CheckFix>(Arc::clone(&novel)),
        // novel: finishing
        Entry::of::<novel::status::ProjectStatus>(Arc::clone(&novel)),
        Entry::of::<novel::noveler_complete::NovelerComplete>(Arc::clone(&novel)),
        Entry::of::<novel::init::Init>(Arc::clone(&novel)),
        Entry::of::<novel::noveler::Noveler>(Arc::clone(&novel)),
        // novel-review: checking step by step
        Entry::of::<checking::get_check_tasks::GetCheckTasks>(Arc::clone(&novel)),
        Entry::of::<checking::execute_check_step::ExecuteCheckStep>(Arc::clone(&novel)),
        Entry::of::<checking::get_check_status::GetCheckStatus>(Arc::clone(&novel)),
        Entry::of::<checking::get_check_history::GetCheckHistory>(Arc::clone(&novel)),
        // novel-review: writing with diagnosis
        Entry::of::<enhanced::get_writing_tasks::GetWritingTasks>(Arc::clone(&novel)),
        Entry::of::<enhanced::execute_writing_step::ExecuteWritingStep>(Arc::clone(&novel)),
        Entry::of::<enhanced::resume_from_partial_failure::ResumeFromPartialFailure>(Arc::clone(&novel)),
        // novel-steps
        Entry::of::<write_step::WriteStep<1>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<2>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<3>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<4>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<5>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<6>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<7>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<8>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<9>>(Arc::clone(&novel)),
        Entry::of::<write_step::WriteStep<10>>(Arc::clone(&novel)),
        // novel: files
        Entry::of::<write::Write>(Arc::clone(&novel)),
        // novel-data
        Entry::of::<data::fetch_artifact::FetchArtifact>(Arc::clone(&novel)),
        Entry::of::<data::list_artifacts::ListArtifacts>(Arc::clone(&novel)),
        Entry::of::<data::list_files_with_hashes::ListFilesWithHashes>(Arc::clone(&novel)),
        Entry::of::<data::get_file_by_hash::GetFileByHash>(Arc::clone(&novel)),
        Entry::of::<data::get_file_reference_info::GetFileReferenceInfo>(Arc::clone(&novel)),
        Entry::of::<data::check_file_changes::CheckFileChanges>(Arc::clone(&novel)),
        Entry::of::<data::backup_management::BackupManagement>(Arc::clone(&novel)),
        Entry::of::<data::convert_cli_to_json::ConvertCliToJson>(Arc::clone(&novel)),
        Entry::of::<data::validate_json_response::ValidateJsonResponse>(novel),
        // browser: navigating
        Entry::of::<OnTab<browser::browser_navigate::Navigate>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_navigate_back::NavigateBack>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_navigate_forward::NavigateForward>>(Arc::clone(&browser)),
        // browser: inspecting
        Entry::of::<OnTab<browser::browser_snapshot::Snapshot>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_find::Find>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_find_elements::FindElements>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_inspect_html::InspectHtml>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_take_screenshot::TakeScreenshot>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_wait_for::WaitFor>>(Arc::clone(&browser)),
        // browser: acting
        Entry::of::<OnTab<browser::browser_click::Click>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_type::Type>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_fill::Fill>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_fill_form::FillForm>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_press_key::PressKey>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_hover::Hover>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_drag::Drag>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_drop::Drop>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_select_option::SelectOption>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_file_upload::FileUpload>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_handle_dialog::HandleDialog>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_evaluate::Evaluate>>(Arc::clone(&browser)),
        // browser: console, network and cookies
        Entry::of::<OnTab<browser::browser_console_messages::ConsoleMessages>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_network_requests::NetworkRequests>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_network_request::NetworkRequest>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_cookies::Cookies>>(Arc::clone(&browser)),
        // browser: tabs and environment
        Entry::of::<OnTab<browser::browser_tabs::Tabs>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_resize::Resize>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_emulate::Emulate>>(Arc::clone(&browser)),
        Entry::of::<OnTab<browser::browser_pdf_save::PdfSave>>(Arc::clone(&browser)),
        // browser: the process
        Entry::of::<browser::browser_close::Close>(Arc::clone(&browser)),
        Entry::of::<browser::browser_diagnose::Diagnose>(browser),
    ];
    if config.batch.enabled {
        // Several calls in one.
        entries.push(Entry::of::<batch::batch_execute::BatchExecute>(Arc::new(())));
        entries.push(Entry::of::<batch::browser_batch_execute::BrowserBatchExecute>(
            Arc::new(()),
        ));
    }
    Catalogue::new(entries)
}

/// Returns the tools of a scope as data: the output of `fumi tools --json` and the content of `openapi/tools.json`.
#[must_use]
pub fn published(catalogue: &Catalogue, scope: &Scope) -> Value {
    catalogue
        .entries()
        .iter()
        .filter(|entry| entry.spec.listed && entry.spec.is_in(scope))
        .map(|entry| {
            let spec = &entry.spec;
            let texts = Locale::ALL.map(|locale| {
                let shown = entry.published(locale);
                let texts =
                    json!({"title": shown.title, "description": shown.description, "inputSchema": *shown.input});
                (locale.tag().to_owned(), texts)
            });
            json!({
                "name": spec.name,
                "toolset": spec.toolset,
                "pool": spec.pool.name(),
                "timeout_ms": spec.timeout.as_millis(),
                "cached": spec.cached,
                "read_only": spec.effect.is_read_only(),
                "example": serde_json::from_str::<Value>(spec.example).unwrap_or_default(),
                "outputSchema": *entry.output,
                "texts": Map::from_iter(texts),
            })
        })
        .collect()
}
