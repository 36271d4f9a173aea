use std::env;
use std::net::Ipv4Addr;
use std::num::NonZeroU16;

use anyhow::Context;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let port = port_from_env()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .with_context(|| format!("cannot listen on 127.0.0.1:{port}"))?;

    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            // An error here is the client's broken connection or request, and concerns nobody else.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(route))
                .await;
        });
    }
}

async fn route(request: Request<Incoming>) -> hyper::Result<Response<Full<Bytes>>> {
    let Some(_id) = value_id(request.uri().path()) else {
        return Ok(status(StatusCode::NOT_FOUND));
    };
    match *request.method() {
        Method::GET => Ok(value()),
        Method::PUT | Method::DELETE => {
            discard(request.into_body()).await?;
            Ok(status(StatusCode::OK))
        }
        _ => Ok(status(StatusCode::METHOD_NOT_ALLOWED)),
    }
}

fn value_id(path: &str) -> Option<u32> {
    path.strip_prefix("/api/values/")?.parse().ok()
}

fn value() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from("value"));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response
}

fn status(code: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = code;
    response
}

/// Reads a body to its end, because hyper closes a connection whose request was left half read.
async fn discard(mut body: Incoming) -> hyper::Result<()> {
    while let Some(frame) = body.frame().await {
        frame?;
    }
    Ok(())
}

fn port_from_env() -> anyhow::Result<u16> {
    let port: NonZeroU16 = env::var("PORT")
        .context("PORT is not set")?
        .parse()
        .context("PORT is not a port number")?;
    Ok(port.get())
}
