package devtest

import "time"

// Patience is how long a test waits for what must happen. It ends a test that hangs
// and says nothing of speed: what takes a second on an idle machine takes half a
// minute where dozens of other processes are at work.
const Patience = 5 * time.Minute
