package bench

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
)

// Entities is what the rules cost that find entities without a model. Zero Pages: it was not measured.
type Entities struct {
	Pages int           `json:"pages"` // of a round
	CPU   time.Duration `json:"cpu"`   // user and system time of one, with the guard: the median of the rounds
	Found int           `json:"found"` // entities of the page
}

const (
	entityPages    = 1000
	entityWarmUp   = 200
	entityGoal     = 2 * time.Millisecond
	entityPageText = `# Goals
Reduce phosphorus loads by 25 % by 2032.
Keep nitrate below 10 mg/L in the lower creek.
# Load Reductions
Practice | Phosphorus (kg/yr) | Sediment (t/yr)
Hedges | 14 | 3.5
Ponds | 120 | 41
# Practices
Practice | Acres | Estimated Cost ($) | Responsible Party
Wooded strips | 40 | 12,000 | Soil District
Winter cover | 1,100 | 55,000 | Growers Union
Total | 1,140 | 67,000 |
# Implementation Schedule
Activity | Start | End | Status
Fence Alder Run | 2025 | 2027 | In progress
Renew drains | April 2025 | 2028 | Planned
# Water Quality Monitoring
Parameter | Station | Result (mg/L) | Frequency
Nitrate | AR-1 | 3.9 | Monthly
Samples of E. coli must stay below 126 MPN/100 mL.
The budget of the first year is $48,500.
# Education and Outreach
The district will hold 7 workshops for farmers.
The plan covers the Alder Creek Watershed (HUC 10190004).
Two thirds of the farms have taken part since 2023.`
)

// entities measures a page of four tables and eight sentences, in as many rounds.
func (o Options) entities(ctx context.Context) (Entities, error) {
	in := pagetest.Page("en", entityPageText)
	x := Entities{Pages: entityPages}
	read := func(pages int) (page entity.Page) {
		for range pages {
			page = rules.Extract(in)
		}
		return page
	}
	x.Found = len(read(entityWarmUp).Entities)
	var all []time.Duration
	for range max(1, o.Rounds) {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		before, err := ownCPU()
		if err != nil {
			return x, err
		}
		read(entityPages)
		after, err := ownCPU()
		if err != nil {
			return x, err
		}
		all = append(all, (after-before)/entityPages)
	}
	slices.Sort(all)
	x.CPU = all[len(all)/2]
	o.Progress("%d pages of entities by rules", entityPages*len(all))
	return x, nil
}

// ownCPU is the user and system time of this process.
func ownCPU() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("time of this process: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

func (x Entities) write(row func(...string)) {
	if x.Pages == 0 {
		return
	}
	row("entities by rules", fmt.Sprintf("%.2f ms a page", x.CPU.Seconds()*1000), fmt.Sprintf("CPU time, %d entities on it; the goal is %.0f ms", x.Found, entityGoal.Seconds()*1000))
}
