import SwiftUI
import UserNotifications

/// One of everything that `make verify-mac` looks at and touches. The app needs no package, so that it builds without a network.
struct TourView: View {
    @State private var name = ""
    @State private var count = 0
    @State private var gesture = "none"
    @State private var answer = "none"
    @State private var permission = "not asked"
    @State private var effect = "not started"
    @State private var chosen = "none"
    @State private var asks = false
    @State private var showsList = false
    @State private var showsSheet = false
    @State private var showsPage = false

    var body: some View {
        ScrollView {
            VStack(spacing: 12) {
                fields
                questions
                screens
            }
            .padding()
        }
    }

    private var fields: some View {
        VStack(spacing: 12) {
            TextField("Name", text: $name).accessibilityIdentifier("tour.name")
            Text("Hello, \(name)!").accessibilityIdentifier("tour.greeting")
            Button("Count") { count += 1 }.accessibilityIdentifier("tour.count")
            Text("Count: \(count)").accessibilityIdentifier("tour.counted")
            Text("Press this text")
                .padding()
                .onTapGesture(count: 2) { gesture = "double tap" }
                .onLongPressGesture(minimumDuration: 0.8) { gesture = "long press" }
                .accessibilityIdentifier("tour.pad")
            Text("Gesture: \(gesture)").accessibilityIdentifier("tour.gesture")
        }
    }

    private var questions: some View {
        VStack(spacing: 12) {
            Button("Ask") { asks = true }
                .accessibilityIdentifier("tour.ask")
                .alert("Delete everything?", isPresented: $asks) {
                    Button("Delete", role: .destructive) { answer = "deleted" }
                    Button("Keep", role: .cancel) { answer = "kept" }
                }
            Text("Answer: \(answer)").accessibilityIdentifier("tour.answer")
            Button("Notify") { notify() }.accessibilityIdentifier("tour.notify")
            Text("Notifications: \(permission)").accessibilityIdentifier("tour.permission")
            Button("Start") { start() }.accessibilityIdentifier("tour.start")
            Text("Slow effect: \(effect)").accessibilityIdentifier("tour.effect")
        }
    }

    private var screens: some View {
        VStack(spacing: 12) {
            Button("Open the list") { showsList = true }
                .accessibilityIdentifier("tour.open-list")
                .sheet(isPresented: $showsList) { list }
            Text("Chosen: \(chosen)").accessibilityIdentifier("tour.chosen")
            Button("Open the sheet") { showsSheet = true }
                .accessibilityIdentifier("tour.open-sheet")
                .sheet(isPresented: $showsSheet) { sheet }
            Button("Open the page") { showsPage = true }
                .accessibilityIdentifier("tour.open-page")
                .sheet(isPresented: $showsPage) { WebPage() }
        }
    }

    private var list: some View {
        List {
            ForEach(TourRow.all) { row in
                Button("Row \(row.id)") {
                    chosen = "Row \(row.id)"
                    showsList = false
                }
                .accessibilityIdentifier("tour.row.\(row.id)")
            }
        }
    }

    private var sheet: some View {
        VStack(spacing: 12) {
            Text("A sheet").accessibilityIdentifier("tour.sheet")
            Button("Close the sheet") { showsSheet = false }.accessibilityIdentifier("tour.close-sheet")
        }
    }

    private func notify() {
        UNUserNotificationCenter.current().requestAuthorization(options: [.alert]) { granted, _ in
            Task { @MainActor in permission = granted ? "allowed" : "denied" }
        }
    }

    private func start() {
        effect = "running"
        Task { @MainActor in
            try? await Task.sleep(nanoseconds: 3_000_000_000)
            effect = "done"
        }
    }
}

struct TourRow: Identifiable {
    static let all = (1...80).map { TourRow(id: $0) }
    let id: Int
}
