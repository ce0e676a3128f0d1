import AgentIdentifiers
import SwiftUI

@main
struct ExampleApp: App {
    var body: some Scene {
        WindowGroup {
            RootView().preparedForAgents()
        }
    }
}

struct RootView: View {
    @State private var name: String?

    var body: some View {
        if let name {
            CartView(name: name) { self.name = nil }
        } else {
            LoginView { name = $0 }
        }
    }
}
