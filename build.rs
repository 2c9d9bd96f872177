//! Compresses the line tables of the program: they are read only for backtraces.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-O2,--compress-debug-sections=zlib");
    }
}
