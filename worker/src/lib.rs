//! Leases batches from a coordinator, plays or analyses them, and reports.
