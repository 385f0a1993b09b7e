package qdrant_test

import (
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

func timestamp(text string) *timestamppb.Timestamp {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return timestamppb.New(moment)
}
