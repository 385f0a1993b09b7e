// Package webhook posts each change of a chunk to an address, signed, in the order of its
// document, until it is answered by 2xx.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

const (
	// lanes is how many documents are posted at once: each has one, and its changes go one
	// after another.
	lanes = 8
	// pieceChanges is how many changes are posted before the position is written. To a slow address a whole
	// batch takes many minutes, and a sink that ends sooner each time would post the same for ever.
	pieceChanges = 2 * lanes
	// answerTime is how long an answer is waited for.
	answerTime   = 30 * time.Second
	firstPause   = 200 * time.Millisecond
	longestPause = time.Minute
	// maxAnswer is how much of an answer is read, so that its connection is used again.
	maxAnswer = 64 << 10
	// fileMode is that of the file of the position.
	fileMode = 0o600
)

// Hook is an address that is told each change. Its position is in a file of its own.
type Hook struct {
	url    string
	secret []byte
	file   string
	client *http.Client
	logger *slog.Logger
	lock   *os.File // beside file: no other sink has it while this one is open
}

// Options name an address.
type Options struct {
	URL    string // https://…, or http://
	Secret string // of the signature
	File   string // where the position is kept
	Client *http.Client
	Logger *slog.Logger
}

// Open checks the options: an address that is none, or no secret, is sink.ErrUnfit.
func Open(o Options) (*Hook, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%w: the address must be http:// or https:// with a host", sink.ErrUnfit)
	case o.Secret == "":
		return nil, fmt.Errorf("%w: a webhook needs a secret", sink.ErrUnfit)
	case o.File == "":
		return nil, fmt.Errorf("%w: a webhook needs a file for its position", sink.ErrUnfit)
	}
	client := *o.Client
	client.Timeout = answerTime
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a signed body goes to its address alone
	lock, err := hold(o.File + lockSuffix)
	if err != nil {
		return nil, err
	}
	return &Hook{url: o.URL, secret: []byte(o.Secret), file: o.File, client: &client, logger: o.Logger, lock: lock}, nil
}

// lockSuffix names the file beside that of the position which a sink holds as long as it posts.
const lockSuffix = ".lock"

// hold takes a file for this process alone, until it is closed: sink.ErrOther where another
// process has it.
func hold(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sink.ErrUnfit, err)
	}
	switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); { //nolint:gosec // a file's number is small
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(fmt.Errorf("%w: it holds %s", sink.ErrOther, path), file.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("%w: %s cannot be held: %w", sink.ErrUnfit, path, err), file.Close())
	}
	return file, nil
}

// WantsEach is sink.Orderly's.
func (h *Hook) WantsEach() {}

// Position is sink.Target's.
func (h *Hook) Position(context.Context) (p sdk.Position, err error) {
	text, err := os.ReadFile(h.file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("%w: %w", sink.ErrUnfit, err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%w: %s holds no position: %w", sink.ErrUnfit, h.file, err)
	}
	return p, nil
}

// Texts is sink.Target's: each text was posted when it was told.
func (h *Hook) Texts(_ context.Context, refs []string) (map[string]bool, error) {
	has := make(map[string]bool, len(refs))
	for _, ref := range refs {
		has[ref] = true
	}
	return has, nil
}

// Apply is sink.Target's: it ends when every change was taken, and waits for an address
// that is away, or refuses, without end.
func (h *Hook) Apply(ctx context.Context, changes []sdk.Change, behind sdk.Position) error {
	for len(changes) > pieceChanges {
		piece := changes[:pieceChanges]
		if err := h.postAll(ctx, piece); err != nil {
			return err
		}
		if err := h.keep(piece[pieceChanges-1].Position); err != nil {
			return err
		}
		changes = changes[pieceChanges:]
	}
	if err := h.postAll(ctx, changes); err != nil {
		return err
	}
	return h.keep(behind)
}

// postAll posts changes, those of several documents at once, until each is taken.
func (h *Hook) postAll(ctx context.Context, changes []sdk.Change) error {
	documents, order := byDocument(changes)
	work := make(chan []sdk.Change)
	failed := make(chan error, lanes)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	for range lanes {
		running.Go(func() {
			for of := range work {
				for _, ch := range of {
					if err := h.deliver(ctx, ch); err != nil {
						failed <- err
						cancel()
						return
					}
				}
			}
		})
	}
	for _, key := range order {
		select {
		case work <- documents[key]:
		case <-ctx.Done():
		}
	}
	close(work)
	running.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	return ctx.Err()
}

// byDocument returns the changes of each document, in their order, and the documents in
// that of their first changes. A change that says that a chunk is removed does not name its
// document: it goes with the others of its version.
func byDocument(changes []sdk.Change) (documents map[string][]sdk.Change, order []string) {
	versions := make(map[string]string) // the document of each doc_hash
	version := func(ch sdk.Change) string {
		docHash, _, _ := strings.Cut(ch.ChunkRef, ":")
		return docHash
	}
	for _, ch := range changes {
		if id := ch.Current.DocumentID; id != "" {
			versions[version(ch)] = id
		}
	}
	documents = make(map[string][]sdk.Change)
	for _, ch := range changes {
		key := cmp.Or(versions[version(ch)], version(ch))
		if documents[key] == nil {
			order = append(order, key)
		}
		documents[key] = append(documents[key], ch)
	}
	return documents, order
}

// keep writes the position down, whole or not at all.
func (h *Hook) keep(p sdk.Position) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	part := h.file + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return fmt.Errorf("%w: %w", sink.ErrUnfit, err)
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, h.file); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(h.file))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// deliver posts a change until it is taken.
func (h *Hook) deliver(ctx context.Context, ch sdk.Change) error {
	body, err := ch.Posted()
	if err != nil {
		return err
	}
	// One id is one body, however often it is posted: a text that is told behind newer states has
	// one of its own.
	id := ch.ChunkRef + "/" + strconv.FormatInt(ch.Rev, 10)
	if ch.Chunk != nil {
		id += "/text"
	}
	if ch.Epoch != "" {
		id += "/" + ch.Epoch
	}
	return h.send(ctx, id, body)
}

// Forget is sink.Target's: the address is told that what it was posted is void.
func (h *Hook) Forget(ctx context.Context, restored *sdk.Restored) error {
	body, err := restored.Posted()
	if err != nil {
		return err
	}
	if err := h.send(ctx, "restored/"+restored.Position.Epoch, body); err != nil {
		return err
	}
	return h.keep(sdk.Position{})
}

// send posts a body until it is taken.
func (h *Hook) send(ctx context.Context, id string, body []byte) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		wait, err := h.post(ctx, id, body)
		if err == nil {
			return nil
		}
		wait = max(wait, pause)
		h.logger.WarnContext(ctx, "the webhook did not take a change", slog.String("webhook_id", id), slog.Any("error", err), slog.Duration("pause", wait))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// post posts once; wait is how long the address asks to wait.
func (h *Hook) post(ctx context.Context, id string, body []byte) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", sdk.SignPosted(h.secret, id, at, body))
	resp, err := h.client.Do(req)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) { // whose address may hold a key
			err = of.Err
		}
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 == 2 {
		return 0, nil
	}
	if seconds, bad := strconv.Atoi(resp.Header.Get("Retry-After")); bad == nil && seconds > 0 {
		wait = min(time.Duration(seconds)*time.Second, longestPause)
	}
	return wait, fmt.Errorf("it answered %s", resp.Status)
}

// Current is sink.Target's.
func (h *Hook) Current(context.Context) iter.Seq2[sdk.Change, error] {
	return sink.NotKept("a webhook")
}

// Close closes idle connections, and lets the file go.
func (h *Hook) Close() error {
	h.client.CloseIdleConnections()
	return h.lock.Close()
}
