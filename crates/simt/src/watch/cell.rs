//! Who touched a word last.

/// A thread's access, as far as races care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Thread of the block, or number of the block.
    pub(crate) who: u32,
    pub(crate) clock: u32,
    pub(crate) pc: u32,
    /// Thread of the block.
    pub(crate) thread: u16,
    pub(crate) strong: bool,
}

/// The last write to a place, and the last reads by two different parties.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) write: Option<Stamp>,
    pub(crate) reads: [Option<Stamp>; 2],
}

impl Cell {
    /// Records an access, and returns the earlier one that it conflicts with: one of them writes,
    /// not both are atomic or volatile, and `ordered` does not know the earlier to come before.
    pub(crate) fn touch(
        &mut self,
        stamp: Stamp,
        reads: bool,
        writes: bool,
        ordered: impl Fn(&Stamp) -> bool,
    ) -> Option<(Stamp, bool)> {
        let conflicts = |other: &Stamp| !(other.strong && stamp.strong) && !ordered(other);
        let written = self.write.filter(|w| conflicts(w)).map(|w| (w, true));
        let read = || {
            self.reads
                .iter()
                .flatten()
                .find(|r| conflicts(r))
                .map(|r| (*r, false))
        };
        let found = written.or_else(|| if writes { read() } else { None });
        if writes {
            self.write = Some(stamp);
            self.reads = [None; 2];
        } else if reads {
            match &mut self.reads {
                [Some(first), _] if first.who == stamp.who => *first = stamp,
                [first, second] => {
                    *second = *first;
                    *first = Some(stamp);
                }
            }
        }
        found
    }
}

/// Cells of consecutive words of four bytes; words of which single bytes are accessed have a cell
/// for each byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    words: Vec<Cell>,
    bytes: std::collections::HashMap<u64, Cell>,
    split: std::collections::HashSet<u64>,
}

impl Cells {
    pub(crate) fn new(bytes: u64) -> Cells {
        let words = usize::try_from(bytes.div_ceil(4)).unwrap_or(0);
        Cells {
            words: vec![Cell::default(); words],
            ..Cells::default()
        }
    }

    /// Calls `f` with every cell that `len` bytes from `start` touch, until it answers something.
    pub(crate) fn find<R>(
        &mut self,
        start: u64,
        len: u64,
        mut f: impl FnMut(&mut Cell) -> Option<R>,
    ) -> Option<R> {
        let mut found = None;
        let (mut at, end) = (start, start.saturating_add(len));
        while at < end {
            let word = at / 4;
            let whole = at % 4 == 0 && end - at >= 4;
            let Some(cell) = self.words.get_mut(word as usize) else {
                break;
            };
            if whole && !self.split.contains(&word) {
                found = found.or(f(cell));
                at += 4;
                continue;
            }
            if self.split.insert(word) {
                let copy = *cell;
                self.bytes
                    .extend((4 * word..4 * word + 4).map(|byte| (byte, copy)));
            }
            found = found.or(f(self.bytes.entry(at).or_default()));
            at += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(who: u32) -> Stamp {
        Stamp {
            who,
            clock: 0,
            pc: who,
            thread: who as u16,
            strong: false,
        }
    }

    #[test]
    fn reads_do_not_conflict_but_a_write_does() {
        let mut cell = Cell::default();
        let same = |other: &Stamp| other.who == 1;
        assert_eq!(cell.touch(stamp(1), true, false, |_| false), None);
        assert_eq!(cell.touch(stamp(2), true, false, |_| false), None);
        assert_eq!(
            cell.touch(stamp(1), false, true, same),
            Some((stamp(2), false))
        );
        assert_eq!(
            cell.touch(stamp(3), true, false, |_| false),
            Some((stamp(1), true))
        );
    }

    #[test]
    fn neighbouring_bytes_are_apart() {
        let mut cells = Cells::new(8);
        let mut write = |at, who| {
            cells.find(at, 1, |c| {
                c.touch(stamp(who), false, true, |o| o.who == who)
            })
        };
        assert_eq!(write(0, 1), None);
        assert_eq!(write(1, 2), None);
        assert_eq!(write(0, 1), None);
        assert!(write(1, 1).is_some());
    }
}
