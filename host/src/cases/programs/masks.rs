//! The programs that record who is together where. Who comes to an event is compared; who is there
//! together is the machine's, as long as it makes sense.

use kernels::programs::masks::{LANES, PROGRAMS};

use crate::case::{Case, Cx, Sizes};
use crate::compare::{self, Comparison};
use crate::masks::{self, Reached};
use crate::{Dtype, Error};

pub(super) fn all() -> Vec<Case> {
    let case = |program: &'static masks::Program| {
        Case::new(
            format!("masks/{}", program.name),
            "programs",
            Dtype::U32,
            move |cx| run(cx, program),
        )
        .about(format!("who is together where: {}", program.about.trim()))
        .kernels([program.kernel])
        .sizes(Sizes::Fixed(u64::from(LANES)))
    };
    PROGRAMS.iter().map(case).collect()
}

fn run(cx: &mut Cx<'_>, program: &masks::Program) -> Result<Option<Comparison>, Error> {
    let reached = cx.baseline(
        || masks::reached(program),
        |again| compare::exact("lanes", &again.0, &masks::reached(program).0),
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let seen = masks::launch(device, program)?;
    Ok(Some(compare::exact(
        "lanes of event",
        &plausible(&reached, &seen.masks),
        &reached.0,
    )))
}

/// Per event the lanes that came; what cannot be stands as it was recorded: a mask without its own
/// lane, or with one that never comes here.
fn plausible(reached: &Reached, masks: &[u32]) -> Vec<u32> {
    let events = masks.chunks(LANES as usize).zip(&reached.0);
    events
        .map(|(masks, &lanes)| {
            let came = |(lane, &mask): (usize, &u32)| match mask {
                0 => Ok(0),
                _ if mask & !lanes == 0 && mask >> lane & 1 == 1 => Ok(1 << lane),
                wrong => Err(wrong),
            };
            let all: Result<Vec<u32>, u32> = masks.iter().enumerate().map(came).collect();
            all.map_or_else(|wrong| wrong, |bits| bits.iter().sum())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_that_cannot_be_is_no_match() {
        let reached = Reached(vec![0b11]);
        let check = |masks: [u32; 2], expected: u32| {
            let mut all = vec![0; LANES as usize];
            all[..2].copy_from_slice(&masks);
            assert_eq!(plausible(&reached, &all), [expected], "{masks:?}");
        };
        check([0b11, 0b11], 0b11);
        check([0b01, 0b10], 0b11);
        check([0b01, 0], 0b01);
        check([0b10, 0b10], 0b10);
        check([0b111, 0b11], 0b111);
    }
}
