package instrument

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Sets are the labels of measurements that come again and again, made once for each key:
// making them costs as much as the measurement. Keys are few, as labels have to be. It is
// safe for concurrent use, and must not be copied after its first use.
type Sets[K comparable] struct {
	Labels func(K) []attribute.KeyValue // what the labels of a key are

	mu   sync.RWMutex
	made map[K]metric.MeasurementOption
}

// Of returns the labels of a key.
func (s *Sets[K]) Of(key K) metric.MeasurementOption {
	s.mu.RLock()
	set := s.made[key]
	s.mu.RUnlock()
	if set != nil {
		return set
	}
	set = metric.WithAttributeSet(attribute.NewSet(s.Labels(key)...))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = make(map[K]metric.MeasurementOption)
	}
	s.made[key] = set
	return set
}
