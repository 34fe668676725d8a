//! The arguments of `ratings`: each subcommand has those that its answer looks at, and no others.

use clap::Subcommand;

use super::options::{Level, Moment, Options};
use super::scope::Scope;
use crate::output::Format;
use crate::site::Place;

/// Arguments of `ratings`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha ratings --data-dir ./brouhaha-data\n  brouhaha ratings --variant chess --limit-class nodes=20000 --anchor base=1500\n  brouhaha ratings --tournament 3 --tournament 4 --as-of 2026-11-30T18:00:00Z\n  brouhaha ratings --superiority --player base --player candidate\n  brouhaha ratings --cross-table --format json\n  brouhaha ratings --watch\n  brouhaha ratings pools\n  brouhaha ratings history base --points 50 --anchor other=1500\n  brouhaha ratings head-to-head base candidate --as-of-game 1000\n  brouhaha ratings forecast base candidate\n  brouhaha ratings sprt 5"
)]
#[command(args_conflicts_with_subcommands = false)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) place: Place,
    #[command(flatten)]
    pub(super) list: List,
    #[arg(long, value_enum, default_value_t = Format::Table, global = true, help = "How results are printed")]
    pub(super) format: Format,
    #[command(subcommand)]
    pub(super) query: Option<Query>,
}

/// Arguments of a rating list and of the tables beside it.
#[derive(Debug, clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    moment: Moment,
    #[command(flatten)]
    level: Level,
    #[command(flatten)]
    options: Options,
    /// Player (id or name) that is to have an interval in a list of more than 2000; may be given several times
    #[arg(long, value_name = "PLAYER")]
    pub error_bars_for: Vec<String>,
    /// Print the likelihood that each player is stronger than each other one
    #[arg(long, conflicts_with_all = ["cross_table", "watch", "error_bars_for"])]
    pub superiority: bool,
    /// Print who took how many points from whom, with the standings
    #[arg(long, conflicts_with = "watch")]
    pub cross_table: bool,
    /// Show all tie-breaks in the table of --cross-table, not only those that decide; JSON has all of them anyway
    #[arg(long)]
    pub all_columns: bool,
    /// Only this player (id or name) in --superiority or --cross-table; may be given several times
    #[arg(long, value_name = "PLAYER")]
    pub player: Vec<String>,
    /// Print the list again whenever it has changed, at most once a second, until interrupted; JSON one list a line. Waits for games and for a coordinator that is started again
    #[arg(long, conflicts_with_all = ["as_of", "as_of_game", "data_dir"])]
    pub watch: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Query {
    /// The pools that have games; ratings are never mixed across them
    Pools,
    /// How a player's rating developed
    History {
        /// The player, by id or name
        player: String,
        /// Most points to show
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=100))]
        points: u32,
        #[command(flatten)]
        asked: Asked,
    },
    /// Two players' games against each other
    HeadToHead {
        /// First player, by id or name
        player: String,
        /// Second player, by id or name
        opponent: String,
        #[command(flatten)]
        scope: Scope,
        #[command(flatten)]
        moment: Moment,
        #[command(flatten)]
        level: Level,
    },
    /// What a game of two players would end in
    Forecast {
        /// First player, by id or name
        player: String,
        /// Second player, by id or name
        opponent: String,
        #[command(flatten)]
        asked: Asked,
    },
    /// How the sequential test of a tournament stands, and what it says of the difference
    Sprt {
        /// Number of the tournament
        id: u64,
        #[command(flatten)]
        level: Level,
    },
}

/// What a rating depends on: which games, as of when, how, and how sure.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Asked {
    #[command(flatten)]
    pub scope: Scope,
    #[command(flatten)]
    pub moment: Moment,
    #[command(flatten)]
    pub level: Level,
    #[command(flatten)]
    pub options: Options,
}

/// Arguments that belong together.
pub(super) trait Group: Clone + Default {
    /// The first one that is given.
    fn given(&self) -> Option<&'static str>;
}

impl Arguments {
    /// What is asked. Of a subcommand it stands behind it, or as a whole group before it.
    ///
    /// # Errors
    /// Something is given that the answer would not look at, or a group on both sides of the subcommand.
    pub(super) fn asked(&self) -> Result<Asked, clap::Error> {
        let Some(query) = &self.query else {
            return self.list.asked();
        };
        let name = query.name();
        let of_the_list = self.list.given();
        if let Some(flag) = of_the_list {
            return Err(refused(flag, name));
        }
        let (list, after) = (&self.list, query.groups());
        Ok(Asked {
            scope: settled(name, &list.scope, after.scope)?,
            moment: settled(name, &list.moment, after.moment)?,
            level: settled(name, &list.level, after.level)?,
            options: settled(name, &list.options, after.options)?,
        })
    }
}

impl List {
    /// The first argument given that only a list has.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--superiority", self.superiority),
            ("--cross-table", self.cross_table),
            ("--all-columns", self.all_columns),
            ("--watch", self.watch),
            ("--player", !self.player.is_empty()),
            ("--error-bars-for", !self.error_bars_for.is_empty()),
        ];
        given
            .into_iter()
            .find(|(_, given)| *given)
            .map(|(flag, _)| flag)
    }

    fn asked(&self) -> Result<Asked, clap::Error> {
        if !self.player.is_empty() && !self.superiority && !self.cross_table {
            return Err(refused("--player", "a rating list"));
        }
        if self.all_columns && !self.cross_table {
            return Err(refused("--all-columns", "a rating list"));
        }
        let of_ratings = self.options.given().or(self.level.given());
        let of_ratings =
            of_ratings.or((!self.error_bars_for.is_empty()).then_some("--error-bars-for"));
        if let (true, Some(flag)) = (self.cross_table, of_ratings) {
            return Err(refused(flag, "ratings --cross-table"));
        }
        Ok(Asked {
            scope: self.scope.clone(),
            moment: self.moment.clone(),
            level: self.level.clone(),
            options: self.options.clone(),
        })
    }
}

/// The groups that a subcommand has.
#[derive(Default)]
struct Groups<'a> {
    scope: Option<&'a Scope>,
    moment: Option<&'a Moment>,
    level: Option<&'a Level>,
    options: Option<&'a Options>,
}

impl Query {
    fn name(&self) -> &'static str {
        match self {
            Self::Pools => "ratings pools",
            Self::History { .. } => "ratings history",
            Self::HeadToHead { .. } => "ratings head-to-head",
            Self::Forecast { .. } => "ratings forecast",
            Self::Sprt { .. } => "ratings sprt",
        }
    }

    fn groups(&self) -> Groups<'_> {
        match self {
            Self::Pools => Groups::default(),
            Self::History { asked, .. } | Self::Forecast { asked, .. } => Groups {
                scope: Some(&asked.scope),
                moment: Some(&asked.moment),
                level: Some(&asked.level),
                options: Some(&asked.options),
            },
            Self::HeadToHead {
                scope,
                moment,
                level,
                ..
            } => Groups {
                scope: Some(scope),
                moment: Some(moment),
                level: Some(level),
                options: None,
            },
            Self::Sprt { level, .. } => Groups {
                level: Some(level),
                ..Groups::default()
            },
        }
    }
}

/// A group as it is given before a subcommand or after it.
fn settled<G: Group>(what: &str, before: &G, after: Option<&G>) -> Result<G, clap::Error> {
    match (before.given(), after) {
        (None, after) => Ok(after.cloned().unwrap_or_default()),
        (Some(flag), None) => Err(refused(flag, what)),
        (Some(_), Some(after)) if after.given().is_none() => Ok(before.clone()),
        (Some(flag), Some(_)) => Err(usage(format!(
            "{flag} stands before `{what}` and what belongs to it behind; write all of it behind\n"
        ))),
    }
}

fn refused(flag: &str, what: &str) -> clap::Error {
    usage(format!("{flag} does not go with `{what}`; leave it out\n"))
}

fn usage(problem: String) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, problem)
}
