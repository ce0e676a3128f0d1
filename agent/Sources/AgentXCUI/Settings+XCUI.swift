import Foundation

extension Settings {
    /// The settings of the process this is.
    static var ofThisAgent: Settings {
        var settings = Settings(ProcessInfo.processInfo.environment)
        settings.options.build = agentBuild
        settings.options.bundle = Bundle.main.bundleIdentifier ?? ""
        return settings
    }
}
