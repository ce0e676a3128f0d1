import AgentIdentifiers
import SwiftUI

// Runs the example and a controller of UIKit over the stubs, and prints the identifiers that came of it, a line each.

@MainActor func show(_ name: String, _ identifiers: [String?]) {
    for identifier in identifiers { print(name, identifier ?? "none") }
}

show("example", identifiers(in: LoginView { _ in }.preparedForAgents()))
show("example", identifiers(in: CartView(name: "Ada") {}.agentOverlay()))
show("tour", identifiers(in: TourView()))

// Lists in a list, an extension, and a type of one's own that is generic and public.
@AgentIdentified
public struct Shelf<Item: View>: View {
    let item: Item
    public var title: some View { Text("Shelf") }
    func place(_ number: Int) -> some View {
        if number > 1 {
            item
        } else {
            Text("first")
        }
    }
    public var body: some View {
        title
        ForEach([Row(id: 1), Row(id: 2)]) { row in
            HStack {
                place(1).identified(by: "a b")
                place(2).identified(by: "c")
                more
            }
            .identified(by: row.id)
        }
    }
}
@AgentIdentified
extension Shelf {
    private var more: some View { Button("More") {} }
}
struct Row: Identifiable { let id: Int }
show("shelf", identifiers(in: Shelf(item: Text("x"))))

class BaseController: UIViewController {
    let close = UIBarButtonItem()
}
final class CartViewController: BaseController {
    let pay = UIButton()
    lazy var coupon = UITextField()
    let mine = UIButton()
    let sizes = [UIButton(), UIButton()]
    override func viewDidLoad() {
        view.addSubview(coupon)
        mine.accessibilityIdentifier = "mine"
        identifyElements()
    }
}
final class CartCell: UITableViewCell {
    let remove = UIButton()
    let badges = [UIView()]
}
let controller = CartViewController()
controller.viewDidLoad()
show("controller", [controller.pay, controller.coupon, controller.mine].map(\.accessibilityIdentifier))
show("controller", controller.sizes.map(\.accessibilityIdentifier) + [controller.close.accessibilityIdentifier])
let cell = CartCell()
for item in [42, 43] { cell.identifyElements(of: controller, by: item) }
show("cell", [cell, cell.remove, cell.badges[0]].map(\.accessibilityIdentifier))
cell.identifyElements()
show("cell", [cell.remove.accessibilityIdentifier])
AgentSupport.prepare(UIWindow())
