//! Reads lines of bounded length from a process that may write anything.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Longest line that is kept, in bytes; the rest of a longer one is dropped.
pub const LONGEST_LINE: usize = 64 * 1024;

/// A reader of lines.
pub struct Lines<R> {
    reader: BufReader<R>,
    partial: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads from this.
    pub fn new(reader: R) -> Self {
        Self {
            reader: BufReader::new(reader),
            partial: Vec::new(),
        }
    }

    /// The next line without its end, not UTF-8 replaced; none at the end of the stream. Dropping the future loses
    /// nothing.
    pub async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok((!self.partial.is_empty()).then(|| self.take()));
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let text = &chunk[..end.unwrap_or(chunk.len())];
            let room = LONGEST_LINE - self.partial.len();
            self.partial
                .extend_from_slice(&text[..text.len().min(room)]);
            let used = text.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> String {
        let line = std::mem::take(&mut self.partial);
        String::from_utf8_lossy(&line)
            .trim_end_matches('\r')
            .to_owned()
    }
}

#[cfg(unix)]
impl<R: AsyncRead + std::os::fd::AsFd> Lines<R> {
    /// Whether nothing has come that was not read. Asks the system, without the runtime.
    pub fn is_drained(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        if !self.reader.buffer().is_empty() {
            return false;
        }
        let at_once = Timespec::default();
        let mut pipe = [PollFd::new(self.reader.get_ref(), PollFlags::IN)];
        // A pipe that cannot be asked about is read to find out.
        poll(&mut pipe, Some(&at_once)).is_ok_and(|ready| ready == 0)
    }
}

/// Elsewhere the runtime has to be asked.
#[cfg(not(unix))]
impl<R> Lines<R> {
    pub fn is_drained(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_lines_are_cut_and_nothing_else_is_lost() {
        let mut text = b"one\r\n\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * LONGEST_LINE));
        text.extend(b"\nt\xff\nlast");
        let mut lines = Lines::new(&text[..]);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(line);
        }
        assert_eq!(
            read,
            ["one", "", &"x".repeat(LONGEST_LINE), "t\u{fffd}", "last"]
        );
    }
}
