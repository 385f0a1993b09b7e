// Package config reads settings from environment variables (contracts#settings) into
// one typed struct a service, and writes the documentation of all of them. It is
// the only place that reads the environment.
//
// A setting is a field with these tags:
//
//	env         the variable's name without the prefix COLOPHON_; ",required"
//	            behind it when there must be a value
//	envDefault  the value when the variable is not set or empty
//	allowed     what may be set: "json|text" (one of these) or "1..64",
//	            "1ms..", "..1" (a range); of a list, each of its values
//	help        what it is for, in one sentence
//
// A struct inside a struct is a block of settings; envPrefix on it goes in front
// of the names inside. A setting of type Secret can also be read from the file
// that a variable with _FILE at the end of its name names. Where that may change while
// the process runs, a field of type string beside it with the tag fileOf, which names
// the secret's field, gets the file's path, and whoever uses the setting reads it again:
//
//	Password     Secret `env:"PASSWORD" help:"Password."`
//	PasswordFile string `fileOf:"Password"`
package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Prefix starts the name of every variable.
const Prefix = "COLOPHON_"

// standard maps OpenTelemetry's own variables, which many platforms set, to
// ours.
func standard() map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": Prefix + "OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_HEADERS":  Prefix + "OTLP_HEADERS",
		"OTEL_TRACES_SAMPLER_ARG":     Prefix + "TRACE_RATIO",

		"OTEL_EXPORTER_OTLP_CERTIFICATE":        Prefix + "OTLP_CA_FILE",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": Prefix + "OTLP_CERT_FILE",
		"OTEL_EXPORTER_OTLP_CLIENT_KEY":         Prefix + "OTLP_KEY_FILE",
	}
}

// Environ returns this process's variables that start with the prefix and have
// a value. OpenTelemetry's names stand in for ours where those are not set.
func Environ() map[string]string {
	values := make(map[string]string)
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, Prefix) && value != "" {
			values[name] = value
		}
	}
	for theirs, ours := range standard() {
		if value := os.Getenv(theirs); value != "" && values[ours] == "" {
			values[ours] = value
		}
	}
	return values
}

// ErrSettings is every error of Load and LoadFrom that a setting's value is at
// fault for.
var ErrSettings = errors.New("wrong settings")

// wrong is an error that ErrSettings is, under its own text.
type wrong struct{ error }

func (wrong) Is(target error) bool { return target == ErrSettings }
func (w wrong) Unwrap() error      { return w.error }

// Load reads T from this process's environment; see LoadFrom.
func Load[T any]() (T, error) { return LoadFrom[T](Environ()) }

// LoadFrom reads T, a struct, from the values, whose names have the prefix. An
// empty value is none. The error has one line for each wrong value, which names
// the variable, the value unless it is a secret, and what is allowed. When T has
// a method Validate() error, it has the last word.
func LoadFrom[T any](values map[string]string) (T, error) {
	var zero, loaded T
	settings, err := settingsOf(reflect.TypeFor[T]())
	if err != nil {
		return zero, err
	}
	given := make(map[string]string, len(values))
	for name, value := range values {
		if value != "" {
			given[name] = value
		}
	}
	var problems []error
	for _, s := range settings {
		if err := s.read(given); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return zero, wrong{errors.Join(problems...)}
	}
	if err := env.ParseWithOptions(&loaded, env.Options{Environment: given, Prefix: Prefix}); err != nil {
		return zero, wrong{err}
	}
	nameFiles(reflect.ValueOf(&loaded).Elem(), Prefix, given)
	if v, ok := any(loaded).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return zero, wrong{err}
		}
	}
	return loaded, nil
}

// fileSuffix ends the name of a variable that names a file with a secret.
const fileSuffix = "_FILE"

// read checks a setting's value, and puts that of a secret's file among the
// given ones.
func (s setting) read(given map[string]string) error {
	if path := given[s.name+fileSuffix]; s.secret() && path != "" {
		if given[s.name] != "" {
			return fmt.Errorf("%s and %s%s are both set; allowed is one of them", s.name, s.name, fileSuffix)
		}
		content, err := os.ReadFile(path)
		if s.reread && (err != nil || strings.TrimRight(string(content), "\r\n") == "") {
			given[s.name] = "" // whoever uses it reads it again, and waits until it is there
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s%s is %q, which cannot be read: %w", s.name, fileSuffix, path, err)
		}
		value := strings.TrimRight(string(content), "\r\n")
		if value == "" {
			return fmt.Errorf("%s%s is %q, which is empty; allowed is a file that holds the value", s.name, fileSuffix, path)
		}
		given[s.name] = value
	}
	value, isSet := given[s.name]
	switch {
	case !isSet && s.required:
		return fmt.Errorf("%s is not set, and must be: %s", s.name, s.help)
	case !isSet:
		value = s.preset
	}
	if value == "" || s.accepts(value) {
		return nil
	}
	if s.secret() {
		return fmt.Errorf("%s has a wrong value; allowed is %s", s.name, s.allows())
	}
	return fmt.Errorf("%s is %q; allowed is %s", s.name, value, s.allows())
}
