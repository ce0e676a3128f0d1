#if canImport(SwiftUI) && DEBUG
    import IdentifierScheme
    import SwiftUI

    /// Sets an element's identifier, with the key of the list it stands in.
    struct IdentifiedModifier: ViewModifier {
        private let name: String
        private let isContainer: Bool
        @Environment(\.agentKey) private var key
        @Environment(\.agentOverlay) private var showsOverlay
        @State private var shown = ""

        /// A transition takes no longer: meanwhile a screen and the next of its kind stand there both.
        private static let transition: UInt64 = 1_500_000_000

        nonisolated init(name: String, isContainer: Bool) {
            self.name = name
            self.isContainer = isContainer
        }

        func body(content: Content) -> some View {
            if name.isEmpty {
                content
            } else {
                identified(content, as: Scheme.keyed(name, by: key))
            }
        }

        private func identified(_ content: Content, as identifier: String) -> some View {
            marked(content)
                .accessibilityIdentifier(identifier)
                .overlay(alignment: .topLeading) {
                    if showsOverlay { IdentifierTag(identifier: identifier) }
                }
                .onAppear {
                    shown = identifier
                    Register.shared.appear(identifier)
                }
                .onDisappear { Register.shared.disappear(shown) }
                .task { @MainActor in
                    try? await Task.sleep(nanoseconds: IdentifiedModifier.transition)
                    if !Task.isCancelled { Register.shared.check() }
                }
        }

        /// A container that is no element of its own would hand its identifier to every view inside.
        @ViewBuilder
        private func marked(_ content: Content) -> some View {
            if isContainer {
                content.accessibilityElement(children: .contain)
            } else {
                content
            }
        }
    }

    private struct AgentKey: EnvironmentKey {
        static let defaultValue: String? = nil
    }

    private struct AgentOverlay: EnvironmentKey {
        static let defaultValue = false
    }

    extension EnvironmentValues {
        /// Whose the elements are, in a list.
        var agentKey: String? {
            get { self[AgentKey.self] }
            set { self[AgentKey.self] = newValue }
        }

        /// Whether elements show their identifiers.
        var agentOverlay: Bool {
            get { self[AgentOverlay.self] }
            set { self[AgentOverlay.self] = newValue }
        }
    }

    /// An identifier over its element. Neither a finger nor accessibility finds it.
    struct IdentifierTag: View {
        let identifier: String

        var body: some View {
            ZStack(alignment: .topLeading) {
                Rectangle().strokeBorder(Color.pink, lineWidth: 1)
                Text(verbatim: identifier)
                    .font(.system(size: 9, design: .monospaced))
                    .foregroundColor(.white)
                    .background(Color.pink)
                    .fixedSize()
            }
            .allowsHitTesting(false)
            .accessibilityHidden(true)
        }
    }
#endif
