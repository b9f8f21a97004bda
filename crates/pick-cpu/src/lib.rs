//! The reference backend of pick: a ray caster that needs no GPU.
