package api

import (
	"net/url"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// asStored writes hosts and languages as documents have them: hosts by the rule for URLs (lower
// case, names of other scripts in their ASCII form), languages in lower case. What is no host
// stays as it is, and finds nothing. Of two that are one the first stays.
func asStored(hosts, languages []string) (storedHosts, storedLanguages []string) {
	for _, host := range hosts {
		if strings.ContainsAny(host, "@/?#\\") {
			storedHosts = appendNew(storedHosts, host)
			continue
		}
		if canonical, err := digest.URLCanonV4("https://" + host + "/"); err == nil {
			if u, err := url.Parse(canonical); err == nil && u.Port() == "" {
				host = u.Hostname()
			}
		}
		storedHosts = appendNew(storedHosts, host)
	}
	for _, language := range languages {
		storedLanguages = appendNew(storedLanguages, strings.ToLower(language))
	}
	return storedHosts, storedLanguages
}

func appendNew(list []string, value string) []string {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}
