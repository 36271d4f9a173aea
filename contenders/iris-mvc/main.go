package main

import (
	"log"
	"os"
	"strconv"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/mvc"
)

func main() {
	port, err := strconv.ParseUint(os.Getenv("PORT"), 10, 16)
	if err != nil || port == 0 {
		log.Fatalf("PORT must be a port number, not %q", os.Getenv("PORT"))
	}

	app := iris.New()
	mvc.New(app.Party("/api/values")).Handle(new(valuesController))

	err = app.Listen(
		"127.0.0.1:"+strconv.FormatUint(port, 10),
		iris.WithoutServerError(iris.ErrServerClosed),
	)
	if err != nil {
		os.Exit(1) // Iris has already logged the reason.
	}
}

type valuesController struct{}

func (*valuesController) GetBy(id int) string { return "value" }

func (*valuesController) PutBy(id int) {}

func (*valuesController) DeleteBy(id int) {}
