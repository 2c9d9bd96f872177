//! The catalogue of tools, with one line for each, grouped by toolset.
//!
//! One file is one tool (its spec, arguments, output and a short call), with its texts beside it. A tool never calls
//! another tool: tools share functions of a domain crate, or a group of arguments.

pub mod batch;
pub mod browser;
pub mod code;
pub mod family_metrics;
pub mod novel;

use std::sync::Arc;

use fumi_base::{errors::ErrorCatalog, roots::AllowedRoots, store::Store, text::Locale};
use fumi_browser::BrowserService;
use fumi_code::{index::CodeIndexes, parser_pool::ParserPool, user_queries::UserQueries};
use fumi_config::Config;
use fumi_kernel::{
    SessionProjects,
    catalogue::{Catalogue, ToolEntry, ToolsetScope},
};
use serde_json::{Map, Value, json};

use browser::{BrowserDeps, on_tab::OnTab};
use code::{ProjectDeps, SearchDeps, structure_deps::StructureDeps};
use novel::{
    NovelDeps, checking, data, enhanced,
    plotting::{noveler_plot, plot_validate, write_blurb},
    write,
    writing::{
        noveler_write, rewrite_passage, write_manuscript_draft, write_resume, write_stage, write_step,
        write_with_claude,
    },
};

/// Embeds the two text files of a tool, which are beside its source file.
macro_rules! texts {
    ($name:literal) => {
        fumi_kernel::ToolTextFiles {
            en: include_str!(concat!($name, ".en.md")),
            ja: include_str!(concat!($name, ".ja.md")),
        }
    };
}
pub(crate) use texts;

/// Returns all tools, in the order in which clients see them.
#[expect(
    clippy::too_many_arguments,
    clippy::too_many_lines,
    reason = "an argument for each thing that tools share, a line for each tool"
)]
pub fn catalogue(
    config: &Config,
    queries: UserQueries,
    indexes: &Arc<CodeIndexes>,
    roots: &Arc<AllowedRoots>,
    sessions: &Arc<SessionProjects>,
    browser: &Arc<BrowserService>,
    parsers: &Arc<ParserPool>,
    store: &Arc<dyn Store>,
) -> Catalogue {
    let search = Arc::new(SearchDeps::new(config, Arc::clone(parsers), Arc::clone(indexes)));
    // A tool's dependencies are shared, and its work moves to another thread: hence the inner handle.
    let structure = Arc::new(Arc::new(StructureDeps::new(config, queries, Arc::clone(parsers), Arc::clone(indexes))));
    let project = Arc::new(ProjectDeps { roots: Arc::clone(roots), sessions: Arc::clone(sessions) });
    let novel = Arc::new(NovelDeps::new(&config.novel, Arc::clone(store)));
    let browser = Arc::new(BrowserDeps { browser: Arc::clone(browser) });
    let mut entries = vec![
        // code: finding
        ToolEntry::for_tool::<code::list_files::ListFiles>(Arc::clone(&search)),
        ToolEntry::for_tool::<code::search_content::SearchContent>(Arc::clone(&search)),
        ToolEntry::for_tool::<code::find_and_grep::FindAndGrep>(Arc::clone(&search)),
        // code: understanding
        ToolEntry::for_tool::<code::check_code_scale::CheckCodeScale>(Arc::clone(&structure)),
        ToolEntry::for_tool::<code::analyze_code_structure::AnalyzeCodeStructure>(Arc::clone(&structure)),
        ToolEntry::for_tool::<code::extract_code_section::ExtractCodeSection>(Arc::clone(&structure)),
        ToolEntry::for_tool::<code::query_code::QueryCode>(structure),
        // code: choosing the project
        ToolEntry::for_tool::<code::set_project_path::SetProjectPath>(project),
        // novel: planning
        ToolEntry::for_tool::<noveler_plot::NovelerPlot>(Arc::clone(&novel)),
        ToolEntry::for_tool::<plot_validate::PlotValidate>(Arc::clone(&novel)),
        // novel: writing
        ToolEntry::for_tool::<noveler_write::NovelerWrite>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_stage::WriteStage>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_resume::WriteResume>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_manuscript_draft::WriteManuscriptDraft>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_with_claude::WriteWithClaude>(Arc::clone(&novel)),
        // novel: checking
        ToolEntry::for_tool::<checking::check_basic::CheckBasic>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::noveler_check::NovelerCheck>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::check_story_structure::CheckStoryStructure>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::check_story_elements::CheckStoryElements>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::check_rhythm::CheckRhythm>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::check_writing_expression::CheckWritingExpression>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::check_fix::CheckFix>(Arc::clone(&novel)),
        // novel: finishing
        ToolEntry::for_tool::<novel::status::ProjectStatus>(Arc::clone(&novel)),
        ToolEntry::for_tool::<novel::noveler_complete::NovelerComplete>(Arc::clone(&novel)),
        ToolEntry::for_tool::<novel::init::Init>(Arc::clone(&novel)),
        ToolEntry::for_tool::<novel::noveler::Noveler>(Arc::clone(&novel)),
        // novel-review: checking step by step
        ToolEntry::for_tool::<checking::check_proofreading::CheckProofreading>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::record_episode_state::RecordEpisodeState>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::check_book::CheckBook>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::get_check_tasks::GetCheckTasks>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::execute_check_step::ExecuteCheckStep>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::get_check_status::GetCheckStatus>(Arc::clone(&novel)),
        ToolEntry::for_tool::<checking::get_check_history::GetCheckHistory>(Arc::clone(&novel)),
        // novel-review: presenting the novel
        ToolEntry::for_tool::<write_blurb::WriteBlurb>(Arc::clone(&novel)),
        // novel-review: passages and versions
        ToolEntry::for_tool::<rewrite_passage::RewritePassage>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::compare_versions::CompareVersions>(Arc::clone(&novel)),
        // novel-review: writing with diagnosis
        ToolEntry::for_tool::<enhanced::get_writing_tasks::GetWritingTasks>(Arc::clone(&novel)),
        ToolEntry::for_tool::<enhanced::execute_writing_step::ExecuteWritingStep>(Arc::clone(&novel)),
        ToolEntry::for_tool::<enhanced::resume_from_partial_failure::ResumeFromPartialFailure>(Arc::clone(&novel)),
        // novel-steps
        ToolEntry::for_tool::<write_step::WriteStep<1>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<2>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<3>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<4>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<5>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<6>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<7>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<8>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<9>>(Arc::clone(&novel)),
        ToolEntry::for_tool::<write_step::WriteStep<10>>(Arc::clone(&novel)),
        // novel: files
        ToolEntry::for_tool::<write::WriteFile>(Arc::clone(&novel)),
        // novel-data
        ToolEntry::for_tool::<data::fetch_artifact::FetchArtifact>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::list_artifacts::ListArtifacts>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::list_files_with_hashes::ListFilesWithHashes>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::get_file_by_hash::GetFileByHash>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::get_file_reference_info::GetFileReferenceInfo>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::check_file_changes::CheckFileChanges>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::backup_management::BackupManagement>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::convert_cli_to_json::ConvertCliToJson>(Arc::clone(&novel)),
        ToolEntry::for_tool::<data::validate_json_response::ValidateJsonResponse>(novel),
        // browser: navigating
        ToolEntry::for_tool::<OnTab<browser::browser_navigate::NavigateTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_navigate_back::NavigateBack>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_navigate_forward::NavigateForward>>(Arc::clone(&browser)),
        // browser: inspecting
        ToolEntry::for_tool::<OnTab<browser::browser_snapshot::SnapshotTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_find::FindTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_find_elements::FindElements>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_inspect_html::InspectHtml>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_take_screenshot::TakeScreenshot>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_wait_for::WaitFor>>(Arc::clone(&browser)),
        // browser: acting
        ToolEntry::for_tool::<OnTab<browser::browser_click::ClickTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_type::TypeTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_fill::Fill>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_fill_form::FillForm>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_press_key::PressKey>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_hover::Hover>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_drag::Drag>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_drop::DropTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_select_option::SelectOption>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_file_upload::FileUpload>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_handle_dialog::HandleDialog>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_evaluate::EvaluateTool>>(Arc::clone(&browser)),
        // browser: console, network and cookies
        ToolEntry::for_tool::<OnTab<browser::browser_console_messages::ConsoleMessages>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_network_requests::NetworkRequests>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_network_request::NetworkRequest>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_cookies::CookiesTool>>(Arc::clone(&browser)),
        // browser: tabs and environment
        ToolEntry::for_tool::<OnTab<browser::browser_tabs::TabsTool>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_resize::Resize>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_emulate::Emulate>>(Arc::clone(&browser)),
        ToolEntry::for_tool::<OnTab<browser::browser_pdf_save::PdfSave>>(Arc::clone(&browser)),
        // browser: the process
        ToolEntry::for_tool::<browser::browser_close::Close>(Arc::clone(&browser)),
        ToolEntry::for_tool::<browser::browser_diagnose::Diagnose>(browser),
    ];
    if config.batch.enabled {
        // Several calls in one.
        entries.push(ToolEntry::for_tool::<batch::batch_execute::BatchExecute>(Arc::new(())));
        entries.push(ToolEntry::for_tool::<batch::browser_batch_execute::BrowserBatchExecute>(Arc::new(())));
    }
    Catalogue::new(entries).with_prompts(novel::prompts::all(&config.novel.names)).with_errors(errors())
}

/// Returns the error catalogues of all families.
pub fn errors() -> [&'static ErrorCatalog; 15] {
    [
        &fumi_browser::errors::BOOK,
        &fumi_code::errors::search::BOOK,
        &fumi_code::errors::structure::BOOK,
        &fumi_novel::errors::project::BOOK,
        &fumi_novel::errors::artifact::BOOK,
        &fumi_novel::errors::backup::BOOK,
        &fumi_novel::errors::blurb::BOOK,
        &fumi_novel::errors::completion::BOOK,
        &fumi_novel::errors::reviewing::BOOK,
        &fumi_novel::errors::rewriting::BOOK,
        &fumi_novel::errors::saving::BOOK,
        &fumi_novel::errors::versions::BOOK,
        &fumi_novel::errors::writing::BOOK,
        &novel::BOOK,
        &browser::BOOK,
    ]
}

/// Returns the tools of a scope as data: the output of `fumi tools --json` and the content of `openapi/tools.json`.
pub fn published(catalogue: &Catalogue, scope: &ToolsetScope) -> Value {
    catalogue
        .entries()
        .iter()
        .filter(|entry| entry.spec.listed && entry.spec.is_in(scope))
        .map(|entry| {
            let spec = &entry.spec;
            let texts = Locale::ALL.map(|locale| {
                let shown = entry.published(locale);
                let texts = json!({
                    "title": shown.title,
                    "summary": shown.summary,
                    "description": shown.description,
                    "inputSchema": *shown.input,
                });
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
