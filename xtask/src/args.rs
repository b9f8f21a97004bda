//! The command line. A few verbs and options need no parsing library, and without one a bare machine builds this
//! tool in about two seconds.

use std::path::PathBuf;

/// What `cargo xtask help` prints.
pub const USAGE: &str = "\
usage: cargo xtask VERB [OPTION..]

  setup     find the drivers and tools that the tests need; install what is missing where that is allowed
  test      set up, then run every step that must pass (`cargo xtask steps` lists them)
  steps     list the steps of `test`
  gpu       the full conformance suite on this machine's GPU and on whatever other drivers it has, nothing
            forced; what follows `--` goes to the suite
  bench-report
            build and run the benchmarks, and make JSON, one page, plots and tables of them; on the GPU where one is,
            else on software drivers
  wasm      check that the crates meant for the web compile for it
  package   package every published crate and compile the packages away from the workspace
  deps      count the crates behind each feature of `pick`

options of setup, test and bench-report:
  --require-drivers   a missing driver or tool is an error (the default where CI=true)
options of test:
  --keep-going        run the remaining steps after one has failed
  --only NAME[,NAME]  run these steps only
options of bench-report:
  --quick             little of everything, in half a minute
  --full              the sizes of a GPU (the default where one is)
  --driver NAME       only devices with this in their name or driver
  --out DIR           where it goes (default: bench-report in cargo's target folder);
                      a folder `criterion` in it is replaced";

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Print the usage.
    Help,
    /// Print the steps of `test`.
    Steps,
    /// Find and install what the tests need.
    Setup,
    /// Set up and run the steps.
    Test,
    /// The conformance suite on the machine's own drivers.
    Gpu,
    /// Run the benchmarks and make their page.
    BenchReport,
    /// The web check.
    Wasm,
    /// The packaging check.
    Package,
    /// Count dependencies.
    Deps,
}

/// A parsed command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// What to do.
    pub verb: Verb,
    /// A missing driver or tool is an error instead of a named skip.
    pub require_drivers: bool,
    /// Go on after a failed step.
    pub keep_going: bool,
    /// The steps to run; all when empty.
    pub only: Vec<String>,
    /// How much is measured, as the benchmarks spell it; what fits the machine when none.
    pub sizes: Option<&'static str>,
    /// The devices that are measured; what fits the machine when none.
    pub driver: Option<String>,
    /// Where the page goes.
    pub out: Option<PathBuf>,
    /// What followed `--`.
    pub rest: Vec<String>,
}

/// Parses the arguments after the program's name. On a build server (`ci`) drivers are required by default: nobody reads
/// the skips there.
pub fn parse(args: impl IntoIterator<Item = String>, ci: bool) -> Result<Request, String> {
    let mut args = args.into_iter();
    let verb = match args.next().as_deref() {
        None | Some("help" | "-h" | "--help") => Verb::Help,
        Some("steps") => Verb::Steps,
        Some("setup") => Verb::Setup,
        Some("test") => Verb::Test,
        Some("gpu") => Verb::Gpu,
        Some("bench-report") => Verb::BenchReport,
        Some("wasm") => Verb::Wasm,
        Some("package") => Verb::Package,
        Some("deps") => Verb::Deps,
        Some(other) => return Err(format!("there is no verb `{other}`")),
    };
    let mut request = Request {
        verb,
        require_drivers: ci,
        keep_going: false,
        only: Vec::new(),
        sizes: None,
        driver: None,
        out: None,
        rest: Vec::new(),
    };
    while let Some(arg) = args.next() {
        match (verb, arg.as_str()) {
            (Verb::Setup | Verb::Test | Verb::BenchReport, "--require-drivers") => {
                request.require_drivers = true
            }
            (Verb::Test, "--keep-going") => request.keep_going = true,
            (Verb::Test, "--only") => {
                let names = args.next().ok_or("--only needs the name of a step")?;
                request.only.extend(names.split(',').map(str::to_owned));
            }
            (Verb::BenchReport, "--quick") => request.sizes = Some("--quick"),
            (Verb::BenchReport, "--full") => request.sizes = Some("--full"),
            (Verb::BenchReport, "--driver") => {
                request.driver = Some(args.next().ok_or("--driver needs a name")?);
            }
            (Verb::BenchReport, "--out") => {
                request.out = Some(args.next().ok_or("--out needs a folder")?.into());
            }
            (Verb::Gpu, "--") => request.rest.extend(args.by_ref()),
            (_, "-h" | "--help") => request.verb = Verb::Help,
            (_, other) => return Err(format!("this verb takes no `{other}`")),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str, ci: bool) -> Result<Request, String> {
        parse(line.split_whitespace().map(str::to_owned), ci)
    }

    #[test]
    fn options_are_read() {
        let request = parsed("test --keep-going --only lint,wasm --only docs", false).unwrap();
        assert_eq!(request.verb, Verb::Test);
        assert!(request.keep_going && !request.require_drivers);
        assert_eq!(request.only, ["lint", "wasm", "docs"]);
        assert_eq!(
            parsed("gpu -- --exact a", false).unwrap().rest,
            ["--exact", "a"]
        );
    }

    #[test]
    fn options_of_the_benchmarks_are_read() {
        let request = parsed("bench-report --quick --driver llvmpipe --out a", false).unwrap();
        assert_eq!(request.verb, Verb::BenchReport);
        assert_eq!(request.sizes, Some("--quick"));
        assert_eq!(request.driver.as_deref(), Some("llvmpipe"));
        assert_eq!(request.out, Some(PathBuf::from("a")));
        let full = parsed("bench-report --full", false).unwrap();
        assert_eq!((full.sizes, full.out), (Some("--full"), None));
        assert!(parsed("bench-report --driver", false).is_err());
        assert!(parsed("test --quick", false).is_err());
    }

    #[test]
    fn a_build_server_requires_drivers_without_being_told() {
        assert!(parsed("test", true).unwrap().require_drivers);
        assert!(!parsed("test", false).unwrap().require_drivers);
        assert!(
            parsed("test --require-drivers", false)
                .unwrap()
                .require_drivers
        );
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert!(parsed("tets", false).unwrap_err().contains("tets"));
        assert!(
            parsed("wasm --keep-going", false)
                .unwrap_err()
                .contains("--keep-going")
        );
        assert!(parsed("test --only", false).unwrap_err().contains("--only"));
        assert_eq!(parsed("", false).unwrap().verb, Verb::Help);
        assert_eq!(parsed("test --help", false).unwrap().verb, Verb::Help);
    }
}
