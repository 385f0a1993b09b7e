package inventory

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/access"
)

// Missing returns what the tree has and what is not there for it, a sentence each, in
// order: nothing when all is whole.
func Missing(t Tree, d Deployed) []string {
	var all []string
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	for _, s := range t.Services {
		missingOfService(t, d, s, say)
	}
	for _, consumer := range slices.Sorted(maps.Keys(t.Consumers)) {
		missingOfConsumer(d, consumer, t.Consumers[consumer], say)
	}
	for _, table := range t.Tables {
		if !anyRole(d, func(r access.Role) bool {
			return slices.ContainsFunc(r.Tables, func(right access.Table) bool { return right.Name == table })
		}) {
			say("table %s: no role has a grant on it", table)
		}
	}
	for _, bucket := range t.Buckets {
		if !anyRole(d, func(r access.Role) bool {
			return slices.ContainsFunc(r.Objects, func(right access.Object) bool { return right.Bucket == bucket })
		}) {
			say("bucket %s: no role has a right on it", bucket)
		}
	}
	for _, stranger := range t.Strangers {
		say("package %s opens connections: dials() does not say to what, so that no NetworkPolicy can be asked for", stranger)
	}
	for component, w := range d.Workloads {
		if !slices.Contains(t.Services, w.Service) {
			say("Deployment %s: there is no service %s", component, w.Service)
		}
	}
	for _, r := range d.Roles {
		if r.Kind == access.Service && len(workers(d, r.Name)) == 0 {
			say("role %s: no Deployment works as it", r.Name)
		}
		missingOfUser(d, r, say)
	}
	slices.Sort(all)
	return all
}

// missingOfUser asks for a user of PostgreSQL by the component postgres for whatever works in
// the cluster with rights on tables: its password is in the Secret that is mounted there.
func missingOfUser(d Deployed, r access.Role, say func(string, ...any)) {
	mounting := workers(d, r.Name)
	if r.Kind != access.Service { // a Job is called as its role
		mounting = []string{r.Name}
	}
	if len(r.Tables) == 0 || len(mounting) == 0 {
		return
	}
	secret, made := d.Users["colophon_"+r.Name]
	if !made {
		say("role %s: the component postgres makes no user for it", r.Name)
	} else if want := "colophon-" + mounting[0] + "-postgres"; secret != want {
		say("role %s: the component postgres takes its password from %s, must be %s", r.Name, secret, want)
	}
}

func anyRole(d Deployed, has func(access.Role) bool) bool { return slices.ContainsFunc(d.Roles, has) }

// workers are the components whose Deployments work as a role.
func workers(d Deployed, role string) []string {
	var found []string
	for component, w := range d.Workloads {
		if w.Role() == role {
			found = append(found, component)
		}
	}
	slices.Sort(found)
	return found
}

// identified are the ways to stores that know who comes, by what a role has for each.
func identified() map[string]func(access.Role) bool {
	return map[string]func(access.Role) bool{
		"nats":     func(r access.Role) bool { return len(r.Bus) > 0 },
		"postgres": func(r access.Role) bool { return len(r.Tables) > 0 },
		"s3":       func(r access.Role) bool { return len(r.Objects) > 0 },
		"qdrant":   func(access.Role) bool { return true }, // one key for all who have a way
	}
}

func missingOfService(t Tree, d Deployed, service string, say func(string, ...any)) {
	found := false
	for _, component := range slices.Sorted(maps.Keys(d.Workloads)) {
		w := d.Workloads[component]
		if w.Service != service {
			continue
		}
		found = true
		missingOfWorkload(t, d, component, w, say)
	}
	if !found {
		say("service %s: no Deployment", service)
		if !anyRole(d, func(r access.Role) bool { return r.Name == service }) {
			say("service %s: no identity", service)
		}
		for _, way := range t.Ways[service] {
			if !d.Goes(service, way) {
				say("service %s: no NetworkPolicy lets it go to %s", service, way)
			}
		}
	}
	if d.Boards["colophon-"+service] == "" {
		say("service %s: no panel shows it", service)
	}
}

func missingOfWorkload(t Tree, d Deployed, component string, w Workload, say func(string, ...any)) {
	at := slices.IndexFunc(d.Roles, func(r access.Role) bool { return r.Name == w.Role() && r.Kind == access.Service })
	if at < 0 {
		say("service %s: Deployment %s has no identity %s", w.Service, component, w.Role())
	}
	stores := identified()
	for _, way := range t.Ways[w.Service] {
		if !d.Goes(component, way) {
			say("service %s: no NetworkPolicy lets %s go to %s", w.Service, component, way)
		}
		has, known := stores[way]
		if known && at >= 0 && !has(d.Roles[at]) {
			say("service %s: role %s has no grant at %s", w.Service, w.Role(), way)
		}
		if known && !w.Secrets["colophon-"+component+"-"+way] {
			say("service %s: Deployment %s mounts no credentials for %s", w.Service, component, way)
		}
	}
	for way := range d.Policies {
		if d.Policies[way][component] && !slices.Contains(t.Ways[w.Service], way) {
			say("service %s: a NetworkPolicy lets %s go to %s, which it never asks", w.Service, component, way)
		}
	}
}

func missingOfConsumer(d Deployed, consumer, stream string, say func(string, ...any)) {
	var takers []string
	for _, r := range d.Roles {
		if slices.ContainsFunc(r.Bus, func(b access.Bus) bool {
			return !b.Subscribe && b.Subject == "$JS.API.CONSUMER.MSG.NEXT."+stream+"."+consumer
		}) {
			takers = append(takers, r.Name)
		}
	}
	if len(takers) != 1 {
		say("consumer %s of %s: it is that of %q, must be one role's", consumer, stream, takers)
	}
	scaled := d.Scalers[consumer]
	switch {
	case scaled == "":
		say("consumer %s of %s: no scaler", consumer, stream)
	case len(takers) == 1 && !slices.Contains(workers(d, takers[0]), scaled):
		say("consumer %s of %s: its scaler is for %s, which does not work on it", consumer, stream, scaled)
	}
	matcher := regexp.MustCompile(`consumer=~?"(?:[a-z]+\|)*` + consumer + `(?:\|[a-z]+)*"`)
	if !slices.ContainsFunc(slices.Collect(maps.Values(d.Boards)), matcher.MatchString) {
		say("consumer %s of %s: no panel shows it", consumer, stream)
	}
	if !anyRole(d, func(r access.Role) bool {
		return slices.ContainsFunc(r.Bus, func(b access.Bus) bool { return !b.Subscribe && strings.HasSuffix(b.Subject, ".dlq."+consumer+".*") })
	}) {
		say("consumer %s of %s: nobody may tell its dead letters", consumer, stream)
	}
}
