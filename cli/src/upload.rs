//! Sends files to a coordinator, and makes tournaments whose book it may not have yet.

use std::path::Path;

use anyhow::{Context, Result, bail};
use proto::v1::{self, openings::Source};
use tokio::io::AsyncReadExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use crate::client::{Connection, refusal};

/// Bytes of a chunk, the most that a coordinator takes.
const CHUNK: usize = 256 * 1024;
/// Chunks that are read ahead.
const AHEAD: usize = 4;

/// Sends a file chunk by chunk, and gives its hash.
pub async fn upload(connection: &Connection, file: &Path) -> Result<String> {
    let named = || format!("`{}`", file.display());
    let mut opened = tokio::fs::File::open(file).await.with_context(named)?;
    if !opened.metadata().await.with_context(named)?.is_file() {
        bail!("{} is no file; name a regular one", named());
    }
    let (chunks, stream) = tokio::sync::mpsc::channel(AHEAD);
    let read = async move {
        loop {
            let mut data = Vec::with_capacity(CHUNK);
            let mut part = (&mut opened).take(CHUNK as u64);
            part.read_to_end(&mut data).await?;
            // When the coordinator listens no more, it has said why.
            let is_end = data.is_empty();
            let chunk = v1::ArtifactChunk { data: data.into() };
            if is_end || chunks.send(chunk).await.is_err() {
                return Ok::<(), std::io::Error>(());
            }
        }
    };
    let mut engines = connection.engines();
    let sent = engines.upload_artifact(ReceiverStream::new(stream));
    let (read, answer) = tokio::join!(read, sent);
    // What was read of a file that cannot be read on is not the file.
    read.with_context(named)?;
    let answer = answer.map_err(refusal)?.into_inner();
    eprintln!("{} bytes are with the coordinator", answer.size);
    Ok(answer.sha256)
}

/// Makes a tournament, or finds the one of the same specification. A book that the coordinator lacks is sent to it, and what
/// it notices goes to standard error.
pub async fn create(
    connection: &Connection,
    request: v1::CreateTournamentRequest,
    book: Option<&Path>,
) -> Result<v1::CreateTournamentResponse> {
    let named = || book.map(|book| format!("openings of `{}`", book.display()));
    let mut client = connection.tournaments();
    let answer = match (client.create(request.clone()).await, book) {
        // Only a book that is not there is not found.
        (Err(status), Some(file)) if status.code() == Code::NotFound => {
            let sha256 = upload(connection, file).await?;
            if named_book(&request) != Some(sha256.as_str()) {
                bail!(
                    "`{}` was changed while it was read; run the same command again",
                    file.display()
                );
            }
            client.create(request).await
        }
        (answer, _) => answer,
    };
    let answer = match (answer.map_err(refusal), named()) {
        (Ok(answer), _) => answer.into_inner(),
        (Err(error), Some(book)) => return Err(error.context(book)),
        (Err(error), None) => return Err(error),
    };
    for note in &answer.notes {
        match named() {
            Some(book) => eprintln!("{book}: {note}"),
            None => eprintln!("{note}"),
        }
    }
    Ok(answer)
}

/// The hash of the book that a request names.
fn named_book(request: &v1::CreateTournamentRequest) -> Option<&str> {
    let openings = request.spec.as_ref()?.openings.as_ref()?;
    match openings.source.as_ref()? {
        Source::Book(book) => Some(&book.sha256),
        _ => None,
    }
}
