#if DEBUG
    import Foundation

    /// What an agent asks for when it launches the app.
    struct LaunchArguments: Equatable {
        var noAnimations = false
        var showIdentifiers = false

        /// Those of this process.
        static let current = LaunchArguments(ProcessInfo.processInfo.arguments)

        init(_ arguments: [String]) {
            noAnimations = LaunchArguments.has("-AgentNoAnimations", in: arguments)
            showIdentifiers = LaunchArguments.has("-AgentShowIdentifiers", in: arguments)
        }

        /// An argument alone is a yes; a value behind it, as settings have one, may say no.
        private static func has(_ name: String, in arguments: [String]) -> Bool {
            guard let place = arguments.firstIndex(of: name) else { return false }
            return !["no", "false", "0"].contains(arguments.dropFirst(place + 1).first?.lowercased())
        }
    }
#endif
