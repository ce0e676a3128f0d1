import AgentCore
import Foundation
import SimulatedApp

// Serves the agent protocol over an app in memory, with the settings of the real agent, from the environment. Prints the
// port it listens on, and ends when it is abandoned or told to.

var environment = ProcessInfo.processInfo.environment
environment["SIMULATOR_UDID"] = environment["IOS_AGENT_UDID"]
environment["IOS_AGENT_PORT"] = environment["IOS_AGENT_PORT"] ?? "0"
var settings = Settings(environment)
settings.options.name = "swift"
settings.options.build = environment["IOS_AGENT_BUILD"] ?? ""

let clock = SystemClock()
let surface = MemorySurface(clock: clock, publicOnly: !settings.privateAPI)
let agent = Agent(surface: surface, clock: clock, options: settings.options)
let server = try Server(agent: agent, worker: MainWorker(), port: settings.port) { reason in
    print("ended: \(reason)")
    exit(0)
}
server.start()
server.announce()
RunLoop.main.run()
