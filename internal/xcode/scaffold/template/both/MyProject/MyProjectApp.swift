import MyProjectFeature
import SwiftUI

/// The app itself is thin: what it shows and does is in the package.
@main
struct MyProjectApp: App {
    var body: some Scene {
        WindowGroup {
            ContentView()
        }
    }
}
