package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// setting is one variable, as the tags of a field describe it.
type setting struct {
	name     string // with the prefix
	preset   string // the default; "" is none
	required bool
	allowed  string // the tag
	help     string
	field    reflect.StructField
	block    reflect.Type // the struct that holds the field
	reread   bool         // a field with fileOf is told of its file
}

// fileOf is the tag of a field that gets the path of another one's file.
const fileOf = "fileOf"

// settingsOf returns a struct's settings in the order of its fields. A struct
// that cannot be settings is a mistake in the program.
func settingsOf(t reflect.Type) ([]setting, error) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("settings must be a struct, not %v", t)
	}
	return walk(t, Prefix)
}

func walk(t reflect.Type, prefix string) ([]setting, error) {
	var settings []setting
	for field := range t.Fields() {
		tag, tagged := field.Tag.Lookup("env")
		switch {
		case !field.IsExported():
		case !tagged && field.Type.Kind() == reflect.Struct:
			inner, err := walk(field.Type, prefix+field.Tag.Get("envPrefix"))
			if err != nil {
				return nil, err
			}
			settings = append(settings, inner...)
		case tagged:
			name, option, _ := strings.Cut(tag, ",")
			s := setting{
				name: prefix + name, preset: field.Tag.Get("envDefault"), required: option == "required",
				allowed: field.Tag.Get("allowed"), help: field.Tag.Get("help"), field: field, block: t,
			}
			if name == "" || s.help == "" || (option != "" && !s.required) || (s.required && s.preset != "") {
				return nil, fmt.Errorf("setting %s.%s needs a name and a help, and either a default or ,required or neither", t, field.Name)
			}
			s.reread = namesFile(t, field.Name)
			settings = append(settings, s)
		}
	}
	return settings, nil
}

// namesFile reports whether a field of t is told of the file of the field secret.
func namesFile(t reflect.Type, secret string) bool {
	for field := range t.Fields() {
		if field.Tag.Get(fileOf) == secret {
			return true
		}
	}
	return false
}

// nameFiles sets the fields of v with the tag fileOf.
func nameFiles(v reflect.Value, prefix string, given map[string]string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		_, tagged := field.Tag.Lookup("env")
		if field.IsExported() && !tagged && field.Type.Kind() == reflect.Struct {
			nameFiles(v.Field(i), prefix+field.Tag.Get("envPrefix"), given)
		}
		if secret, ok := v.Type().FieldByName(field.Tag.Get(fileOf)); ok {
			name, _, _ := strings.Cut(secret.Tag.Get("env"), ",")
			v.Field(i).SetString(given[prefix+name+fileSuffix])
		}
	}
}

// secret reports whether the setting's value must not be shown.
func (s setting) secret() bool { return s.field.Type == reflect.TypeFor[Secret]() }

// accepts reports whether the value has the type that the setting needs and is
// among those allowed.
func (s setting) accepts(value string) bool {
	separator := s.field.Tag.Get("envSeparator")
	if separator == "" {
		separator = ","
	}
	element, values := s.field.Type, []string{value}
	if element.Kind() == reflect.Slice {
		element, values = element.Elem(), strings.Split(value, separator)
	}
	for _, v := range values {
		parsed, ok := parse(element, v)
		if !ok || !s.within(element, parsed, v) {
			return false
		}
	}
	return true
}

// parse reads one value of a type as the settings' reader will.
func parse(t reflect.Type, value string) (reflect.Value, bool) {
	holder := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Value", Type: t, Tag: `env:"VALUE"`}}))
	err := env.ParseWithOptions(holder.Interface(), env.Options{Environment: map[string]string{"VALUE": value}})
	return holder.Elem().Field(0), err == nil
}

// within reports whether a value is among those that the tag allows.
func (s setting) within(t reflect.Type, parsed reflect.Value, value string) bool {
	low, high, isRange := strings.Cut(s.allowed, "..")
	if !isRange {
		if s.allowed == "" {
			return true
		}
		for choice := range strings.SplitSeq(s.allowed, "|") {
			if value == choice {
				return true
			}
		}
		return false
	}
	above, below := true, true
	if low != "" {
		bound, ok := parse(t, low)
		above = ok && number(parsed) >= number(bound)
	}
	if high != "" {
		bound, ok := parse(t, high)
		below = ok && number(parsed) <= number(bound)
	}
	return above && below
}

// number returns a value for comparison; NaN is in no range.
func number(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	default:
		return 0
	}
}

// allows says what may be set.
func (s setting) allows() string {
	t, list := s.field.Type, ""
	if t.Kind() == reflect.Slice {
		t, list = t.Elem(), "a list, separated by commas, each "
	}
	low, high, isRange := strings.Cut(s.allowed, "..")
	if !isRange && s.allowed != "" {
		return list + "one of " + strings.ReplaceAll(s.allowed, "|", ", ")
	}
	text := list + kind(t)
	switch {
	case low != "" && high != "":
		text += " from " + low + " to " + high
	case low != "":
		text += " of at least " + low
	case high != "":
		text += " of at most " + high
	}
	return text
}

// kind names a type for people.
func kind(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a duration such as 250ms, 30s or 2h"
	case t == reflect.TypeFor[Secret]():
		return "a secret"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "a whole number"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return "a number"
	default:
		return "a text"
	}
}
