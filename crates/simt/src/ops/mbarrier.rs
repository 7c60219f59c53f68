//! Barriers in memory (PTX ISA, "mbarrier"): the object is opaque to programs, 64 bits; here they
//! hold what the ISA says that it keeps track of.
//!
//! Bits 0–19 hold the arrivals expected in each phase, 20–39 those still pending, 40–61 the
//! transactions still pending (a signed number), 63 the parity of the current phase.

/// Largest count of arrivals.
pub const MAX_COUNT: u32 = (1 << 20) - 1;

const COUNT: u64 = MAX_COUNT as u64;
const PENDING: u32 = 20;
const TRANSACTIONS: u32 = 40;
const TRANSACTION_BITS: u64 = (1 << 22) - 1;
const PHASE: u64 = 1 << 63;

/// `mbarrier.init`.
pub const fn init(count: u32) -> u64 {
    let count = count as u64 & COUNT;
    count | count << PENDING
}

/// Arrivals still pending in the phase of a state (`mbarrier.pending_count`).
pub const fn pending_count(state: u64) -> u32 {
    (state >> PENDING & COUNT) as u32
}

/// Whether the phase in which `state` was taken is over (`mbarrier.test_wait`).
pub const fn passed(now: u64, state: u64) -> bool {
    (now ^ state) & PHASE != 0
}

/// Whether the phase of this parity is over: the current one, or the one before it.
pub const fn passed_parity(now: u64, parity: u32) -> bool {
    now >> 63 != (parity & 1) as u64
}

/// Expects so many more transactions (`mbarrier.expect_tx`).
pub const fn expect(state: u64, transactions: u32) -> u64 {
    with_transactions(state, transactions_of(state) + transactions as i64)
}

/// So many transactions are done (`mbarrier.complete_tx`), which may end the phase.
pub const fn complete(state: u64, transactions: u32) -> u64 {
    advance(with_transactions(
        state,
        transactions_of(state) - transactions as i64,
    ))
}

/// So many threads arrive, which may end the phase (`mbarrier.arrive`).
pub const fn arrive(state: u64, count: u32) -> u64 {
    let pending = (state >> PENDING & COUNT).wrapping_sub(count as u64) & COUNT;
    advance(state & !(COUNT << PENDING) | pending << PENDING)
}

/// So many threads arrive for the last time (`mbarrier.arrive_drop`): they are not expected in the
/// next phases.
pub const fn arrive_drop(state: u64, count: u32) -> u64 {
    let expected = (state & COUNT).wrapping_sub(count as u64) & COUNT;
    arrive(state & !COUNT | expected, count)
}

const fn transactions_of(state: u64) -> i64 {
    let up = 64 - TRANSACTIONS - 22;
    ((state << up) as i64) >> (64 - 22)
}

const fn with_transactions(state: u64, transactions: i64) -> u64 {
    let bits = transactions as u64 & TRANSACTION_BITS;
    state & !(TRANSACTION_BITS << TRANSACTIONS) | bits << TRANSACTIONS
}

/// Ends the phase where nothing is pending.
const fn advance(state: u64) -> u64 {
    if state >> PENDING & COUNT != 0 || transactions_of(state) != 0 {
        return state;
    }
    let next = (state & COUNT) << PENDING;
    (state ^ PHASE) & !(COUNT << PENDING) | next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_end_when_all_have_arrived() {
        let mut barrier = init(3);
        assert_eq!(pending_count(barrier), 3);
        // Before the first phase ends, the phase before it (of parity 1) counts as over.
        assert!(!passed_parity(barrier, 0) && passed_parity(barrier, 1));
        let token = barrier;
        barrier = arrive(barrier, 1);
        assert_eq!(pending_count(barrier), 2);
        barrier = arrive(barrier, 1);
        assert!(!passed(barrier, token));
        barrier = arrive(barrier, 1);
        assert!(passed(barrier, token) && passed_parity(barrier, 0));
        assert_eq!(pending_count(barrier), 3);
        barrier = arrive(barrier, 3);
        assert!(passed_parity(barrier, 1) && !passed_parity(barrier, 0));
    }

    #[test]
    fn transactions_hold_a_phase() {
        let mut barrier = expect(init(1), 4096);
        let token = barrier;
        barrier = arrive(barrier, 1);
        assert!(!passed(barrier, token));
        barrier = complete(barrier, 4000);
        assert!(!passed(barrier, token));
        barrier = complete(barrier, 96);
        assert!(passed(barrier, token));
        // A copy may be done before it is expected.
        let early = complete(init(1), 64);
        let both = arrive(expect(early, 64), 1);
        assert!(passed(both, early) && pending_count(both) == 1);
    }

    #[test]
    fn those_who_drop_out_are_not_expected_again() {
        let barrier = arrive(arrive_drop(init(2), 1), 1);
        assert!(passed_parity(barrier, 0));
        assert_eq!(pending_count(barrier), 1);
        assert!(passed_parity(arrive(barrier, 1), 1));
    }

    #[test]
    fn counts_reach_the_limit_of_the_isa() {
        let barrier = init(MAX_COUNT);
        assert_eq!(pending_count(barrier), MAX_COUNT);
        let barrier = arrive(barrier, MAX_COUNT - 1);
        assert_eq!(pending_count(barrier), 1);
    }
}
