package shared

import (
	"context"
	"errors"

	"github.com/valkey-io/valkey-go"
)

// checkSettings checks what every server says about itself.
func (s *Shared) checkSettings(ctx context.Context, client valkey.Client) error {
	for _, node := range client.Nodes() {
		text, err := node.Do(ctx, node.B().Info().Build()).ToString()
		if err != nil {
			return err
		}
		if err := s.checkInfo(readInfo(text)); err != nil {
			return err
		}
	}
	return nil
}

// CheckSettings returns a [Fault] if the settings of a server were changed so that it may lose counts.
// While a server does not answer, they are taken to be as before.
func (s *Shared) CheckSettings(ctx context.Context) error {
	if !s.alone.Load() {
		if err := s.checkSettings(ctx, s.connections[0].client); err == nil {
			s.unsafe.Store(nil)
		} else if fault, ok := errors.AsType[*Fault](err); ok {
			s.unsafe.Store(fault)
		}
	}
	if fault := s.unsafe.Load(); fault != nil {
		return fault
	}
	return nil
}
