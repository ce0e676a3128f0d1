import Foundation

/// What the agent is told by its environment. xcodebuild hands on what it finds with the prefix TEST_RUNNER_.
struct Settings {
    var port: UInt16
    var options = AgentOptions()
    /// Whether undocumented keys may be used. On a device they are not, unless asked for.
    var privateAPI: Bool

    init(_ environment: [String: String]) {
        port = environment["IOS_AGENT_PORT"].flatMap(UInt16.init) ?? 8080
        options.token = environment["IOS_AGENT_TOKEN"] ?? ""
        options.udid = environment["SIMULATOR_UDID"] ?? ""
        options.build = agentBuild
        if let seconds = environment["IOS_AGENT_DEADMAN"].flatMap(Double.init) { options.deadManSeconds = seconds }
        #if targetEnvironment(simulator)
            privateAPI = true
        #else
            privateAPI = false
        #endif
        if let only = environment["IOS_AGENT_PUBLIC_API_ONLY"] { privateAPI = only == "0" }
    }
}
