import ApplicationServices
import CoreGraphics

// What macOS allows to the terminal that runs this program.
print("accessibility \(AXIsProcessTrusted())")
print("screen-recording \(CGPreflightScreenCaptureAccess())")
