//! The whole path of a call, top to bottom: [`run`].
//!
//! Every early return is visible here. Each step with real content is one function in its own file; its parameters
//! (which root, which cap, which pool) come from the entry's spec and from the [`Kernel`].

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use fumi_base::{
    audit::Actor,
    cache::{CacheKey, ResultCache},
    errors::UserError,
    expectation::{ExpectationPolicy, ResolvedExpectation},
    files::OutputName,
    freshness::{Freshness, RootStamp},
    pools::{Permit, Pool, PoolError, WorkPools},
    project::{BOOK, Project},
    project_locks::ProjectLocks,
    redact::Redactor,
    roots::AllowedRoots,
    text::Locale,
};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{
    Access, Answerer, CallProgress, Caller, Cx, Effect, QuestionReply, ResultForm, SharedOption, ToolError,
    ToolOutcome, ToolReply, ToolSpec,
    batch::{self, StepContext},
    catalogue::{Catalogue, PreparedArguments, ToolEntry},
    context::WriteLockState,
    cut_rows::{AnswerCut, Caps, FittedAnswer, ReplyLimits, fit},
    cut_values::{RestAdvice, shorten, shorten_question},
    delivery, error, expectation, fields,
    metrics::ServerMetrics,
    options::{self, CallOptions, Cursor},
    reply::Rendered,
    schema::LEFT_OUT,
    toolset_hint, validate,
};

/// The time for a stopped call to notice; its work polls far more often.
const GRACE: Duration = Duration::from_millis(500);

/// The state that all calls of a process share.
#[derive(Debug)]
pub struct Kernel {
    /// The metrics of the process.
    pub metrics: Arc<ServerMetrics>,
    /// The pools in which calls queue.
    pub pools: WorkPools,
    /// The cache of answers, which all callers share.
    pub cache: ResultCache<Arc<CachedAnswer>>,
    /// The stamps that tell whether cached answers are current.
    pub freshness: Arc<Freshness>,
    /// The project locks for writing.
    pub writers: Arc<ProjectLocks>,
    /// The folders that may be projects.
    pub roots: Arc<AllowedRoots>,
    /// The marker file of the top of a project, by family: a root inside such a project is replaced by its top.
    pub top_markers: BTreeMap<&'static str, String>,
    /// The redactor of the server's secrets.
    pub redactor: Arc<Redactor>,
    /// The caps of one reply.
    pub caps: Caps,
    /// The default expectation for replies.
    pub expectation: ExpectationPolicy,
    /// The largest number of steps of a batch.
    pub most_steps: usize,
}

impl Kernel {
    /// Returns the actor that is recorded for writes of a call.
    pub fn actor(&self, tool: &'static str, caller: &Caller) -> Actor {
        Actor { principal: Arc::clone(&caller.access.principal), tool, redactor: Arc::clone(&self.redactor) }
    }
}

/// A cached answer: uncut, and how much of it fitted into a reply when it was first given in a form. The other caps are
/// constant for the process and the locale is part of the key, so that the same amount fits again.
#[derive(Debug)]
pub struct CachedAnswer {
    answer: Arc<dyn Rendered>,
    cuts: [OnceLock<AnswerCut>; ResultForm::ALL.len()],
}

impl CachedAnswer {
    fn new(answer: Arc<dyn Rendered>) -> Arc<Self> {
        Arc::new(Self { answer, cuts: Default::default() })
    }
}

impl std::fmt::Debug for dyn Rendered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an answer of {} rows", self.rows())
    }
}

/// One call as it comes from a client.
#[derive(Debug)]
pub struct Call {
    /// The arguments as sent.
    pub arguments: Map<String, Value>,
    /// The caller and its permissions.
    pub caller: Caller,
    /// The author of the answer, if the call submits one.
    pub answerer: Answerer,
    /// The project unless the arguments name another.
    pub project: Arc<Project>,
    /// Cancelled when the client cancels.
    pub cancel: CancellationToken,
    /// The progress that the work reports.
    pub progress: CallProgress,
    /// The batch context, if the call is a step.
    pub batch: Option<StepContext>,
}

/// Runs a call from arguments to reply. Errors are replies too. The steps of a batch are looked up in `catalogue`.
pub async fn run(kernel: &Kernel, catalogue: &Catalogue, entry: &ToolEntry, call: Call) -> ToolReply {
    let started = Instant::now();
    let (arguments, caller) = (call.arguments.clone(), call.caller.clone());
    // 1. One span per call; argument values are never in it.
    let span = span_of(entry, &caller);
    let _running = kernel.metrics.running();
    let result = answer(kernel, catalogue, entry, call).instrument(span.clone()).await;
    let mut reply = match result {
        Ok(reply) => reply,
        Err(error) => {
            let error = error.adapt_to(entry.spec.family);
            span.in_scope(|| {
                let (tool, principal, code) = (entry.spec.name, &*caller.access.principal, error.code());
                if let Some(cause) = error.cause() {
                    tracing::warn!(tool, principal, code, cause, "the system failed a call");
                } else {
                    tracing::info!(tool, principal, code, "call refused or failed");
                }
            });
            let mut reply = error.reply(entry.spec.name, &arguments, &caller, &kernel.redactor);
            if entry.spec.effect == Effect::Write {
                reply.structured["arguments"] = error::arguments(&arguments, &kernel.redactor);
            }
            toolset_hint::name_missing_toolset(&mut reply, entry, catalogue, &caller);
            cut_error_reply(reply, caps_for(kernel, &caller), caller.locale)
        }
    };
    reply.form = caller.form;
    reply.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    if let Some(elapsed) = reply.structured.get_mut("elapsed_ms") {
        *elapsed = json!(reply.elapsed_ms);
    }
    span.in_scope(|| tracing::debug!(elapsed_ms = reply.elapsed_ms, cache_hit = reply.cache_hit, "call done"));
    // The name in the specification of the novel tools.
    if let Some(elapsed) = reply.structured.get_mut("execution_time_seconds") {
        *elapsed = json!(seconds(reply.elapsed_ms));
    }
    // 10. Redaction comes last, for results and errors alike.
    redact(&kernel.redactor, reply)
}

/// Returns the caps of a reply in the form that the caller gets.
fn caps_for(kernel: &Kernel, caller: &Caller) -> Caps {
    Caps { form: caller.form, ..kernel.caps }
}

/// Cuts an error reply that its arguments make too large.
fn cut_error_reply(reply: ToolReply, caps: Caps, locale: Locale) -> ToolReply {
    let fitted = FittedAnswer { structured: reply.structured, text: reply.text, blocks: reply.blocks };
    let caps = Caps { tokens: usize::MAX, ..caps };
    let fitted = shorten(fitted, caps, RestAdvice::Nothing, locale);
    ToolReply { blocks: fitted.blocks, ..ToolReply::error(fitted.structured, fitted.text) }
}

/// Converts milliseconds to seconds; no call takes weeks.
fn seconds(ms: u64) -> f64 {
    f64::from(u32::try_from(ms).unwrap_or(u32::MAX)) / 1_000.0
}

fn span_of(entry: &ToolEntry, caller: &Caller) -> tracing::Span {
    tracing::debug_span!(target: "fumi", "call", tool = entry.spec.name, principal = &*caller.access.principal)
}

fn key(spec: &ToolSpec, project: &Project, canonical: &str, locale: Locale, stamp: RootStamp) -> CacheKey {
    CacheKey { tool: spec.name, project: Arc::from(project.root()), arguments: Arc::from(canonical), locale, stamp }
}

async fn answer(kernel: &Kernel, catalogue: &Catalogue, entry: &ToolEntry, call: Call) -> Result<ToolReply, ToolError> {
    let spec = &entry.spec;
    call.caller.access.check_current()?;
    // 2. Validation reports all problems at once.
    let arguments = validate::validate(entry, call.arguments)?;
    // 3. Options of the call are separated from arguments of the tool.
    let unreadable = |error: serde_json::Error| validate::unreadable(entry, &error);
    let (arguments, options) = options::split(spec, arguments).map_err(unreadable)?;
    if options.expectation.is_some() && !kernel.expectation.enabled {
        return Err(expectation::ExpectationDisabled.into());
    }
    let access = &call.caller.access;
    access.check_tool_write(spec, options.output_file.is_some())?;
    let output = options.output_file.as_deref().map(OutputName::parse).transpose()?;
    let project = match &options.project_root {
        Some(root) => access.roots(&kernel.roots).project(root)?,
        None => call.project,
    };
    let project = find_project_top(kernel, spec.family.name, access, project)?;
    let canonical = canonical(&arguments);
    let prepared = entry.prepare(Value::Object(arguments)).map_err(unreadable)?;
    let expected = kernel.expectation.resolve(options.expectation.clone(), prepared.expects());
    let part = call.batch.as_ref();
    let (needs_whole, is_followed) = part.map_or((false, false), |part| (part.needs_whole, part.is_followed));
    let latest = part.map_or(Duration::MAX, |part| part.limit);
    let cx = Cx {
        project,
        actor: kernel.actor(spec.name, &call.caller),
        caller: call.caller,
        answerer: call.answerer,
        cancel: call.cancel.child_token(),
        progress: call.progress,
        metrics: Arc::clone(&kernel.metrics),
        writers: Arc::clone(&kernel.writers),
        expectation: expected,
        batch: call.batch.map(|part| part.batch),
        is_followed,
        turn: Mutex::default(),
        writing: watch::Sender::default(),
        permit: OnceLock::new(),
        notes: Mutex::default(),
    };
    // The work also stops when this future is dropped.
    let _stop = cx.cancel.clone().drop_guard();

    // 4. The cached answer, if it is current.
    let pure = spec.cached && prepared.is_pure();
    let stamp = (pure || spec.options.contains(&SharedOption::Cursor)).then(|| stamp(kernel, &cx.project));
    let key = stamp.map(|stamp| key(spec, &cx.project, &canonical, cx.caller.locale, stamp));
    let cursor = match (&options.cursor, &key) {
        (Some(raw), Some(key)) => Some(Cursor::parse(raw, hash(key))?),
        _ => None,
    };
    let hit = key.as_ref().filter(|_| pure).and_then(|key| look_up(kernel, key));
    let cache_hit = hit.is_some();
    let answer = if let Some(answer) = hit {
        answer
    } else {
        // 5. The exclusive guard, then the permit of the pool; waiting for them does not count as working time.
        let (failures, unstamped) = (cx.project.failures().count(), cx.project.unstamped());
        acquire(kernel, entry, prepared.as_ref(), &cx).await?;
        // 6 and 7. The work, which stops at the timeout and on cancellation.
        let limit = options.timeout_ms.map_or(spec.timeout, Duration::from_millis).min(latest);
        let span = tracing::debug_span!(target: "fumi", "tool", otel.name = spec.name);
        let done = run_with_timeout(limit, &call.cancel, &cx, entry.call(prepared, &cx).instrument(span)).await;
        match check_system_failures(spec, &cx.project, failures, done)? {
            // A question is neither cached nor delivered: the call continues when the answer is submitted.
            ToolOutcome::Ask(mut ask) => {
                ask.keep_callable(&|tool| can_call(catalogue, entry, &cx.caller.access, tool));
                options.add_to_answer_call(spec, &mut ask.submit);
                return Ok(question(*ask, caps_for(kernel, &cx.caller), cx.locale()));
            }
            ToolOutcome::Instead(mut instead) => {
                options.add_project_to(&mut instead.arguments);
                return Ok(ToolReply::instead(instead));
            }
            ToolOutcome::Batch(plan) => {
                let whole = batch::BatchRun::new(kernel, catalogue, entry, &cx, &options);
                CachedAnswer::new(Arc::new(whole.run(plan).await?))
            }
            ToolOutcome::Done(answer) => {
                let kept =
                    CachedAnswer::new(callable(answer, |tool| can_call(catalogue, entry, &cx.caller.access, tool)));
                // 8. Cached uncut, if the stamp covers everything that the answer depends on.
                let is_covered =
                    || cx.project.unstamped() == unstamped && !kernel.freshness.has_unstamped_rules(cx.project.root());
                if let Some(key) = key.clone().filter(|_| pure && is_covered()) {
                    kernel.cache.insert(key, Arc::clone(&kept), size_of(kept.answer.as_ref()));
                }
                kept
            }
        }
    };
    // 9. To a file, to the reply, or to both; cut to the caps.
    let paging = Paging {
        from: cursor.map_or(0, |cursor| cursor.row),
        call: key.filter(|_| spec.options.contains(&SharedOption::Cursor)).map(|key| hash(&key)),
        needs_whole,
        way: rest_advice(spec, &cx),
    };
    deliver(kernel, &cx, answer, &options, output, paging, cache_hit).await
}

/// Returns an answer without the suggested calls of tools that the caller cannot call. Cached answers suggest no calls.
fn callable(mut answer: Arc<dyn Rendered>, can_call: impl Fn(&str) -> bool) -> Arc<dyn Rendered> {
    if let Some(answer) = Arc::get_mut(&mut answer) {
        answer.keep_callable(&can_call);
    }
    answer
}

/// True if a caller can call a tool that the answer of another tool suggests. An internal caller has an empty scope, which
/// does not contain the called tool either; it gets every suggestion.
fn can_call(catalogue: &Catalogue, called: &ToolEntry, access: &Access, tool: &str) -> bool {
    let entry = catalogue.find(&access.scope, tool);
    !called.spec.is_in(&access.scope) || entry.is_some_and(|entry| access.allows(entry.spec.effect))
}

/// Returns a question, cut to one reply.
fn question(mut ask: QuestionReply, caps: Caps, locale: Locale) -> ToolReply {
    shorten_question(&mut ask, caps, locale);
    ToolReply::question(ask, locale)
}

/// Returns the advice for the rest of an answer without rows.
fn rest_advice(spec: &ToolSpec, cx: &Cx) -> RestAdvice {
    let takes_file = spec.shared().any(|name| *name == "output_file");
    if takes_file && cx.caller.access.check_tool_write(spec, true).is_ok() {
        RestAdvice::File
    } else {
        RestAdvice::Narrower
    }
}

fn look_up(kernel: &Kernel, key: &CacheKey) -> Option<Arc<CachedAnswer>> {
    let span = tracing::debug_span!(target: "fumi", "cache", hit = tracing::field::Empty).entered();
    let hit = kernel.cache.get(key);
    span.record("hit", hit.is_some());
    kernel.metrics.lookup(hit.is_some());
    hit
}

/// Returns the project itself, or the folder above it that is the top of a project of the tool's family, if the caller
/// may use it.
fn find_project_top(
    kernel: &Kernel,
    family: &str,
    access: &Access,
    project: Arc<Project>,
) -> Result<Arc<Project>, ToolError> {
    // A root that was recreated is opened again; the tool reports a missing one.
    let _ = project.ensure_open();
    let Some(mark) = kernel.top_markers.get(family) else {
        return Ok(project);
    };
    let roots = access.roots(&kernel.roots);
    // Folders above the allowed roots are not opened, and not looked at.
    let folders = project.root().ancestors().skip(1);
    let is_top = |project: &Arc<Project>| match project.find(mark) {
        Err(error) if error.is_system_failure() => Err(error),
        Ok(Some(file)) => Ok(!file.is_dir()?),
        _ => Ok(false),
    };
    if is_top(&project)? {
        return Ok(project);
    }
    for folder in folders {
        match roots.reopen(folder)? {
            Some(above) if is_top(&above)? => return Ok(above),
            Some(_) => {}
            None => break,
        }
    }
    Ok(project)
}

/// True if a folder is a project of a family, or lies in one.
pub fn is_of_family(kernel: &Kernel, family: &str, access: &Access, project: &Arc<Project>) -> bool {
    let top = find_project_top(kernel, family, access, Arc::clone(project));
    let mark = kernel.top_markers.get(family);
    top.is_ok_and(|top| mark.is_some_and(|mark| matches!(top.find(mark), Ok(Some(_)))))
}

/// Acquires the tool's exclusive guard, with the same timeout as for a permit. The guard is dropped with the call's
/// context, unless the work takes it.
async fn acquire_exclusive(
    kernel: &Kernel,
    entry: &ToolEntry,
    prepared: &dyn PreparedArguments,
    cx: &Cx,
) -> Result<(), ToolError> {
    let waited = kernel.pools.wait();
    let turn = tokio::select! {
        biased;
        () = cx.cancel.cancelled() => return Err(CallStopped::Cancelled.into()),
        turn = entry.acquire_exclusive(prepared, cx) => turn?,
        () = tokio::time::sleep(waited) => return Err(TurnTaken { waited }.into()),
    };
    *cx.turn.lock() = turn;
    Ok(())
}

/// The error of a timeout: another call holds the exclusive guard that this one needs.
#[derive(Debug, UserError)]
#[catalog(error::BOOK)]
struct TurnTaken {
    waited: Duration,
}

/// Acquires the exclusive guard first, then the permit, so that a call which waits for a guard does not block the pool.
/// The steps of a batch acquire their own.
async fn acquire(
    kernel: &Kernel,
    entry: &ToolEntry,
    prepared: &dyn PreparedArguments,
    cx: &Cx,
) -> Result<(), ToolError> {
    acquire_exclusive(kernel, entry, prepared, cx).await?;
    if !entry.runs_steps {
        let place = acquire_permit(kernel, &entry.spec, cx).await?;
        cx.permit.get_or_init(|| Arc::new(place));
    }
    Ok(())
}

async fn acquire_permit(kernel: &Kernel, spec: &ToolSpec, cx: &Cx) -> Result<Permit, PoolError> {
    let pool = spec.pool;
    let span = tracing::debug_span!(target: "fumi", "pool", otel.name = "pool wait", pool = pool.name());
    let started = Instant::now();
    let principal = &cx.caller.access.principal;
    let permit = if spec.exclusive {
        let project = cx.project.root().to_string_lossy();
        let turn = kernel.pools.acquire_for(pool, &project, principal, &cx.cancel);
        turn.instrument(span).await
    } else {
        kernel.pools.acquire(pool, principal, &cx.cancel).instrument(span).await
    };
    kernel.metrics.pool_wait(pool.name(), started.elapsed());
    permit
}

/// The first row of the reply, and the call to which a cursor belongs.
struct Paging {
    from: usize,
    call: Option<u64>,
    /// True if a later step of a batch needs the fields that are narrowed away.
    needs_whole: bool,
    /// The advice for the rest of an answer without rows.
    way: RestAdvice,
}

/// True if a reply contains only a part of its answer's structure.
fn is_narrowed(expected: &ResolvedExpectation) -> bool {
    !expected.fields.is_empty() || expected.max_tokens.is_some()
}

/// Cuts an answer, from the first row of the page on, to the caps of the server and to the caller's expectation.
fn fit_page(
    kept: &CachedAnswer,
    paging: &Paging,
    expected: &ResolvedExpectation,
    caps: Caps,
    locale: Locale,
) -> FittedAnswer {
    let answer = kept.answer.as_ref();
    let cursor = paging.call.map(|call| move |row| Cursor { row, call }.text());
    let cursor = cursor.as_ref().map(|cursor| cursor as &dyn Fn(usize) -> String);
    // The known cut is that of the whole answer under the server's own caps.
    let is_known = paging.from == 0 && !is_narrowed(expected);
    let cut = &kept.cuts[caps.form as usize];
    let known = cut.get().copied().filter(|_| is_known);
    let room = ReplyLimits {
        caps: Caps { tokens: expected.max_tokens.map_or(caps.tokens, |most| most.min(caps.tokens)), ..caps },
        fields: &expected.fields,
        locale,
        takes_file: paging.way == RestAdvice::File,
    };
    let (fitted, found) = fit(answer, paging.from, room, cursor, known);
    if is_known {
        cut.get_or_init(|| found);
    }
    match expected.max_tokens {
        // Not even one row fits into the caller's limit, or the answer has no rows. The server's own caps never omit an
        // answer.
        Some(most) if fitted.tokens(caps.form) > most => {
            delivery::left_out(answer, fitted.tokens(caps.form), most, locale)
        }
        _ => fitted,
    }
}

async fn deliver(
    kernel: &Kernel,
    cx: &Cx,
    kept: Arc<CachedAnswer>,
    options: &CallOptions,
    output: Option<OutputName>,
    paging: Paging,
    cache_hit: bool,
) -> Result<ToolReply, ToolError> {
    let (locale, caps) = (cx.locale(), caps_for(kernel, &cx.caller));
    let (project, suppress) = (Arc::clone(&cx.project), options.suppress_output);
    let expected = cx.expectation.clone();
    let is_step = cx.batch.is_some();
    let has_room_for_notes = !kept.answer.is_bare() && expected.fields.is_empty();
    let redactor = Arc::clone(&kernel.redactor);
    // A cached answer is rendered here: within the caps of one reply, that is faster than waking a thread.
    let is_short = cache_hit && output.is_none();
    let work = move || {
        let answer = &kept.answer;
        let written = match output {
            Some(name) => Some(delivery::write(&project, &name, answer.as_ref(), locale)?),
            None => None,
        };
        let fitted = if suppress {
            delivery::receipt(answer.as_ref(), locale)
        } else {
            let mut fitted = fit_page(&kept, &paging, &expected, caps, locale);
            // Before the cut, which could leave half of a secret.
            if !redactor.is_empty() {
                redact_value(&redactor, &mut fitted.structured);
                redact_text(&redactor, &mut fitted.text);
            }
            let advice = if written.is_some() { RestAdvice::Written } else { paging.way };
            shorten(fitted, caps, advice, locale)
        };
        let is_less = is_narrowed(&expected) || fitted.structured.get(LEFT_OUT).is_some();
        let unfiltered = (paging.needs_whole && is_less).then(|| {
            let room = ReplyLimits { caps, fields: &[], locale, takes_file: false };
            Box::new(fit(answer.as_ref(), paging.from, room, None, None).0.structured)
        });
        let missed = (is_step && !answer.required_fields().is_empty())
            .then(|| Box::new(fields::keep(&answer.structured(), &[], answer.required_fields()).0));
        Ok::<_, ToolError>((fitted, written, unfiltered, missed))
    };
    let done = if is_short { work() } else { cx.blocking(|_, _| work()).await };
    let (FittedAnswer { mut structured, mut text, blocks }, written, unfiltered, missed) = done?;
    if let Some(path) = &written {
        structured["output_file_path"] = json!(path);
        let note = match locale {
            Locale::En => format!("Written to {path}"),
            Locale::Ja => format!("書き込み先: {path}"),
        };
        if suppress {
            text = format!("{note}\n{text}");
        } else {
            text = format!("{text}\n{note}");
        }
    }
    if cache_hit && has_room_for_notes {
        structured["cache_hit"] = json!(true);
    }
    Ok(ToolReply {
        structured,
        text,
        blocks,
        form: caps.form,
        is_error: false,
        asked: None,
        instead: None,
        cache_hit,
        elapsed_ms: 0,
        usage: None,
        notes: std::mem::take(&mut cx.notes.lock()),
        unfiltered,
        required: missed,
    })
}

/// The error of work that was stopped: by its timeout, or because the client cancelled.
#[derive(Debug, UserError)]
pub enum CallStopped {
    /// The timeout of the call ended.
    ToolTimeout { limit: Duration },
    /// The client cancelled the call, or the server stops.
    Cancelled,
}

/// Returns the result of work on a project, or `SYSTEM_FAILURE` if the system failed while its files were read (the
/// count of failures differs from the given one), because absent or empty files may then be wrong. Results of tools
/// with an effect are kept, since they report what was done; so are errors that are not about the input, and results
/// that come from a page and not from files.
fn check_system_failures<T>(
    spec: &ToolSpec,
    project: &Project,
    failures: u64,
    result: Result<T, ToolError>,
) -> Result<T, ToolError> {
    let stays = match &result {
        Ok(_) => !spec.effect.is_read_only() || spec.pool == Pool::Browser,
        Err(error) => !error.is_about_input(),
    };
    if !stays {
        project.check_failures_since(failures)?;
    }
    result
}

/// Runs work until it ends, its timeout elapses or the client cancels. Then the work's token is cancelled and the work
/// is awaited for a moment. Work that still runs after that keeps the call's permit itself ([`Cx::blocking`]). Work
/// that has begun to write is awaited to its end after a timeout, so that the caller learns what was written.
pub async fn run_with_timeout<T>(
    limit: Duration,
    client: &CancellationToken,
    cx: &Cx,
    work: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    tokio::pin!(work);
    let stopped = tokio::select! {
        biased;
        () = client.cancelled() => CallStopped::Cancelled,
        result = &mut work => return result,
        () = working_time_elapsed(limit, cx.writing.subscribe()) => CallStopped::ToolTimeout { limit },
    };
    cx.cancel.cancel();
    if *cx.writing.borrow() == WriteLockState::Began && matches!(stopped, CallStopped::ToolTimeout { .. }) {
        tokio::select! {
            () = client.cancelled() => {}
            result = &mut work => match result {
                Err(error) if error.is_cancelled() => {}
                result => return result,
            },
        }
    } else if tokio::time::timeout(GRACE, work).await.is_err() {
        tracing::warn!("a stopped call did not end in time");
    }
    Err(stopped.into())
}

/// Waits until the call's working time is used up. Waiting for the project lock does not count.
async fn working_time_elapsed(mut left: Duration, mut writing: watch::Receiver<WriteLockState>) {
    loop {
        let waits = *writing.borrow_and_update() == WriteLockState::Waits;
        let began = Instant::now();
        tokio::select! {
            () = tokio::time::sleep(left), if !waits => return,
            _ = writing.changed() => {}
        }
        if !waits {
            left = left.saturating_sub(began.elapsed());
        }
    }
}

/// Returns the state of a project's files. The first call for a root walks its folders, and changes may require a
/// partial walk; otherwise it only reads a queue. It runs in place, because passing it to another thread costs more
/// than it takes.
fn stamp(kernel: &Kernel, project: &Project) -> RootStamp {
    let at_once = kernel.freshness.try_stamp(project.root());
    let stamp = at_once.unwrap_or_else(|| tokio::task::block_in_place(|| kernel.freshness.stamp(project.root())));
    // The root may have been replaced since it was opened: an answer about the old folder would be cached under the
    // stamp of the new one.
    let _ = project.ensure_open();
    stamp
}

fn hash(key: &CacheKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The bytes of one row of an answer in memory, besides its text: 2,000 short rows of `search_content` take 330 kB, of
/// which 22 kB are text.
const ROW_BYTES: usize = 160;

/// Returns the weight of an answer in the cache: close to its size in memory.
fn size_of(answer: &dyn Rendered) -> usize {
    answer.text(Locale::En).len() * 2 + answer.rows() * ROW_BYTES
}

/// Returns arguments as JSON with sorted keys, so that the order in which a client writes them does not matter.
pub fn canonical(arguments: &Map<String, Value>) -> String {
    fn object(fields: &Map<String, Value>, out: &mut String) {
        let mut names: Vec<_> = fields.iter().collect();
        names.sort_by(|a, b| a.0.cmp(b.0));
        out.push('{');
        for (at, (name, value)) in names.into_iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            // JSON quotes strings, so that different objects never look the same.
            out.push_str(&Value::from(name.as_str()).to_string());
            out.push(':');
            any(value, out);
        }
        out.push('}');
    }
    fn any(value: &Value, out: &mut String) {
        match value {
            Value::Object(fields) => object(fields, out),
            Value::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    any(item, out);
                }
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut out = String::new();
    object(arguments, &mut out);
    out
}

/// Redacts the server's own secrets in a JSON value. Field names are data too: file names in counts by file.
fn redact_value(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => redact_text(redactor, text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(redactor, item)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| redact_value(redactor, field));
            if fields.keys().any(|name| redactor.redact_own(name).is_some()) {
                let named = std::mem::take(fields).into_iter();
                fields.extend(named.map(|(name, field)| (redactor.redact_own(&name).unwrap_or(name), field)));
            }
        }
        _ => {}
    }
}

fn redact_text(redactor: &Redactor, text: &mut String) {
    if let Some(clean) = redactor.redact_own(text) {
        *text = clean;
    }
}

/// Redacts the server's own secrets in all of a reply.
fn redact(redactor: &Redactor, mut reply: ToolReply) -> ToolReply {
    if !redactor.is_empty() {
        redact_value(redactor, &mut reply.structured);
        for beside in [&mut reply.unfiltered, &mut reply.required].into_iter().flatten() {
            redact_value(redactor, beside);
        }
        redact_text(redactor, &mut reply.text);
        // Models that fumi asks see nothing that a host would not see.
        for text in reply.asked.iter_mut().flat_map(|asked| &mut asked.material) {
            redact_text(redactor, &mut text.title);
            redact_text(redactor, &mut text.text);
        }
    }
    reply
}
