extension View {
    nonisolated public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> {
        ModifiedContent(content: self, modifier: modifier)
    }
    nonisolated public func accessibilityIdentifier(_ identifier: String) -> some View {
        Doing(content: self) { visitor, content in
            visitor.find(identifier)
            visitor.visit(content)
        }
    }
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
    ) -> some View {
        Doing(content: self) { visitor, content in visitor.visit(content) { $0[keyPath: keyPath] = value } }
    }
    nonisolated public func transformEnvironment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void
    ) -> some View {
        Doing(content: self) { visitor, content in visitor.visit(content) { transform(&$0[keyPath: keyPath]) } }
    }
    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View {
        let over = content()
        return Doing(content: self) { visitor, content in
            visitor.visit(content)
            visitor.visit(over)
        }
    }
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        Doing(content: self) { visitor, content in
            action?()
            visitor.visit(content)
        }
    }
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View { Modified(content: self) }
    nonisolated public func task(
        priority: TaskPriority = .userInitiated, _ action: @escaping @Sendable @isolated(any) () async -> Void
    ) -> some View { Modified(content: self) }
    nonisolated public func transaction(_ transform: @escaping (inout Transaction) -> Void) -> some View {
        Modified(content: self)
    }
    nonisolated public func alert<S: StringProtocol, A: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View {
        let inside = actions()
        return Doing(content: self) { visitor, content in
            visitor.visit(content)
            visitor.visit(inside)
        }
    }
    nonisolated public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        let inside = content()
        return Doing(content: self) { visitor, content in
            visitor.visit(content)
            visitor.visit(inside)
        }
    }
    nonisolated public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        Modified(content: self)
    }
    nonisolated public func onLongPressGesture(
        minimumDuration: Double = 0.5, perform action: @escaping () -> Void
    ) -> some View { Modified(content: self) }
    nonisolated public func accessibilityElement(children: AccessibilityChildBehavior) -> some View {
        Modified(content: self)
    }
    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View { Modified(content: self) }
    nonisolated public func allowsHitTesting(_ enabled: Bool) -> some View { Modified(content: self) }
    nonisolated public func background<Background: View>(_ background: Background) -> some View {
        Modified(content: self)
    }
    nonisolated public func disabled(_ disabled: Bool) -> some View { Modified(content: self) }
    nonisolated public func fixedSize() -> some View { Modified(content: self) }
    nonisolated public func font(_ font: Font?) -> some View { Modified(content: self) }
    nonisolated public func foregroundColor(_ color: Color?) -> some View { Modified(content: self) }
    nonisolated public func padding() -> some View { Modified(content: self) }
}
