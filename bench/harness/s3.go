package harness

import (
	"context"
	"fmt"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"gamedex/internal/testing/enginetest"
)

// S3 starts an S3 service with an empty bucket. Its objects are in the run's folder.
func (r *Run) S3(ctx context.Context, bucket string) (*enginetest.S3, error) {
	service, err := enginetest.StartS3(r.Dir)
	if err != nil {
		return nil, fmt.Errorf("start an S3 service: %w", err)
	}
	r.AtEnd(service.Close)
	client, err := minio.New(strings.TrimPrefix(service.URL, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(enginetest.S3AccessKey, enginetest.S3SecretKey, ""), Region: "us-east-1",
	})
	if err == nil {
		err = client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("make bucket %s: %w", bucket, err)
	}
	return service, nil
}
