//! What came out of a run: records, the table and JSON that show them, and the stamp that says
//! where and with what they were made.

mod record;
mod stamp;
mod table;

use std::path::Path;

use serde::Serialize;

pub use record::{Record, Times, Verdict};
pub use stamp::Stamp;
pub use table::table;

use crate::Error;
use crate::device::Ceilings;

/// A run's records with all that is needed to read them.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Machine, driver, compilers, version.
    pub stamp: Stamp,
    /// The device's bandwidths, measured in the same run.
    pub ceilings: Option<Ceilings>,
    /// Why the emulator ran the kernels, where nobody asked for it.
    pub no_gpu: Option<String>,
    /// Seed of generated input.
    pub seed: u64,
    /// Where the input came from: a distribution's name, or a file.
    pub input: String,
    /// One for each case and n.
    pub records: Vec<Record>,
}

impl Report {
    /// Writes it as JSON; `-` is the standard output.
    pub fn write_json(&self, path: &Path) -> Result<(), Error> {
        let file = |source| Error::File {
            path: path.to_owned(),
            source,
        };
        let text = serde_json::to_string_pretty(self).map_err(|error| file(error.into()))?;
        if path == Path::new("-") {
            use std::io::Write;
            return writeln!(std::io::stdout(), "{text}").map_err(file);
        }
        std::fs::write(path, text + "\n").map_err(file)
    }

    /// Whether any result was wrong.
    pub fn any_wrong(&self) -> bool {
        self.records.iter().any(|record| record.verdict.is_wrong())
    }

    /// What kept cases from running: the messages, each once.
    pub fn obstacles(&self) -> Vec<&str> {
        let mut messages = Vec::new();
        for record in &self.records {
            if let Verdict::Environment { message } = &record.verdict
                && !messages.contains(&message.as_str())
            {
                messages.push(message);
            }
        }
        messages
    }
}
