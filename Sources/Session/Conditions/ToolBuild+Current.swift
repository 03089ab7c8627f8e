import Analysis
import CHost

extension ToolBuild {
    /// The version of the program; CHANGELOG.md tells what changed.
    private static let currentVersion = "0.1.0"

    /// This very program.
    public static var current: ToolBuild {
        ToolBuild(
            version: currentVersion, commit: String(cString: chost_build_commit()),
            buildType: String(cString: chost_build_type()), compiler: String(cString: chost_build_compiler()))
    }

    /// The llama.cpp version whose headers the llama worker was built with; nil when it was built without.
    public static var llamaVersion: String? {
        let version = String(cString: chost_build_llama_version())
        return version.isEmpty ? nil : version
    }
}
