package app

import (
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// Again returns what makes chunks a second time, for a proof.
func Again() proof.Chunker { return stage.Again(chunkers()) }

// Survey returns what looks at the pages of a run a second time, for a proof.
func Survey() proof.Survey { return stage.SurveyAgain }

// Link returns what links the chunks of a document's versions a second time, for a
// proof.
func Link() proof.Link { return current.States }
