// Package apitest holds answers of the API against its reference, for whoever
// asks: a handler in the same process, or the program over the network. It is
// for tests only.
//
//	OpenAPI document ─► Read ─► Reference ─► Transport(t, next) ─► http.Client
//	                                          │ every answer: documented status,
//	                                          │ headers and body, no field more
//	                                          └ a fault fails t; the client goes on
//
// It refuses to know what an answer should say: it judges the form alone.
package apitest
