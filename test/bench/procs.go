package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// clockTicks are what /proc counts CPU time in, a second; Linux has 100 on every
// machine that Go runs on.
const clockTicks = 100

// proc is what /proc says of one process.
type proc struct {
	pid, parent int
	name        string        // of its program
	own         time.Duration // CPU time, user and system
	reaped      time.Duration // that of its children that have ended
	resident    int64         // bytes
	peak        int64         // resident bytes at most
	sandboxed   bool          // it is an extraction child
}

// readProc returns false when the process is gone. Only its parent, its name and
// its CPU time are read.
func readProc(pid int) (proc, bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return proc{}, false
	}
	p, err := parseStat(stat)
	return p, err == nil
}

// readRest reads what readProc has left out, as far as the process is still there.
func (p *proc) readRest() {
	dir := filepath.Join("/proc", strconv.Itoa(p.pid))
	if status, err := os.ReadFile(filepath.Join(dir, "status")); err == nil {
		p.resident, p.peak = parseMemory(status, "VmRSS:"), parseMemory(status, "VmHWM:")
	}
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	p.sandboxed = err == nil && bytes.HasPrefix(line, []byte("colophon-sandbox\x00"))
}

// parseStat reads /proc/PID/stat (proc_pid_stat(5)): the name stands in
// brackets and may hold anything.
func parseStat(stat []byte) (proc, error) {
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || shut < open {
		return proc{}, fmt.Errorf("stat of a process: %q", stat)
	}
	fields := strings.Fields(string(stat[shut+1:]))
	if len(fields) < 15 {
		return proc{}, fmt.Errorf("stat of a process: %d fields", len(fields))
	}
	var n [6]int64
	for i, field := range []int{1, 11, 12, 13, 14} {
		var err error
		if n[i], err = strconv.ParseInt(fields[field], 10, 64); err != nil {
			return proc{}, fmt.Errorf("stat of a process: %w", err)
		}
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(stat[:open])))
	if err != nil {
		return proc{}, fmt.Errorf("stat of a process: %w", err)
	}
	return proc{
		pid: pid, parent: int(n[0]), name: string(stat[open+1 : shut]),
		own: ticks(n[1] + n[2]), reaped: ticks(n[3] + n[4]),
	}, nil
}

func ticks(n int64) time.Duration { return time.Duration(n) * time.Second / clockTicks }

// parseMemory reads a line of /proc/PID/status, in bytes.
func parseMemory(status []byte, name string) int64 {
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// tree returns the process pid and all below it.
func tree(pid int) []proc {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := make(map[int][]proc)
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProc(n); ok {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	root, ok := readProc(pid)
	if !ok {
		return nil
	}
	all := []proc{root}
	for i := 0; i < len(all); i++ {
		all[i].readRest()
		all = append(all, children[all[i].pid]...)
	}
	return all
}

// Usage is what the processes of one part used.
type Usage struct {
	CPU  time.Duration `json:"cpu"`
	Peak int64         `json:"peak"` // resident bytes of its largest process
}

// usage sums a system's processes by part; its first process goes by name. The
// CPU time of an extraction child that has ended stands with the living ones.
func usage(pid int, name string) map[string]Usage {
	parts := make(map[string]Usage)
	add := func(part string, cpu time.Duration, peak int64) {
		u := parts[part]
		u.CPU += cpu
		u.Peak = max(u.Peak, peak)
		parts[part] = u
	}
	all := tree(pid)
	keeps := make(map[int]bool) // the servers' child that has postgres below it; the other is the object store
	for _, p := range all {
		keeps[p.parent] = keeps[p.parent] || p.name == partPostgres
	}
	parent := make(map[int]string)
	for _, p := range all {
		part := p.name
		switch {
		case p.pid == pid:
			part = name
		case p.sandboxed:
			part = parent[p.parent] + childSuffix
		case p.name == partPostgres || keeps[p.pid]:
			part = partPostgres
		case p.name == "colophon" || p.name == "exe": // executed again through /proc/self/exe
			part = partS3
		}
		parent[p.pid] = part
		add(part, p.own, p.peak)
		switch {
		case p.reaped == 0:
		case part == partPostgres || p.sandboxed:
			add(part, p.reaped, 0)
		default:
			add(part+childSuffix, p.reaped, 0)
		}
	}
	return parts
}

const (
	partPostgres = "postgres"
	partS3       = "object store"
	partServers  = "bus and vectors"
	partDev      = "colophon dev"
	childSuffix  = ", children"
)

// monitor keeps the peaks of processes that come and go.
type monitor struct {
	pid   int
	name  string
	mu    sync.Mutex
	peaks map[string]int64
	stop  chan struct{}
	done  chan struct{}
}

// watch looks at a system's processes five times a second.
func watch(pid int, name string) *monitor {
	m := &monitor{pid: pid, name: name, peaks: map[string]int64{}, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(m.done)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			m.look()
			select {
			case <-tick.C:
			case <-m.stop:
				return
			}
		}
	}()
	return m
}

func (m *monitor) look() map[string]Usage {
	now := usage(m.pid, m.name)
	m.mu.Lock()
	defer m.mu.Unlock()
	for part, u := range now {
		m.peaks[part] = max(m.peaks[part], u.Peak)
		now[part] = Usage{CPU: u.CPU, Peak: m.peaks[part]}
	}
	return now
}

func (m *monitor) end() {
	close(m.stop)
	<-m.done
}

// less returns the CPU time that was used between two looks, with the later
// one's peaks.
func less(after, before map[string]Usage) map[string]Usage {
	out := make(map[string]Usage, len(after))
	for part, u := range after {
		out[part] = Usage{CPU: u.CPU - before[part].CPU, Peak: u.Peak}
	}
	return out
}
