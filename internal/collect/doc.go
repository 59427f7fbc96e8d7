// Package collect decides what to read from the stores and when, and handles
// their failures.
//
//	Plan ─► lease "collect/<scope>" ─► Connector.Read ─► SaveBatch … ─► FinishSweep
//	  ▲              │                   page by page,      one transaction   withdraws
//	  │              ▼                   or item by item    a batch
//	Sweeps ◄── due time, attempts, last error
//
// A scope is one kind of sweep in one region of one platform. The database holds
// all its state. A process that claims its lease continues where the last one
// stopped, so any number of processes share the work, and a killed process loses
// at most one batch. A run is one slice of a sweep: it gives way to more urgent
// scopes and continues later.
//
// After a failure a scope waits, longer each time. When a store refuses access
// (upstream.Stopped), all processes stop all its scopes until the given time. A
// sweep that may have missed something withdraws nothing, and the products of a console store
// that it is about to withdraw are looked up first (findMissing).
//
// The package refuses to know how to read a store (connectors do), which data of a
// listing count (sweep.Overlay, catalog.Supersede, feed.Check) and how they are
// stored.
//
// # A new store
//
// A store needs a connector (a package like pcstore, which implements [Connector]), a
// simulation in testing/storesim, and its wiring in node. A third platform requires a
// change of the API's contract first, and a number in catalog.Platform: search for PCStore
// to find the rules that distinguish the two. The connector contains no address, hash or id of the
// store: these are in its section of the profile. Its Jobs are fixed, one for each region
// and kind. Its Read follows these rules:
//
//   - The cursor has everything that another process needs to continue.
//   - An answer that is empty or not understood is an error, never an empty page, which
//     would withdraw a region. A product that is not sold in the region is Gone.
//   - Shows lists the fields that the operation returns, empty ones included; Guesses those
//     that another operation returns more reliably. Two operations that return the same
//     field return the same value; otherwise listings change back and forth.
//   - A page that may lack something is Interrupted: a partial answer, a list that changed,
//     an entry that was not understood. One bad entry never affects the others.
//   - Present names products that exist without details in the answer; Items what other
//     kinds must read, with a Mark that changes when there is something new.
//   - Amounts are hundredths and are compared with their text (money.Currency.Agrees). One that
//     disagrees is doubtful and never corrected. The zero of a trial, a demo or a
//     subscription is not "free". An unexpected currency means another region.
//   - Errors of upstream are returned unchanged: their kind decides what is retried.
//   - Requests go through upstream.Client, and the time comes from New's clock.
//
// The simulation answers in the store's formats from its own catalog, with the flaws of the
// real store, and returns the expected listings. It does not import the connector. Tests
// have small fixtures in the format of real answers, a table of prices, pages that change,
// invalid data in every place, a fuzzed decoder, and the end-to-end test with storesim.
package collect
