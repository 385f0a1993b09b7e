//go:build faultpoints

package faultpoint

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// fileVariable names the file that arms a point. It is no setting: only test
// binaries know it.
const fileVariable = "COLOPHON_FAULTPOINT_FILE"

// Reach ends the process when the point is armed.
func Reach(point string) { ReachFor(point, "") }

// ReachFor ends the process when the point is armed for nobody in particular or
// for whom.
func ReachFor(point, whom string) {
	path := os.Getenv(fileVariable)
	if path == "" {
		return
	}
	hold(path+".hold", point, whom)
	if armed(path+".always", point, whom) {
		die()
	}
	// Of several that reach it at once only the one that removes it dies.
	if armed(path, point, whom) && os.Remove(path) == nil {
		die()
	}
}

// Environment is what a child process must have in its environment, so that its
// points are armed with those of this one.
func Environment() []string {
	if path := os.Getenv(fileVariable); path != "" {
		return []string{fileVariable + "=" + path}
	}
	return nil
}

// hold returns when the file at path does not name the point, and says in a file
// beside it that somebody waits.
func hold(path, point, whom string) {
	for armed(path, point, whom) {
		_ = os.WriteFile(path+".reached", nil, 0o600)
		<-time.After(10 * time.Millisecond)
	}
}

func armed(path, point, whom string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	fields := strings.Fields(string(data))
	return len(fields) > 0 && fields[0] == point && (len(fields) == 1 || fields[1] == whom)
}

// die ends the process as the kernel would: nothing is run, nothing is flushed.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
