//! `cargo xtask tidy`: checks the docs and the tree against the code.

use crate::workspace::root;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Lines above which a source file is to be split.
const LONGEST_FILE: usize = 600;

/// Prints every complaint; exit code 1 where there is one.
pub(crate) fn run() -> Result<ExitCode> {
    let root = root();
    let mut complaints = Vec::new();
    for path in tracked_files(&root)? {
        let Ok(text) = std::fs::read_to_string(root.join(&path)) else {
            continue; // Not text, or deleted and not yet committed.
        };
        complaints.extend(complaints_of(&root, &path, &text));
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!("tidy: {} complaints", complaints.len());
    Ok(ExitCode::from(u8::from(!complaints.is_empty())))
}

fn tracked_files(root: &Path) -> Result<Vec<PathBuf>> {
    let output = Command::new("git")
        .current_dir(root)
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .output()
        .context("cannot run `git`")?;
    let list = String::from_utf8(output.stdout).context("a file name is no UTF-8")?;
    Ok(list.split_terminator('\0').map(PathBuf::from).collect())
}

fn complaints_of(root: &Path, path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let at = |line: usize, what: &str| format!("{}:{}: {what}", path.display(), line + 1);
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    if extension == "rs" {
        let test_data = path.components().any(|c| c.as_os_str() == "fail");
        if !test_data && !text.trim_start().starts_with("//!") {
            found.push(at(0, "no `//!` says what this file is for"));
        }
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            found.push(at(
                0,
                &format!("{lines} lines; over {LONGEST_FILE} look for the seam"),
            ));
        }
    }
    if extension == "md" {
        for (number, line) in text.lines().enumerate() {
            for target in local_links(line) {
                let folder = root
                    .join(path)
                    .parent()
                    .map(Path::to_owned)
                    .unwrap_or_default();
                if !folder.join(target).exists() {
                    found.push(at(
                        number,
                        &format!("link to `{target}`, which is not there"),
                    ));
                }
            }
        }
    }
    if extension != "lock" {
        let home = std::env::var("HOME").unwrap_or_default();
        let here = root.display().to_string();
        for (number, line) in text.lines().enumerate() {
            let machine = [&here, &home];
            if machine
                .iter()
                .any(|m| m.len() > 1 && line.contains(&format!("{m}/")))
            {
                found.push(at(number, "a path of this machine"));
            }
        }
    }
    found
}

/// The targets of a Markdown line's links that name files of the repository.
fn local_links(line: &str) -> Vec<&str> {
    line.match_indices("](")
        .filter_map(|(at, _)| line[at + 2..].split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or(target))
        .filter(|target| !target.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links() {
        assert_eq!(
            local_links("[a](b.md#c) [d](https://e.f) [g](#h) [i](j/k.rs)"),
            ["b.md", "j/k.rs"]
        );
    }

    #[test]
    fn a_source_file_says_what_it_is_for() {
        let root = Path::new("/nowhere");
        assert_eq!(
            complaints_of(root, Path::new("a.rs"), "//! It is.\n").len(),
            0
        );
        assert_eq!(
            complaints_of(root, Path::new("a.rs"), "fn f() {}\n").len(),
            1
        );
        assert_eq!(
            complaints_of(root, Path::new("a.md"), "[x](y.md)\n").len(),
            1
        );
    }
}
