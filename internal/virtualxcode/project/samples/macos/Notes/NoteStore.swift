import Foundation

/// The notes, newest first.
struct NoteStore {
    private(set) var titles: [String] = []

    mutating func add(_ title: String) {
        titles.insert(title, at: 0)
    }
}
