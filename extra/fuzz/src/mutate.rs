//! New inputs from old ones: small changes that know tokens, numbers, brackets and lines.

use fastrand::Rng;
use std::ops::Range;

/// Numbers that lie at an edge of something, and texts that end badly in many syntaxes.
const EVERYWHERE: [&str; 40] = [
    "0",
    "-0",
    "-1",
    "1",
    "9",
    "00",
    "127",
    "128",
    "255",
    "256",
    "32768",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
    "0.1",
    "1e3",
    "1e308",
    "1e999",
    "-1e-999",
    "NaN",
    "inf",
    "\u{feff}",
    "\0",
    "\n",
    "\r\n",
    "ä",
    "\u{202e}",
    "\u{1f600}",
    " ",
    "\"",
    "\\",
];

/// Where changes come from, and how long an input may be.
#[derive(Debug)]
pub(crate) struct Mutator<'a> {
    /// Tokens of the syntax.
    pub(crate) words: &'a [&'a str],
    /// Bytes.
    pub(crate) most: usize,
    /// Whether inputs are texts: changes then stay between characters as good as always, and digits
    /// and brackets are known.
    pub(crate) text: bool,
}

impl Mutator<'_> {
    /// A changed copy of an input of the pool, in `input`; half of them of the `first` ones, which
    /// are whole.
    pub(crate) fn fill(&self, rng: &mut Rng, pool: &[Vec<u8>], first: usize, input: &mut Vec<u8>) {
        input.clear();
        let among = if rng.bool() { first } else { pool.len() };
        input.extend_from_slice(&pool[rng.usize(..among)]);
        // Mostly few changes: an input with many is refused at the first of them.
        let changes = [1, 1, 1, 1, 2, 2, 3, 8][rng.usize(..8)];
        for _ in 0..changes {
            self.change(rng, pool, input);
        }
        input.truncate(self.most);
    }

    fn change(&self, rng: &mut Rng, pool: &[Vec<u8>], input: &mut Vec<u8>) {
        let at = self.place(rng, input);
        match rng.u8(..if self.text { 20 } else { 7 }) {
            0 if at < input.len() => input[at] ^= 1 << rng.u8(..8),
            1 if at < input.len() => input[at] = rng.u8(..),
            2 => input.insert(at, rng.u8(..)),
            3 => {
                let end = self.span(rng, at, input.len());
                input.drain(at..end);
            }
            // Twice the same, or the same elsewhere.
            4 => {
                let end = self.span(rng, at, input.len());
                let part = input[at..end].to_vec();
                let to = self.place(rng, input);
                input.splice(to..to, part);
            }
            // A part of another input.
            5 => {
                let other = &pool[rng.usize(..pool.len())];
                let from = rng.usize(..=other.len());
                let end = self.span(rng, from, other.len());
                let over = self.span(rng, at, input.len());
                input.splice(
                    at..if rng.bool() { over } else { at },
                    other[from..end].iter().copied(),
                );
            }
            6 => input.truncate(at),
            7 | 8 => self.put(rng, input, at..at),
            9 => {
                let end = self.span(rng, at, input.len());
                self.put(rng, input, at..end);
            }
            // A whole number, or a whole word, becomes an edge or a token.
            10 => {
                let range = word(input, at);
                self.put(rng, input, range);
            }
            // A number becomes another, one beside it or far off.
            11..=13 => {
                let Some(number) = next(input, at, u8::is_ascii_digit) else {
                    return;
                };
                let old = std::str::from_utf8(&input[number.clone()])
                    .ok()
                    .and_then(|n| n.parse::<u64>().ok())
                    .unwrap_or(0);
                // Small ones and those beyond every limit: what lies between makes clusters of a
                // million pods, which are legal, and slow.
                let new = match rng.u16(..1024) {
                    0 => rng.u64(..) >> rng.u8(..64),
                    1..256 => old.saturating_add(1),
                    256..512 => old.saturating_sub(1),
                    512..640 => old / 2,
                    640..720 if old < 1_000 => old * 10,
                    720..860 => rng.u64(..) >> rng.u8(..24),
                    _ => rng.u64(..100),
                };
                input.splice(number, new.to_string().into_bytes());
            }
            // A word becomes one of another input, which leaves brackets and quotes as they are.
            14..=16 => {
                let other = &pool[rng.usize(..pool.len())];
                let from = rng.usize(..=other.len());
                let letter =
                    |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/');
                if let (Some(old), Some(new)) = (next(input, at, letter), next(other, from, letter))
                {
                    input.splice(old, other[new].iter().copied());
                }
            }
            // A line, or what stands between two commas, goes or comes twice.
            17..=19 => {
                let mark = if rng.bool() { b'\n' } else { b',' };
                let start = input[..at].iter().rposition(|b| *b == mark).unwrap_or(0);
                let end =
                    input[at..].iter().position(|b| *b == mark).map_or(input.len(), |i| at + i);
                if rng.bool() {
                    input.drain(start..end);
                } else {
                    let part = input[start..end].to_vec();
                    input.splice(start..start, part);
                }
            }
            _ => {}
        }
    }

    fn put(&self, rng: &mut Rng, input: &mut Vec<u8>, range: Range<usize>) {
        let own = !self.words.is_empty() && rng.u8(..3) > 0;
        let word = if own {
            self.words[rng.usize(..self.words.len())]
        } else {
            EVERYWHERE[rng.usize(..EVERYWHERE.len())]
        };
        input.splice(range, word.bytes());
    }

    fn place(&self, rng: &mut Rng, input: &[u8]) -> usize {
        let mut at = rng.usize(..=input.len());
        while self.text && at < input.len() && input[at] & 0xc0 == 0x80 {
            at += 1;
        }
        at
    }

    /// The end of a part that begins at `at`, mostly a short one.
    fn span(&self, rng: &mut Rng, at: usize, length: usize) -> usize {
        let left = length - at;
        let most = if rng.u8(..4) == 0 { left } else { left.min(8) };
        at + rng.usize(..=most)
    }
}

/// The number, or the word, that a place lies in.
fn word(input: &[u8], at: usize) -> Range<usize> {
    let around = |class: fn(&u8) -> bool| {
        let start = input[..at].iter().rposition(|b| !class(b)).map_or(0, |i| i + 1);
        let end = input[at..].iter().position(|b| !class(b)).map_or(input.len(), |i| at + i);
        start..end
    };
    let number = around(u8::is_ascii_digit);
    if number.is_empty() { around(u8::is_ascii_alphanumeric) } else { number }
}

/// The first run of bytes of a class from a place on.
fn next(input: &[u8], at: usize, class: impl Fn(&u8) -> bool) -> Option<Range<usize>> {
    let start = at + input[at..].iter().position(&class)?;
    let end = input[start..].iter().position(|b| !class(b)).map_or(input.len(), |i| start + i);
    Some(start..end)
}
