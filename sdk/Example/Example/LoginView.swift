import AgentIdentifiers
import SwiftUI

/// Any email and any password will do.
@AgentIdentified
struct LoginView: View {
    let signIn: (String) -> Void
    @State private var address = ""
    @State private var secret = ""
    @State private var problem = ""

    var email: some View { TextField("Email", text: $address) }
    var password: some View { SecureField("Password", text: $secret) }

    var submit: some View {
        Button("Sign in") {
            if address.isEmpty || secret.isEmpty {
                problem = "Both are needed."
            } else {
                withAnimation { signIn(address) }
            }
        }
    }

    var message: some View { Text(problem).foregroundColor(.red) }

    var body: some View {
        VStack(spacing: 16) {
            email
            password
            submit
            message
        }
        .padding()
    }
}
