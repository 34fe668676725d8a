//! Rules, search and notation of very large chess variants.

pub mod betza;
