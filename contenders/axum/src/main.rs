use std::env;
use std::net::Ipv4Addr;
use std::num::NonZeroU16;

use anyhow::Context;
use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::routing::get;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let port = port_from_env()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .with_context(|| format!("cannot listen on 127.0.0.1:{port}"))?;

    let app = Router::new().route(
        "/api/values/{id}",
        get(get_value).put(put_value).delete(delete_value),
    );
    axum::serve(listener, app).await?;
    Ok(())
}

async fn get_value(Path(_id): Path<u32>) -> &'static str {
    "value"
}

async fn put_value(Path(_id): Path<u32>, _body: Bytes) {}

async fn delete_value(Path(_id): Path<u32>) {}

fn port_from_env() -> anyhow::Result<u16> {
    let port: NonZeroU16 = env::var("PORT")
        .context("PORT is not set")?
        .parse()
        .context("PORT is not a port number")?;
    Ok(port.get())
}
