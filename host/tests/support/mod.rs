//! What the integration tests share.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The variable that names the driver's library.
pub(crate) const DRIVER: &str = "LOCKSTEP_CUDA_DRIVER";

/// The fake driver's library, compiled when it is first asked for.
pub(crate) fn fake_driver() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let name = format!("libfakecuda-{}.so", std::process::id());
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/fake_driver.rs");
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let output = Command::new(rustc)
            .args([
                "--edition=2024",
                "--crate-type=cdylib",
                "-Copt-level=1",
                "-o",
            ])
            .arg(&library)
            .arg(source)
            .output()
            .expect("rustc runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        library
    })
}
