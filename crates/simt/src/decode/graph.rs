//! Control flow: where lanes that part at a branch meet again.
//!
//! That is the branch's immediate post-dominator. Paths that end in a trap do not count: a bounds
//! check whose failure panics must not keep the lanes that pass it from meeting.

/// Immediate post-dominators of a function's instructions.
///
/// `successors[i]` are the instructions that may follow `i`; [`EXIT`] leaves the function, and an
/// empty list is a dead end. Only instructions with several successors get an answer.
pub(crate) fn joins(successors: &[Vec<u32>]) -> Vec<Option<u32>> {
    let count = successors.len();
    let live = reaches_exit(successors);
    let exit = count;
    // Edges among what can reach the exit, the exit being node `count`.
    let edges: Vec<Vec<usize>> = successors
        .iter()
        .enumerate()
        .map(|(at, next)| {
            let next = next
                .iter()
                .map(|&n| if n == EXIT { exit } else { n as usize });
            next.filter(|&n| live[at] && (n == exit || live.get(n) == Some(&true)))
                .collect()
        })
        .collect();
    let (order, rank) = reverse_post_order(&edges, exit);
    let mut idom: Vec<Option<usize>> = vec![None; count + 1];
    idom[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().filter(|&&node| node != exit) {
            let known = edges[node].iter().filter(|&&next| idom[next].is_some());
            let new = known.copied().reduce(|a, b| meet(a, b, &idom, &rank));
            if new.is_some() && idom[node] != new {
                idom[node] = new;
                changed = true;
            }
        }
    }
    (0..count)
        .map(|node| {
            let several = successors[node].len() > 1;
            idom[node]
                .filter(|&join| several && join != exit)
                .map(|join| join as u32)
        })
        .collect()
}

/// A successor outside the function.
pub(crate) const EXIT: u32 = u32::MAX;

fn reaches_exit(successors: &[Vec<u32>]) -> Vec<bool> {
    let mut before = vec![Vec::new(); successors.len()];
    let mut live = vec![false; successors.len()];
    let mut work = Vec::new();
    for (at, next) in successors.iter().enumerate() {
        for &n in next {
            if n == EXIT {
                work.push(at);
            } else if let Some(list) = before.get_mut(n as usize) {
                list.push(at);
            }
        }
    }
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut live[at], true) {
            work.extend(&before[at]);
        }
    }
    live
}

/// Nodes by reverse post-order of the reversed graph from the exit, and each node's rank in it.
fn reverse_post_order(edges: &[Vec<usize>], exit: usize) -> (Vec<usize>, Vec<usize>) {
    let mut before = vec![Vec::new(); exit + 1];
    for (at, next) in edges.iter().enumerate() {
        for &n in next {
            before[n].push(at);
        }
    }
    let mut seen = vec![false; exit + 1];
    let mut post = Vec::with_capacity(exit + 1);
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((node, position)) = stack.last_mut() {
        match before[*node].get(*position) {
            Some(&next) => {
                *position += 1;
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                post.push(*node);
                stack.pop();
            }
        }
    }
    post.reverse();
    let mut rank = vec![usize::MAX; exit + 1];
    for (at, &node) in post.iter().enumerate() {
        rank[node] = at;
    }
    (post, rank)
}

fn meet(mut a: usize, mut b: usize, idom: &[Option<usize>], rank: &[usize]) -> usize {
    while a != b {
        // Both have a dominator here: the caller passes nodes that do, and so do their ancestors.
        while rank[a] > rank[b] {
            a = idom[a].unwrap_or(b);
        }
        while rank[b] > rank[a] {
            b = idom[b].unwrap_or(a);
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_joins_below() {
        // 0 → 1 | 2, 1 → 3, 2 → 3, 3 → exit
        let joins = joins(&[vec![1, 2], vec![3], vec![3], vec![EXIT]]);
        assert_eq!(joins, [Some(3), None, None, None]);
    }

    #[test]
    fn a_loop_joins_behind_it() {
        // 0 → 1; 1 → 0 | 2; 2 → exit
        assert_eq!(
            joins(&[vec![1], vec![0, 2], vec![EXIT]]),
            [None, Some(2), None]
        );
    }

    #[test]
    fn an_early_exit_has_no_join_and_a_trap_does_not_count() {
        // 0 → exit | 1; 1 → 2 | 3; 2 traps; 3 → exit
        let joins = joins(&[vec![EXIT, 1], vec![2, 3], vec![], vec![EXIT]]);
        assert_eq!(joins, [None, Some(3), None, None]);
    }

    #[test]
    fn break_to_the_outer_loop() {
        // 0 outer head → 1; 1 inner → 2 | 4 (break outer); 2 → 1 | 3; 3 → 0 | 4; 4 → exit
        let joins = joins(&[vec![1], vec![2, 4], vec![1, 3], vec![0, 4], vec![EXIT]]);
        assert_eq!(joins, [None, Some(4), Some(4), Some(4), None]);
    }

    #[test]
    fn an_endless_loop_has_no_answer_but_an_end() {
        assert_eq!(joins(&[vec![0, 0]]), [None]);
    }
}
