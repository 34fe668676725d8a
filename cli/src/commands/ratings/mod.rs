//! `brouhaha ratings`: rating lists now and as they were, tables, pools, histories, two players' games.

mod answer;
mod list;
mod options;
mod players;
mod scope;
mod tables;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use proto::v1::rating_service_client::RatingServiceClient;

use crate::client::Transport;
use crate::output::Format;
use crate::settings;
use crate::site::Place;

/// Arguments of `ratings`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha ratings --data-dir ./brouhaha-data\n  brouhaha ratings --variant chess --limit-class nodes=20000 --anchor base=1500\n  brouhaha ratings --tournament 3 --tournament 4 --as-of 2026-11-30T18:00:00Z\n  brouhaha ratings --superiority --player base --player candidate\n  brouhaha ratings --cross-table --format json\n  brouhaha ratings --watch\n  brouhaha ratings pools\n  brouhaha ratings history base\n  brouhaha ratings head-to-head base candidate --as-of-game 1000\n  brouhaha ratings forecast base candidate\n  brouhaha ratings sprt 5"
)]
#[command(args_conflicts_with_subcommands = false)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    scope: scope::Scope,
    #[command(flatten)]
    moment: options::Moment,
    #[command(flatten)]
    options: options::Options,
    /// Confidence of the intervals, above 0 and below 1 [default: 0.95]
    #[arg(long, value_name = "P", global = true)]
    confidence: Option<f64>,
    /// Print the likelihood that each player is stronger than each other one
    #[arg(long, conflicts_with_all = ["cross_table", "watch"])]
    superiority: bool,
    /// Print who took how many points from whom, with the standings
    #[arg(long, conflicts_with = "watch")]
    cross_table: bool,
    /// Show all tie-breaks in the table of --cross-table, not only those that decide; JSON has all of them anyway
    #[arg(long)]
    all_columns: bool,
    /// Only this player (id or name) in --superiority or --cross-table; may be given several times
    #[arg(long, value_name = "PLAYER")]
    player: Vec<String>,
    /// Print the list again whenever it has changed, at most once a second, until interrupted; JSON one list a line
    #[arg(long, conflicts_with_all = ["as_of", "as_of_game", "data_dir"])]
    watch: bool,
    #[arg(long, value_enum, default_value_t = Format::Table, global = true, help = "How results are printed")]
    format: Format,
    #[command(subcommand)]
    query: Option<Query>,
}

#[derive(Debug, Subcommand)]
enum Query {
    /// The pools that have games; ratings are never mixed across them
    Pools,
    /// How a player's rating developed
    History {
        /// The player, by id or name
        player: String,
        /// Most points to show
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=100))]
        points: u32,
    },
    /// Two players' games against each other
    HeadToHead {
        /// First player, by id or name
        player: String,
        /// Second player, by id or name
        opponent: String,
    },
    /// What a game of two players would end in
    Forecast {
        /// First player, by id or name
        player: String,
        /// Second player, by id or name
        opponent: String,
    },
    /// How the sequential test of a tournament stands, and what it says of the difference
    Sprt {
        /// Number of the tournament
        id: u64,
    },
}

type Client = RatingServiceClient<Transport>;

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    arguments.check().unwrap_or_else(|error| error.exit());
    settings::log("warn");
    settings::runtime()?.block_on(async {
        let site = arguments.place.open().await?;
        let done = answer::answer(&mut site.connection.ratings(), &arguments).await;
        site.close().await?;
        done?;
        Ok(ExitCode::SUCCESS)
    })
}

impl Arguments {
    /// Refuses options that the query would not look at.
    fn check(&self) -> Result<(), clap::Error> {
        let scope = &self.scope;
        let given = [
            ("--superiority", self.superiority),
            ("--cross-table", self.cross_table),
            ("--all-columns", self.all_columns),
            ("--watch", self.watch),
            ("--player", !self.player.is_empty()),
            ("--confidence", self.confidence.is_some()),
            ("--as-of or --as-of-game", self.moment.is_given()),
            (
                "--tournament or --variant",
                !scope.tournament.is_empty() || scope.variant.is_some(),
            ),
        ];
        let given = given.into_iter().chain(self.options.given());
        let (what, looked_at): (&str, &[&str]) = match &self.query {
            Some(Query::Pools) => ("ratings pools", &[]),
            Some(Query::History { .. }) => ("ratings history", &["--tournament or --variant"]),
            Some(Query::HeadToHead { .. }) => (
                "ratings head-to-head",
                &[
                    "--confidence",
                    "--as-of or --as-of-game",
                    "--tournament or --variant",
                ],
            ),
            Some(Query::Sprt { .. }) => ("ratings sprt", &["--confidence"]),
            Some(Query::Forecast { .. }) => {
                return refuse(given, "ratings forecast", |name| {
                    ![
                        "--superiority",
                        "--cross-table",
                        "--all-columns",
                        "--watch",
                        "--player",
                    ]
                    .contains(&name)
                });
            }
            None if self.cross_table => (
                "ratings --cross-table",
                &[
                    "--cross-table",
                    "--all-columns",
                    "--player",
                    "--as-of or --as-of-game",
                    "--tournament or --variant",
                ],
            ),
            None => {
                return refuse(given, "a rating list", |name| {
                    name != "--all-columns" && (name != "--player" || self.superiority)
                });
            }
        };
        refuse(given, what, |name| looked_at.contains(&name))
    }
}

fn refuse(
    mut given: impl Iterator<Item = (&'static str, bool)>,
    what: &str,
    is_looked_at: impl Fn(&str) -> bool,
) -> Result<(), clap::Error> {
    match given.find(|&(name, given)| given && !is_looked_at(name)) {
        None => Ok(()),
        Some((name, _)) => Err(clap::Error::raw(
            clap::error::ErrorKind::ArgumentConflict,
            format!("{name} does not go with `{what}`; leave it out\n"),
        )),
    }
}
