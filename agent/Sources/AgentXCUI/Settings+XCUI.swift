import Foundation

extension Settings {
    /// The settings of the process this is.
    static var ofThisAgent: Settings {
        #if targetEnvironment(simulator)
            let onSimulator = true
        #else
            let onSimulator = false
        #endif
        var settings = Settings(ProcessInfo.processInfo.environment, onSimulator: onSimulator)
        settings.options.build = agentBuild
        settings.options.bundle = Bundle.main.bundleIdentifier ?? ""
        return settings
    }
}
