//! The conformance suite of pick: cases, an independent oracle, mutants.
