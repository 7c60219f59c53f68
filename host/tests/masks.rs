//! The default execution model groups lanes as a GPU did, at every event of every program.

use std::collections::BTreeSet;

use lockstep::masks::{self, PROGRAMS};
use lockstep::{Device, IMAGES};
use simt::{Model, Options};

/// At how many events of all a model has the groups that were recorded on the GPU; `tell` hears of
/// those where it has not.
fn agreement(model: Model, mut tell: impl FnMut(String)) -> (usize, usize) {
    let recording = masks::h200().expect("the embedded recording is well-formed");
    let options = Options {
        model,
        ..Options::default()
    };
    let device = Device::emulator(IMAGES, options).expect("the emulator needs nothing");
    let (mut same, mut all) = (0, 0);
    for program in PROGRAMS {
        let recorded = recording.programs.iter();
        let mut recorded = recorded.filter(|recorded| recorded.name == program.name);
        let recorded = recorded.next().map(|recorded| &recorded.events);
        let recorded = recorded.unwrap_or_else(|| panic!("{} was not recorded", program.name));
        let emulated = masks::record(&device, program).expect("it runs");
        assert_eq!(emulated.len(), recorded.len(), "{}", program.name);
        for (event, (mine, gpu)) in emulated.iter().zip(recorded).enumerate() {
            let set = |groups: &[u32]| groups.iter().copied().collect::<BTreeSet<u32>>();
            all += 1;
            if set(mine) == set(gpu) {
                same += 1;
            } else {
                let name = program.name;
                tell(format!(
                    "{name}, event {event}: {mine:08x?}, on the GPU {gpu:08x?}"
                ));
            }
        }
    }
    (same, all)
}

#[test]
fn the_default_model_groups_lanes_as_the_gpu_did() {
    let (same, all) = agreement(Model::Independent, |difference| println!("{difference}"));
    assert!(all >= 150, "{all} events");
    assert_eq!(same, all);
}

/// The others are models of other machines: that they differ is what they are for.
#[test]
fn the_other_models_part_from_the_gpu() {
    for &model in Model::ALL
        .iter()
        .filter(|model| **model != Model::Independent)
    {
        let (same, all) = agreement(model, |_| {});
        assert!(same < all, "{model}");
    }
}
