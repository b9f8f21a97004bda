//! Drivers, hosts, and the little scene that most trials pick in.

pub mod driver;
pub mod host;
pub mod inject;
pub mod picture;
pub mod scene;

/// One test a driver for each of these functions, named `function::driver`.
macro_rules! on_each_driver {
    ($($name:ident,)*) => {$(
        mod $name {
            use crate::common::driver::Driver;

            #[test]
            fn lavapipe() {
                Driver::Lavapipe.run(super::$name);
            }

            #[test]
            fn swiftshader() {
                Driver::SwiftShader.run(super::$name);
            }
        }
    )*};
}

pub(crate) use on_each_driver;
