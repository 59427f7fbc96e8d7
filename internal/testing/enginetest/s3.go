package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// S3 is a gateway that offers a folder as an S3 service, over plain HTTP.
type S3 struct {
	*Process
	URL string

	program, dir string
	made         atomic.Int64 // buckets so far
}

// The credentials of all services.
const (
	S3AccessKey = "tester"
	S3SecretKey = "open-sesame"
)

var sharedS3 = sync.OnceValues(func() (*S3, error) { return inFolder("", startS3) })

// SharedS3 returns the one S3 service of this test binary, which is for tests that do
// not stop it. See [Need] for what happens where its program is missing.
func SharedS3(t testing.TB) *S3 {
	t.Helper()
	Need(t, "versitygw")
	s, err := sharedS3()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// NewS3 starts an S3 service for this test.
func NewS3(t testing.TB) *S3 {
	t.Helper()
	Need(t, "versitygw")
	return forTest(t, "", startS3)
}

// StartS3 is [NewS3] for a program that is not a test. The objects are in a new folder in
// parent; "" is the folder for temporary files. Close stops the service.
func StartS3(parent string) (*S3, error) { return inFolder(parent, startS3) }

func startS3(dir string) (*S3, error) {
	program, port, err := findWithPort("versitygw")
	if err != nil {
		return nil, err
	}
	s := &S3{URL: fmt.Sprintf("http://127.0.0.1:%d", port), program: program, dir: dir}
	return s, s.start()
}

// start starts the gateway. Objects and their metadata are in folders of their own, so
// the file system needs no extended attributes.
func (s *S3) start() error {
	objects, metadata := s.objects(), filepath.Join(s.dir, "metadata")
	for _, dir := range []string{objects, metadata} {
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	program, err := placeProgram(s.dir, s.program)
	if err != nil {
		return err
	}
	client, err := s.client()
	if err != nil {
		return err
	}
	s.Process, err = startReady(s.dir, Command{Program: program, Args: []string{
		"--port", strings.TrimPrefix(s.URL, "http://"), "--access", S3AccessKey, "--secret", S3SecretKey, "--quiet",
		"posix", "--sidecar", metadata, objects,
	}}, func(ctx context.Context) error {
		_, err := client.ListBuckets(ctx)
		return err
	})
	return err
}

// makeFolder makes a folder that belongs to the server's user, if it is not there.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return giveToServers(dir)
}

// placeProgram puts a program into a server's folder, because the server's user may
// not be allowed to reach the checkout.
func placeProgram(dir, program string) (string, error) {
	placed := filepath.Join(dir, filepath.Base(program))
	if _, err := os.Stat(placed); err == nil {
		return placed, nil
	}
	if os.Link(program, placed) == nil {
		return placed, nil
	}
	content, err := os.ReadFile(program) // in another file system
	if err == nil {
		err = os.WriteFile(placed, content, 0o755)
	}
	return placed, err
}

// Restart starts the service again, after Stop or Kill, at the same address with the
// same objects.
func (s *S3) Restart(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

// NewBucket makes an empty bucket and returns its name.
func (s *S3) NewBucket(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test-%d", s.made.Add(1))
	client, err := s.client()
	if err == nil {
		err = client.MakeBucket(context.Background(), name, minio.MakeBucketOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Folder returns the folder that has the objects of a bucket as files.
func (s *S3) Folder(bucket string) string { return filepath.Join(s.objects(), bucket) }

func (s *S3) objects() string { return filepath.Join(s.dir, "objects") }

// Env returns the environment variables with the credentials of the service.
func (s *S3) Env() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + S3AccessKey, "AWS_SECRET_ACCESS_KEY=" + S3SecretKey}
}

func (s *S3) client() (*minio.Client, error) {
	return minio.New(strings.TrimPrefix(s.URL, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(S3AccessKey, S3SecretKey, ""), Region: "us-east-1", MaxRetries: 1,
	})
}
