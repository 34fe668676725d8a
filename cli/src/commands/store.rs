//! `brouhaha store`: looks after a data directory while no coordinator runs on it.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use server::store::{self, OpenOptions};

use crate::output::print;
use crate::settings::DataDir;

/// Arguments of `store`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  brouhaha store check --data-dir ./brouhaha-data")]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Reads the whole journal, compares the index with it, and checks the engine files; changes nothing
    Check(DataDir),
    /// Makes the index anew from the journal; a damaged journal is cut off at its first fault
    Rebuild(DataDir),
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    match arguments.action {
        Action::Check(data_dir) => {
            let report = store::check(&OpenOptions::new(&data_dir.data_dir))?;
            let mut text = format!(
                "journal: {} records in {} segments, {} bytes\nindex: {} entries\n",
                report.journal.records,
                report.journal.segments,
                report.journal.bytes,
                report.index_entries
            );
            for note in &report.notes {
                text += &format!("note: {note}\n");
            }
            for problem in &report.problems {
                text += &format!("problem: {problem}\n");
            }
            let is_well = report.problems.is_empty();
            print(text + if is_well { "all is well\n" } else { "" })?;
            Ok(if is_well {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
        Action::Rebuild(data_dir) => {
            let report = store::rebuild(&OpenOptions::new(&data_dir.data_dir))?;
            let mut text = format!(
                "{} records entered into a new index\nthe old index is kept in {}\n",
                report.records,
                report.aside.display()
            );
            for removed in &report.removed {
                text += &format!(
                    "given up: {} bytes of {} after byte {}\n",
                    removed.bytes,
                    removed.path.display(),
                    removed.offset
                );
            }
            print(text)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
