// Command hello is the baseline of a command line call: a Go program that prints one line and ends. Command bench measures the start of
// ios-agent against it.
package main

import "fmt"

func main() { fmt.Println("hello") }
