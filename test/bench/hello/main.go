// Command hello is the baseline of a command line call: a Go program that says one line and ends.
package main

import "fmt"

func main() { fmt.Println("hello") }
