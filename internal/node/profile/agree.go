package profile

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
)

// Registry is the part of the database that knows the profile of each platform.
type Registry interface {
	// AgreeProfile registers a hash, unless the platform has one, and returns the
	// registered one.
	AgreeProfile(ctx context.Context, p catalog.Platform, hash string, now int64) (registered string, at int64, err error)
	RegisterProfile(ctx context.Context, platforms []catalog.Platform, hash string, by account.By) error
}

// Agree returns an error with both hashes if a platform of the profile is registered with
// another one: two collectors with different profiles would undo each other's jobs.
// The first collector registers its own.
func (p *Profile) Agree(ctx context.Context, in Registry, hash string, now int64) error {
	for _, platform := range p.Platforms() {
		registered, at, err := in.AgreeProfile(ctx, platform, hash, now)
		if err != nil {
			return err
		}
		if registered != hash {
			return fmt.Errorf("this profile and its flags have the hash %s, but %s is collected with %s, registered at %s: "+
				"use the same file, --collect-texts and --collect-images in all processes; to change to this one, run gamedex collect profile FILE and restart them one by one",
				hash, platform, registered, time.UnixMilli(at).UTC().Format(time.RFC3339))
		}
	}
	return nil
}
