//! Progress on a terminal, on standard error: of a call, and of the index of a server. Without a terminal nothing is shown.

use std::{
    future::Future,
    io::{self, Write},
    sync::LazyLock,
    time::Duration,
};

use fumi_base::text::Locale;
use fumi_kernel::CallProgress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

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
    let mut bar = ShownBar::default();
    let shown = async {
        tokio::time::sleep(FIRST).await;
        loop {
            let (done, total) = progress.get();
            let step = progress.current_step();
            bar.show(step.as_ref().map_or("", |step| step.get(locale)), done, total);
            tokio::time::sleep(EVERY).await;
        }
    };
    tokio::select! {
        biased;
        result = call => result,
        () = shown => unreachable!("it is shown until the call ends"),
    }
}

/// Shows the progress of an index while files are to be read, until the task is aborted. `counts` returns the number of files in
/// the index, and of those that are to be read.
pub(crate) async fn show_index(locale: Locale, counts: impl Fn() -> (u64, u64)) {
    let title = match locale {
        Locale::En => "Index:",
        Locale::Ja => "索引を作成中:",
    };
    let mut bar = ShownBar::default();
    loop {
        tokio::time::sleep(LOOK).await;
        match counts() {
            (_, 0) => bar.clear(),
            (indexed, unread) => bar.show(title, indexed, Some(indexed + unread)),
        }
    }
}

/// A bar while it is shown; dropping it clears it.
#[derive(Default)]
struct ShownBar(Option<ProgressBar>);

impl ShownBar {
    fn show(&mut self, message: &str, done: u64, total: Option<u64>) {
        let has_length = self.0.as_ref().map(|bar| bar.length().is_some());
        if has_length != Some(total.is_some()) {
            // Before it is drawn for the first time, so that no frame has another form.
            self.clear();
            let template = match total {
                Some(_) => "{spinner} {msg} {bar:24} {pos}/{len} {elapsed}",
                None => "{spinner} {msg} {elapsed}",
            };
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
            let new = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
            let new = new.with_style(style).with_message(message.to_owned()).with_position(done);
            self.0 = Some(BARS.add(new));
        }
        let Some(bar) = &self.0 else { return };
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_message(message.to_owned());
        bar.set_position(done);
        bar.tick();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
            BARS.remove(&bar);
        }
    }
}

impl Drop for ShownBar {
    fn drop(&mut self) {
        self.clear();
    }
}
