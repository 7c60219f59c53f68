//! Opening the driver's library, and looking its functions up.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

/// Where the driver's library is looked for, in order. The bare names go through the dynamic
/// linker's own search path; the folders are those of container runtimes and of WSL.
const PLACES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else {
    &[
        "libcuda.so.1",
        "libcuda.so",
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
        "/run/opengl-driver/lib/libcuda.so.1",
    ]
};

/// Environment variable that names the driver's library, or `none` to behave as if there were no
/// driver.
const OVERRIDE: &str = "LOCKSTEP_CUDA_DRIVER";

/// Whether the CUDA driver's library could be opened.
#[derive(Debug, Clone)]
pub enum DriverStatus {
    /// It was opened from this name or path.
    Open(PathBuf),
    /// It was not found; what the dynamic linker said of the first place that was tried.
    Missing(String),
}

/// Says whether this machine has a CUDA driver, and opens it if it has.
pub fn status() -> &'static DriverStatus {
    &opened().status
}

struct Opened {
    library: Option<Library>,
    status: DriverStatus,
}

fn opened() -> &'static Opened {
    static OPENED: OnceLock<Opened> = OnceLock::new();
    OPENED.get_or_init(open)
}

fn open() -> Opened {
    let forced = std::env::var(OVERRIDE).ok();
    if forced.as_deref() == Some("none") {
        let why = format!("{OVERRIDE}=none asks for no driver");
        return Opened {
            library: None,
            status: DriverStatus::Missing(why),
        };
    }
    let mut reasons = Vec::new();
    let places = match &forced {
        Some(path) => std::slice::from_ref(path)
            .iter()
            .map(String::as_str)
            .collect(),
        None => PLACES.to_vec(),
    };
    for place in places {
        // SAFETY: the library is the CUDA driver, whose initialisers may run in any process.
        match unsafe { Library::new(place) } {
            Ok(library) => {
                let status = DriverStatus::Open(PathBuf::from(place));
                return Opened {
                    library: Some(library),
                    status,
                };
            }
            Err(error) => reasons.push(reason(&error)),
        }
    }
    Opened {
        library: None,
        status: DriverStatus::Missing(reasons.first().cloned().unwrap_or_default()),
    }
}

/// What the dynamic linker says, which names the library.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// A function of the driver, looked up once.
pub(super) struct Slot {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

/// Why a function of the driver cannot be called.
pub(super) enum Absent {
    /// There is no driver.
    Driver,
    /// The driver is older (or newer) than this function.
    Function,
}

impl Slot {
    pub(super) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// The function's address: never null.
    pub(super) fn address(&self) -> Result<*mut c_void, Absent> {
        let known = self.address.load(Ordering::Acquire);
        if !known.is_null() {
            return Ok(known);
        }
        let library = opened().library.as_ref().ok_or(Absent::Driver)?;
        // SAFETY: the symbol is only read as an address here; the callers give it its type.
        let found = unsafe { library.get::<*mut c_void>(self.name.to_bytes_with_nul()) };
        let address = found.map(|symbol| *symbol).map_err(|_| Absent::Function)?;
        if address.is_null() {
            return Err(Absent::Function);
        }
        self.address.store(address, Ordering::Release);
        Ok(address)
    }
}
