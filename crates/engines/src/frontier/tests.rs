//! What the oracle tests (`tests/exact.rs`) cannot see: the size of the table.
