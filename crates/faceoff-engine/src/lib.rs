//! Generates HTTP load against one address, and says what came of it.
//!
//! [`run`] carries out one [`LoadOrder`](faceoff_record::LoadOrder) in this process;
//! [`serve_order`] does it for another process that speaks over standard input and output. The
//! engine decides how requests get to the server and what is counted. It knows nothing of
//! contenders or plans: whether the figures mean anything is for others to judge.
//!
//! Four parts are kept apart, so that a new mode is a new part and never a new loop: `pace` says
//! which request a connection sends and when, `stop` when load and measuring begin and end,
//! `send` what the bytes of a request are, and `record` what is counted. `exchange` connects them
//! with the sockets, event by event, with `tls` in between where the order asks for it. Each
//! `worker` thread has its own of all of them, and shares nothing while it measures; `run` splits
//! the order among workers and merges what they give.
//!
//! Nothing is allocated, locked or written for a single request. The exceptions are rare by
//! construction: the exchanges kept for checking, and the first failure of each class. Over TLS
//! there is one more, which is not rare: `rustls` allocates for each record.

mod backoff;
mod check;
mod exchange;
mod health;
mod http1;
mod keep;
mod pace;
mod queue;
mod record;
mod run;
mod send;
mod serve;
mod stop;
mod tls;
mod worker;

pub use run::{EngineError, run};
pub use send::RequestFault;
pub use serve::{ServeError, serve_order};
pub use tls::TlsFault;
