//! Where and with what a report was made.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::device::DeviceInfo;
use crate::driver::{DriverStatus, status};
use crate::input::available_memory;

/// Machine, driver, compilers, version.
#[derive(Debug, Clone, Serialize)]
pub struct Stamp {
    /// The crate's version.
    pub version: &'static str,
    /// The commit that it was built from, if it was built from a checkout.
    pub commit: Option<&'static str>,
    /// The compiler of the host code.
    pub rustc: &'static str,
    /// The compiler of the kernels.
    pub kernel_compiler: &'static str,
    /// Whether the host code was optimised.
    pub optimised: bool,
    /// Operating system and processor architecture.
    pub system: String,
    /// The processor's name.
    pub cpu: String,
    /// Threads of the CPU baseline.
    pub cpu_threads: usize,
    /// Bytes of host memory that were available.
    pub host_memory: Option<u64>,
    /// The CUDA driver's library, if there is one.
    pub driver: Option<String>,
    /// The device.
    pub device: Option<DeviceInfo>,
    /// Seconds since 1970.
    pub unix_time: u64,
}

impl Stamp {
    /// The stamp of a report that is made now, with this device.
    pub fn now(device: Option<&DeviceInfo>) -> Self {
        let driver = match status() {
            DriverStatus::Open(path) => Some(path.display().to_string()),
            DriverStatus::Missing(_) => None,
        };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: Some(env!("LOCKSTEP_COMMIT")).filter(|commit| !commit.is_empty()),
            rustc: env!("LOCKSTEP_RUSTC"),
            kernel_compiler: env!("LOCKSTEP_KERNEL_COMPILER"),
            optimised: !cfg!(debug_assertions),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cpu: cpu_name(),
            cpu_threads: rayon::current_num_threads(),
            host_memory: available_memory(),
            driver,
            device: device.cloned(),
            unix_time: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |now| now.as_secs()),
        }
    }

    /// The lines above a table.
    pub fn lines(&self) -> Vec<String> {
        let commit = self
            .commit
            .map(|commit| format!(" ({commit})"))
            .unwrap_or_default();
        let debug = if self.optimised {
            ""
        } else {
            ", unoptimised build"
        };
        let mut lines = vec![format!(
            "lockstep {}{commit}, {}; kernels by {}{debug}",
            self.version, self.rustc, self.kernel_compiler
        )];
        lines.push(format!(
            "cpu   {}, {} threads, {}",
            self.cpu, self.cpu_threads, self.system
        ));
        if let Some(device) = &self.device {
            lines.push(device_line(device));
        }
        lines
    }
}

/// `cuda  NVIDIA H200, sm_90 (kernels for sm_90), 132 SMs, 140 GiB, driver CUDA 13.0`.
fn device_line(device: &DeviceInfo) -> String {
    let driver = match device.driver {
        (0, 0) => String::new(),
        (major, minor) => format!(", driver CUDA {major}.{minor}"),
    };
    format!(
        "{:<5} {}, sm_{} (kernels for sm_{}), {} SMs, {}{driver}",
        device.kind,
        device.name,
        device.sm(),
        device.image,
        device.sms,
        crate::units::bytes(device.memory),
    )
}

fn cpu_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    name.unwrap_or_else(|| "unknown processor".to_owned())
}
