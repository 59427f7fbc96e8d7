package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gamedex/internal/bucket"
	"gamedex/internal/node/conditions"
	"gamedex/internal/publish"
)

// ofDatabase is the condition that warnings report at once, without its watch.
const ofDatabase = "database"

// newWatch returns the watch of what this process needs and what may change while it runs.
func (n *node) newWatch() *conditions.Watch {
	list := []conditions.Condition{
		{Name: ofDatabase, Check: n.checkDatabase},
		{Name: "bucket", Check: n.checkBucket},
		{Name: "private", Check: func(context.Context) error { return n.KeepPrivate() }},
	}
	var disks []string
	switch {
	case n.DB.File != nil:
		disks = []string{filepath.Dir(n.DB.File.Path())}
	case n.Bucket.S3 != nil:
		disks = []string{n.CacheDir}
	}
	if len(disks) > 0 {
		list = append(list, conditions.Condition{Name: "data", Check: conditions.Writable("the folder", disks[0])})
	}
	if n.Bucket.S3 == nil {
		disks = append(disks, n.Bucket.Folder)
	}
	list = append(list, conditions.Condition{Name: "space", Check: conditions.Roomy(disks...)})
	if n.builder != nil {
		list = append(list, conditions.Condition{Name: "build", Check: func(context.Context) error {
			if err := n.builder.Trouble(); err != nil {
				return fmt.Errorf("this process could not publish when it last tried, so new prices are late: %w", err)
			}
			return nil
		}})
	}
	if n.shared != nil {
		list = append(list, conditions.Condition{Name: "counters", Check: n.shared.CheckSettings})
	}
	return conditions.New(n.Log, list...)
}

// checkDatabase returns why nothing can be saved. It tries to write to a file that could not be
// written: other parts may have nothing to write, or be slow to try again.
func (n *node) checkDatabase(ctx context.Context) error {
	switch file := n.DB.File; {
	case file == nil:
	case file.CheckFile(ctx) != nil:
		n.stopWork()
	case file.Trouble() != nil:
		_ = file.TryWrite(ctx) // trouble has its outcome
	}
	return n.trouble()
}

// damage returns how the database is damaged, as far as is known, if it is a file.
func (n *node) damage() error {
	if n.DB.File == nil {
		return nil
	}
	return n.DB.File.Unusable()
}

// trouble returns why nothing can be saved now, as far as is known.
func (n *node) trouble() error {
	var err error
	if n.DB.File != nil {
		err = n.DB.File.Trouble()
	} else if err = n.keys.Trouble(); err == nil {
		err = n.nodes.Trouble()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("nothing can be saved, so keys, users and listings cannot change: %w", err)
}

// checkBucket returns why snapshots cannot be read, or cannot be written by this builder.
func (n *node) checkBucket(ctx context.Context) error {
	const folder = "the folder of the snapshots"
	if dir := n.Bucket.Folder; n.Bucket.S3 == nil {
		if n.Roles.has(roleBuild) {
			return conditions.Writable(folder, dir)(ctx)
		}
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("%s cannot be read, so newer prices are not served; put it back: %w", folder, err)
		}
	}
	view := n.live.View()
	if view == nil {
		return nil // the process is not ready, and says why
	}
	_, err := n.bucket.Get(ctx, publish.ManifestName(view.Seq))
	if err == nil || errors.Is(err, bucket.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("the snapshots in %s cannot be read, so newer prices are not served: %w", n.Bucket, err)
}
