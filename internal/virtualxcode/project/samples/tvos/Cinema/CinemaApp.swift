import SwiftUI

@main
struct CinemaApp: App {
    @State private var film = Film()

    var body: some Scene {
        WindowGroup {
            Text(film.title)
        }
    }
}
