//! Drives the built command as a script would.

mod answers;
mod codes;
mod common;
mod compare;
mod demo;
mod drivers;
mod images;
mod messages;
mod questions;
