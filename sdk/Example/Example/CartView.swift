import AgentIdentifiers
import SwiftUI

struct CartItem: Identifiable {
    let id: String
    let name: String
}

@AgentIdentified
struct CartView: View {
    let name: String
    let signOut: () -> Void
    @State private var items = [
        CartItem(id: "tea", name: "Tea"), CartItem(id: "mug", name: "Mug"), CartItem(id: "kettle", name: "Kettle"),
    ]

    var greeting: some View { Text("Cart of \(name)").font(.headline) }

    var list: some View {
        List {
            ForEach(items) { item in
                CartRow(item: item) { items.removeAll { $0.id == item.id } }
                    .identified(by: item.id)
            }
        }
    }

    var leave: some View {
        Button("Sign out") {
            withAnimation { signOut() }
        }
    }

    var body: some View {
        VStack(spacing: 16) {
            greeting
            list
            leave
        }
    }
}

/// Its elements are the cart's, one of each for every item.
@AgentIdentified(screen: "cart")
struct CartRow: View {
    let item: CartItem
    let delete: () -> Void

    var title: some View { Text(item.name) }
    var remove: some View { Button("Remove", action: delete) }

    var body: some View {
        HStack {
            title
            Spacer()
            remove
        }
    }
}
