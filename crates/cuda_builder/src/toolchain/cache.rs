//! Remembers the toolchain that was found, so that a build need not ask four programs again.

use super::Toolchain;
use super::find::Settings;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What was found, under which settings, and when each file last changed.
#[derive(serde::Serialize, serde::Deserialize)]
struct Entry {
    settings: String,
    stamps: Vec<(PathBuf, Option<SystemTime>)>,
    toolchain: Toolchain,
}

/// The remembered toolchain, if nothing that it depends on has changed.
pub(super) fn read(file: &Path, settings: &Settings) -> Option<Toolchain> {
    let entry: Entry = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    let same =
        entry.settings == format!("{settings:?}") && entry.stamps == stamps(&entry.toolchain);
    same.then_some(entry.toolchain)
}

/// Remembers; a cache that cannot be written is no error, only slower.
pub(super) fn write(file: &Path, settings: &Settings, toolchain: &Toolchain) {
    let entry = Entry {
        settings: format!("{settings:?}"),
        stamps: stamps(toolchain),
        toolchain: toolchain.clone(),
    };
    if let Ok(text) = serde_json::to_string_pretty(&entry) {
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = std::fs::write(file, text);
    }
}

fn stamps(toolchain: &Toolchain) -> Vec<(PathBuf, Option<SystemTime>)> {
    let core = toolchain.library.join("core/src/lib.rs");
    [
        &toolchain.rustc,
        &toolchain.cargo,
        &toolchain.llc,
        &toolchain.opt,
        &toolchain.llvm_link,
        &core,
    ]
    .map(|path| {
        let time = std::fs::metadata(path).and_then(|m| m.modified()).ok();
        (path.clone(), time)
    })
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_or_setting_forgets() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = root.path().join(name);
            std::fs::write(&path, "").unwrap();
            path
        };
        let toolchain = Toolchain {
            rustc: path("rustc"),
            cargo: path("cargo"),
            library: root.path().to_owned(),
            llc: path("llc"),
            opt: path("opt"),
            llvm_link: path("llvm-link"),
            release: "1.96.0".into(),
            description: "rustc 1.96.0".into(),
            llvm_major: 22,
        };
        let file = root.path().join("deep/cache.json");
        let settings = Settings::default();
        assert_eq!(read(&file, &settings), None);
        write(&file, &settings, &toolchain);
        assert_eq!(read(&file, &settings), Some(toolchain.clone()));
        let other = Settings {
            forced: Some("x".into()),
            ..Settings::default()
        };
        assert_eq!(read(&file, &other), None);
        std::fs::remove_file(&toolchain.llc).unwrap();
        assert_eq!(read(&file, &settings), None);
    }
}
