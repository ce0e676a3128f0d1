import SwiftUI

@main
struct FailingApp: App {
    var body: some Scene {
        WindowGroup {
            Text("\(Calculator().add(1, 1))")
        }
    }
}
