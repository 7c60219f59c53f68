//! Control flow: where lanes that part at a branch meet again.
//!
//! All of them meet at the branch's immediate post-dominator, if there is one. Some may meet before:
//! `a && b` has two ways into its `else`, which the lanes of the `then` do not take. NVIDIA's
//! compiler sets a convergence barrier at such places too, which lanes that turn elsewhere leave
//! (`BSSY`, `BSYNC` and `BREAK` in SASS), and a recorded warp shows it (`lockstep masks`). So a
//! branch has a list of places, and each says from where lanes may still come to it:
//!
//! * its immediate post-dominator in the function;
//! * for each loop around it, the same within one turn of the loop, where ways out of the loop do
//!   not count: behind an inner loop, or at the start of the next turn;
//! * inside the innermost loop, every place before those at which ways from the branch run together.
//!
//! Paths that end in a trap do not count: a bounds check whose failure panics must not keep the
//! lanes that pass it from meeting.

/// A place where lanes that parted wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The instruction.
    pub(crate) at: u32,
    /// For each instruction a bit, whether lanes may come from there; none where all come, unless
    /// they exit.
    pub(crate) within: Option<Box<[u64]>>,
}

/// The stretches without a branch up to which places before the post-dominator are looked for: the
/// work grows with their square.
const MOST: usize = 2048;

/// A successor outside the function.
pub(crate) const EXIT: u32 = u32::MAX;

type Edges = Vec<Vec<usize>>;

/// Where the lanes that part at each instruction of a function meet, the outermost place first.
///
/// `successors[i]` are the instructions that may follow `i`; [`EXIT`] leaves the function, and an
/// empty list is a dead end. Only instructions with several successors get an answer.
pub(crate) fn joins(successors: &[Vec<u32>]) -> Vec<Vec<Place>> {
    let blocks = Blocks::of(successors);
    let scopes = if blocks.exit() > MOST {
        vec![Scope::new(None, blocks.edges.clone())]
    } else {
        scopes(&blocks.edges)
    };
    let mut places = vec![Vec::new(); successors.len()];
    for branch in 0..blocks.exit() {
        let found = places_of(branch, &scopes, blocks.exit());
        places[blocks.end(branch) - 1] = found
            .into_iter()
            .map(|(block, within)| Place {
                at: blocks.starts[block] as u32,
                within: within.map(|within| blocks.bits(&within)),
            })
            .collect();
    }
    places
}

/// Stretches without a branch; the exit is one more node behind them.
struct Blocks {
    /// The first instruction of each.
    starts: Vec<usize>,
    /// The block of each instruction.
    of: Vec<usize>,
    edges: Edges,
}

impl Blocks {
    fn of(successors: &[Vec<u32>]) -> Blocks {
        let count = successors.len();
        let mut leads = vec![false; count + 1];
        leads[0] = true;
        for (at, next) in successors.iter().enumerate() {
            if next[..] != [at as u32 + 1] {
                leads[at + 1] = true;
                for &n in next {
                    if let Some(leads) = leads.get_mut(n as usize) {
                        *leads = true;
                    }
                }
            }
        }
        let starts: Vec<usize> = (0..count).filter(|&at| leads[at]).collect();
        let mut of = Vec::with_capacity(count);
        for (block, &start) in starts.iter().enumerate() {
            let end = starts.get(block + 1).copied().unwrap_or(count);
            of.extend(std::iter::repeat_n(block, end - start));
        }
        let mut blocks = Blocks {
            starts,
            of,
            edges: Vec::new(),
        };
        let exit = blocks.exit();
        let node = |&n: &u32| blocks.of.get(n as usize).copied().unwrap_or(exit);
        let edges = (0..exit).map(|block| {
            let mut next: Vec<_> = successors[blocks.end(block) - 1].iter().map(node).collect();
            next.sort_unstable();
            next.dedup();
            next
        });
        blocks.edges = edges.chain([Vec::new()]).collect();
        blocks
    }

    /// A bit for each instruction of the blocks for which `within` says so.
    fn bits(&self, within: &[bool]) -> Box<[u64]> {
        let word = |blocks: &[usize]| {
            let set = blocks
                .iter()
                .enumerate()
                .filter(|(_, block)| within[**block]);
            set.map(|(at, _)| 1u64 << at).sum()
        };
        self.of.chunks(64).map(word).collect()
    }

    fn exit(&self) -> usize {
        self.starts.len()
    }

    fn end(&self, block: usize) -> usize {
        let end = self.starts.get(block + 1);
        end.copied().unwrap_or(self.of.len())
    }
}

/// The function, or one turn of a loop: the blocks that can come to its end, and how.
struct Scope {
    /// The loop's first block.
    header: Option<usize>,
    /// Without what never comes to the end, the exit node.
    edges: Edges,
    /// The same, backwards.
    back: Edges,
    /// How many blocks it has.
    size: usize,
    /// Post-dominators.
    after: Tree,
}

impl Scope {
    fn new(header: Option<usize>, mut edges: Edges) -> Scope {
        let exit = edges.len() - 1;
        let live = reaching(&reversed(&edges), exit, None);
        for (node, next) in edges.iter_mut().enumerate() {
            next.retain(|&n| live[n] && live[node]);
        }
        let back = reversed(&edges);
        Scope {
            header,
            size: live.iter().filter(|&&live| live).count(),
            after: dominators(&back, &edges, exit, None),
            edges,
            back,
        }
    }

    fn parts(&self, block: usize) -> bool {
        self.edges[block].len() > 1
    }
}

/// The function, and its loops, larger ones first.
fn scopes(edges: &Edges) -> Vec<Scope> {
    let exit = edges.len() - 1;
    let whole = Scope::new(None, edges.clone());
    let before = dominators(&whole.edges, &whole.back, 0, None);
    let mut loops: Vec<(usize, Vec<bool>)> = Vec::new();
    for (from, next) in whole.edges.iter().enumerate() {
        for &header in next {
            // An edge to a block that all ways lead through is a loop's way back.
            if !before.reached(from) || !before.dominates(header, from) {
                continue;
            }
            let index = loops.iter().position(|(it, _)| *it == header);
            let index = index.unwrap_or_else(|| {
                let mut body = vec![false; exit + 1];
                body[header] = true;
                loops.push((header, body));
                loops.len() - 1
            });
            let body = &mut loops[index].1;
            let mut work = vec![from];
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut body[block], true) {
                    work.extend(&whole.back[block]);
                }
            }
        }
    }
    let mut scopes: Vec<Scope> = loops
        .into_iter()
        .map(|(header, body)| {
            let turn = whole.edges.iter().enumerate().map(|(block, next)| {
                let next = next.iter().filter(|&&n| body[block] && body[n]);
                next.map(|&n| if n == header { exit } else { n }).collect()
            });
            Scope::new(Some(header), turn.collect())
        })
        .collect();
    scopes.sort_by_key(|scope| std::cmp::Reverse(scope.size));
    scopes.insert(0, whole);
    scopes
}

/// The places of one branch: block, and from which blocks lanes may come.
fn places_of(branch: usize, scopes: &[Scope], exit: usize) -> Vec<(usize, Option<Vec<bool>>)> {
    let mut places: Vec<(usize, Option<Vec<bool>>)> = Vec::new();
    let mut innermost = None;
    for scope in scopes.iter().filter(|scope| scope.parts(branch)) {
        innermost = Some(scope);
        let Some(end) = scope.after.parent[branch] else {
            continue;
        };
        let at = if end == exit { scope.header } else { Some(end) };
        let Some(at) = at.filter(|at| places.iter().all(|(known, _)| known != at)) else {
            continue;
        };
        let within = scope.header.map(|_| reaching(&scope.back, end, None));
        places.push((at, within));
    }
    let Some(scope) = innermost.filter(|_| exit <= MOST) else {
        return places;
    };
    // What comes before the innermost of those.
    let end = scope.after.parent[branch];
    let tree = dominators(&scope.edges, &scope.back, branch, end);
    let mut merges: Vec<usize> = (0..exit)
        .filter(|&block| tree.parent[block] == Some(branch) && block != branch)
        .filter(|&block| Some(block) != end)
        .filter(|&block| {
            let ways = scope.back[block].iter();
            let ways = ways.filter(|&&from| Some(from) != end && tree.reached(from));
            ways.filter(|&&from| !tree.dominates(block, from)).count() > 1
        })
        .collect();
    merges.sort_by_key(|&block| std::cmp::Reverse(tree.rank[block]));
    for block in merges {
        if places.iter().all(|(known, _)| *known != block) {
            places.push((block, Some(reaching(&scope.back, block, end))));
        }
    }
    places
}

fn reversed(edges: &Edges) -> Edges {
    let mut back = vec![Vec::new(); edges.len()];
    for (from, next) in edges.iter().enumerate() {
        for &to in next {
            back[to].push(from);
        }
    }
    back
}

/// Which nodes have a way to `to` that does not lead through `around`, itself too.
fn reaching(back: &Edges, to: usize, around: Option<usize>) -> Vec<bool> {
    let mut found = vec![false; back.len()];
    let mut work = vec![to];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut found[node], true) {
            work.extend(back[node].iter().filter(|&&from| Some(from) != around));
        }
    }
    found
}

/// Immediate dominators from a root, and each node's place in reverse post-order.
struct Tree {
    /// The root is its own parent; what is not reached has none.
    parent: Vec<Option<usize>>,
    rank: Vec<usize>,
}

impl Tree {
    fn reached(&self, node: usize) -> bool {
        self.parent[node].is_some()
    }

    /// Whether every way from the root to `node` leads through `by`.
    fn dominates(&self, by: usize, mut node: usize) -> bool {
        while self.rank[node] > self.rank[by] {
            match self.parent[node] {
                Some(parent) if parent != node => node = parent,
                _ => return false,
            }
        }
        node == by
    }
}

/// The algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001), on ways
/// that end at `end`.
fn dominators(edges: &Edges, back: &Edges, root: usize, end: Option<usize>) -> Tree {
    let (order, rank) = reverse_post_order(edges, root, end);
    let mut parent: Vec<Option<usize>> = vec![None; edges.len()];
    parent[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().filter(|&&node| node != root) {
            // The last first: of many ways into one place each is then met by its neighbour.
            let known = back[node].iter().rev();
            let known = known.filter(|&&from| Some(from) != end && parent[from].is_some());
            let new = known.copied().reduce(|a, b| meet(a, b, &parent, &rank));
            if new.is_some() && parent[node] != new {
                parent[node] = new;
                changed = true;
            }
        }
    }
    Tree { parent, rank }
}

/// Nodes by reverse post-order from the root, not looking behind `end`, and each node's rank in it.
fn reverse_post_order(edges: &Edges, root: usize, end: Option<usize>) -> (Vec<usize>, Vec<usize>) {
    let mut seen = vec![false; edges.len()];
    let mut post = Vec::with_capacity(edges.len());
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((node, position)) = stack.last_mut() {
        match edges[*node].get(*position) {
            Some(&next) if Some(*node) != end => {
                *position += 1;
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, 0));
                }
            }
            _ => {
                post.push(*node);
                stack.pop();
            }
        }
    }
    post.reverse();
    let mut rank = vec![usize::MAX; edges.len()];
    for (at, &node) in post.iter().enumerate() {
        rank[node] = at;
    }
    (post, rank)
}

fn meet(mut a: usize, mut b: usize, parent: &[Option<usize>], rank: &[usize]) -> usize {
    while a != b {
        // Both have a dominator here: the caller passes nodes that do, and so do their ancestors.
        while rank[a] > rank[b] {
            a = parent[a].unwrap_or(b);
        }
        while rank[b] > rank[a] {
            b = parent[b].unwrap_or(a);
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place, and from which instructions lanes come.
    type From<'a> = (u32, Option<&'a [u32]>);

    /// The places of each branch, outermost first.
    #[track_caller]
    fn check(successors: &[&[u32]], expected: &[(usize, &[From<'_>])]) {
        let successors: Vec<_> = successors.iter().map(|next| next.to_vec()).collect();
        let mut found = Vec::new();
        for (branch, places) in joins(&successors).into_iter().enumerate() {
            if !places.is_empty() {
                let places = places.into_iter().map(|place| {
                    let within = place.within.map(|within| {
                        let here = |at: &u32| within[*at as usize / 64] >> (at % 64) & 1 == 1;
                        (0..successors.len() as u32)
                            .filter(here)
                            .collect::<Vec<u32>>()
                    });
                    (place.at, within)
                });
                found.push((branch, places.collect::<Vec<_>>()));
            }
        }
        let expected: Vec<_> = expected
            .iter()
            .map(|(branch, places)| {
                let places = places.iter();
                let places = places.map(|(at, within)| (*at, within.map(<[u32]>::to_vec)));
                (*branch, places.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_diamond_joins_below() {
        check(&[&[1, 2], &[3], &[3], &[EXIT]], &[(0, &[(3, None)])]);
    }

    #[test]
    fn a_loop_joins_behind_it() {
        check(&[&[1], &[0, 2], &[EXIT]], &[(1, &[(2, None)])]);
    }

    #[test]
    fn a_trap_does_not_count() {
        // 0 → exit | 1; 1 → 2 | 3; 2 traps
        check(&[&[EXIT, 1], &[2, 3], &[], &[EXIT]], &[]);
        // 0 → 1 | 3; 1 → 2 | 3; 2 traps; 3 → exit
        check(&[&[1, 3], &[2, 3], &[], &[EXIT]], &[(0, &[(3, None)])]);
    }

    #[test]
    fn lanes_that_exit_in_an_arm_do_not_hold_the_others() {
        // 0 → 1 | 3; 1 → exit | 2; 2 → 4; 3 → 4; 4 → exit
        check(
            &[&[1, 3], &[EXIT, 2], &[4], &[4], &[EXIT]],
            &[(0, &[(4, Some(&[0, 1, 2, 3, 4]))])],
        );
    }

    #[test]
    fn the_else_of_a_conjunction_has_two_ways_in() {
        // 0 → 1 | 3; 1 → 2 | 3; 2 → 4; 3 → 4; 4 → exit
        check(
            &[&[1, 3], &[2, 3], &[4], &[4], &[EXIT]],
            &[(0, &[(4, None), (3, Some(&[0, 1, 3]))]), (1, &[(4, None)])],
        );
    }

    #[test]
    fn break_to_the_outer_loop() {
        // 0 outer top; 1 inner → 2 | 4 (break outer); 2 → 1 | 3; 3 → 0 | 4; 4 → exit. Behind the
        // inner loop, at 3, lanes wait for those in it, and for none that has left both.
        check(
            &[&[1], &[2, 4], &[1, 3], &[0, 4], &[EXIT]],
            &[
                (1, &[(4, None)]),
                (2, &[(4, None), (3, Some(&[0, 1, 2, 3]))]),
                (3, &[(4, None)]),
            ],
        );
    }

    #[test]
    fn continue_waits_for_the_turn_and_break_does_not() {
        // 0 → 3 (continue) | 1; 1 → 4 (break) | 2; 2 → 3; 3 → 0 | 4; 4 → exit
        check(
            &[&[3, 1], &[4, 2], &[3], &[0, 4], &[EXIT]],
            &[
                (0, &[(4, None), (3, Some(&[0, 1, 2, 3]))]),
                (1, &[(4, None)]),
                (3, &[(4, None)]),
            ],
        );
    }

    /// More blocks than are looked at closely: the post-dominators stay.
    #[test]
    fn a_very_long_function_meets_at_post_dominators() {
        let branches = MOST as u32;
        let ladder = (0..branches).map(|at| vec![at + 1, branches]);
        let successors: Vec<_> = ladder.chain([vec![EXIT]]).collect();
        let places = joins(&successors);
        let last = Place {
            at: branches,
            within: None,
        };
        assert!(places[..MOST - 1].iter().all(|it| *it == [last.clone()]));
        // Both ways of the last branch are one.
        assert_eq!(places[MOST - 1..], [Vec::new(), Vec::new()]);
    }

    #[test]
    fn an_endless_loop_has_no_end_to_meet_at() {
        check(&[&[0, 0]], &[]);
    }
}
