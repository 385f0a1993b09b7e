package pdfium

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"
)

const (
	// scratchSize is the buffer in the instance's memory that results are
	// written to; a longer string makes it grow.
	scratchSize = 16 << 10
	// maxString bounds one title, label or annotation, in bytes.
	maxString = 1 << 20
)

// engine is one instance. The first failure stays in err, and every call after
// it does nothing and returns 0: callers look at err once, at the end. It is
// not safe for concurrent use.
type engine struct {
	ctx       context.Context // carries the source to readSource; never ends
	source    *source
	module    api.Module
	memory    api.Memory
	arena     *arena
	functions map[string]api.Function
	stack     [10]uint64
	scratch   uint32
	size      uint32
	err       error
}

// function looks an export up once; a lookup costs more than most calls.
func (e *engine) function(name string) api.Function {
	f, ok := e.functions[name]
	if !ok {
		f = e.module.ExportedFunction(name)
		e.functions[name] = f
	}
	return f
}

func (e *engine) call(name string, args ...uint64) uint64 {
	if e.err != nil {
		return 0
	}
	return e.invoke(e.function(name), args...)
}

// invoke calls an export with integers or encoded floats.
func (e *engine) invoke(f api.Function, args ...uint64) uint64 {
	if e.err != nil {
		return 0
	}
	n := copy(e.stack[:], args)
	if err := f.CallWithStack(e.ctx, e.stack[:max(n, 1)]); err != nil {
		e.fail(err)
	} else if e.source.err != nil {
		e.err = fmt.Errorf("read the document: %w", e.source.err)
	}
	if e.err != nil {
		return 0
	}
	return e.stack[0]
}

func (e *engine) callInt(name string, args ...uint64) int {
	return int(int32(e.call(name, args...)))
}

func (e *engine) fail(err error) {
	switch {
	case e.err != nil:
	case e.arena.refused > 0:
		e.err = fmt.Errorf("%w: document needs more memory than %d MiB", ErrLimit, e.arena.refused>>20)
	default:
		// A trap carries a stack trace below its first line.
		first, _, _ := strings.Cut(err.Error(), "\n")
		e.err = fmt.Errorf("%w: %s", ErrEngine, first)
	}
}

func (e *engine) close() {
	if e.module == nil {
		return
	}
	// Frees memory; the instance holds nothing else that could fail to close.
	_ = e.module.Close(e.ctx)
	e.module = nil
	if e.err == nil {
		e.err = errors.New("document is closed")
	}
}

// reserve makes the scratch buffer at least size bytes long.
func (e *engine) reserve(size uint32) {
	if size <= e.size || e.err != nil {
		return
	}
	if e.scratch != 0 {
		e.call("free", uint64(e.scratch))
	}
	e.scratch, e.size = uint32(e.call("malloc", uint64(size))), size
	if e.scratch == 0 {
		e.fail(errors.New("out of memory"))
	}
}

// bytes returns the first n bytes of the scratch buffer, valid until the next call.
func (e *engine) bytes(n uint32) []byte {
	if e.err != nil {
		return make([]byte, n)
	}
	b, ok := e.memory.Read(e.scratch, n)
	if !ok {
		e.fail(errors.New("scratch buffer out of range"))
		return make([]byte, n)
	}
	return b
}

// view is all of the instance's memory, until a call makes it grow.
func (e *engine) view() []byte {
	b, ok := e.memory.Read(0, e.memory.Size())
	if !ok || e.err != nil {
		return nil
	}
	return b
}

// at is the address of byte n of the scratch buffer.
func (e *engine) at(n uint32) uint64 { return uint64(e.scratch + n) }

func (e *engine) uint32At(n uint32) uint32 { return binary.LittleEndian.Uint32(e.bytes(n + 4)[n:]) }

func (e *engine) float32At(n uint32) float64 {
	return float64(math.Float32frombits(e.uint32At(n)))
}

// data calls an export whose last two parameters are a buffer and its length,
// and which returns the length that it needs. The bytes are the caller's. More
// than maxString is left out as a whole: half a string proves nothing.
func (e *engine) data(name string, args ...uint64) []byte {
	var list [8]uint64
	n := copy(list[:], args)
	for {
		list[n], list[n+1] = e.at(0), uint64(e.size)
		need := uint32(e.call(name, list[:n+2]...))
		if e.err != nil || need > maxString {
			return nil
		}
		if need <= e.size {
			return append([]byte(nil), e.bytes(need)...)
		}
		e.reserve(need)
	}
}

// text is data decoded from UTF-16LE, without the closing NUL.
func (e *engine) text(name string, args ...uint64) string {
	return decodeUTF16(e.data(name, args...))
}

// ascii is data up to its closing NUL.
func (e *engine) ascii(name string, args ...uint64) string {
	s, _, _ := strings.Cut(string(e.data(name, args...)), "\x00")
	return strings.ToValidUTF8(s, "\uFFFD")
}

// decodeUTF16 ends at the first NUL. A lone surrogate becomes U+FFFD.
func decodeUTF16(b []byte) string {
	out := make([]byte, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		r := rune(binary.LittleEndian.Uint16(b))
		if r == 0 {
			break
		}
		if utf16.IsSurrogate(r) {
			second := rune(0)
			if len(b) >= 4 {
				second = rune(binary.LittleEndian.Uint16(b[2:]))
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				b = b[2:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// newString puts s, with a closing NUL, into the instance's memory. The caller
// frees it.
func (e *engine) newString(s string) uint64 {
	at := e.call("malloc", uint64(len(s)+1))
	if e.err == nil && (at == 0 || !e.memory.Write(uint32(at), append([]byte(s), 0))) {
		e.fail(errors.New("out of memory"))
	}
	return at
}

// source is the document's bytes. What cannot be read is not the document's
// fault: the error is kept, and fails the call that met it.
type source struct {
	*io.SectionReader
	err error
}

type sourceKey struct{}

// readSource serves the engine's reads of the document:
// (param, position, buffer, size) -> 1, or 0 when the bytes are not there.
func readSource(ctx context.Context, module api.Module, stack []uint64) {
	position, buffer, size := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	stack[0] = 0
	s, ok := ctx.Value(sourceKey{}).(*source)
	if !ok {
		return
	}
	target, ok := module.Memory().Read(buffer, size)
	if !ok {
		return
	}
	n, err := s.ReadAt(target, int64(position))
	if n == len(target) {
		stack[0] = 1
	} else if !errors.Is(err, io.EOF) {
		s.err = err
	}
}
