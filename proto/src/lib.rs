//! The wire contract of Brouhaha: generated code only.
