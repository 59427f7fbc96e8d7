package main

import (
	"gamedex/bench/lab"
	"gamedex/bench/subjects/bulkhttp"
	"gamedex/bench/subjects/encode"
	"gamedex/bench/subjects/endpoints"
	"gamedex/bench/subjects/find"
	"gamedex/bench/subjects/growth"
	"gamedex/bench/subjects/importing"
	"gamedex/bench/subjects/instead"
	"gamedex/bench/subjects/judged"
	"gamedex/bench/subjects/limiter"
	"gamedex/bench/subjects/openindex"
	"gamedex/bench/subjects/visible"
)

// subjects are measured in this order.
func subjects() []lab.Subject {
	return []lab.Subject{
		encode.Subject(),
		bulkhttp.Plain(),
		bulkhttp.Gzip(),
		instead.Subject(),
		find.Subject(),
		judged.Subject(),
		endpoints.Subject(),
		endpoints.Stack(),
		limiter.Subject(),
		openindex.Subject(),
		importing.Subject(),
		visible.Subject(),
		growth.Subject(),
	}
}
