import Testing

@testable import MyProjectFeature

@Test func greetsByName() {
    #expect(Greeting().text == "Hello from MyProject")
}

@Test func countsGreetings() {
    var greeting = Greeting()
    greeting.again()
    #expect(greeting.text == "Hello again (2)")
}
