/// Which sources this agent was built from. The host replaces it when it writes the project.
let agentBuild = "development"
