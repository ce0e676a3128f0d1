import AppKit
import SwiftUI
import UniformTypeIdentifiers

// The SwiftUI twin of the GTK program that desktop apps are tested with on Linux: the same widgets, by the same names. It prints what
// becomes of them, a line each, so that a test has the app's own word. Built without a bundle: swiftc -parse-as-library.

@main
struct DesktopTwin: App {
    @NSApplicationDelegateAdaptor(Starter.self) private var starter

    var body: some Scene {
        WindowGroup("Desktop Twin") {
            Widgets().frame(width: 420, height: 560)
        }
    }
}

/// Makes an app of a program that has no bundle.
final class Starter: NSObject, NSApplicationDelegate {
    func applicationDidFinishLaunching(_ notification: Notification) {
        setvbuf(stdout, nil, _IOLBF, 0)
        NSApplication.shared.setActivationPolicy(.regular)
        NSApplication.shared.activate(ignoringOtherApps: true)
        print("ready")
    }

    func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool { true }
}

struct Widgets: View {
    @State private var clicks = 0
    @State private var enabled = false
    @State private var volume = 0.5
    @State private var name = ""
    @State private var dropped = false

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            Button("Action") {
                clicks += 1
                print("clicked \(clicks)")
            }
            .accessibilityLabel("Action")
            Toggle("Enabled", isOn: $enabled)
                .onChange(of: enabled) { print("enabled \($0)") }
            Text(clicks == 0 ? "Ready" : "Clicked: \(clicks)")
                .accessibilityIdentifier("status")
            Slider(value: $volume, in: 0...1)
                .accessibilityLabel("Volume")
                .onChange(of: volume) { print(String(format: "volume %.2f", $0)) }
            TextField("Your name", text: $name)
                .accessibilityLabel("Name")
                .onChange(of: name) { print("name \($0)") }
            List {
                ForEach(["Alpha", "Beta", "Gamma"], id: \.self) { item in
                    Text(item).accessibilityLabel(item)
                }
            }
            .accessibilityLabel("Items")
            .frame(height: 90)
            HStack(spacing: 40) {
                Text("Drag Source")
                    .accessibilityLabel("Drag Source")
                    .padding()
                    .background(Color.blue.opacity(0.3))
                    .onDrag { NSItemProvider(object: NSString(string: "payload")) }
                Text(dropped ? "Drop Received" : "Drop Here")
                    .accessibilityLabel(dropped ? "Drop Received" : "Drop Here")
                    .padding()
                    .background(Color.green.opacity(0.3))
                    .onDrop(of: [UTType.text], isTargeted: nil) { _ in
                        dropped = true
                        print("dropped payload")
                        return true
                    }
            }
            Button("Off") { print("off") }
                .accessibilityLabel("Off")
                .disabled(true)
            Spacer()
        }
        .padding()
    }
}
