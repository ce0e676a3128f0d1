import SwiftUI

struct ContentView: View {
    @State private var counter = Counter()

    var body: some View {
        VStack(spacing: 16) {
            Text("Count: \(counter.value)")
                .accessibilityIdentifier("count-label")
            Button("Add one") { counter.increment() }
                .accessibilityIdentifier("add-button")
            Button("Reset") { counter.reset() }
                .accessibilityIdentifier("reset-button")
        }
        .padding()
    }
}
