/// What the agent is told by its environment. xcodebuild hands on what it finds with the prefix TEST_RUNNER_.
public struct Settings {
    public var port: UInt16
    public var options = AgentOptions()
    /// Whether undocumented keys of XCTest may be used: without them an input waits until the app is idle.
    public var privateAPI: Bool
    /// Whether XCTest answers queries in the runner, not in the app.
    public var localQueries: Bool

    public init(_ environment: [String: String]) {
        port = environment["IOS_AGENT_PORT"].flatMap(UInt16.init) ?? 8080
        options.token = environment["IOS_AGENT_TOKEN"] ?? ""
        // A physical device does not tell its udid to apps, so that the agent on it is told.
        options.udid = environment["SIMULATOR_UDID"] ?? environment["IOS_AGENT_UDID"] ?? ""
        if let seconds = environment["IOS_AGENT_DEADMAN"].flatMap(Double.init) { options.deadManSeconds = seconds }
        localQueries = environment["IOS_AGENT_LOCAL_QUERIES"] == "1"
        privateAPI = environment["IOS_AGENT_PUBLIC_API_ONLY", default: "0"] == "0"
    }
}
