//! Points, cross-tables, rating models, intervals and sequential tests. Pure.
