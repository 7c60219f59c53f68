//! Reads a static library: its members, and which of them defines a symbol.
//!
//! rustc writes GNU archives for this target. Each member is one codegen unit's bitcode, and the
//! archive's own symbol table says what each defines, so no tool is asked.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// A library's members.
#[derive(Debug)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    /// In the archive's order.
    pub(crate) members: Vec<Member>,
    definer: HashMap<String, usize>,
}

/// One codegen unit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// rustc's file name of it.
    pub(crate) name: String,
    /// The symbols that it defines for others.
    pub(crate) symbols: Vec<String>,
    /// Differs where the content does.
    pub(crate) hash: u64,
    content: Range<usize>,
}

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;

impl Archive {
    /// Reads an archive, or says what is wrong with it.
    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Archive, String> {
        if !bytes.starts_with(MAGIC) {
            return Err("it is no archive".to_owned());
        }
        let (mut table, mut names) = (Vec::new(), 0..0);
        let (mut members, mut at_offset) = (Vec::new(), HashMap::new());
        let mut at = MAGIC.len();
        while at < bytes.len() {
            let (name, content) = header(&bytes, at)?;
            match name {
                "/" => table = symbols::<4>(&bytes[content.clone()])?,
                "/SYM64/" => table = symbols::<8>(&bytes[content.clone()])?,
                "//" => names = content.clone(),
                _ => {
                    at_offset.insert(at, members.len());
                    members.push(Member {
                        name: full_name(name, &bytes[names.clone()])?,
                        symbols: Vec::new(),
                        hash: hash(&bytes[content.clone()]),
                        content: content.clone(),
                    });
                }
            }
            // Members start at even offsets.
            at = content.end + content.end % 2;
        }
        let mut definer = HashMap::new();
        for (symbol, offset) in table {
            let index = *at_offset
                .get(&offset)
                .ok_or_else(|| format!("no member at offset {offset}, where `{symbol}` is"))?;
            definer.insert(symbol.clone(), index);
            members[index].symbols.push(symbol);
        }
        Ok(Archive {
            bytes,
            members,
            definer,
        })
    }

    /// The member that defines `symbol`.
    pub(crate) fn definer(&self, symbol: &str) -> Option<usize> {
        self.definer.get(symbol).copied()
    }

    /// A member's bytes.
    pub(crate) fn content(&self, member: &Member) -> &[u8] {
        &self.bytes[member.content.clone()]
    }
}

/// The header at `at`: the name field, and where the content lies.
fn header(bytes: &[u8], at: usize) -> Result<(&str, Range<usize>), String> {
    let broken = || format!("broken member header at offset {at}");
    let header = bytes.get(at..at + HEADER).ok_or_else(broken)?;
    let text = std::str::from_utf8(header).map_err(|_| broken())?;
    let size: usize = text[48..58].trim().parse().map_err(|_| broken())?;
    let content = at + HEADER..at + HEADER + size;
    if content.end > bytes.len() {
        return Err(format!("the member at offset {at} is cut off"));
    }
    Ok((text[..16].trim_end(), content))
}

/// `name/` stands for itself, `/N` for what the table of long names holds from N on.
fn full_name(field: &str, long: &[u8]) -> Result<String, String> {
    let Some(offset) = field.strip_prefix('/') else {
        return Ok(field.trim_end_matches('/').to_owned());
    };
    let rest = offset
        .parse()
        .ok()
        .and_then(|offset: usize| long.get(offset..));
    let rest = rest.ok_or_else(|| format!("no long name at `{field}`"))?;
    let end = rest
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(rest.len());
    Ok(String::from_utf8_lossy(&rest[..end])
        .trim_end_matches('/')
        .to_owned())
}

/// The symbol table: a count, that many member offsets, that many names; big-endian.
fn symbols<const WIDTH: usize>(table: &[u8]) -> Result<Vec<(String, usize)>, String> {
    let cut_off = || "its symbol table is cut off".to_owned();
    let number = |index: usize| {
        let bytes = table.get(index * WIDTH..(index + 1) * WIDTH)?;
        Some(bytes.iter().fold(0, |n, &byte| n << 8 | usize::from(byte)))
    };
    let count = number(0).ok_or_else(cut_off)?;
    let names = count
        .checked_add(1)
        .and_then(|words| table.get(words.checked_mul(WIDTH)?..))
        .ok_or_else(cut_off)?;
    let symbols: Vec<_> = names
        .split(|&byte| byte == 0)
        .zip(1..=count)
        .filter_map(|(name, index)| {
            Some((String::from_utf8_lossy(name).into_owned(), number(index)?))
        })
        .collect();
    (symbols.len() == count)
        .then_some(symbols)
        .ok_or_else(cut_off)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
impl Member {
    /// A member without content.
    pub(crate) fn new(name: &str, symbols: &[&str]) -> Member {
        Member {
            name: name.to_owned(),
            symbols: symbols.iter().map(|&symbol| symbol.to_owned()).collect(),
            hash: 0,
            content: 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = format!("{name:<16}{:<32}{:<10}`\n", "0", content.len()).into_bytes();
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
        bytes
    }

    fn archive() -> Vec<u8> {
        let names = member("//", b"a-long-name.rcgu.o/\n");
        let first = MAGIC.len() + HEADER + 4 + 8 + 4 + names.len();
        let second = first + HEADER + 4;
        let mut table = 2_u32.to_be_bytes().to_vec();
        table.extend((first as u32).to_be_bytes());
        table.extend((second as u32).to_be_bytes());
        table.extend(b"f\0g\0");
        let parts = [
            MAGIC.to_vec(),
            member("/", &table),
            names,
            member("/0", b"one"),
            member("b.o/", b"two"),
        ];
        parts.concat()
    }

    #[test]
    fn members_and_their_symbols() {
        let archive = Archive::parse(archive()).unwrap();
        let names: Vec<_> = archive.members.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["a-long-name.rcgu.o", "b.o"]);
        assert_eq!(
            (archive.definer("f"), archive.definer("g")),
            (Some(0), Some(1))
        );
        assert_eq!(archive.definer("h"), None);
        assert_eq!(archive.content(&archive.members[1]), b"two");
        assert_eq!(archive.members[1].symbols, ["g"]);
    }

    #[test]
    fn what_is_broken_is_named() {
        assert_eq!(
            Archive::parse(b"ELF".to_vec()).unwrap_err(),
            "it is no archive"
        );
        let whole = archive();
        for length in MAGIC.len() + 1..whole.len() - 1 {
            assert!(
                Archive::parse(whole[..length].to_vec()).is_err(),
                "{length}"
            );
        }
    }
}
