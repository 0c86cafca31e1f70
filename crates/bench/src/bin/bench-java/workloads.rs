//! What is run: the kernels, and programs whose jars may be there.

use std::path::{Path, PathBuf};

/// Where Debian keeps jars.
const JARS: &str = "/usr/share/java";

/// Something to run.
pub struct Workload {
    /// Its name in the tables, and for `--only`.
    pub name: &'static str,
    /// Its source files.
    pub sources: Vec<PathBuf>,
    /// Its jars.
    pub jars: Vec<PathBuf>,
    /// The main class and its first arguments; the number of iterations follows.
    pub main: Vec<&'static str>,
    /// Iterations that take a second or two of CPU time without Interloper.
    pub iterations: u32,
}

/// The source files of the kernels.
fn kernel_sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let names = ["Hello", "Kernel", "MolDyn", "MonteCarlo", "RayTracer", "Sor", "Sparse", "Tour"];
    names.map(|name| folder.join(format!("{name}.java"))).to_vec()
}

/// The kernels.
pub fn kernels() -> Vec<Workload> {
    let kernel = |(name, iterations)| Workload {
        name,
        sources: kernel_sources(),
        jars: vec![],
        main: vec![name],
        iterations,
    };
    let kernels = [
        ("MolDyn", 80),
        ("Sor", 70),
        ("RayTracer", 90),
        ("MonteCarlo", 30),
        ("Sparse", 100),
        ("Tour", 8),
    ];
    kernels.map(kernel).into()
}

/// The programs whose jars are there; the others are named on standard output.
pub fn programs() -> Vec<Workload> {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java/real");
    let program = |name, source: &str, jars: &[&str], main: &[&'static str], iterations| Workload {
        name,
        sources: vec![real.join(source)],
        jars: jars.iter().map(|jar| Path::new(JARS).join(jar)).collect(),
        main: main.to_vec(),
        iterations,
    };
    let h2 = ["Sql", "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1"];
    let xalan = ["xalan2.jar", "serializer.jar", "xercesImpl.jar"];
    let programs = vec![
        program("H2", "Sql.java", &["h2.jar"], &h2, 100),
        program("Xalan", "Transform.java", &xalan, &["Transform"], 20),
    ];
    let (there, missing): (Vec<_>, Vec<_>) =
        programs.into_iter().partition(|it| it.jars.iter().all(|jar| jar.exists()));
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|it| it.name).collect();
        println!("not installed, left out: {}\n", names.join(", "));
    }
    there
}
