//! The kernels on the GPU, by event time: `cargo bench -p lockstep --bench gpu`.
//!
//! Names are `what/how/size`, as in `reduce_sum_f32/v11_streaming/268435456`. Each launch starts
//! with a cold L2 cache; the time is the one between two events around it, so that neither the
//! driver's calls nor the host's clock are in it. The answer is checked once, outside the timed
//! part. Where there is no GPU, this says so and measures nothing.

use std::process::ExitCode;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use kernels::reduce::{Finish, STEPS, Step, launches};
use lockstep::baseline::scan::{Kind, scan};
use lockstep::baseline::{Sum, float_sum};
use lockstep::input::generate;
use lockstep::{Buffer, Device, DeviceChoice, Distribution, Error, LaunchConfig};

const SIZES: [usize; 3] = [1 << 20, 1 << 24, 1 << 28];

fn main() -> ExitCode {
    let device = match Device::open(DeviceChoice::Auto) {
        Ok(device) => device,
        Err(error) => {
            println!("gpu: skipped: {error}");
            return ExitCode::SUCCESS;
        }
    };
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    match ladder(&mut criterion, &device).and_then(|()| scans(&mut criterion, &device)) {
        Ok(()) => {
            criterion.final_summary();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("gpu: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The event time of `count` launches, each with a cold L2.
fn timed(
    device: &Device,
    count: u64,
    launch: &dyn Fn() -> Result<(), Error>,
) -> Result<Duration, Error> {
    let mut total = Duration::ZERO;
    for _ in 0..count {
        device.flush_l2()?;
        total += device.time(launch)?.unwrap_or_default();
    }
    Ok(total)
}

/// A failure inside a measurement ends the benchmark: criterion has no way to pass it on.
fn or_end<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| {
        eprintln!("gpu: {error}");
        std::process::exit(2)
    })
}

fn ladder(criterion: &mut Criterion, device: &Device) -> Result<(), Error> {
    let mut group = criterion.benchmark_group("reduce_sum_f32");
    for len in SIZES {
        let data = generate::<f32>(Distribution::Uniform, 42, len)?;
        let reference = float_sum::sum(&data);
        let input = device.upload(&data)?;
        group.throughput(Throughput::Bytes(4 * len as u64));
        // Step 0 takes seconds at the largest size and says nothing new there.
        for step in STEPS.iter().filter(|step| step.id > 0 || len < SIZES[2]) {
            let work = Reduction::new(device, step, &input)?;
            work.launch()?;
            let error = (f64::from(work.result()?) - reference.sum).abs();
            let depth = step.depth(len as u64, 4, device.info().sms);
            assert!(
                error <= reference.bound::<f32>(depth) + len as f64 * 1e-38,
                "{}",
                step.name
            );
            let id = BenchmarkId::new(format!("v{}_{}", step.id, step.name), len);
            group.bench_function(id, |bencher| {
                bencher.iter_custom(|count| or_end(timed(device, count, &|| work.launch())));
            });
        }
    }
    group.finish();
    Ok(())
}

/// A step of the ladder with its buffers.
struct Reduction<'a> {
    device: &'a Device,
    step: &'static Step,
    kernel: String,
    input: &'a Buffer<f32>,
    partials: [Buffer<f32>; 2],
    ticket: Buffer<u32>,
    out: Buffer<f32>,
}

impl<'a> Reduction<'a> {
    fn new(device: &'a Device, step: &'static Step, input: &'a Buffer<f32>) -> Result<Self, Error> {
        let blocks = step.grid(input.len() as u64, 4, device.info().sms) as usize;
        Ok(Self {
            device,
            step,
            kernel: format!("reduce_sum_f32_v{}_{}", step.id, step.name),
            input,
            partials: [device.alloc(blocks)?, device.alloc(blocks)?],
            ticket: device.alloc(1)?,
            out: device.alloc(1)?,
        })
    }

    fn launch(&self) -> Result<(), Error> {
        let mut source = self.input.as_slice();
        let len = self.input.len() as u64;
        for (pass, (len, grid)) in launches(self.step, len, 4, self.device.info().sms).enumerate() {
            if pass > 0 {
                source = self.partials[(pass - 1) % 2].part(0, len as usize);
            }
            let partials = self.partials[pass % 2].as_arg();
            let args = match self.step.finish {
                Finish::Atomics => vec![source.clone(), self.out.as_arg()],
                Finish::Relaunch => vec![source.clone(), partials],
                Finish::LastBlock => {
                    vec![
                        source.clone(),
                        partials,
                        self.ticket.as_arg(),
                        self.out.as_arg(),
                    ]
                }
            };
            let config = LaunchConfig::linear(grid, self.step.block);
            // SAFETY: a slot for each block's partial, a ticket of 0, one for the result.
            unsafe { self.device.launch(&self.kernel, config, &args)? };
        }
        Ok(())
    }

    /// After one launch, into fresh buffers.
    fn result(&self) -> Result<f32, Error> {
        let passes = launches(
            self.step,
            self.input.len() as u64,
            4,
            self.device.info().sms,
        )
        .count();
        match self.step.finish {
            Finish::Relaunch => Ok(self.partials[(passes - 1) % 2].download()?[0]),
            _ => Ok(self.out.download()?[0]),
        }
    }
}

fn scans(criterion: &mut Criterion, device: &Device) -> Result<(), Error> {
    let mut group = criterion.benchmark_group("scan_inclusive_i32");
    for len in SIZES {
        let data = generate::<i32>(Distribution::Uniform, 42, len)?;
        let grid = kernels::scan::grid(len as u64, 4);
        let input = device.upload(&data)?;
        let out = device.alloc::<i32>(len)?;
        let state = device.alloc::<u64>(kernels::look_back::state_len(grid as usize, 4))?;
        let launch = || {
            let args = [input.as_slice(), out.as_arg(), state.as_arg()];
            let config = LaunchConfig::linear(grid, kernels::scan::BLOCK);
            // SAFETY: an output of the input's length, and a zeroed state for the grid.
            unsafe { device.launch("scan_inclusive_i32", config, &args) }
        };
        launch()?;
        assert!(
            out.download()? == scan::<i32, Sum>(&data, Kind::Inclusive),
            "wrong prefix sums"
        );
        group.throughput(Throughput::Bytes(8 * len as u64));
        group.bench_function(BenchmarkId::new("look_back", len), |bencher| {
            bencher.iter_custom(|count| or_end(timed(device, count, &launch)));
        });
    }
    group.finish();
    Ok(())
}
