package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
)

type sample struct {
	Postgres  config.Postgres
	S3        config.S3
	NATS      config.NATS
	Qdrant    config.Qdrant
	Streams   config.Streams
	Telemetry config.Telemetry
	Health    config.Health
	Runner    config.Runner `envPrefix:"SAMPLE_"`
	Limit     int64         `env:"SAMPLE_LIMIT" envDefault:"100" allowed:"1..1000" help:"Bytes of a sample."`
	Modes     []string      `env:"SAMPLE_MODES" envDefault:"a" allowed:"a|b" help:"Modes."`
}

// least returns the values that have no default.
func least(more ...string) map[string]string {
	values := map[string]string{
		"COLOPHON_POSTGRES_URL":  "postgres://u:hush@h/d",
		"COLOPHON_S3_ACCESS_KEY": "access",
		"COLOPHON_S3_SECRET_KEY": "hush",
	}
	for i := 0; i < len(more); i += 2 {
		values["COLOPHON_"+more[i]] = more[i+1]
	}
	return values
}

func TestLoadFrom(t *testing.T) {
	got, err := config.LoadFrom[sample](least("SAMPLE_WORKERS", "7", "WORKERS", "9", "SAMPLE_RETRY_DELAYS", "1ms,2s", "LOG_LEVEL", "", "TRACE_RATIO", "0.25", "SAMPLE_MODES", "b,a"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Postgres.URL.Value() != "postgres://u:hush@h/d" || got.Postgres.MaxConns != 8 || got.NATS.AckWait != 30*time.Second {
		t.Errorf("%+v", got)
	}
	if got.Runner.Workers != 7 || !slices.Equal(got.Runner.RetryDelays, []time.Duration{time.Millisecond, 2 * time.Second}) {
		t.Errorf("%+v", got.Runner)
	}
	if got.Telemetry.LogLevel != "info" || got.Telemetry.TraceRatio != 0.25 || !slices.Equal(got.Modes, []string{"b", "a"}) {
		t.Errorf("%+v", got)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v", got, got, got), "hush") {
		t.Error("a secret is shown")
	}
}

func TestWrongValues(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"NATS_URL", "", ""},
		{"ACK_WAIT", "soon", `COLOPHON_ACK_WAIT is "soon"; allowed is a duration such as 250ms, 30s or 2h of at least 100ms`},
		{"ACK_WAIT", "1ms", `COLOPHON_ACK_WAIT is "1ms"; allowed is a duration such as 250ms, 30s or 2h of at least 100ms`},
		{"SAMPLE_LIMIT", "1001", `COLOPHON_SAMPLE_LIMIT is "1001"; allowed is a whole number from 1 to 1000`},
		{"SAMPLE_LIMIT", "ten", `COLOPHON_SAMPLE_LIMIT is "ten"; allowed is a whole number from 1 to 1000`},
		{"TRACE_RATIO", "NaN", `COLOPHON_TRACE_RATIO is "NaN"; allowed is a number from 0 to 1`},
		{"LOG_FORMAT", "xml", `COLOPHON_LOG_FORMAT is "xml"; allowed is one of json, text`},
		{"QDRANT_TLS", "maybe", `COLOPHON_QDRANT_TLS is "maybe"; allowed is true or false`},
		{"SAMPLE_MODES", "a,c", `COLOPHON_SAMPLE_MODES is "a,c"; allowed is a list, separated by commas, each one of a, b`},
		{"SAMPLE_RETRY_DELAYS", "1s,-1s", `COLOPHON_SAMPLE_RETRY_DELAYS is "1s,-1s"; allowed is a list, separated by commas, each a duration such as 250ms, 30s or 2h of at least 0s`},
		{"POSTGRES_URL", "", `COLOPHON_POSTGRES_URL is not set, and must be: Connection string of the database, as postgres://user:password@host:port/database.`},
		{"S3_SECRET_KEY_FILE", "/x", `COLOPHON_S3_SECRET_KEY and COLOPHON_S3_SECRET_KEY_FILE are both set; allowed is one of them`},
	} {
		_, err := config.LoadFrom[sample](least(c.name, c.value))
		if (err == nil) != (c.want == "") || (err != nil && err.Error() != c.want) {
			t.Errorf("%s=%s: %v\nwant %s", c.name, c.value, err, c.want)
		}
	}
	_, err := config.LoadFrom[sample](least("LOG_FORMAT", "xml", "ACK_WAIT", "x"))
	if err == nil || len(strings.Split(err.Error(), "\n")) != 2 {
		t.Errorf("two wrong values: %v", err)
	}
	if _, err := config.LoadFrom[int](nil); err == nil {
		t.Error("a number was taken as settings")
	}
}

type validated struct {
	Low  int `env:"LOW" envDefault:"1" help:"Low."`
	High int `env:"HIGH" envDefault:"2" help:"High."`
}

func (v validated) Validate() error {
	if v.Low > v.High {
		return errors.New("COLOPHON_LOW is above COLOPHON_HIGH")
	}
	return nil
}

func TestValidateHasTheLastWord(t *testing.T) {
	if _, err := config.LoadFrom[validated](map[string]string{"COLOPHON_LOW": "3"}); err == nil || !strings.Contains(err.Error(), "above") {
		t.Error(err)
	}
}

func TestSecretFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	values := least("S3_SECRET_KEY", "", "S3_SECRET_KEY_FILE", path)
	before := maps.Clone(values)
	got, err := config.LoadFrom[sample](values)
	if err != nil || got.S3.SecretKey.Value() != "from a file" {
		t.Errorf("%q, %v", got.S3.SecretKey.Value(), err)
	}
	if !maps.Equal(values, before) {
		t.Error("the values were changed")
	}
	if got.S3.SecretKeyFile != path || got.S3.AccessKeyFile != "" {
		t.Errorf("the files are %q and %q", got.S3.SecretKeyFile, got.S3.AccessKeyFile)
	}
	if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, file := range map[string]string{"an empty file": path, "no file": path + "-not"} {
		values["COLOPHON_S3_SECRET_KEY_FILE"] = file
		got, err := config.LoadFrom[sample](values)
		if err != nil || got.S3.SecretKey != "" || got.S3.SecretKeyFile != file {
			t.Errorf("%s is not left to who reads it again: %q of %q, %v", what, got.S3.SecretKey.Value(), got.S3.SecretKeyFile, err)
		}
	}
}

// TestASecretThatIsReadOnceMustBeThere: nobody would look for its file again.
func TestASecretThatIsReadOnceMustBeThere(t *testing.T) {
	type once struct {
		Key config.Secret `env:"KEY" help:"Key."`
	}
	path := filepath.Join(t.TempDir(), "key")
	if _, err := config.LoadFrom[once](map[string]string{"COLOPHON_KEY_FILE": path}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.LoadFrom[once](map[string]string{"COLOPHON_KEY_FILE": path}); err == nil || !strings.Contains(err.Error(), "COLOPHON_KEY_FILE") {
		t.Errorf("an empty file: %v", err)
	}
}

// TestFilesOfCertificates: the names are the store's, with one pattern.
func TestFilesOfCertificates(t *testing.T) {
	got, err := config.LoadFrom[sample](least("NATS_CA_FILE", "a", "POSTGRES_CERT_FILE", "b", "S3_KEY_FILE", "c", "QDRANT_CA_FILE", "d", "OTLP_CERT_FILE", "e"))
	if err != nil {
		t.Fatal(err)
	}
	files := []string{got.NATS.TLS.CAFile, got.Postgres.TLS.CertFile, got.S3.TLS.KeyFile, got.Qdrant.TLSFiles.CAFile, got.Telemetry.TLS.CertFile}
	if !slices.Equal(files, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("%q", files)
	}
}

func TestSecretIsNeverShown(t *testing.T) {
	secret := config.Secret("hush")
	var out strings.Builder
	logger := slog.New(slog.NewJSONHandler(&out, nil))
	logger.Info("x", "secret", secret, "inside", struct{ Key config.Secret }{secret})
	encoded, err := json.Marshal(map[string]any{"secret": secret, "list": []config.Secret{secret}})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t", "%T"} {
		fmt.Fprintf(&out, verb+verb+verb, secret, &secret, []config.Secret{secret})
	}
	fmt.Fprint(&out, secret, fmt.Errorf("with %v", secret))
	if text := out.String(); strings.Contains(text, "hush") || strings.Contains(text, "68757368") {
		t.Error(text)
	}
	if config.Secret("").String() != "" {
		t.Error("an empty secret looks as if it were set")
	}
}

func TestEnvironTakesStandardNames(t *testing.T) {
	t.Setenv("COLOPHON_LOG_LEVEL", "warn")
	t.Setenv("COLOPHON_EMPTY", "")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
	t.Setenv("COLOPHON_TRACE_RATIO", "0.1")
	got := config.Environ()
	if got["COLOPHON_LOG_LEVEL"] != "warn" || got["COLOPHON_OTLP_ENDPOINT"] != "http://collector:4317" || got["COLOPHON_TRACE_RATIO"] != "0.1" {
		t.Error(got)
	}
	if _, is := got["COLOPHON_EMPTY"]; is {
		t.Error("an empty variable was taken")
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, config.EndpointsFile)
	want := map[string]string{"COLOPHON_A": "it's $HOME & more", "COLOPHON_B": "", "COLOPHON_C": "a=b#c"}
	for range 2 { // the second replaces the first
		if err := config.WriteFile(path, want); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if got, err := config.ReadFile(path); err != nil || !maps.Equal(got, want) {
		t.Error(got, err)
	}
	if err := config.WriteFile(path, map[string]string{"A": "two\nlines"}); err == nil {
		t.Error("a value of two lines was written")
	}
	if got, err := config.ParseFile("\n# a note\r\nA=plain 'text'\r\n B='quoted'\n"); err != nil || got["A"] != "plain 'text'" || got["B"] != "quoted" || len(got) != 2 {
		t.Error(got, err)
	}
	for _, bad := range []string{"A", "=x", "1A=x", "A B=x", "A='x", "A='"} {
		if got, err := config.ParseFile(bad); err == nil {
			t.Errorf("%s gave %v", bad, got)
		}
	}
}

func TestForCommand(t *testing.T) {
	dir := t.TempDir()
	if _, err := config.ForCommand(map[string]string{"COLOPHON_LOG_LEVEL": "debug"}, dir, false); !errors.Is(err, config.ErrNoEndpoints) {
		t.Error(err)
	}
	elsewhere := map[string]string{"COLOPHON_POSTGRES_URL": "elsewhere", "COLOPHON_LOG_LEVEL": "debug"}
	for _, named := range []bool{false, true} { // there is no file
		if got, err := config.ForCommand(elsewhere, dir, named); err != nil || !maps.Equal(got.Values, elsewhere) || got.File+got.LeftOut != "" {
			t.Error(got, err)
		}
	}
	path := filepath.Join(dir, config.EndpointsFile)
	endpoints := map[string]string{"COLOPHON_POSTGRES_URL": "here", "COLOPHON_NATS_URL": "here"}
	if err := config.WriteFile(path, endpoints); err != nil {
		t.Fatal(err)
	}
	both := map[string]string{"COLOPHON_POSTGRES_URL": "here", "COLOPHON_NATS_URL": "here", "COLOPHON_LOG_LEVEL": "debug"}
	got, err := config.ForCommand(map[string]string{"COLOPHON_LOG_LEVEL": "debug"}, dir, false)
	if err != nil || !maps.Equal(got.Values, both) || got.File != path {
		t.Error(got, err)
	}
	got, err = config.ForCommand(elsewhere, dir, false)
	if err != nil || !maps.Equal(got.Values, elsewhere) || got.File != "" || got.LeftOut != path || got.Because != "COLOPHON_POSTGRES_URL" {
		t.Errorf("two systems were mixed: %v, %v", got, err)
	}
	elsewhere["COLOPHON_NATS_URL_FILE"] = "/a/file"
	if got, err := config.ForCommand(elsewhere, dir, true); err != nil || !maps.Equal(got.Values, both) {
		t.Errorf("a folder that is named does not win: %v, %v", got, err)
	}
}

func TestDocument(t *testing.T) {
	type other struct {
		Telemetry config.Telemetry
		Depth     int `env:"OTHER_DEPTH" help:"Depth | of it."`
	}
	readers := []config.Reader{{Name: "sample", Config: sample{}}, {Name: "other", Config: &other{}}}
	text, err := config.Document(readers...)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if again, err := config.Document(readers...); err != nil || again != text {
			t.Fatal("not the same twice", err)
		}
	}
	for _, want := range []string{
		"\n## Postgres\n\nThe catalog: PostgreSQL 15 or later.\n\n| variable | default | allowed | what it is for | read by |\n",
		"| `COLOPHON_POSTGRES_URL`, `COLOPHON_POSTGRES_URL_FILE` | must be set | a secret | Connection string",
		"| `COLOPHON_LOG_FORMAT` | `json` | one of json, text | How log lines are written, on standard error. | sample, other |\n",
		"\n## other\n\n| variable",
		"| `COLOPHON_OTHER_DEPTH` | none | a whole number | Depth \\| of it. | other |\n",
		"| `COLOPHON_SAMPLE_WORKERS` |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	type wrong struct {
		Level string `env:"LOG_LEVEL" help:"Something else."`
	}
	if _, err := config.Document(append(readers, config.Reader{Name: "wrong", Config: wrong{}})...); err == nil {
		t.Error("two meanings of one variable were taken")
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add("A=b\n# c\nC='it'\\''s'\n")
	f.Fuzz(func(t *testing.T, content string) {
		values, err := config.ParseFile(content)
		if err != nil {
			return
		}
		text, err := config.FormatFile(values)
		if err != nil {
			return // what no line can hold
		}
		if got, err := config.ParseFile(text); err != nil || !maps.Equal(got, values) {
			t.Errorf("%q became %q, %v", values, got, err)
		}
	})
}
