package redact

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCommandsAreFoundAsWords: the programs of a text are those that an expression over all their names finds, in texts
// drawn from names, what may stand beside them, and what may not.
func TestCommandsAreFoundAsWords(t *testing.T) {
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	words := regexp.MustCompile("(?:^|[\\s/\\\\\"'`(;|&$=,:\\[])(" + strings.Join(names, "|") + `)(?:\.exe)?["']?([ \t+])`)
	parts := append(slices.Clone(names), " ", " ", "\t", "+", "+", "\n", "/", `\`, `"`, "'", "`", "(", ";", "|", "$", "=", ".", "-", "_", ".exe", "X", "é", "\x00", "-p")
	draw := rand.New(rand.NewPCG(15, 3))
	found := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + draw.IntN(8) {
			b.WriteString(parts[draw.IntN(len(parts))])
		}
		s := b.String()
		name, separator, ok := findCommand(s, 0)
		at := words.FindStringSubmatchIndex(s)
		if ok != (at != nil) || ok && (name != s[at[2]:at[3]] || separator != at[4]) {
			t.Fatalf("%q: found %q at %d, want %v", s, name, separator, at)
		}
		if ok {
			found++
		}
	}
	if found < 5_000 {
		t.Errorf("%d texts held a command", found)
	}
}

// TestRightsAreLookedForWhereTheyMayBe: every address of knownHosts has one of the hints that are asked for first.
func TestRightsAreLookedForWhereTheyMayBe(t *testing.T) {
	for _, line := range []string{
		"hooks.slack.com/services/", "discord.com/api/webhooks/1/", "a.webhook.office.com/webhookb2/", "outlook.office.com/webhook/", "hooks.zapier.com/hooks/catch/",
		"maker.ifttt.com/trigger/a/with/key/", "hook.eu1.make.com/", "hook.integromat.com/", "webhook.site/", "hc-ping.com/", "healthchecks.io/ping/", "hooks.airtable.com/workflows/v1/genericWebhook/",
		"glip.com/webhook/", "hooks.ringcentral.com/webhook/v2/", "open.feishu.cn/open-apis/bot/v2/hook/", "webhooks.gitter.im/e/", "api.flock.com/hooks/sendMessage/",
		"webexapis.com/v1/webhooks/incoming/", "events.pagerduty.com/integration/", "alert.victorops.com/integrations/generic/1/alert/", "api.netlify.com/build_hooks/",
		"api.vercel.com/v1/integrations/deploy/", "api.cloudflare.com/client/v4/pages/webhooks/deploy_hooks/", "hub.docker.com/api/build/v1/source/",
		"calendar.google.com/calendar/ical/a/private-", "calendar.google.com/calendar/feeds/a/private-", "outlook.live.com/owa/calendar/a/", "api.telegram.org/bot", "hooks.nabu.casa/",
		"a.workers.xmatters.com/api/integration/1/functions/",
	} {
		if !knownHosts.MatchString(line+"x") || !mayHoldRight(line) {
			t.Errorf("%s: known %t, looked for %t", line, knownHosts.MatchString(line+"x"), mayHoldRight(line))
		}
	}
}
