package child

import (
	"runtime"
	"syscall"
)

// DieWith lets the kernel send a signal to the process that is started with these attributes when the thread ends that
// starts it, as it does when this process is killed. So the caller must stay on that thread for as long as the process
// runs: DieWith locks its goroutine to it, and leave unlocks it when the process has ended.
func DieWith(attributes *syscall.SysProcAttr, signal syscall.Signal) (leave func()) {
	runtime.LockOSThread()
	attributes.Pdeathsig = signal
	return runtime.UnlockOSThread
}
