package redact

import (
	"slices"
	"strings"
)

// hookHints are what the addresses of knownHosts have in common with few others.
var hookHints = []string{"hook", "slack", "ifttt", "hc-ping", "healthchecks", "ical/", "feeds/", "owa/calendar", "pagerduty", "victorops", "vercel", "functions/", "telegram", "docker.com/api"}

// redactHosts redacts the paths of a text that hold a right on a known host, also where the
// address has no scheme.
func redactHosts(s string, form Form) string {
	if !mayHoldRight(s) {
		return s
	}
	return knownHosts.ReplaceAllStringFunc(s, func(found string) string {
		at := knownHosts.FindStringSubmatchIndex(found)
		if at == nil {
			return found
		}
		right := strings.TrimRight(found[at[4]:], ".:!/")
		if right == "" {
			return found
		}
		return found[:at[4]] + markRight(right, form) + found[at[4]+len(right):]
	})
}

// mayHoldRight reports whether a text has what the addresses of knownHosts have in common.
func mayHoldRight(s string) bool {
	lowered := strings.ToLower(s)
	return slices.ContainsFunc(hookHints, func(hint string) bool { return strings.Contains(lowered, hint) })
}

// markRight returns what stands for a right in a path: the marker with its digest, in an
// identity, too.
func markRight(right string, form Form) string {
	if isMarked(right) {
		return right
	}
	return form.mark(right, tagged)
}

// PathAt returns the path of a URL on a host, which may have a port, in a form: that of
// [redactPath], without the right that a webhook's or a private calendar's path is, to its end.
func PathAt(host, path string, form Form) string {
	if !form.rules().newest || host == "" {
		return redactPath(path, form)
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	if !mayHoldRight(host + path) {
		return redactPath(path, form)
	}
	at := knownHosts.FindStringSubmatchIndex(host + path)
	if at == nil || at[0] > 0 || at[4] < len(host) {
		return redactPath(path, form)
	}
	before, right := path[:at[4]-len(host)], path[at[4]-len(host):]
	trimmed := strings.TrimRight(right, ".:!/")
	if trimmed == "" {
		return redactPath(path, form)
	}
	return redactPath(before, form) + markRight(trimmed, form) + right[len(trimmed):]
}

// hookWords are segments of paths behind which the key of a webhook stands, rightWords those
// before a right that was sent to somebody.
var (
	hookWords = words(`hook hooks webhook webhooks webhookb2 incomingwebhook incoming-webhook incoming-webhooks incoming_webhook build_hooks build-hooks deploy_hooks
	deploy-hooks genericwebhook hookshot trigger triggers catch`)
	rightWords = words(`reset resetpassword reset-password password-reset passwordreset reset_password password_reset forgot-password activate activation
	magic magic-link magiclink magic_link unsubscribe verify-email verifyemail verify_email confirm-email confirm_email confirm invite invites invitation
	invitations accept-invite accept-invitation join-by-link login-link one-time-login oidc-callback autologin auto-login impersonate`)
)

// hookReach is how many segments behind the word of a webhook may be its key.
const hookReach = 4

// isRight reports whether a segment of a path is a right, by what stands before it: the key
// of a webhook, one that was sent to somebody, or the value of a name.
func (r *ruleset) isRight(before []string, segment string) bool {
	if len(before) == 0 || len(segment) < mixedMin || isMarked(segment) {
		return false
	}
	plain := decodeAll(segment)
	random, hex := r.looksRandom(plain), isHexKey(plain) && !isUUID(plain)
	if !random && !isHexKey(plain) {
		return false
	}
	for i := len(before) - 1; i >= 0 && i >= len(before)-hookReach; i-- {
		if hookWords[strings.ToLower(before[i])] {
			return true
		}
	}
	last := before[len(before)-1]
	if rightWords[strings.ToLower(last)] {
		return random || hex
	}
	if len(last) > nameMax || strings.ContainsAny(last, "=?&;:@ ") {
		return false
	}
	switch named := r.names.classify(last); {
	case named == qualified || named >= certain:
		return random || hex
	case named == other || named == likelyLine:
		return false
	}
	return random
}
