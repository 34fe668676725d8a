//! Compiles the `.proto` files without an installed protoc.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;

/// Every file of the contract, relative to the folder `proto`.
const FILES: [&str; 9] = [
    "brouhaha/v1/common.proto",
    "brouhaha/v1/worker.proto",
    "brouhaha/v1/tournament.proto",
    "brouhaha/v1/rating.proto",
    "brouhaha/v1/tuning.proto",
    "brouhaha/v1/analysis.proto",
    "brouhaha/v1/engine.proto",
    "brouhaha/v1/variant.proto",
    "brouhaha/store/v1/journal.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("proto");
    // Neither protox nor `compile_fds` prints this.
    println!("cargo::rerun-if-changed={}", root.display());

    let descriptors = protox::compile(FILES, [&root])?;
    let out = PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin");
    fs::write(out, descriptors.encode_to_vec())?;

    tonic_prost_build::configure()
        // Maps are hashed and stored, so their encoding must not depend on a random hasher.
        .btree_map(".")
        .bytes(".brouhaha.v1.ArtifactChunk")
        .compile_fds(descriptors)?;
    Ok(())
}
