//! The subcommands.

mod analyze;
mod bench;
mod book;
mod compare;
mod completions;
mod engine;
mod guard;
mod ratings;
mod rules;
mod run;
mod serve;
mod stats;
mod store;
mod tournament;
mod tune;
mod uci;
mod work;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::variants::VariantFiles;

/// Runs tournaments of chess-variant engines, rates them, and knows the rules.
#[derive(Debug, Parser)]
#[command(name = "brouhaha", version, propagate_version = true)]
pub struct Brouhaha {
    #[command(flatten)]
    variants: VariantFiles,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a tournament on this machine, from its file to its table
    Run(run::Arguments),
    /// Serve a coordinator for workers and clients on other machines
    Serve(serve::Arguments),
    /// Work for a coordinator
    Work(work::Arguments),
    /// Make, watch and steer tournaments of a coordinator
    Tournament(tournament::Arguments),
    /// Rating lists, pools, histories, two players' games
    Ratings(Box<ratings::Arguments>),
    /// Rate games of any files, judge and plan sequential tests, all without a coordinator
    Stats(stats::Arguments),
    /// Engine versions that a coordinator knows: list, show, upload, register; probe one here
    Engine(engine::Arguments),
    /// Make and check opening books
    Book(book::Arguments),
    /// Compare two engines, with a sequential test or without
    Compare(Box<compare::Arguments>),
    /// Have many positions analysed
    Analyze(analyze::Arguments),
    /// Look at the rules: start positions, legal moves, perft, replaying games
    Rules(rules::Arguments),
    /// The built-in engine, by the UCI protocol on standard input and output
    Uci(uci::Arguments),
    /// The engine's node-count signature and speed
    Bench(bench::Arguments),
    /// Fit the engine's evaluation to the results of games
    Tune(tune::Arguments),
    /// Check or rebuild a store while no coordinator runs on it
    Store(store::Arguments),
    /// Become another program that ends when its parent does: for workers, which start engines so
    #[command(hide = true)]
    Guard(guard::Arguments),
    /// Print what a shell needs to complete commands
    Completions(completions::Arguments),
}

/// Runs a subcommand and gives the exit code.
pub fn run(arguments: Brouhaha) -> Result<ExitCode> {
    match arguments.command {
        Command::Rules(rules) => rules::run(&arguments.variants, rules),
        Command::Uci(uci) => uci::run(&arguments.variants, uci),
        Command::Bench(bench) => bench::run(bench),
        Command::Tune(tune) => tune::run(&arguments.variants, tune),
        Command::Run(run) => run::run(run),
        Command::Serve(serve) => serve::run(serve),
        Command::Work(work) => work::run(work),
        Command::Tournament(tournament) => tournament::run(tournament),
        Command::Ratings(ratings) => ratings::run(*ratings),
        Command::Stats(stats) => stats::run(stats),
        Command::Engine(engine) => engine::run(&arguments.variants, engine),
        Command::Book(book) => book::run(&arguments.variants, book),
        Command::Compare(compare) => compare::run(&arguments.variants, *compare),
        Command::Analyze(analyze) => analyze::run(&arguments.variants, analyze),
        Command::Store(store) => store::run(store),
        Command::Guard(guard) => guard::run(guard),
        Command::Completions(completions) => completions::run(completions),
    }
}
