//! The kernel package and its workspace, as cargo describes them.

use crate::error::CudaBuilderError;
use crate::toolchain::Toolchain;
use cargo_metadata::MetadataCommand;
use std::path::{Path, PathBuf};

/// What the builder needs to know of the package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// The package's name.
    pub(crate) name: String,
    /// The library target's name, as it stands in file names.
    pub(crate) library: String,
    /// The package's folder.
    pub(crate) folder: PathBuf,
    /// The workspace's folder.
    pub(crate) workspace: PathBuf,
    /// Where cargo puts what it builds.
    pub(crate) target: PathBuf,
}

impl Package {
    /// Asks cargo about the package in `folder`.
    pub(crate) fn find(folder: &Path, toolchain: &Toolchain) -> Result<Package, CudaBuilderError> {
        let refuse = |message: String| CudaBuilderError::NotAPackage {
            path: folder.to_owned(),
            message,
        };
        let manifest = folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(refuse("there is no Cargo.toml".to_owned()));
        }
        let manifest = std::fs::canonicalize(&manifest).map_err(|e| refuse(e.to_string()))?;
        let metadata = MetadataCommand::new()
            .cargo_path(&toolchain.cargo)
            .env("RUSTC", &toolchain.rustc)
            .env_remove("RUSTUP_TOOLCHAIN")
            .manifest_path(&manifest)
            .no_deps()
            .exec()
            .map_err(|error| refuse(error.to_string()))?;
        let package = metadata
            .packages
            .iter()
            .find(|package| package.manifest_path.as_std_path() == manifest)
            .ok_or_else(|| refuse("its Cargo.toml describes no package".to_owned()))?;
        let library = package
            .targets
            .iter()
            .find(|target| target.is_lib() || target.is_rlib() || target.is_staticlib())
            .ok_or_else(|| refuse("it has no library target: kernels live in one".to_owned()))?;
        Ok(Package {
            name: package.name.to_string(),
            library: library.name.replace('-', "_"),
            folder: manifest.parent().unwrap_or(folder).to_owned(),
            workspace: metadata.workspace_root.into(),
            target: metadata.target_directory.into(),
        })
    }
}
