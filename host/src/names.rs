//! Names that a user types: wildcards, and a suggestion for what was mistyped.

/// Whether `name` matches `pattern`, in which `*` stands for any characters and `?` for one.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last `*` stands, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, reached)) => {
                    star = Some((at, reached + 1));
                    p = at + 1;
                    n = reached + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Up to three of `names` that are nearest to `wanted`, if any is near.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let limit = (wanted.chars().count() / 3).max(2);
    let mut near: Vec<(usize, &str)> = names
        .map(|name| {
            let part = !wanted.is_empty() && name.contains(wanted);
            (if part { 0 } else { distance(wanted, name) }, name)
        })
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    near.into_iter()
        .take(3)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// Edits (insertions, deletions, substitutions) from one to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match() {
        let table = [
            ("reduce", "reduce", true),
            ("reduce", "reduce/sum", false),
            ("reduce/*", "reduce/sum/f32", true),
            ("*f32", "reduce/sum/f32", true),
            ("*sum*", "reduce/sum/f32", true),
            ("a*b*c", "aXbXbYc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(matches(pattern, name), expected, "{pattern} against {name}");
        }
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (from, to, expected) in [("", "abc", 3), ("kitten", "sitting", 3), ("sum", "sum", 0)] {
            assert_eq!(distance(from, to), expected);
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["reduce_sum", "scan_sum", "filter"];
        assert_eq!(nearest("reduce_sun", names.into_iter()), ["reduce_sum"]);
        assert!(nearest("zzzzzzzz", names.into_iter()).is_empty());
    }
}
