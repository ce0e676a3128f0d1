#if canImport(UIKit) && !os(watchOS)
    import UIKit

    /// What an app of UIKit calls when it starts. An app of SwiftUI has `preparedForAgents()`.
    @MainActor
    public enum AgentSupport {
        #if DEBUG
            /// Does what the launch arguments of an agent ask for: `-AgentNoAnimations`, `-AgentShowIdentifiers`.
            public static func prepare(_ window: UIWindow) {
                let wanted = LaunchArguments.current
                stopAnimations(wanted)
                if wanted.showIdentifiers { IdentifierOverlay.show(in: window) }
            }

            private static var isWatching = false

            /// Turns off the animations of UIKit, and has those of layers, which nothing turns off, take a hundredth of their time,
            /// also in windows to come.
            static func stopAnimations(_ wanted: LaunchArguments) {
                guard wanted.noAnimations, !isWatching else { return }
                isWatching = true
                UIView.setAnimationsEnabled(false)
                hurryLayers()
                let appearing = UIWindow.didBecomeVisibleNotification
                // The app watches as long as it lives, so that nobody keeps the observer.
                _ = NotificationCenter.default.addObserver(forName: appearing, object: nil, queue: .main) { _ in
                    MainActor.assumeIsolated { hurryLayers() }
                }
            }

            private static func hurryLayers() {
                for case let scene as UIWindowScene in UIApplication.shared.connectedScenes {
                    for window in scene.windows { window.layer.speed = 100 }
                }
            }
        #else
            @inlinable public static func prepare(_ window: UIWindow) {}
        #endif
    }
#endif
