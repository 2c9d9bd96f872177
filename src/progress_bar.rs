//! Progress on a terminal, on standard error: of a call, and of the index of a server. Without a terminal nothing is shown.

use std::{
    future::Future,
    io::{self, Write},
    sync::LazyLock,
    time::Duration,
};

use fumi_base::text::Locale;
use fumi_kernel::CallProgress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The bars that are shown, to which lines of the log give way.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The time after which the bar of a call is shown; shorter calls show none.
const FIRST: Duration = Duration::from_secs(1);
/// The interval in which the bar of a call is drawn.
const EVERY: Duration = Duration::from_millis(200);
/// The interval in which the counts of an index are read.
const LOOK: Duration = Duration::from_millis(500);

/// Standard error for the log: a line does not overwrite a bar.
#[derive(Debug)]
pub(crate) struct LogOutput;

impl Write for LogOutput {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| io::stderr().write(line))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Runs a call, and shows its progress: its step, the count of its parts, and the elapsed time.
pub(crate) async fn show_call<T>(progress: &CallProgress, locale: Locale, call: impl Future<Output = T>) -> T {
    let bar = BARS.add(ProgressBar::no_length());
    let shown = async {
        tokio::time::sleep(FIRST).await;
        loop {
            let (done, total) = progress.get();
            let step = progress.current_step();
            show(&bar, step.as_ref().map_or("", |step| step.get(locale)), done, total);
            tokio::time::sleep(EVERY).await;
        }
    };
    let result = tokio::select! {
        biased;
        result = call => result,
        () = shown => unreachable!("it is shown until the call ends"),
    };
    bar.finish_and_clear();
    result
}

/// Shows the progress of an index while files are to be read, until the task is aborted. `counts` returns the number of files in
/// the index, and of those that are to be read.
pub(crate) async fn show_index(locale: Locale, counts: impl Fn() -> (u64, u64)) {
    let title = match locale {
        Locale::En => "Index:",
        Locale::Ja => "索引を作成中:",
    };
    let mut shown: Option<ProgressBar> = None;
    loop {
        tokio::time::sleep(LOOK).await;
        let (indexed, unread) = counts();
        if unread > 0 {
            let bar = shown.get_or_insert_with(|| BARS.add(ProgressBar::no_length()));
            show(bar, title, indexed, Some(indexed + unread));
        } else if let Some(bar) = shown.take() {
            bar.finish_and_clear();
            BARS.remove(&bar);
        }
    }
}

fn show(bar: &ProgressBar, message: &str, done: u64, total: Option<u64>) {
    let template = match total {
        Some(_) => "{spinner} {msg} {bar:24} {pos}/{len} {elapsed}",
        None => "{spinner} {msg} {elapsed}",
    };
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar.set_position(done);
    bar.set_message(message.to_owned());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.tick();
}
