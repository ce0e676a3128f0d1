import SwiftUI

/// A bundle of UI tests needs an app to be built for. It is never launched.
@main
struct IosAgentApp: App {
    var body: some Scene {
        WindowGroup {
            Text("ios-agent")
        }
    }
}
