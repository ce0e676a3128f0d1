import SwiftUI

@main
struct StepsApp: App {
    @State private var day = Day()

    var body: some Scene {
        WindowGroup {
            Text("\(day.count) steps")
        }
    }
}
