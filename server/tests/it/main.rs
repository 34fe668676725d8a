//! Integration tests of the coordinator, one binary.

mod ratings_vectors;
