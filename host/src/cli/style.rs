//! Colours where a person looks, and none elsewhere; output that may be cut off.

use std::io::{self, IsTerminal, Write};

/// Whether the standard output wants colours: a terminal, and no `NO_COLOR`.
pub(crate) fn stdout_colour() -> bool {
    wants_colour() && io::stdout().is_terminal()
}

fn wants_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// `error:`, red on a terminal.
pub(crate) fn error_prefix() -> String {
    if !(wants_colour() && io::stderr().is_terminal()) {
        return "error:".to_owned();
    }
    let style = anstyle::AnsiColor::Red.on_default().bold();
    format!("{style}error:{style:#}")
}

/// `text`, bold where colours are wanted.
pub(crate) fn bold(text: &str) -> String {
    if !stdout_colour() {
        return text.to_owned();
    }
    let style = anstyle::Style::new().bold();
    format!("{style}{text}{style:#}")
}

/// `text`, dim where colours are wanted.
pub(crate) fn dim(text: &str) -> String {
    if !stdout_colour() {
        return text.to_owned();
    }
    let style = anstyle::Style::new().dimmed();
    format!("{style}{text}{style:#}")
}

/// Writes to the standard output; unlike `print!`, a closed pipe is an error and no panic.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(io::stdout().flush()?)
}

/// Whether the reader of our output went away, as `head` does: no failure of ours.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
