package quota_test

import (
	"context"
	"sync"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

// memoryRepository keeps counts like a database, and can fail.
type memoryRepository struct {
	mu      sync.Mutex
	states  map[string]quota.Spent
	rows    map[quota.UsageRow]int64
	numbers map[string]int64 // of the last batch of each run
	down    error
	saves   int
	saving  func()                // called before counters are saved
	landed  func(saves int) error // called after each save; its error hides that the save succeeded
}

func newRepository() *memoryRepository {
	return &memoryRepository{states: map[string]quota.Spent{}, rows: map[quota.UsageRow]int64{}, numbers: map[string]int64{}}
}

func (s *memoryRepository) set(change func(s *memoryRepository)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *memoryRepository) saved() error {
	s.saves++
	if s.landed != nil {
		return s.landed(s.saves)
	}
	return nil
}

func (s *memoryRepository) SaveQuota(_ context.Context, states []quota.State) error {
	if s.saving != nil {
		s.saving()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return s.down
	}
	for _, st := range states {
		old := s.states[st.ID]
		switch {
		case st.Minute > old.Minute, st.Minute < old.Minute-quota.MaxAhead:
			s.states[st.ID] = st.Spent
		case st.Minute == old.Minute:
			s.states[st.ID] = quota.Spent{
				Minute:     st.Minute,
				MinuteUsed: max(st.MinuteUsed, old.MinuteUsed),
				DayUsed:    max(st.DayUsed, old.DayUsed),
			}
		}
	}
	return s.saved()
}

func (s *memoryRepository) LoadQuota(_ context.Context, sinceMinute int64) ([]quota.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var states []quota.State
	for keyID, spent := range s.states {
		if spent.Minute >= sinceMinute {
			states = append(states, quota.State{ID: keyID, Spent: spent})
		}
	}
	return states, s.down
}

func (s *memoryRepository) SaveUsage(_ context.Context, b quota.UsageBatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return s.down
	}
	if b.Number > s.numbers[b.Run] {
		s.numbers[b.Run] = b.Number
		for _, row := range b.Rows {
			count := row.Count
			row.Count = 0
			s.rows[row] += count
		}
	}
	return s.saved()
}

func (s *memoryRepository) SumUsage(_ context.Context, keyID string, since int64, run string) ([]quota.HourCount, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hours []quota.HourCount
	for row, count := range s.rows {
		if row.KeyID == keyID && row.Hour >= since && row.Outcome != quota.OutcomeRefused {
			hours = append(hours, quota.HourCount{Hour: row.Hour, Count: count})
		}
	}
	return hours, s.numbers[run], s.down
}

// must ends the test if err is not nil.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
