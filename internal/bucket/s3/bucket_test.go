package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"golang.org/x/sync/errgroup"

	"gamedex/internal/bucket"
	"gamedex/internal/bucket/s3"
	"gamedex/internal/testing/buckettest"
	"gamedex/internal/testing/enginetest"
)

func TestBucket(t *testing.T) {
	service := enginetest.SharedS3(t)
	for name, prefix := range map[string]string{"whole bucket": "", "prefix": "Prod/v1"} {
		t.Run(name, func(t *testing.T) {
			buckettest.Run(t, func(t *testing.T) bucket.Bucket {
				return open(t, service, "s3://"+service.NewBucket(t)+"/"+prefix+"?endpoint="+service.URL)
			})
		})
	}
}

// open opens a bucket with the credentials of a service.
func open(t *testing.T, service *enginetest.S3, location string) *s3.Bucket {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", enginetest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", enginetest.S3SecretKey)
	at, err := s3.Parse(location)
	must(t, err)
	b, err := s3.Open(at)
	must(t, err)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// raw returns a client for what a Bucket does not offer.
func raw(t *testing.T, service *enginetest.S3) *minio.Client {
	t.Helper()
	client, err := minio.New(strings.TrimPrefix(service.URL, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(enginetest.S3AccessKey, enginetest.S3SecretKey, ""), Region: "us-east-1",
	})
	must(t, err)
	return client
}

// keys returns the keys of all objects, separated by spaces.
func keys(t *testing.T, client *minio.Client, name string) string {
	t.Helper()
	var list []string
	for object := range client.ListObjectsIter(t.Context(), name, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			t.Fatal(object.Err)
		}
		list = append(list, object.Key)
	}
	return strings.Join(list, " ")
}

// TestWalkOfSeveralPages lists more blobs than the service returns at once.
func TestWalkOfSeveralPages(t *testing.T) {
	service := enginetest.SharedS3(t)
	b := open(t, service, "s3://"+service.NewBucket(t)+"?endpoint="+service.URL)
	var want []string
	var writers errgroup.Group
	writers.SetLimit(16)
	for i := range 1020 {
		name := fmt.Sprintf("many/%04d", i)
		want = append(want, name)
		writers.Go(func() error { return b.Put(t.Context(), name, []byte("x")) })
	}
	must(t, writers.Wait())
	if got, err := buckettest.List(t.Context(), b, "many/"); err != nil || !slices.Equal(got, want) {
		t.Errorf("listed %d names, %v; want all %d", len(got), err, len(want))
	}
}

// TestObjects checks what other programs see: compressed objects under the prefix, and
// no probe.
func TestObjects(t *testing.T) {
	service := enginetest.SharedS3(t)
	name := service.NewBucket(t)
	b, client := open(t, service, "s3://"+name+"/prod?endpoint="+service.URL), raw(t, service)
	blob := bytes.Repeat([]byte("compressible "), 100_000)
	must(t, b.Put(t.Context(), "blob/a", blob))
	if got := keys(t, client, name); got != "prod/blob/a" {
		t.Errorf("objects %q, want prod/blob/a", got)
	}
	object, err := client.StatObject(t.Context(), name, "prod/blob/a", minio.StatObjectOptions{})
	if err != nil || object.ContentType != "application/zstd" || object.Size > int64(len(blob)/20) {
		t.Errorf("%d bytes are stored as %d of type %s, %v; want them compressed", len(blob), object.Size, object.ContentType, err)
	}
}

func TestDamagedObjects(t *testing.T) {
	service := enginetest.SharedS3(t)
	name := service.NewBucket(t)
	b, client := open(t, service, "s3://"+name+"?endpoint="+service.URL), raw(t, service)
	must(t, b.Put(t.Context(), "good", []byte("a blob of some length")))
	object, err := client.GetObject(t.Context(), name, "good", minio.GetObjectOptions{})
	must(t, err)
	var good bytes.Buffer
	if _, err := good.ReadFrom(object); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good.Bytes())
	flipped[len(flipped)/2] ^= 1
	for key, content := range map[string][]byte{
		"empty": nil, "foreign": []byte("no zstd frame"), "cut": good.Bytes()[:good.Len()-1], "flipped": flipped,
	} {
		if _, err := client.PutObject(t.Context(), name, key, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
		blob, err := b.Get(t.Context(), key)
		if err == nil || errors.Is(err, bucket.ErrNotExist) || !strings.Contains(err.Error(), "get blob "+key) {
			t.Errorf("%s object: %q, %v, want an error that names it", key, blob, err)
		}
	}
}

// must ends a test that cannot go on.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
