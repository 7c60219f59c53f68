//! Who touched a word last.

use std::collections::{HashMap, HashSet};

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
    /// not both are atomic or volatile, and `ordered` does not know the earlier to come before. A
    /// party's own accesses are always ordered.
    #[inline(always)]
    pub(crate) fn touch(
        &mut self,
        stamp: Stamp,
        reads: bool,
        writes: bool,
        ordered: impl Fn(&Stamp) -> bool,
    ) -> Option<(Stamp, bool)> {
        let own = |other: &Option<Stamp>| other.is_none_or(|other| other.who == stamp.who);
        // Mostly nobody else was here, or read last.
        if own(&self.write) && own(&self.reads[0]) {
            if !writes && reads {
                self.reads[0] = Some(stamp);
                return None;
            }
            if writes && own(&self.reads[1]) {
                self.write = Some(stamp);
                self.reads = [None; 2];
                return None;
            }
        }
        self.touch_others(stamp, reads, writes, ordered)
    }

    #[inline(never)]
    fn touch_others(
        &mut self,
        stamp: Stamp,
        reads: bool,
        writes: bool,
        ordered: impl Fn(&Stamp) -> bool,
    ) -> Option<(Stamp, bool)> {
        let conflicts = |other: &Stamp| !(ordered(other) || (other.strong && stamp.strong));
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

/// Bytes of a line: what a warp accesses at once, four bytes a lane.
pub(crate) const LINE: u64 = 128;

/// Cells of a stretch of memory: one for a line of 128 bytes as long as only whole warps access it
/// in order, then one for each word of four bytes, and for words of which single bytes are
/// accessed one for each byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    lines: Vec<Cell>,
    /// Lines with a cell for each word: where these start.
    split: HashMap<u64, Box<[Cell; 32]>>,
    bytes: HashMap<u64, Cell>,
    split_words: HashSet<u64>,
}

impl Cells {
    pub(crate) fn new(bytes: u64) -> Cells {
        let lines = usize::try_from(bytes.div_ceil(LINE)).unwrap_or(0);
        Cells {
            lines: vec![Cell::default(); lines],
            ..Cells::default()
        }
    }

    /// The cell of a whole line, as long as it has one.
    #[inline]
    pub(crate) fn line(&mut self, start: u64) -> Option<&mut Cell> {
        let line = start / LINE;
        if !self.split.is_empty() && self.split.contains_key(&line) {
            return None;
        }
        self.lines.get_mut(line as usize)
    }

    /// Calls `f` with every cell that `len` bytes from `start` touch, and returns the first thing
    /// that it answers. `lane` gives each word of a line that had one cell the lane that it was
    /// accessed by.
    pub(crate) fn find<R>(
        &mut self,
        start: u64,
        len: u64,
        lane: impl Fn(&mut Stamp, u32),
        mut f: impl FnMut(&mut Cell) -> Option<R>,
    ) -> Option<R> {
        let mut found = None;
        let (mut at, end) = (start, start.saturating_add(len));
        while at < end {
            let Some(cell) = self.lines.get(at as usize / LINE as usize) else {
                break;
            };
            let words = self.split.entry(at / LINE).or_insert_with(|| {
                Box::new(std::array::from_fn(|word| {
                    let mut cell = *cell;
                    let stamps = cell.write.iter_mut().chain(cell.reads.iter_mut().flatten());
                    stamps.for_each(|stamp| lane(stamp, word as u32));
                    cell
                }))
            });
            let word = at / 4;
            let cell = &mut words[(word % 32) as usize];
            if at % 4 == 0 && end - at >= 4 && !self.split_words.contains(&word) {
                found = found.or(f(cell));
                at += 4;
                continue;
            }
            if self.split_words.insert(word) {
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
    fn a_line_splits_into_its_words() {
        let mut cells = Cells::new(256);
        let line = cells.line(128).expect("not split");
        assert_eq!(line.touch(stamp(64), false, true, |_| false), None);
        let lane = |stamp: &mut Stamp, word| stamp.who += word;
        let found = cells.find(128 + 12, 4, lane, |c| {
            c.touch(stamp(5), true, false, |_| false)
        });
        assert_eq!(
            found.map(|(stamp, wrote)| (stamp.who, wrote)),
            Some((67, true))
        );
        assert!(cells.line(128).is_none() && cells.line(0).is_some());
    }

    #[test]
    fn neighbouring_bytes_are_apart() {
        let mut cells = Cells::new(8);
        let mut write = |at, who| {
            cells.find(
                at,
                1,
                |_, _| (),
                |c| c.touch(stamp(who), false, true, |o| o.who == who),
            )
        };
        assert_eq!(write(0, 1), None);
        assert_eq!(write(1, 2), None);
        assert_eq!(write(0, 1), None);
        assert!(write(1, 1).is_some());
    }
}
