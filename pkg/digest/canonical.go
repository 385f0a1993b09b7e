package digest

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Canonical writes what [JCS] writes, in one pass and several times as fast,
// for values of few types: it looks at each type once. What it does not know
// (types with a JSON form of their own but for times, embedded fields, integers
// of more than 15 digits and the like) it leaves to JCS. The zero value is
// ready. It is not safe for concurrent use.
type Canonical struct {
	writers map[reflect.Type]writeValue
	hashed  []byte // of the ir_id before
}

// Append appends the canonical JSON of v to dst. It fails as [JCS] does.
func (c *Canonical) Append(dst []byte, v any) ([]byte, error) {
	if value := reflect.ValueOf(v); value.IsValid() {
		if out, ok := c.writer(value.Type())(dst, value); ok {
			return out, nil
		}
	}
	b, err := JCS(v)
	return append(dst, b...), err
}

// writeValue appends a value; not ok: it must be left to JCS.
type writeValue func(dst []byte, v reflect.Value) (out []byte, ok bool)

func leave(dst []byte, _ reflect.Value) ([]byte, bool) { return dst, false }

func (c *Canonical) writer(t reflect.Type) writeValue {
	if w, ok := c.writers[t]; ok {
		return w
	}
	if c.writers == nil {
		c.writers = make(map[reflect.Type]writeValue)
	}
	c.writers[t] = leave // for a type that holds itself: depth is not counted
	w := c.newWriter(t)
	c.writers[t] = w
	return w
}

func (c *Canonical) newWriter(t reflect.Type) writeValue {
	if t == reflect.TypeFor[time.Time]() {
		return writeTime
	}
	for _, own := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(own) || reflect.PointerTo(t).Implements(own) {
			return leave
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(dst []byte, v reflect.Value) ([]byte, bool) { return strconv.AppendBool(dst, v.Bool()), true }
	case reflect.String:
		return func(dst []byte, v reflect.Value) ([]byte, bool) { return appendString(dst, v.String()), true }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return writeInt
	case reflect.Float64:
		return writeFloat
	case reflect.Pointer:
		return nullOr(c.pointer(t))
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are written as base64
			return nullOr(c.list(t))
		}
	case reflect.Array:
		return c.list(t)
	case reflect.Map:
		if t.Key() == reflect.TypeFor[string]() {
			return nullOr(c.mapping(t))
		}
	case reflect.Struct:
		return c.structure(t)
	}
	return leave
}

func writeTime(dst []byte, v reflect.Value) ([]byte, bool) {
	t, ok := v.Interface().(time.Time)
	if !ok {
		return dst, false
	}
	b, err := t.MarshalJSON()
	return append(dst, b...), err == nil
}

func writeInt(dst []byte, v reflect.Value) ([]byte, bool) {
	const limit = 1e15 // see exactDigits
	n := v.Int()
	return strconv.AppendInt(dst, n, 10), n > -limit/10 && n < limit
}

func writeFloat(dst []byte, v reflect.Value) ([]byte, bool) {
	f := v.Float()
	if f > 1e-6 && f < 1e15 { // nearly all of them
		return strconv.AppendFloat(dst, f, 'f', -1, 64), true
	}
	dst, err := appendNumber(dst, f)
	return dst, err == nil
}

func nullOr(write writeValue) writeValue {
	return func(dst []byte, v reflect.Value) ([]byte, bool) {
		if v.IsNil() {
			return append(dst, "null"...), true
		}
		return write(dst, v)
	}
}

func (c *Canonical) pointer(t reflect.Type) writeValue {
	write := c.writer(t.Elem())
	return func(dst []byte, v reflect.Value) ([]byte, bool) { return write(dst, v.Elem()) }
}

func (c *Canonical) list(t reflect.Type) writeValue {
	write := c.writer(t.Elem())
	return func(dst []byte, v reflect.Value) ([]byte, bool) {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var ok bool
			if dst, ok = write(dst, v.Index(i)); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	}
}

func (c *Canonical) mapping(t reflect.Type) writeValue {
	write := c.writer(t.Elem())
	return func(dst []byte, v reflect.Value) ([]byte, bool) {
		names := make([]string, 0, v.Len())
		for _, name := range v.MapKeys() {
			names = append(names, name.String())
		}
		slices.Sort(names)
		dst = append(dst, '{')
		for i, name := range names {
			if !isPlainName(name) {
				return dst, false
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, name), ':')
			var ok bool
			if dst, ok = write(dst, v.MapIndex(reflect.ValueOf(name))); !ok {
				return dst, false
			}
		}
		return append(dst, '}'), true
	}
}

// isPlainName tells whether the order of the name's bytes is that of its
// UTF-16 code units.
func isPlainName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || r == '\\' })
}

// structField is a field of a struct under its JSON name.
type structField struct {
	index     int
	name      string
	start     []byte // "name":
	omitEmpty bool
	write     writeValue
}

func (c *Canonical) structure(t reflect.Type) writeValue {
	fields, ok := c.fields(t)
	if !ok {
		return leave
	}
	return func(dst []byte, v reflect.Value) ([]byte, bool) {
		dst = append(dst, '{')
		empty := true
		for i := range fields {
			f := &fields[i]
			value := v.Field(f.index)
			if f.omitEmpty && isEmpty(value) {
				continue
			}
			if !empty {
				dst = append(dst, ',')
			}
			empty = false
			dst = append(dst, f.start...)
			var ok bool
			if dst, ok = f.write(dst, value); !ok {
				return dst, false
			}
		}
		return append(dst, '}'), true
	}
}

// fields returns the fields in the order of their names; not ok: encoding/json
// has rules for them that are not known here.
func (c *Canonical) fields(t reflect.Type) (list []structField, ok bool) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		if field.Anonymous {
			return nil, false
		}
		if !field.IsExported() || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = field.Name
		}
		if options != "" && options != "omitempty" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return nil, false
		}
		list = append(list, structField{
			index: i, name: name, start: append(appendString(nil, name), ':'),
			omitEmpty: options == "omitempty", write: c.writer(field.Type),
		})
	}
	slices.SortFunc(list, func(a, b structField) int { return strings.Compare(a.name, b.name) })
	for i := range list {
		if i > 0 && list[i].name == list[i-1].name {
			return nil, false
		}
	}
	return list, true
}

// isEmpty is what omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
