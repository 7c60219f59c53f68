//! Which lanes are together where: programs that part and meet, and write down `activemask`.
//!
//! **Problem.** Where do lanes that a branch has parted meet again? The PTX ISA does not say; hardware
//! and compiler decide, and each execution model of the emulator decides in its own way.
//! **Launch.** One warp. `n` is [`N`], as an argument so that no loop is unrolled.
//! **Lanes.** At each *event* of a program a lane writes the mask of the lanes that are there with it,
//! and the clock. Which lanes come to an event is the program's meaning; who is there together is the
//! machine's.
//! **Expected PTX.** One `activemask.b32` per event, and the branches that the source has.
//!
//! Each program is a function of the lane, which the kernel runs with a recorder that writes, and the
//! host, once per lane, with one that collects.

use cuda_std::prelude::*;

/// Lanes of the one warp.
pub const LANES: u32 = 32;
/// The length of the programs' loops.
pub const N: u32 = 4;

/// A program: its name, its kernel, its events, and itself.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The kernel that runs it.
    pub kernel: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// How many events it has.
    pub events: u32,
    /// What a lane does, given `n` and what to do at an event.
    pub run: fn(u32, u32, &mut dyn FnMut(u32)),
}

macro_rules! programs {
    ($($(#[doc = $about:literal])+ $name:ident $kernel:ident $events:expr, |$lane:ident, $n:ident, $at:ident| $body:block)*) => {
        /// All programs.
        pub const PROGRAMS: &[Program] = &[$(Program {
            name: stringify!($name),
            kernel: stringify!($kernel),
            about: concat!($($about),+),
            events: $events,
            run: |lane, n, mut at| $name(lane, n, &mut at),
        }),*];
        $(
            $(#[doc = $about])+
            #[inline(always)]
            fn $name($lane: u32, $n: u32, $at: &mut impl FnMut(u32)) $body

            $(#[doc = $about])+
            ///
            /// # Safety
            /// - `masks` and `clocks` hold a value per event and lane; `n` is [`N`].
            #[kernel(block = LANES)]
            pub unsafe fn $kernel(masks: *mut u32, clocks: *mut u64, n: u32) {
                let lane = thread::thread_idx_x();
                $name(lane, n, &mut |event| {
                    let slot = (event * LANES + lane) as usize;
                    // SAFETY: a slot per event and lane.
                    unsafe {
                        masks.add(slot).write(warp::activemask());
                        clocks.add(slot).write(thread::clock64());
                    }
                });
            }
        )*
    };
}

programs! {
    /// two arms, and behind them
    if_else masks_if_else 3, |lane, n, at| {
        if lane < 3 * n {
            at(0);
        } else {
            at(1);
        }
        at(2);
    }

    /// arms in arms, and behind each
    nested_if masks_nested_if 7, |lane, n, at| {
        if lane < 4 * n {
            if lane < 2 * n {
                at(0);
            } else {
                at(1);
            }
            at(2);
        } else {
            if lane < 5 * n {
                at(3);
            } else {
                at(4);
            }
            at(5);
        }
        at(6);
    }

    /// a switch of four ways, and behind it
    switch masks_switch 5, |lane, n, at| {
        match lane % n {
            0 => at(2),
            1 => at(0),
            2 => at(3),
            _ => at(1),
        }
        at(4);
    }

    /// a loop of 1 to 4 turns, and behind it
    trip_counts masks_trip_counts N + 1, |lane, n, at| {
        for turn in 0..=lane % n {
            at(turn);
        }
        at(n);
    }

    /// the two ways through each turn of a loop with `continue`, and behind it
    continue_loop masks_continue_loop 2 * N + 1, |lane, n, at| {
        for turn in 0..n {
            if (lane + turn).is_multiple_of(2) {
                at(turn);
                continue;
            }
            at(n + turn);
        }
        at(2 * n);
    }

    /// two loops with `break 'outer`: before the inner loop, in it, behind it, and behind both
    nested_break masks_nested_break 2 * N + N * N + 1, |lane, n, at| {
        'outer: for row in 0..n {
            at(row);
            for column in 0..n {
                if row * n + column == lane {
                    break 'outer;
                }
                at(n + row * n + column);
            }
            at(n + n * n + row);
        }
        at(2 * n + n * n);
    }

    /// `&&` whose right side has an effect: there, in both arms, and behind
    short_circuit masks_short_circuit 4, |lane, n, at| {
        let right = |at: &mut dyn FnMut(u32)| {
            at(0);
            lane.is_multiple_of(n)
        };
        if lane.is_multiple_of(2) && right(at) {
            at(1);
        } else {
            at(2);
        }
        at(3);
    }

    /// a loop in one arm: in it, behind it, in the other arm, and behind both
    loop_in_arm masks_loop_in_arm N + 3, |lane, n, at| {
        if lane < 4 * n {
            for turn in 0..=lane % n {
                at(turn);
            }
            at(n);
        } else {
            at(n + 1);
        }
        at(n + 2);
    }

    /// `return` out of a loop in an inlined function: in it, behind it, and behind the call
    early_return masks_early_return N + 2, |lane, n, at| {
        #[inline(always)]
        fn search(lane: u32, n: u32, at: &mut impl FnMut(u32)) {
            for turn in 0..n {
                if lane % 8 == turn {
                    return;
                }
                at(turn);
            }
            at(n);
        }
        search(lane, n, at);
        at(n + 1);
    }

    /// `&&` of three terms, each with an effect: there, in both arms, and behind
    three_terms masks_three_terms 6, |lane, n, at| {
        let term = |event: u32, holds: bool, at: &mut dyn FnMut(u32)| {
            at(event);
            holds
        };
        if term(0, lane & 1 == 0, at) && term(1, lane & 2 == 0, at) && term(2, lane & n == 0, at) {
            at(3);
        } else {
            at(4);
        }
        at(5);
    }

    /// `||` whose right side has an effect: there, in both arms, and behind
    either masks_either 4, |lane, n, at| {
        let right = |at: &mut dyn FnMut(u32)| {
            at(0);
            lane < 3 * n
        };
        if lane & 1 == 0 || right(at) {
            at(1);
        } else {
            at(2);
        }
        at(3);
    }

    /// the kernel's end in one arm of an arm: behind the inner branch, in the other arm, behind both
    exit_in_arm masks_exit_in_arm 3, |lane, n, at| {
        if lane < 4 * n {
            if lane & 1 == 0 {
                return;
            }
            at(0);
        } else {
            at(1);
        }
        at(2);
    }

    /// a loop with `continue` and `break`: at its top, before `continue`, behind, and behind the loop
    continue_break masks_continue_break 3 * N + 1, |lane, n, at| {
        for turn in 0..n {
            at(turn);
            if (lane + turn).is_multiple_of(3) {
                at(n + turn);
                continue;
            }
            if lane % 8 == turn {
                break;
            }
            at(2 * n + turn);
        }
        at(3 * n);
    }

    /// an inner loop of 1 to 4 turns with `break 'outer`: at the outer top, in it, behind it, behind both
    inner_trips masks_inner_trips 2 * N + N * N + 1, |lane, n, at| {
        'outer: for row in 0..n {
            at(row);
            let mut column = 0;
            while column <= (lane + row) % n {
                if lane / 4 == row && column == 2 {
                    break 'outer;
                }
                at(n + row * n + column);
                column += 1;
            }
            at(n + n * n + row);
        }
        at(2 * n + n * n);
    }

    /// a loop that ends for each lane in its own turn, with two arms: its top, the arms, behind it
    halving masks_halving 3 * (N + 2) + 1, |lane, n, at| {
        let (mut x, mut turn) = (lane + n, 0);
        while x > 1 {
            at(turn);
            if x & 1 == 0 {
                at(n + 2 + turn);
                x /= 2;
            } else {
                at(2 * (n + 2) + turn);
                x = (x - 1) / 2;
            }
            turn += 1;
        }
        at(3 * (n + 2));
    }

    /// `break` after work of its own: in each turn, that work, and behind the loop
    work_and_break masks_work_and_break 2 * N + 1, |lane, n, at| {
        for turn in 0..n {
            if lane % 8 == turn {
                at(n + turn);
                break;
            }
            at(turn);
        }
        at(2 * n);
    }
}
