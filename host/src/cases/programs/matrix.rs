//! Vectors and matrices: addition and product.

use kernels::programs::{matmul, matrix_add, vector_add};

use super::super::launches::{in_tiles, one_per_element};
use super::super::scalar::same_floats;
use crate::baseline::Float as _;
use crate::baseline::elementwise::add;
use crate::baseline::float_sum::gamma;
use crate::baseline::matmul::{Shape, magnitudes, matmul as product};
use crate::case::{Case, Cx, Sizes, Traffic};
use crate::compare::{self, Comparison, Tolerance};
use crate::input::Distribution;
use crate::{Arg, Dtype, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let (blocks, threads) = vector_add::LAUNCH;
    let fixed = u64::from(blocks * threads);
    vec![
        Case::new("vector_add/4x100", "programs", Dtype::F32, run_vector_add)
            .about("c = a + b with the article's launch: 4 blocks of 100 threads")
            .kernels(["vector_add_f32"])
            .traffic(|n| Traffic {
                read: 8 * n,
                written: 4 * n,
            })
            .sizes(Sizes::Fixed(fixed)),
        Case::new("vector_add/f32", "programs", Dtype::F32, run_vector_add)
            .about("c = a + b, one thread per element")
            .kernels(["vector_add_f32"])
            .traffic(|n| Traffic {
                read: 8 * n,
                written: 4 * n,
            }),
        Case::new("matrix_add/f64", "programs", Dtype::F64, run_matrix_add)
            .about("c = a + b for matrices of about √n rows, on a two-dimensional grid")
            .kernels(["matrix_add_f64"])
            .traffic(|n| Traffic {
                read: 16 * n,
                written: 8 * n,
            }),
        matmul_case("naive", "each thread walks along a row and a column"),
        matmul_case("tiled", "tiles of 16 × 16 in shared memory"),
    ]
}

fn run_vector_add(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
    let a = match cx.n() {
        400 => cx.extra::<f32>(1, Distribution::Uniform, 400)?.into(),
        _ => cx.input::<f32>()?,
    };
    let b: Vec<f32> = cx.extra(0, Distribution::Uniform, a.len() as u64)?;
    let expected = cx.baseline(
        || add(&a, &b),
        |parallel| {
            let sequential: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            same_floats("c", parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, a.len(), 12, |cx, range| {
        let (left, right) = (device.upload(&a[range.clone()])?, device.upload(&b[range])?);
        let sum = device.alloc::<f32>(left.len())?;
        let (blocks, threads) = vector_add::LAUNCH;
        let config = match left.len() {
            400 => LaunchConfig::linear(blocks, threads),
            n => one_per_element(n, 256),
        };
        cx.measure(|| {
            let args = [left.as_slice(), right.as_slice(), sum.as_arg()];
            // SAFETY: all three have the same length.
            unsafe { device.launch("vector_add_f32", config, &args) }
        })?;
        sum.download()
    })?;
    Ok(Some(same_floats("c", &parts.concat(), &expected)))
}

fn run_matrix_add(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
    let n = cx.n();
    // As square as it goes: n need not be a square, nor the sides multiples of a block's.
    let rows = n.isqrt().max(1);
    let columns = n / rows;
    let len = (rows * columns) as usize;
    let a = cx.input::<f64>()?;
    let a = &a[..len];
    let b: Vec<f64> = cx.extra(0, Distribution::Uniform, len as u64)?;
    let expected = cx.baseline(
        || add(a, &b),
        |parallel| {
            let sequential: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            same_floats("c", parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    // Whole rows at a time.
    let numbers: Vec<usize> = (0..rows as usize).collect();
    let parts = cx.in_chunks(&numbers, 24 * columns, |cx, part| {
        let start = part.first().map_or(0, |row| row * columns as usize);
        let range = start..start + part.len() * columns as usize;
        let (left, right) = (device.upload(&a[range.clone()])?, device.upload(&b[range])?);
        let sum = device.alloc::<f64>(left.len())?;
        let config = plane(part.len() as u32, columns as u32, matrix_add::TILE);
        cx.measure(|| {
            let args = [
                left.as_slice(),
                right.as_slice(),
                sum.as_arg(),
                Arg::from(part.len() as u32),
                Arg::from(columns as u32),
            ];
            // SAFETY: all three hold so many rows of so many columns.
            unsafe { device.launch("matrix_add_f64", config, &args) }
        })?;
        sum.download()
    })?;
    Ok(Some(same_floats("c", &parts.concat(), &expected)))
}

/// A grid of square blocks that covers a matrix.
fn plane(rows: u32, columns: u32, tile: u32) -> LaunchConfig {
    let grid = (columns.div_ceil(tile).max(1), rows.div_ceil(tile).max(1));
    LaunchConfig::plane(grid, (tile, tile))
}

fn matmul_case(how: &'static str, about: &str) -> Case {
    let kernel = format!("matmul_{how}_f32");
    let launched = kernel.clone();
    Case::new(
        format!("matmul/{how}/f32"),
        "programs",
        Dtype::F32,
        move |cx| run_matmul(cx, &launched),
    )
    .about(format!(
        "product of two matrices of n elements together: {about}"
    ))
    .kernels([kernel])
    .traffic(|n| {
        let Shape { m, k, n } = shape(n);
        Traffic {
            read: 4 * (m * k + k * n) as u64,
            written: 4 * (m * n) as u64,
        }
    })
    .sizes(Sizes::AtMost(1 << 24))
}

/// Sides that differ, with m · k + k · n ≤ n: about √(n/2) each.
fn shape(n: u64) -> Shape {
    let side = (n / 2).isqrt() as usize;
    let m = side.saturating_sub(3);
    Shape {
        m,
        k: side,
        n: side,
    }
}

/// How far an element may be off; anywhere, where partial sums may leave the type's range.
fn bound(magnitude: f64, k: usize) -> f64 {
    if magnitude < f32::LARGEST {
        gamma::<f32>(k as u64) * magnitude + f64::from(f32::MIN_POSITIVE)
    } else {
        f64::INFINITY
    }
}

fn run_matmul(cx: &mut Cx<'_>, kernel: &str) -> Result<Option<Comparison>, Error> {
    let shape = shape(cx.n());
    let data = cx.input::<f32>()?;
    let (a, rest) = data.split_at(shape.m * shape.k);
    let b = &rest[..shape.k * shape.n];
    let bounds = magnitudes(a, b, shape)
        .into_iter()
        .map(|m| bound(m, shape.k))
        .collect();
    let stated = format!(
        "γ_k·Σ|a||b| + 2⁻¹²⁶ (Higham 2002, section 3.5), k = {}",
        shape.k
    );
    let tolerance = Tolerance::each(bounds, stated);
    let wide = |x: &[f32]| x.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    let reference = product(&wide(a), &wide(b), shape);
    cx.baseline(
        || product(a, b, shape),
        |parallel| compare::within("c", parallel, &reference, &tolerance),
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let (left, right) = (device.upload(a)?, device.upload(b)?);
    let c = device.alloc::<f32>(shape.m * shape.n)?;
    let config = plane(shape.m as u32, shape.n as u32, matmul::TILE);
    cx.measure(|| {
        let args = [
            left.as_slice(),
            right.as_slice(),
            c.as_arg(),
            Arg::from(shape.m as u32),
            Arg::from(shape.k as u32),
            Arg::from(shape.n as u32),
        ];
        // SAFETY: the buffers have the shape's lengths.
        unsafe { device.launch(kernel, config, &args) }
    })?;
    let seconds = cx
        .gpu_times()
        .iter()
        .min()
        .map_or(0.0, |time| time.as_secs_f64());
    if seconds > 0.0 {
        let flops = 2.0 * (shape.m * shape.k * shape.n) as f64;
        cx.note(format!("{:.1} GFLOP/s at best", flops / seconds / 1e9));
    }
    Ok(Some(compare::within(
        "c",
        &c.download()?,
        &reference,
        &tolerance,
    )))
}
