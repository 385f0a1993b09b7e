package stream

import (
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		text, servers, user, password, token string
	}{
		{"nats://h:1", "nats://h:1", "", "", ""},
		{" h:1 , tls://g:2,", "nats://h:1 tls://g:2", "", "", ""},
		{"nats://u:p%40@h:1,nats://u:p%40@g:2", "nats://h:1 nats://g:2", "u", "p@", ""},
		{"nats://word@h:1", "nats://h:1", "", "", "word"},
		{"nats://u:p@h:1,nats://v:q@g:2", "nats://u:p@h:1 nats://v:q@g:2", "", "", ""},
	} {
		id := &identity{}
		if err := id.address(c.text); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(id.servers, " "); got != c.servers || id.user != c.user || id.password != c.password || id.token != c.token {
			t.Errorf("%s: %s as %q %q %q", c.text, got, id.user, id.password, id.token)
		}
	}
}

// FuzzAddresses: a password is neither in an error nor in an address that is shown.
func FuzzAddresses(f *testing.F) {
	for _, text := range []string{"nats://u:hush-hush@h:1", "nats://u:hush-hush@h:1,tls://u:hush-hush@[::1]:2", "u:hush-hush@h", "nats://u:hush-hush@h :1", ","} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id := &identity{}
		err := id.address(text)
		if err != nil {
			if strings.Contains(err.Error(), "hush-hush") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if len(id.servers) == 0 {
			t.Errorf("%q has no server", text)
		}
		if id.password != "" && strings.Contains(strings.Join(id.servers, ","), ":"+id.password+"@") {
			t.Errorf("%q: the password stays in %q", text, id.servers)
		}
	})
}
