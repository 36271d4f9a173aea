use std::env;
use std::net::Ipv4Addr;
use std::num::NonZeroU16;

use actix_web::web::{Bytes, Path};
use actix_web::{App, HttpResponse, HttpServer, Responder, delete, get, put};
use anyhow::Context;

#[actix_web::main]
async fn main() -> anyhow::Result<()> {
    let port = port_from_env()?;
    HttpServer::new(|| {
        App::new()
            .service(get_value)
            .service(put_value)
            .service(delete_value)
    })
    .bind((Ipv4Addr::LOCALHOST, port))
    .with_context(|| format!("cannot listen on 127.0.0.1:{port}"))?
    .run()
    .await?;
    Ok(())
}

#[get("/api/values/{id}")]
async fn get_value(_id: Path<u32>) -> impl Responder {
    "value"
}

#[put("/api/values/{id}")]
async fn put_value(_id: Path<u32>, _body: Bytes) -> impl Responder {
    HttpResponse::Ok()
}

#[delete("/api/values/{id}")]
async fn delete_value(_id: Path<u32>) -> impl Responder {
    HttpResponse::Ok()
}

fn port_from_env() -> anyhow::Result<u16> {
    let port: NonZeroU16 = env::var("PORT")
        .context("PORT is not set")?
        .parse()
        .context("PORT is not a port number")?;
    Ok(port.get())
}
