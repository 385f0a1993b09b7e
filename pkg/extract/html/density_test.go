package html

import "testing"

// The densest element holds the paragraphs, and not the list of links with more letters; what goes on
// with it beside it is joined.
func TestFindCandidates(t *testing.T) {
	in := input(fill(`<body><div id="menu"><p><a href="/a">{400}</a></p><p><a href="/b">{400}</a></p></div>
		<div id="around"><div id="text"><h1>Some headline</h1><p>{300}, {100}</p><p>{300}</p></div><p id="more">{200}</p><p id="short">{30}</p></div></body>`))
	p, err := open(in)
	if err != nil {
		t.Fatal(err)
	}
	j := judgeByRules(p.root, "", nil)
	c := j.openContent(j.main)
	if c == nil || c.dense.top == nil || c.dense.top.attr("id") != "text" {
		t.Fatalf("the densest element is %+v", c.dense.top)
	}
	where := map[string]int32{}
	for i := range c.passages {
		values := c.dense.append(nil, c, &c.passages[i])
		if len(values) != 6 {
			t.Fatalf("%d values", len(values))
		}
		id := c.passages[i].owner.attr("id")
		if id == "" {
			id = c.passages[i].owner.parent.attr("id")
		}
		where[id] = values[0]
	}
	for id, want := range map[string]int32{"text": 2, "more": 1, "short": 0, "menu": 0} {
		if got, ok := where[id]; !ok || got != want {
			t.Errorf("%s: %d (there: %t), want %d", id, got, ok, want)
		}
	}
}
