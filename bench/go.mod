// Measurements, apart from the service so that nothing of them enters it.
module gamedex/bench

go 1.26.0
