// Package enginetest is support for tests and measurements: it starts the real servers
// that gamedex works with, on free ports and in temporary folders.
//
//	Need ─► skips a test whose programs are missing, with the way to get them
//
//	SharedPostgres ─► one server for a test binary ─CopyDatabase─► a database for a test
//	NewPostgres    ─► a server for one test ─NewPgBouncer─► a pooler before it
//	                                        ─NewStandby─► a standby ─Promote─► it is written to
//	SharedRedis, NewRedis, NewRedisCluster ─► Redis or Valkey, which keeps nothing
//	NewWebProxy    ─► HAProxy, nginx or Caddy before the program
//	SharedS3, NewS3 ─► an S3 service on a folder ─NewBucket─► a bucket for a test
//	Start          ─► any server ─Await─► it answers ─Stop, Kill─► it has ended ─Restart─► on its port again
//	                             ─Freeze─► it answers nothing ─Thaw─► it goes on
//	StartPostgres, StartRedis, StartS3 ─► for a program that is not a test ─Close─► the server has ended
//	NewProxy       ─► a network before a server ─Break─► slow, silent or cut ─Heal
//
// A server of root runs as another user. It ends with the test binary, even if that
// is killed: a shell beside each server waits for the end of a pipe that only the
// test binary holds, ends the server by its process id, and removes its folder.
//
// `scripts/setup engines` finds the programs and installs what is missing. Without
// them tests are skipped, or fail where GAMEDEX_ENGINES is "required", as
// `make check` sets it.
//
// The package refuses to imitate an engine, and to know what gamedex stores in it.
package enginetest
