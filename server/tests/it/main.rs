//! Integration tests of the coordinator, one binary.

mod ratings_degenerate;
mod ratings_vectors;
