//! The GPU path without a GPU: `cust` and the forwarding layer against a driver that pretends.
//!
//! The driver's library is opened once in a process, so each test runs itself again in a process
//! of its own, with the variable set that names the library.

mod support;

use std::process::Command;

use lockstep::device::Image;
use lockstep::{Arg, Device, DeviceChoice, Error, LaunchConfig};
use support::{DRIVER, fake_driver};

const PTX: &str = "
.version 7.8
.target sm_90
.address_size 64
.visible .entry increment(
    .param .u64 .ptr .align 1 increment_param_0,
    .param .u64 increment_param_1
)
.reqntid 256, 1, 1
{ ret; }
.visible .entry fault() { ret; }
.visible .entry absent_from_the_module(.param .align 4 .b8 p[12]) .maxntid 64 { ret; }
";

/// Runs `body` in a process that opens the fake driver.
#[track_caller]
fn with_fake_driver(test: &str, body: impl FnOnce()) {
    if std::env::var_os(DRIVER).is_some() {
        return body();
    }
    let this = std::env::current_exe().expect("the test's own path");
    let output = Command::new(this)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(DRIVER, fake_driver())
        .output()
        .expect("the test runs again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

fn open(ptx: &str) -> Result<Device, Error> {
    Device::open_with(DeviceChoice::Cuda(0), &[Image { sm: 90, ptx }])
}

fn device() -> Device {
    open(PTX).expect("the fake device opens")
}

fn launch(
    device: &Device,
    kernel: &str,
    config: LaunchConfig,
    args: &[Arg<'_>],
) -> Result<(), Error> {
    // SAFETY: the fake driver's kernels stay inside the slices that they are given.
    unsafe { device.launch(kernel, config, args) }
}

#[test]
fn a_device_says_what_it_is() {
    with_fake_driver("a_device_says_what_it_is", || {
        let device = device();
        let info = device.info();
        assert_eq!(
            (info.name.as_str(), info.sm(), info.image),
            ("Pretender", 90, 90)
        );
        assert_eq!((info.driver, info.max_shared_per_block), ((13, 0), 232_448));
        assert_eq!(Device::list().expect("a list").len(), 1);
    });
}

#[test]
fn buffers_hold_what_they_are_given() {
    with_fake_driver("buffers_hold_what_they_are_given", || {
        let device = device();
        for len in [0, 1, 31, 1000] {
            let data: Vec<u64> = (0..len).map(|i| i * i).collect();
            let buffer = device.upload(&data).expect("memory");
            assert_eq!(
                (buffer.len() as u64, buffer.download().expect("a copy")),
                (len, data)
            );
            let mut other = device.alloc::<u64>(buffer.len()).expect("memory");
            assert!(other.download().expect("a copy").iter().all(|x| *x == 0));
            device.copy(&buffer, &mut other).expect("a copy");
            assert_eq!(
                other.download().expect("a copy"),
                buffer.download().expect("a copy")
            );
        }
        assert_eq!(
            device
                .filled(7_u8, 5)
                .expect("memory")
                .download()
                .expect("a copy"),
            [7; 5]
        );
        assert_eq!(
            device
                .filled(-2_i16, 5)
                .expect("memory")
                .download()
                .expect("a copy"),
            [-2; 5]
        );
        assert_eq!(
            device
                .filled(1.5_f32, 5)
                .expect("memory")
                .download()
                .expect("a copy"),
            [1.5; 5]
        );
        assert_eq!(
            device
                .filled(1.5_f64, 5)
                .expect("memory")
                .download()
                .expect("a copy"),
            [1.5; 5]
        );
        let error = device
            .upload(&[1_u8, 2])
            .expect("memory")
            .upload(&[1])
            .expect_err("too short");
        assert_eq!(
            error.to_string(),
            "a buffer of 2 elements does not match host data of 1"
        );
    });
}

#[test]
fn memory_that_is_not_there_is_refused() {
    with_fake_driver("memory_that_is_not_there_is_refused", || {
        let device = device();
        let error = device.alloc::<u8>(1 << 40).expect_err("too much");
        let text = "a buffer needs 1.00 TiB on the device, and 256 MiB are available there: choose a smaller n";
        assert_eq!(error.to_string(), text);
        device.limit_bytes(Some(1000));
        let first = device.alloc::<u8>(600).expect("within the limit");
        assert!(matches!(
            device.alloc::<u8>(600),
            Err(Error::OutOfMemory { available: 400, .. })
        ));
        drop(first);
        assert!(device.alloc::<u8>(600).is_ok());
    });
}

#[test]
fn kernels_run_and_are_timed() {
    with_fake_driver("kernels_run_and_are_timed", || {
        let device = device();
        let data = device.upload(&[1_u32, 2, u32::MAX]).expect("memory");
        let shape = LaunchConfig::linear(1, 256);
        device.flush_l2().expect("a flush");
        let work = || launch(&device, "increment", shape, &[data.as_slice()]);
        assert!(device.time(work).expect("a launch").is_some());
        launch(
            &device,
            "increment",
            shape.cooperative(),
            &[data.part(1, 1)],
        )
        .expect("a launch");
        launch(
            &device,
            "increment",
            shape.with_shared(100_000),
            &[data.as_arg(), 0_usize.into()],
        )
        .expect("a launch");
        device.synchronize().expect("no fault");
        assert_eq!(data.download().expect("a copy"), [2, 4, 0]);
        assert_eq!(
            device
                .resident_blocks("increment", shape)
                .expect("an occupancy"),
            16
        );
        let resources = device
            .resources("increment")
            .expect("resources")
            .expect("of a GPU");
        assert_eq!(resources.registers, 16);
    });
}

#[track_caller]
fn check_breach(kernel: &str, config: LaunchConfig, args: &[Arg<'_>], expected: &str) {
    let error = launch(&device(), kernel, config, args).expect_err("a breach");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn launches_that_break_the_contract_are_refused() {
    with_fake_driver("launches_that_break_the_contract_are_refused", || {
        let shape = |block| LaunchConfig::linear(1, block);
        let good = [Arg::from(0_u64), Arg::from(0_u64)];
        let wrong = [Arg::from(0_u64), Arg::from(0_u32)];
        check_breach(
            "increment",
            shape(64),
            &good,
            "increment: block (64,1,1) does not match the required (256,1,1)",
        );
        check_breach(
            "increment",
            LaunchConfig::linear(0, 256),
            &good,
            "increment: grid (0,1,1) is not between (1,1,1) and (2147483647,65535,65535)",
        );
        check_breach(
            "increment",
            shape(256),
            &good[..1],
            "increment: 1 arguments given, 2 required",
        );
        check_breach(
            "increment",
            shape(256),
            &wrong,
            "increment: argument 1 has 4 bytes, 8 required",
        );
        check_breach(
            "increment",
            shape(256).with_shared(1 << 20),
            &good,
            "increment: 1048576 bytes of dynamic shared memory, and 232448 are allowed",
        );
        check_breach(
            "incremend",
            shape(256),
            &good,
            "incremend: no such kernel; did you mean increment?",
        );
        check_breach(
            "fault",
            shape(2048),
            &[],
            "fault: block (2048,1,1) is not between (1,1,1) and (1024,1024,64)",
        );
        let point = [Arg::value([0_u32; 3])];
        check_breach(
            "absent_from_the_module",
            shape(65),
            &point,
            "absent_from_the_module: block (65,1,1) has more threads than the 64 allowed",
        );
        let text = "absent_from_the_module: cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (500): named symbol not found";
        check_breach("absent_from_the_module", shape(64), &point, text);
    });
}

#[test]
fn the_log_of_the_driver_s_compiler_is_told() {
    with_fake_driver("the_log_of_the_driver_s_compiler_is_told", || {
        let error = open("malformed").expect_err("no PTX");
        let text = "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed\n\
            the driver's PTX compiler says:\n\
            ptxas application ptx input, line 3; fatal: Parsing error near 'malformed'";
        assert_eq!(error.to_string(), text);
        assert!(open("a\0b").is_err_and(|error| error.to_string().contains("zero byte")));
    });
}

#[test]
fn the_newest_image_that_the_driver_reads_is_taken() {
    with_fake_driver("the_newest_image_that_the_driver_reads_is_taken", || {
        let image = |sm, ptx| Image { sm, ptx };
        let newer = ".version 99\n.target sm_90";
        let choice = DeviceChoice::Cuda(0);
        let images = [
            image(70, PTX),
            image(80, PTX),
            image(90, newer),
            image(100, PTX),
        ];
        let device = Device::open_with(choice, &images).expect("an older image");
        assert_eq!(device.image(), 80);
        let error = Device::open_with(choice, &[image(90, newer)]).expect_err("too new");
        assert!(
            error
                .to_string()
                .contains("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"),
            "{error}"
        );
        let error = Device::open_with(choice, &[image(100, PTX)]).expect_err("too new");
        assert!(
            error
                .to_string()
                .starts_with("Pretender is sm_90, and the embedded kernels need sm_100")
        );
        assert!(matches!(
            Device::open_with(choice, &[]),
            Err(Error::NoKernels)
        ));
    });
}

#[test]
fn a_fault_names_the_kernel() {
    with_fake_driver("a_fault_names_the_kernel", || {
        let device = device();
        launch(&device, "fault", LaunchConfig::linear(1, 1), &[]).expect("faults show later");
        let error = device.synchronize().expect_err("a fault");
        let text = "fault: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered";
        assert_eq!(error.to_string(), text);
        let args = [Arg::from(0_u64), Arg::from(0_u64)];
        let next = launch(&device, "increment", LaunchConfig::linear(1, 256), &args);
        assert!(next.is_err_and(|error| error.to_string().starts_with("fault: cuLaunchKernel")));
    });
}

#[test]
fn a_device_that_is_not_there_is_refused() {
    with_fake_driver("a_device_that_is_not_there_is_refused", || {
        let error = Device::open(DeviceChoice::Cuda(1)).expect_err("there is one");
        assert_eq!(
            error.to_string(),
            "no cuda device: device 1 was asked for, and there are 1"
        );
    });
}
