module contender-net-http

go 1.22
