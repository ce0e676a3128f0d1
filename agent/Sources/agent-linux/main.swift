import AgentCore
import Foundation
import SimulatedApp

// Serves the agent protocol over an app in memory, with the settings of the real agent, from the environment. Prints the
// port it listens on, and ends when it is abandoned or told to.

func number(_ name: String, _ usual: Double) -> Double {
    ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? usual
}

let environment = ProcessInfo.processInfo.environment
var options = AgentOptions()
options.name = "swift"
options.udid = environment["IOS_AGENT_UDID"] ?? ""
options.token = environment["IOS_AGENT_TOKEN"] ?? ""
options.build = environment["IOS_AGENT_BUILD"] ?? ""
options.deadManSeconds = number("IOS_AGENT_DEADMAN", options.deadManSeconds)

let clock = SystemClock()
let agent = Agent(surface: MemorySurface(clock: clock), clock: clock, options: options)
let worker = QueueWorker(DispatchQueue(label: "agent worker"))
let server = try Server(agent: agent, worker: worker, port: UInt16(number("IOS_AGENT_PORT", 0))) { reason in
    print("ended: \(reason)")
    exit(0)
}
setvbuf(stdout, nil, Int32(_IOLBF), 0)
server.start()
print("listening on 127.0.0.1:\(server.port)")
dispatchMain()
