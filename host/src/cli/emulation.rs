//! How the emulator executes: what `trace` and `check` have in common.

use simt::{Model, Options, Policy};

#[derive(Debug, clap::Args)]
pub(crate) struct Emulation {
    /// Execution model: independent, stack, smallest-pc or majority
    #[arg(long, default_value_t = Model::Independent)]
    model: Model,
    /// Lanes that issue together: 4, 8, 16, 32 or 64
    #[arg(long, default_value_t = 32, value_parser = width)]
    width: u32,
    /// Scheduling: greedy, round-robin, random or adversarial
    #[arg(long, default_value_t = Policy::GreedyOldest)]
    policy: Policy,
    /// Seed of the random and adversarial policies
    #[arg(long, default_value_t = 0)]
    schedule_seed: u64,
    /// Warp instructions after which a launch counts as one that never ends
    #[arg(long, default_value_t = 1 << 32, value_parser = super::number::parse)]
    budget: u64,
}

impl Emulation {
    pub(crate) fn options(&self) -> Options {
        Options {
            model: self.model,
            width: self.width,
            policy: self.policy,
            seed: self.schedule_seed,
            budget: self.budget,
            ..Options::default()
        }
    }

    /// In words, for headings.
    pub(crate) fn describe(&self) -> String {
        format!(
            "model {}, width {}, policy {}",
            self.model, self.width, self.policy
        )
    }
}

fn width(text: &str) -> Result<u32, String> {
    match text {
        "4" | "8" | "16" | "32" | "64" => text.parse().map_err(|_| text.to_owned()),
        _ => Err("take 4, 8, 16, 32 or 64".to_owned()),
    }
}
