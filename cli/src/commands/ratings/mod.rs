//! `brouhaha ratings`: rating lists now and as they were, tables, pools, histories, two players' games.

mod answer;
mod arguments;
mod list;
mod options;
mod players;
mod scope;
mod tables;
mod watch;

use std::process::ExitCode;

use anyhow::Result;
use proto::v1::rating_service_client::RatingServiceClient;

pub use arguments::Arguments;

use crate::client::Transport;
use crate::settings;

type Client = RatingServiceClient<Transport>;

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let asked = arguments.asked().unwrap_or_else(|error| error.exit());
    settings::log("warn");
    settings::runtime()?.block_on(async {
        let site = arguments.place.open().await?;
        let done = answer::answer(&mut site.connection.ratings(), &arguments, &asked).await;
        site.close().await?;
        done?;
        Ok(ExitCode::SUCCESS)
    })
}
