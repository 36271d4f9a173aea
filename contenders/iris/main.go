package main

import (
	"log"
	"os"
	"strconv"

	"github.com/kataras/iris/v12"
)

func main() {
	port, err := strconv.ParseUint(os.Getenv("PORT"), 10, 16)
	if err != nil || port == 0 {
		log.Fatalf("PORT must be a port number, not %q", os.Getenv("PORT"))
	}

	app := iris.New()
	app.Get("/api/values/{id:int}", getValue)
	app.Put("/api/values/{id:int}", putValue)
	app.Delete("/api/values/{id:int}", deleteValue)

	err = app.Listen(
		"127.0.0.1:"+strconv.FormatUint(port, 10),
		iris.WithoutServerError(iris.ErrServerClosed),
	)
	if err != nil {
		os.Exit(1) // Iris has already logged the reason.
	}
}

func getValue(ctx iris.Context) { ctx.Text("value") }

func putValue(iris.Context) {}

func deleteValue(iris.Context) {}
