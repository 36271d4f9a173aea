//! A server that knows neither HTTP nor TLS.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Does the same with each socket, one after the other.
pub(crate) struct Raw {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Raw {
    pub(crate) fn start(act: impl Fn(TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let over = Arc::clone(&over);
            move || {
                for socket in listener.incoming() {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    act(socket.unwrap());
                }
            }
        });
        Self {
            address,
            over,
            thread: Some(thread),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the thread.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            assert!(thread.join().is_ok() || thread::panicking());
        }
    }
}
