//! A progress bar for work that takes longer than a moment.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// A bar on the standard error that appears when the work takes longer than two seconds, if that
/// is a terminal. It goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Dropped first: tells the waiting thread that the bar is no longer wanted.
    cancel: Option<Sender<()>>,
}

impl Progress {
    pub(crate) fn new(steps: usize, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        let template = "{spinner} {wide_bar} {pos}/{len} {elapsed} {msg}";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let (cancel, cancelled) = channel();
        if quiet {
            return Self {
                bar,
                cancel: Some(cancel),
            };
        }
        let shown = bar.clone();
        std::thread::spawn(move || {
            if cancelled.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Self {
            bar,
            cancel: Some(cancel),
        }
    }

    pub(crate) fn step(&self, message: String) {
        self.bar.set_message(message);
    }

    pub(crate) fn done(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.cancel = None;
        self.bar.finish_and_clear();
    }
}
