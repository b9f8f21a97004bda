//! What mutation testing found, kept for good.
