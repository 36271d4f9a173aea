package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
)

func main() {
	port, err := strconv.ParseUint(os.Getenv("PORT"), 10, 16)
	if err != nil || port == 0 {
		log.Fatalf("PORT must be a port number, not %q", os.Getenv("PORT"))
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/values/{id}", withID(getValue))
	mux.HandleFunc("PUT /api/values/{id}", withID(putValue))
	mux.HandleFunc("DELETE /api/values/{id}", withID(deleteValue))

	log.Fatal(http.ListenAndServe("127.0.0.1:"+strconv.FormatUint(port, 10), mux))
}

func getValue(w http.ResponseWriter, _ *http.Request, _ int) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "value")
}

func putValue(http.ResponseWriter, *http.Request, int) {}

func deleteValue(http.ResponseWriter, *http.Request, int) {}

func withID(next func(http.ResponseWriter, *http.Request, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil {
			http.Error(w, "id must be an integer", http.StatusBadRequest)
			return
		}
		next(w, r, id)
	}
}
