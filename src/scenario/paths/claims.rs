//! The way of a setting into claims on devices, by the numbers of their parts.

use super::read::Segment;
use crate::language::{DeviceClaim, Toleration};
use crate::scenario::prelude::*;

/// The tolerations of a claim on devices, of a request of it, or of an alternative of that; `steps` lead there.
pub(super) fn within_claims<'s>(
    claims: &'s mut [DeviceClaim],
    path: &[Segment],
    steps: &mut Place,
) -> Result<Option<&'s mut Vec<Toleration>>, Problem> {
    let is = |segment: &Segment, name: &str| segment.name == name && segment.index.is_some();
    let [claim, path @ ..] = path else { return Ok(None) };
    let claim = numbered(claims, claim, "claim", steps)?;
    Ok(match path {
        [] => Some(&mut claim.tolerations),
        [request, path @ ..] if is(request, "requests") => {
            let requests = claim.requests.as_deref_mut().unwrap_or_default();
            let request = numbered(requests, request, "request", steps)?;
            match path {
                [] => Some(&mut request.tolerations),
                [of] if is(of, "firstAvailable") => {
                    let list = request.first_available.as_deref_mut().unwrap_or_default();
                    Some(&mut numbered(list, of, "alternative", steps)?.tolerations)
                }
                _ => None,
            }
        }
        _ => None,
    })
}

/// The element of a list that has that number.
pub(super) fn numbered<'l, T>(
    list: &'l mut [T],
    at: &Segment,
    what: &str,
    steps: &mut Place,
) -> Result<&'l mut T, Problem> {
    let (count, number) = (list.len(), at.index.as_deref().unwrap_or_default());
    let place = number.parse().ok().filter(|i: &usize| *i < count);
    let text = format!("there is no {what} number {number}: {count} are written, from 0");
    let place = place.ok_or_else(|| Problem::new(text))?;
    steps.extend(at![at.name.as_str(), place]);
    Ok(&mut list[place])
}
