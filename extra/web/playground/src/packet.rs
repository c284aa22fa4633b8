//! How questions and answers are packed: the length of a JSON document, the document, bytes.

use serde_json::Value;

/// A packet of a document and bytes.
pub(crate) fn pack(document: &Value, bytes: &[u8]) -> Vec<u8> {
    let text = document.to_string();
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut packet = Vec::with_capacity(4 + text.len() + bytes.len());
    packet.extend_from_slice(&length.to_le_bytes());
    packet.extend_from_slice(text.as_bytes());
    packet.extend_from_slice(bytes);
    packet
}

/// The document of a packet as text, and its bytes; none if it is no packet.
pub(crate) fn unpack(packet: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = packet.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}
