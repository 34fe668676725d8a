//! The variants a command knows: the built-in ones and those of `--variant-file`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use engine::variant::{Catalog, Variant};

/// `--variant-file FILE`, which may be given several times.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct VariantFiles {
    /// Load the variants of FILE beside the built-in ones (may be given several times)
    #[arg(long, value_name = "FILE", global = true)]
    pub variant_file: Vec<PathBuf>,
}

/// Built-in and loaded variants.
pub struct Variants(Catalog);

impl Variants {
    /// Loads the files.
    pub fn load(files: &VariantFiles) -> Result<Variants> {
        let mut catalog = Catalog::builtin();
        for path in &files.variant_file {
            catalog.load_file(path)?;
        }
        Ok(Variants(catalog))
    }

    /// The variants as the engine takes them.
    pub fn into_catalog(self) -> Catalog {
        self.0
    }

    /// The variant of an id.
    pub fn get(&self, id: &str) -> Result<Arc<Variant>> {
        if !self.0.ids().contains(&id) {
            bail!("unknown variant `{id}`; known are {} (`--variant-file FILE` adds your own)", self.0.ids().join(", "));
        }
        self.0.get(id).with_context(|| format!("variant `{id}` does not compile"))
    }
}
