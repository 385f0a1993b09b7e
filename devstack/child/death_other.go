//go:build !linux

package child

import "syscall"

// DieWith does nothing here: this kernel sends no signal when a parent dies.
func DieWith(*syscall.SysProcAttr, syscall.Signal) (leave func()) { return func() {} }
