// Package apitest checks answers of the API against its reference, whether they
// come from a handler in the same process or from the program over the network.
// It is for tests only.
//
//	OpenAPI document ─► Read ─► Reference ─► Transport(t, next) ─► http.Client
//	                                          │ every answer: documented status,
//	                                          │ headers and body, no unknown field
//	                                          └ a fault fails t; the client continues
//
// It does not know what an answer should contain: it checks the form only.
package apitest
