//! `lockstep ptx`: the PTX or SASS of a case's kernels, next to the Rust that it came from.

mod sass;
pub(super) mod text;

use anyhow::{Context, bail};
use lockstep::device::{Image, entry_contracts};
use lockstep::{IMAGES, case};

use super::{Outcome, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep ptx reduce/sum/f32\n  \
    lockstep ptx reduce_sum_f32 --arch sm_80 --sass")]
pub(crate) struct Args {
    /// A case, or a kernel by the name that its PTX has
    case: String,
    /// The architecture: sm_70, sm_80, …; the newest that is embedded where none is given
    #[arg(long)]
    arch: Option<String>,
    /// Show the machine code instead, by ptxas and nvdisasm
    #[arg(long)]
    sass: bool,
    /// Show the PTX as it is, without the Rust lines
    #[arg(long, conflicts_with = "sass")]
    raw: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let image = image(args.arch.as_deref())?;
    let kernels = kernels(&args.case, image)?;
    let mut out = String::new();
    if args.sass {
        out += &sass::of(image, &kernels)?;
    } else {
        let files = text::files(image.ptx);
        for kernel in &kernels {
            let entry = text::entry(image.ptx, kernel)
                .with_context(|| format!("sm_{} holds no kernel {kernel}", image.sm))?;
            out += &match args.raw {
                true => format!("{entry}\n\n"),
                false => text::beside_rust(entry, &files) + "\n",
            };
        }
    }
    style::print(&out)?;
    Ok(Outcome::Fine)
}

fn image(arch: Option<&str>) -> anyhow::Result<&'static Image<'static>> {
    let newest = IMAGES.iter().max_by_key(|image| image.sm);
    let newest = newest.context("this build of lockstep embeds no kernels")?;
    let Some(arch) = arch else { return Ok(newest) };
    let found = IMAGES
        .iter()
        .find(|image| format!("sm_{}", image.sm) == arch);
    found.with_context(|| {
        let all: Vec<String> = IMAGES
            .iter()
            .map(|image| format!("sm_{}", image.sm))
            .collect();
        format!(
            "no kernels for `{arch}` are embedded: {} are",
            all.join(", ")
        )
    })
}

/// The kernels of the cases of that name, or the kernel of that name.
fn kernels(name: &str, image: &Image<'_>) -> anyhow::Result<Vec<String>> {
    if entry_contracts(image.ptx).contains_key(name) {
        return Ok(vec![name.to_owned()]);
    }
    let mut kernels = Vec::new();
    for case in case::find(&[name.to_owned()])? {
        for kernel in case.kernel_names() {
            if !kernels.iter().any(|known| known == kernel) {
                kernels.push(kernel.to_owned());
            }
        }
    }
    if kernels.is_empty() {
        bail!("{name} launches no kernel");
    }
    Ok(kernels)
}
