//! Integration tests of the coordinator, one binary.

mod coordinator;
mod ratings_acceptance;
mod ratings_anchors;
mod ratings_degenerate;
mod ratings_joint;
mod ratings_links;
mod ratings_live;
mod ratings_models;
mod ratings_refits;
mod ratings_vectors;
mod ratings_worlds;
mod swiss_parity;
