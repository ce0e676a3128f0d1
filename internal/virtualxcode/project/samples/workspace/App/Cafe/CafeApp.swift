import CafeKit
import SwiftUI

@main
struct CafeApp: App {
    var body: some Scene {
        WindowGroup {
            List(Menu.standard.drinks, id: \.self) { Text($0) }
        }
    }
}
