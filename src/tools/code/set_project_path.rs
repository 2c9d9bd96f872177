//! The tool `set_project_path`: changes the session's project to another allowed folder.

use std::{sync::Arc, time::Duration};

use fumi_base::{errors::unless_unreadable, listing::list, text::Locale};
use fumi_kernel::{Cx, Effect, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ProjectDeps, READS, texts};

#[derive(Debug)]
pub struct SetProjectPath;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The path of the new root.
    #[schemars(length(min = 1))]
    project_path: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The canonical path. Clients without a session pass it back as `project_root`.
    project_path: String,
    previous_path: String,
    security_validation: PathValidation,
    /// True if the session remembers the choice.
    remembered: bool,
}

/// The checks that the path passed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathValidation {
    path_exists: bool,
    is_directory: bool,
    is_accessible: bool,
}

impl Tool for SetProjectPath {
    const SPEC: ToolSpec = ToolSpec {
        name: "set_project_path",
        other_toolsets: &["novel"],
        texts: texts!("set_project_path"),
        example: r#"{"project_path": "/absolute/path/of/an/allowed/project"}"#,
        options: &[],
        timeout: Duration::from_secs(10),
        cached: false,
        effect: Effect::Session,
        ..READS
    };
    type Deps = ProjectDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &ProjectDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let allowed = Arc::clone(cx.caller.access.roots(&deps.roots));
        let opened = cx.blocking(move |_, _| {
            let project = allowed.project(&args.project_path)?;
            let readable = unless_unreadable(list(&project.root_path(), 0))?.is_some();
            Ok::<_, ToolError>((project, readable))
        });
        let (project, readable) = opened.await?;
        let project_path = project.shown_root();
        if let Some(batch) = &cx.batch {
            batch.choose(Arc::clone(&project));
        }
        let remembered = cx.caller.session.is_some();
        if let Some(session) = &cx.caller.session {
            deps.sessions.choose(session, project);
        }
        Ok(ToolOutcome::Done(Output {
            success: true,
            project_path,
            previous_path: cx.project.shown_root(),
            security_validation: PathValidation { path_exists: true, is_directory: true, is_accessible: readable },
            remembered,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let path = &self.project_path;
        let mut text = match (locale, self.remembered) {
            (Locale::En, true) => format!("Project: {path}"),
            (Locale::Ja, true) => format!("プロジェクト: {path}"),
            (Locale::En, false) => {
                format!("Project: {path} (no session remembers it: pass it as project_root with every call)")
            }
            (Locale::Ja, false) => format!(
                "プロジェクト: {path}（セッションがないため記憶されません。呼び出しごとに project_root として渡してください）"
            ),
        };
        if !self.security_validation.is_accessible {
            text.push_str(match locale {
                Locale::En => "\nThe folder cannot be read: calls in it will find no files.",
                Locale::Ja => "\nフォルダーを読み取れません。このままでは、どの呼び出しでもファイルが見つかりません。",
            });
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;
    use fumi_kernel::Render as _;

    use super::{Output, PathValidation};

    #[test]
    fn unreadable_folder_is_told() {
        let output = |is_accessible| Output {
            success: true,
            project_path: "/p".to_owned(),
            previous_path: "/q".to_owned(),
            security_validation: PathValidation { path_exists: true, is_directory: true, is_accessible },
            remembered: true,
        };
        assert_eq!(output(true).text(Locale::En), "Project: /p");
        for locale in Locale::ALL {
            assert_eq!(output(false).text(locale).lines().count(), 2);
        }
    }
}
