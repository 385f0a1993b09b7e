package pdfium

import (
	"fmt"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// arena is the memory of one instance: address space reserved in one piece and
// made usable as the instance grows, so that growing never copies and that a
// limit on the process's data counts what is used. The system takes all of it
// back at the end. A refusal is remembered: it tells a document that hit its
// limit from an engine that failed.
type arena struct {
	space   []byte
	usable  uint64
	refused uint64 // the size that could not be exceeded; 0: none yet
}

func newArena(limit uint64) (*arena, error) {
	space, err := syscall.Mmap(-1, 0, int(limit), syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("%w: reserve %d MiB of memory: %w", ErrLimit, limit>>20, err)
	}
	// Large pages make the engine a twentieth faster. A system without them
	// refuses, and nothing is lost.
	_ = syscall.Madvise(space, syscall.MADV_HUGEPAGE)
	return &arena{space: space}, nil
}

// Allocate implements experimental.MemoryAllocator.
func (a *arena) Allocate(_, _ uint64) experimental.LinearMemory { return a }

// Reallocate implements experimental.LinearMemory. It returns nil above the limit.
func (a *arena) Reallocate(size uint64) []byte {
	if size > uint64(len(a.space)) {
		a.refused = uint64(len(a.space))
		return nil
	}
	if size > a.usable {
		// WebAssembly grows by 64 KiB, a multiple of the system's page.
		if err := syscall.Mprotect(a.space[a.usable:size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			a.refused = a.usable
			return nil
		}
		a.usable = size
	}
	return a.space[:size:size]
}

// Free implements experimental.LinearMemory. It may be called again.
func (a *arena) Free() {
	if a.space != nil {
		// Fails only for an address that is not mapped, and this one is.
		_ = syscall.Munmap(a.space)
		a.space = nil
	}
}
