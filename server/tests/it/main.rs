//! Integration tests of the coordinator, one binary.

mod coordinator;
mod ratings_degenerate;
mod ratings_vectors;
mod swiss_parity;
