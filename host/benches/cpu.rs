//! The rayon baselines: `cargo bench -p lockstep --bench cpu`.
//!
//! Names are `what/how/size`, as in `reduce_sum_f32/rayon/1048576`. Throughput counts the bytes
//! that must be read and written, as the report's GB/s do.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lockstep::baseline::matmul::{Shape, matmul};
use lockstep::baseline::scan::{Kind, scan};
use lockstep::baseline::{Max, Min, Number, Operation, Sum};
use lockstep::baseline::{
    arg, compact, elementwise, float_sum, histogram, reduce, search, segmented,
};
use lockstep::input::generate;
use lockstep::{Distribution, Element};

const SIZES: [usize; 3] = [1 << 16, 1 << 20, 1 << 24];

fn input<T: Element>(len: usize, seed: u64) -> Vec<T> {
    generate(Distribution::Uniform, seed, len).expect("the host has the memory")
}

/// One benchmark per size, over `work` on that many elements, `bytes` moved for each.
fn bench<T: Element, R>(
    criterion: &mut Criterion,
    what: &str,
    bytes: usize,
    work: impl Fn(&[T]) -> R,
) {
    let mut group = criterion.benchmark_group(what);
    for len in SIZES {
        let data = input::<T>(len, 42);
        group.throughput(Throughput::Bytes((len * bytes) as u64));
        group.bench_with_input(BenchmarkId::new("rayon", len), &data, |bencher, data| {
            bencher.iter(|| work(data));
        });
    }
    group.finish();
}

fn reductions(criterion: &mut Criterion) {
    fn one<T: Element + Number, O: Operation>(criterion: &mut Criterion, op: &str) {
        let what = format!("reduce_{op}_{}", T::DTYPE);
        bench(criterion, &what, size_of::<T>(), |data: &[T]| {
            reduce::reduce::<T, O>(data)
        });
    }
    one::<i32, Sum>(criterion, "sum");
    one::<u32, Sum>(criterion, "sum");
    one::<i64, Sum>(criterion, "sum");
    one::<u64, Sum>(criterion, "sum");
    one::<f32, Sum>(criterion, "sum");
    one::<f64, Sum>(criterion, "sum");
    one::<i32, Min>(criterion, "min");
    one::<f32, Min>(criterion, "min");
    one::<f64, Max>(criterion, "max");
    bench(criterion, "reference_sum_f32", 4, |data: &[f32]| {
        float_sum::sum(data)
    });
    bench(criterion, "warp_sum_f32", 4, |data: &[f32]| {
        reduce::reduce_groups::<f32, Sum>(data, 32)
    });
    bench(criterion, "arg_min_f32", 4, |data: &[f32]| {
        arg::arg_min(data)
    });
}

fn two_inputs(criterion: &mut Criterion) {
    let other: Vec<f32> = input(SIZES[2], 7);
    bench(criterion, "dot_f32", 8, |data: &[f32]| {
        reduce::dot(data, &other[..data.len()])
    });
    bench(criterion, "vector_add_f32", 12, |data: &[f32]| {
        elementwise::add(data, &other[..data.len()])
    });
}

fn orders(criterion: &mut Criterion) {
    bench(criterion, "scan_inclusive_i32", 8, |data: &[i32]| {
        scan::<i32, Sum>(data, Kind::Inclusive)
    });
    bench(criterion, "scan_exclusive_f32", 8, |data: &[f32]| {
        scan::<f32, Sum>(data, Kind::Exclusive)
    });
    // Half of uniform input is kept.
    bench(criterion, "compact_i32", 6, |data: &[i32]| {
        compact::compact(data, |x| x > 0)
    });
    bench(criterion, "histogram_u32_256", 4, |data: &[u32]| {
        histogram::histogram(data, 256, |x| (x >> 24) as usize)
    });
    bench(criterion, "search_i32", 4, |data: &[i32]| {
        search::find_first(data, i32::MIN + 77)
    });
    bench(criterion, "segmented_sum_f32_256", 4, |data: &[f32]| {
        let offsets: Vec<u32> = (0..=data.len() as u32).step_by(256).collect();
        segmented::reduce::<f32, Sum>(data, &offsets)
    });
}

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matmul_f32");
    group.sample_size(10);
    for side in [128, 256, 512] {
        let (a, b) = (input::<f32>(side * side, 1), input::<f32>(side * side, 2));
        let shape = Shape {
            m: side,
            k: side,
            n: side,
        };
        group.throughput(Throughput::Elements(2 * (side * side * side) as u64));
        group.bench_function(BenchmarkId::new("rayon", side), |bencher| {
            bencher.iter(|| matmul(&a, &b, shape));
        });
    }
    group.finish();
}

criterion_group!(benches, reductions, two_inputs, orders, products);
criterion_main!(benches);
