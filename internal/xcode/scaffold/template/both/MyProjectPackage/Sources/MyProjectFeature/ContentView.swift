import SwiftUI

/// The first screen.
public struct ContentView: View {
    @State private var greeting = Greeting()

    public init() {}

    public var body: some View {
        VStack(spacing: 16) {
            Text(greeting.text)
                .font(.title)
                .accessibilityIdentifier("greeting")
            Button("Greet again") {
                greeting.again()
            }
            .accessibilityIdentifier("greet-again")
        }
        .padding()
    }
}
