//! Parametric scenes and a glTF loader for the tests, benchmarks and tools of pick.
