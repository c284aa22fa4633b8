//! Releases of Kubernetes: which there are, and how people write them.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use std::fmt;
use thiserror::Error;

/// The last patch of each minor release, from [`FIRST_MINOR`] on. Of those still maintained (1.34
/// to 1.37) it is the patch whose source was compared.
const LAST_PATCH: [u32; 32] = [
    13, 16, 15, 11, // 1.6 to 1.9
    13, 10, 10, 12, 10, 12, 15, 17, 20, 16, // 1.10 to 1.19
    15, 14, 17, 17, 17, 16, 15, 16, 15, 15, // 1.20 to 1.29
    14, 14, 13, 13, 12, 9, 5, 1, // 1.30 to 1.37
];
const FIRST_MINOR: u32 = 6;
const LAST_MINOR: u32 = FIRST_MINOR + LAST_PATCH.len() as u32 - 1;

/// The newest pre-release of the minor release that comes next, written `1.38-alpha` for short. It
/// has the changes of the steps that begin with 1.38.0.
const PRE_RELEASE: Release = Release { minor: LAST_MINOR + 1, patch: 0, stage: Some("alpha.0") };

/// The first minor release from which timelines were recorded; all after it have some.
const FIRST_RECORDED: u32 = 18;

/// A release of Kubernetes 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Release {
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
    /// Of a pre-release, what stands behind the numbers: `alpha.0`.
    pub stage: Option<&'static str>,
}

/// Why there is no such release, or none with such gates.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct ProfileError {
    text: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl ProfileError {
    pub(super) fn new(text: String, hint: impl Into<Option<String>>) -> Self {
        Self { text, hint: hint.into() }
    }

    /// Of a release that is not known, with those that are behind the hint.
    fn unknown(text: String, hint: &str) -> Self {
        let pre_release = format!("pre-release \"{}\" ({PRE_RELEASE})", PRE_RELEASE.short());
        let known = format!("1.{FIRST_MINOR} to 1.{LAST_MINOR} and the {pre_release} are known");
        Self::new(text, hint.to_owned() + &known)
    }
}

impl Release {
    /// Reads `1.34`, `v1.34`, `1.34.4`, `v1.34.4`, with or without what a vendor appends, and the
    /// pre-release.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let syntax = || {
            let shown: String = text.chars().take(40).collect();
            let hint = format!(
                "write \"1.{LAST_MINOR}\" for the last patch of a minor release, \"1.20.2\" for one patch; "
            );
            ProfileError::unknown(format!("{shown:?} is not a release of Kubernetes"), &hint)
        };
        let numbers = text.trim();
        let numbers = numbers.strip_prefix('v').unwrap_or(numbers);
        let (numbers, suffix) = match numbers.find(['+', '-']) {
            Some(at) if at + 1 == numbers.len() => return Err(syntax()),
            Some(at) => (&numbers[..at], numbers[at + 1..].split('+').next().unwrap_or_default()),
            None => (numbers, ""),
        };
        let number = |s: &str| {
            let read = s.parse().ok().filter(|n: &u32| *n < 1_000_000 && n.to_string() == s);
            read.ok_or_else(syntax)
        };
        let mut parts = numbers.split('.');
        let major = number(parts.next().unwrap_or_default())?;
        let minor = number(parts.next().ok_or_else(syntax)?)?;
        let patch = parts.next().map(number).transpose()?;
        if parts.next().is_some() {
            return Err(syntax());
        }
        if ["alpha", "beta", "rc"].iter().any(|stage| suffix.starts_with(stage)) {
            let given = format!("{numbers}-{suffix}");
            let is_known =
                given == PRE_RELEASE.short() || format!("v{given}") == PRE_RELEASE.to_string();
            let text = format!("{given} is a release before the release");
            return if is_known { Ok(PRE_RELEASE) } else { Err(ProfileError::unknown(text, "")) };
        }
        let text = format!("Kubernetes {numbers} is not known");
        if (major, minor) == (1, PRE_RELEASE.minor) {
            return Err(ProfileError::unknown(text + " yet", ""));
        }
        if major != 1 || !(FIRST_MINOR..=LAST_MINOR).contains(&minor) {
            return Err(ProfileError::unknown(text, ""));
        }
        let last = Self::of(minor, LAST_PATCH[(minor - FIRST_MINOR) as usize]);
        match patch {
            Some(patch) if patch > last.patch => Err(ProfileError::new(
                format!("{text}: the last known patch of 1.{minor} is {last}"),
                format!("write \"1.{minor}\" for {last}"),
            )),
            Some(patch) => Ok(Self::of(minor, patch)),
            None => Ok(last),
        }
    }

    /// A release that is out.
    const fn of(minor: u32, patch: u32) -> Self {
        Self { minor, patch, stage: None }
    }

    /// As people write it for short: `1.34` of any of its patches, `1.38-alpha` of a pre-release.
    pub fn short(self) -> String {
        match self.stage.and_then(|stage| stage.split('.').next()) {
            Some(stage) => format!("1.{}-{stage}", self.minor),
            None => format!("1.{}", self.minor),
        }
    }

    /// Whether timelines were recorded from this minor release.
    pub(crate) fn recorded(self) -> bool {
        self.minor >= FIRST_RECORDED
    }

    /// The last known patch of every minor release, oldest first, and the pre-release.
    pub fn all_minors() -> impl Iterator<Item = Self> {
        let minors = (FIRST_MINOR..=LAST_MINOR).zip(LAST_PATCH);
        minors.map(|(minor, patch)| Self::of(minor, patch)).chain([PRE_RELEASE])
    }

    /// Whether a change is in this release that came with `since`: with the last of those releases
    /// and everything after it, and in the older minor releases listed from that patch on.
    pub(super) fn has(self, since: &[(u32, u32)]) -> bool {
        since.iter().any(|&(minor, patch)| minor == self.minor && patch <= self.patch)
            || since.iter().all(|&(minor, _)| minor < self.minor)
    }
}

/// `v1.34.4`, `v1.38.0-alpha.0`
impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v1.{}.{}", self.minor, self.patch)?;
        self.stage.map_or(Ok(()), |stage| write!(f, "-{stage}"))
    }
}
