package llm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/credential"
)

// What an endpoint is asked for when no model is named.
const (
	defaultModel      = "text-embedding-3-small"
	defaultDimensions = 1536
)

// Config says where a model answers and how it is asked.
type Config struct {
	BaseURL string // http or https, with the path before /embeddings, as https://api.openai.com/v1
	Key     string // sent as a bearer token; none when empty
	KeyFile string // instead of Key: a file that holds it, read again when it changes
	Files   credential.TLSFiles

	Model         string // embeds passages
	QueryModel    string // embeds questions; Model when empty
	Dimensions    int    // numbers of one vector
	Shorten       bool   // ask the model for vectors of so many numbers: not each one can
	PassagePrefix string // put in front of every passage
	QueryPrefix   string // put in front of every question

	TextTokens  int           // of one text, by estimate; a longer one is split and its parts' vectors are averaged
	BatchTexts  int           // texts of one call
	BatchTokens int           // of one call, by estimate
	Calls       int           // calls at once
	Timeout     time.Duration // of one call
	TokenTime   time.Duration // added to Timeout for each token of the call, by estimate

	Logger *slog.Logger // told of credentials that change or are refused, and of an endpoint that goes and comes; nil: quiet
	Meter  metric.Meter // measured are calls and tokens; nil: nothing
}

// ConfigsOf turns a service's settings into Configs: that of the model that embeds, if they
// name its endpoint, and after it that of the one that it replaces, if there is one. replaced
// says that the built-in model replaces the only one.
func ConfigsOf(e config.Embedding) (all []Config, replaced bool) {
	c := Config{
		BaseURL: e.URL, Key: e.Key.Value(), KeyFile: e.KeyFile,
		Files: credential.TLSFiles{CA: e.TLS.CAFile, Cert: e.TLS.CertFile, Key: e.TLS.KeyFile},
		Model: e.Model, QueryModel: e.QueryModel, Dimensions: e.Dimensions, Shorten: e.Shorten,
		PassagePrefix: e.PassagePrefix, QueryPrefix: e.QueryPrefix,
		TextTokens: e.TextTokens, BatchTexts: e.BatchTexts, BatchTokens: e.BatchTokens,
		Calls: e.Calls, Timeout: e.Timeout, TokenTime: e.TokenTime,
	}
	if e.URL != "" {
		all = append(all, c)
	}
	if e.Former.Model == "" {
		return all, false
	}
	former, f := c, e.Former
	if f.URL != "" && f.URL != e.URL { // no key or certificate of ours goes to another address
		former.BaseURL, former.Key, former.KeyFile = f.URL, "", ""
		former.Files.Cert, former.Files.Key = "", ""
		if strings.HasPrefix(strings.ToLower(f.URL), "http:") {
			former.Files.CA = "" // which nothing could be told from
		}
	}
	if f.Key.Value() != "" || f.KeyFile != "" {
		former.Key, former.KeyFile = f.Key.Value(), f.KeyFile
	}
	former.Model, former.QueryModel, former.Dimensions, former.Shorten = f.Model, f.QueryModel, f.Dimensions, f.Shorten
	former.PassagePrefix, former.QueryPrefix = f.PassagePrefix, f.QueryPrefix
	return append(all, former), e.URL == ""
}

// Observed returns the Config with what is told and measured.
func (c Config) Observed(log *slog.Logger, meter metric.Meter) Config {
	c.Logger, c.Meter = log, meter
	return c
}

// complete fills what is not set, and refuses what cannot be used.
func (c Config) complete() (Config, error) {
	address, err := checkURL(c.BaseURL, embedding, "EMBED_API_KEY_FILE")
	if err != nil {
		return c, err
	}
	c.BaseURL = address
	c.Model = cmp.Or(c.Model, defaultModel)
	c.QueryModel = cmp.Or(c.QueryModel, c.Model)
	if c.Dimensions == 0 && c.Model == defaultModel {
		c.Dimensions = defaultDimensions
	}
	if c.Dimensions <= 0 {
		return c, fmt.Errorf("how many numbers a vector of %s has is not known: set EMBED_DIMENSIONS", c.Model)
	}
	c.TextTokens, c.BatchTexts = cmp.Or(c.TextTokens, 2000), cmp.Or(c.BatchTexts, 32)
	c.BatchTokens, c.Calls = cmp.Or(c.BatchTokens, 8000), cmp.Or(c.Calls, 2)
	c.Timeout, c.TokenTime = cmp.Or(c.Timeout, 10*time.Second), cmp.Or(c.TokenTime, 10*time.Millisecond)
	return c, nil
}

// name is the name that vectors are kept under: the model's, and with settings that make
// other vectors of the same texts a mark of them (contracts#model-name).
func (c Config) name() string {
	if c.QueryModel == c.Model && c.PassagePrefix == "" && c.QueryPrefix == "" {
		return c.Model
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{c.QueryModel, c.PassagePrefix, c.QueryPrefix}, "\x00")))
	return c.Model + "." + hex.EncodeToString(sum[:4])
}

// address is where the model answers.
func (c Config) address() address {
	return address{name: embedding, url: c.BaseURL, key: c.Key, keyFile: c.KeyFile, files: c.Files, calls: c.Calls, timeout: c.Timeout, log: c.Logger}
}

// checkURL refuses an address that cannot be used, and returns it without a slash at its
// end. Its errors repeat nothing of it, which may hold a password.
func checkURL(raw, name, keyFile string) (string, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "", fmt.Errorf("the address of %s is no URL", name)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", fmt.Errorf("the address of %s must be http://host/… or https://host/…", name)
	case u.User != nil:
		return "", fmt.Errorf("the address of %s must hold no user: give its key by %s", name, keyFile)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the address of %s must hold no query", name)
	}
	return strings.TrimSuffix(raw, "/"), nil
}
