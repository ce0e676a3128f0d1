import SwiftUI

@main
struct OrbitApp: App {
    @State private var planet = Planet()

    var body: some Scene {
        WindowGroup {
            Text("\(planet.moons) moons")
        }
    }
}
