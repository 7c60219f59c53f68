//! Decodes every entry of PTX files and says what the emulator does not support.
//!
//! `cargo run --release -p simt --example supported -- FILE.ptx…`

use simt::Program;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let (mut good, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                return ExitCode::from(2);
            }
        };
        let module = match ptx::parse(&text) {
            Ok(module) => module,
            Err(errors) => {
                println!("{path}: {errors}");
                return ExitCode::from(2);
            }
        };
        let program = Program::new(Arc::new(module));
        for entry in program.entries() {
            match program.prepare(&entry) {
                Ok(()) => good += 1,
                Err(error) => {
                    bad += 1;
                    println!("{path}: {entry}: {error}");
                }
            }
        }
    }
    println!("{good} kernels decoded, {bad} not");
    ExitCode::from(u8::from(bad > 0))
}
