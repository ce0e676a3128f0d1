#if canImport(SwiftUI)
    #if DEBUG
        import IdentifierScheme
    #endif
    import SwiftUI

    // What an app writes itself. Without DEBUG each of them is the view, as it was.
    extension View {
        #if DEBUG
            /// Says whose the elements inside are: `remove` of the item 42 is `cart.remove[42]`. In a list within a list the keys of
            /// both are joined by a dot.
            public func identified<Key: Hashable>(by key: Key) -> some View {
                let text = "\(key)"
                return transformEnvironment(\.agentKey) { $0 = Scheme.joined($0, text) }
            }

            /// Shows the identifiers over the elements inside.
            public func agentOverlay(_ shows: Bool = true) -> some View { environment(\.agentOverlay, shows) }

            /// Does what the launch arguments of an agent ask for: `-AgentNoAnimations`, `-AgentShowIdentifiers`. To be used once, at
            /// the root of a window.
            public func preparedForAgents() -> some View {
                let wanted = LaunchArguments.current
                return
                    transaction { transaction in
                        guard wanted.noAnimations else { return }
                        transaction.animation = nil
                        transaction.disablesAnimations = true
                    }
                    .transformEnvironment(\.agentOverlay) { $0 = $0 || wanted.showIdentifiers }
                    .onAppear {
                        #if canImport(UIKit) && !os(watchOS)
                            AgentSupport.stopAnimations(wanted)
                        #endif
                    }
            }
        #else
            @inlinable public func identified<Key: Hashable>(by key: Key) -> Self { self }
            @inlinable public func agentOverlay(_ shows: Bool = true) -> Self { self }
            @inlinable public func preparedForAgents() -> Self { self }
        #endif
    }
#endif
