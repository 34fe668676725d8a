//! The binary `brouhaha`: one subcommand per file, wiring only.

fn main() {}
