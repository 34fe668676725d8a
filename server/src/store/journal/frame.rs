//! One frame: `length u32 | crc32c u32 | sequence u64 | index in group u32 | payload`, all little-endian.
//!
//! The checksum covers everything but itself.

/// Bytes before the payload.
pub(super) const HEADER: usize = 20;

/// Most bytes of a payload: two of the largest messages.
pub const MAX_PAYLOAD: usize = 2 * proto::MAX_MESSAGE_BYTES;

/// A frame found in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    /// Number of the record.
    pub(super) sequence: u64,
    /// Its index within the group that was written with one `fdatasync`.
    pub(super) in_group: u32,
    /// The record.
    pub(super) payload: &'a [u8],
}

impl Frame<'_> {
    /// Bytes of the whole frame.
    pub(super) fn size(&self) -> usize {
        HEADER + self.payload.len()
    }
}

/// Appends a frame; the payload is at most [`MAX_PAYLOAD`] bytes.
pub(super) fn encode(frame: &Frame<'_>, out: &mut Vec<u8>) {
    let length = u32::try_from(frame.payload.len())
        .unwrap_or(u32::MAX)
        .to_le_bytes();
    let sequence = frame.sequence.to_le_bytes();
    let in_group = frame.in_group.to_le_bytes();
    let crc = checksum(&length, &sequence, &in_group, frame.payload).to_le_bytes();
    for part in [&length[..], &crc, &sequence, &in_group, frame.payload] {
        out.extend_from_slice(part);
    }
}

/// The frame at the beginning of these bytes, or what is wrong with it.
pub(super) fn decode(bytes: &[u8]) -> Result<Frame<'_>, &'static str> {
    let (length, rest) = bytes
        .split_first_chunk::<4>()
        .ok_or("the frame is cut off")?;
    let (crc, rest) = rest
        .split_first_chunk::<4>()
        .ok_or("the frame is cut off")?;
    let (sequence, rest) = rest
        .split_first_chunk::<8>()
        .ok_or("the frame is cut off")?;
    let (in_group, rest) = rest
        .split_first_chunk::<4>()
        .ok_or("the frame is cut off")?;
    let size = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if size > MAX_PAYLOAD {
        return Err("the frame's length is impossible");
    }
    let payload = rest.get(..size).ok_or("the frame is cut off")?;
    if checksum(length, sequence, in_group, payload) != u32::from_le_bytes(*crc) {
        return Err("the frame's checksum is wrong");
    }
    Ok(Frame {
        sequence: u64::from_le_bytes(*sequence),
        in_group: u32::from_le_bytes(*in_group),
        payload,
    })
}

/// The sequence and the group's first sequence that a frame's header claims, unchecked; for a quick search.
pub(super) fn claimed(bytes: &[u8]) -> Option<(u64, u64)> {
    let sequence = u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    let in_group = u32::from_le_bytes(*bytes.get(16..)?.first_chunk()?);
    Some((sequence, sequence.saturating_sub(in_group.into())))
}

fn checksum(length: &[u8], sequence: &[u8], in_group: &[u8], payload: &[u8]) -> u32 {
    [sequence, in_group, payload]
        .into_iter()
        .fold(crc32c::crc32c(length), crc32c::crc32c_append)
}
