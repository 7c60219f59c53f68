//! Machine code of kernels, made by `ptxas` and printed by `nvdisasm`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use cuda_builder::{Ptxas, tools_folder};
use lockstep::device::Image;

/// The SASS of these kernels of an image.
pub(super) fn of(image: &Image<'_>, kernels: &[String]) -> anyhow::Result<String> {
    let arch = format!("sm_{}", image.sm);
    let ptxas = Ptxas::find(arch.parse()?)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (ptx, cubin) = (
        folder.path().join("kernels.ptx"),
        folder.path().join("kernels.cubin"),
    );
    std::fs::write(&ptx, image.ptx).with_context(|| ptx.display().to_string())?;
    let mut assemble = Command::new(&ptxas.path);
    assemble
        .args(["-lineinfo", "-arch", &arch, "-o"])
        .arg(&cubin)
        .arg(&ptx);
    output(&mut assemble)?;
    let listing = output(Command::new(nvdisasm()).args(["-c", "-g"]).arg(&cubin))?;
    let mut text = String::new();
    for kernel in kernels {
        let found = section(&listing, kernel);
        text += &found.with_context(|| format!("{arch} holds no kernel {kernel}"))?;
    }
    Ok(text)
}

/// The one beside the fetched tools, or the search path's.
fn nvdisasm() -> PathBuf {
    let fetched = tools_folder().join("nvdisasm");
    if fetched.is_file() {
        fetched
    } else {
        PathBuf::from("nvdisasm")
    }
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let program = Path::new(command.get_program()).display().to_string();
    let output = command.output().with_context(|| {
        format!(
            "cannot run `{program}`: `cargo xtask setup` fetches it, a CUDA toolkit has it, too"
        )
    })?;
    if !output.status.success() {
        bail!(
            "`{program}` failed:\n{}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The part of the listing that begins with `//---- .text.KERNEL ----`.
fn section(listing: &str, kernel: &str) -> Option<String> {
    let is_heading = |line: &&str| line.starts_with("//-----");
    let wanted = format!(".text.{kernel} ");
    let mut lines = listing
        .lines()
        .skip_while(|line| !(is_heading(line) && line.contains(&wanted)));
    let heading = lines.next()?;
    let body = lines.take_while(|line| !is_heading(line));
    Some(
        std::iter::once(heading)
            .chain(body)
            .collect::<Vec<_>>()
            .join("\n")
            + "\n",
    )
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_kernel_is_cut_out_of_the_listing() {
        let listing = "//----- .text.a -----\nA1\nA2\n//----- .text.ab -----\nB\n";
        assert_eq!(
            section(listing, "a").as_deref(),
            Some("//----- .text.a -----\nA1\nA2\n")
        );
        assert_eq!(section(listing, "c"), None);
    }
}
