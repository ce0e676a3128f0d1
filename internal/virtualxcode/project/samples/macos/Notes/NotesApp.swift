import SwiftUI

@main
struct NotesApp: App {
    @State private var store = NoteStore()

    var body: some Scene {
        WindowGroup {
            List(store.titles, id: \.self) { Text($0) }
                .frame(minWidth: 320, minHeight: 240)
        }
    }
}
