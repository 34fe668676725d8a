//! The variants a command knows: the built-in ones and those of `--variant-file`.

use std::collections::BTreeMap;
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
pub struct Variants {
    catalog: Catalog,
    /// Texts of the user's files, by the id of their variant.
    texts: BTreeMap<String, String>,
}

impl Variants {
    /// Loads the files.
    pub fn load(files: &VariantFiles) -> Result<Variants> {
        let mut catalog = Catalog::builtin();
        let mut texts = BTreeMap::new();
        for path in &files.variant_file {
            let variant = catalog.load_file(path)?;
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            texts.insert(variant.id().to_owned(), text);
        }
        Ok(Variants { catalog, texts })
    }

    /// The variants as the engine takes them.
    pub fn into_catalog(self) -> Catalog {
        self.catalog
    }

    /// The text of a user's variant, which a coordinator does not know; none for a built-in one.
    pub fn text(&self, id: &str) -> Option<&String> {
        self.texts.get(id)
    }

    /// The variant of an id.
    pub fn get(&self, id: &str) -> Result<Arc<Variant>> {
        if !self.catalog.ids().contains(&id) {
            bail!(
                "unknown variant `{id}`; known are {} (`--variant-file FILE` adds your own)",
                self.catalog.ids().join(", ")
            );
        }
        self.catalog
            .get(id)
            .with_context(|| format!("variant `{id}` does not compile"))
    }
}
