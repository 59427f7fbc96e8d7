// Package reference shows how the API is used: guides with code, every endpoint of
// the OpenAPI document, and a form that sends a request on behalf of the user.
//
//	OpenAPI document ─► parse ─► model ─► pages   (once, when a page is first shown)
//	form ─► http.Request ─► Config.API ─► answer on the page
//
// The texts of the document are English on every page, and marked so; guides and
// frame are in the visitor's language. The package knows the parts of OpenAPI that
// our document has, and rejects a document with broken references.
package reference
