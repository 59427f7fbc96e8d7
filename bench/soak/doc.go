// Command soak runs the service for a long time as it is used, and judges what it does:
//
//	go run ./soak -hours H [-engines] [-out FOLDER] [-seed N]
//
//	simulated stores ─► sweeps ─┐
//	imports, keys, users ───────┼─► processes of the program ◄── requests of several keys
//	restarts, kills ────────────┘        │                            │
//	                                     ▼                            ▼
//	              curves: memory, descriptors, disk, times     ledger: requests by key
//	                                     └────────► verdict ◄─────────┘
//
// Without -engines one process has a SQLite database, a folder and counters in memory. With
// it five processes (two with the role api, two with build, one with collect) share
// PostgreSQL, Redis or Valkey and an S3 service.
//
// In the first third of the run processes are stopped in order and killed, one after the
// other. The run fails if
//   - memory, descriptors, goroutines or the disk grow in the second half, in which all
//     processes go on: if the line of least squares through the lowest value of each minute
//     rises by more than a tenth of the mean (of the disk: a fifth) and by more than a fixed amount;
//   - a request that was answered is not stored once as used or refused. Only those that a process
//     answered in the 20 seconds before it was killed may be missing;
//   - more requests passed in a minute than the limit allows, or an answer says so;
//   - a request fails, except those that a killed process had not answered;
//   - a change of a key takes longer than it may;
//   - a process crashes, logs an error, or leaves data that `gamedex check` complains about.
//
// Times of answers are shown and not judged: they say more about the machine.
package main
