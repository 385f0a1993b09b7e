package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
)

// Response is the HTTP message of a response record.
type Response struct {
	Status int
	Header http.Header
	Body   io.Reader // without transfer coding; content codings stand
}

// hasResponse reports whether a record's block is an HTTP response: that of
// response records and of revisits that kept the headers.
func (r *Record) hasResponse() bool {
	media, _, _ := strings.Cut(strings.ToLower(r.Fields.Get("Content-Type")), ";")
	switch r.Type() {
	case TypeResponse:
		return strings.TrimSpace(media) == "application/http" || strings.TrimSpace(media) == "" && strings.HasPrefix(strings.ToLower(r.Target()), "http")
	case TypeRevisit:
		return strings.TrimSpace(media) == "application/http" && r.Length > 0
	default:
		return false
	}
}

// Response reads the HTTP message of a record for which hasResponse is true. The
// body of one that is truncated ends where the archive ends it.
func (r *Record) Response() (*Response, error) {
	response, err := readResponse(r.Block)
	if err == nil && r.Truncated() {
		response.Body = cut{response.Body}
	}
	return response, err
}

// cut is a body that may end early.
type cut struct{ r io.Reader }

func (c cut) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// readResponse reads the HTTP message of a block. It is more lenient than a
// client: archives keep what servers sent, right or wrong.
func readResponse(block io.Reader) (*Response, error) {
	r := bufio.NewReader(block)
	status, fields, err := readHead(r)
	for err == nil && status < http.StatusOK && begins(r, "HTTP/") { // an interim answer (RFC 9110, 15.2): the document's comes behind it
		status, fields, err = readHead(r)
	}
	if err != nil {
		return nil, fmt.Errorf("the HTTP response: %w", err)
	}
	response := &Response{Status: status, Header: make(http.Header, len(fields)), Body: r}
	for _, f := range fields {
		response.Header.Add(f.Name, f.Value)
	}
	if strings.Contains(strings.ToLower(response.Header.Get("Transfer-Encoding")), "chunked") && chunked(r) {
		response.Body = httputil.NewChunkedReader(r)
	}
	return response, nil
}

// readHead reads a status line and the fields below it.
func readHead(r *bufio.Reader) (status int, fields Fields, err error) {
	lines := lineReader{r: r}
	first, err := lines.next()
	if err != nil {
		return 0, nil, err
	}
	proto, rest, _ := strings.Cut(first, " ")
	code, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	status, err = strconv.Atoi(code)
	if !strings.HasPrefix(strings.ToUpper(proto), "HTTP/") || err != nil || status < 100 || status > 999 {
		return 0, nil, fmt.Errorf("it begins with %.40q", first)
	}
	fields, err = lines.fields()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // a revisit may end with its last header
	}
	return status, fields, err
}

func begins(r *bufio.Reader, with string) bool {
	head, err := r.Peek(len(with))
	return err == nil && string(head) == with
}

// chunked reports whether a body begins as chunks do: some writers remove the
// transfer coding and leave its header.
func chunked(r *bufio.Reader) bool {
	head, _ := r.Peek(20)
	line, _, ok := bytes.Cut(head, []byte("\n"))
	size, _, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(";"))
	size = bytes.TrimSpace(size)
	if !ok || len(size) == 0 {
		return false
	}
	_, err := strconv.ParseUint(string(size), 16, 63)
	return err == nil
}
