// Package credentials holds tests of passwords, keys and certificates that change while
// the system works, against real servers that ask for them.
package credentials
