//! Reads fetched pages and extracts from them. They come from outside and may be made to take long.
//!
//! Each page is read on a thread of its own that nobody has to wait for: a page that takes too long
//! is given up, and its thread does not keep the program from ending. Only a few pages are read at
//! the same time, so that given-up pages cannot take all cores.

use std::time::Duration;

use lore_core::{Error, Result};
use lore_reader::Page;
use tokio::sync::{Semaphore, oneshot};

use crate::knowledge::extract::Extracted;
use crate::knowledge::outside::{Fetched, Form};

/// How long reading a page may take, including the wait for other pages.
const PATIENCE: Duration = Duration::from_secs(15);
/// How many pages are read at the same time.
const AT_ONCE: usize = 4;
/// The stack of a thread that reads a page. Some of the reading recurses for each level of the
/// page.
const STACK: usize = 32 * 1024 * 1024;

static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);

/// Reads a fetched page.
pub(super) async fn page(fetched: Fetched) -> Result<Page> {
    let read = in_time(PATIENCE, move || match fetched.form {
        Form::Html => lore_reader::read_html(&fetched.body, &fetched.url),
        Form::Plain => lore_reader::read_text(&fetched.body),
    });
    read.await?.map_err(|problem| unreadable(&problem.to_string()))
}

/// Extracts from the text of a page.
pub(super) async fn extracted(
    extract: impl FnOnce() -> Extracted + Send + 'static,
) -> Result<Extracted> {
    in_time(PATIENCE, extract).await
}

async fn in_time<T: Send + 'static>(
    patience: Duration,
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    match tokio::time::timeout(patience, on_own_thread(read)).await {
        Ok(read) => read,
        Err(_) => Err(unreadable("it takes too long to read")),
    }
}

async fn on_own_thread<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let failed = || Error::Bug { what: "reading a page".into() };
    let turn = TURNS.acquire().await.map_err(|_| failed())?;
    let (done, page) = oneshot::channel();
    let work = move || {
        let _turn = turn;
        // Nobody may be waiting any more.
        let _ = done.send(read());
    };
    let thread = std::thread::Builder::new().name("page".into()).stack_size(STACK).spawn(work);
    thread.map_err(|_| Error::Unavailable { what: "a thread to read the page".into() })?;
    page.await.map_err(|_| failed())
}

fn unreadable(problem: &str) -> Error {
    Error::Precondition {
        message: format!("Failed to read the page: {problem}"),
        hint: "give the address of a page that shows its text without scripts".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_page_that_takes_too_long_is_given_up() {
        let (go_on, wait) = std::sync::mpsc::channel::<()>();
        let slow = move || {
            let _ = wait.recv();
        };
        let error = in_time(Duration::from_millis(20), slow).await.unwrap_err();
        assert!(error.to_string().contains("takes too long"), "{error}");
        let quick = in_time(Duration::from_secs(60), || 7).await;
        assert_eq!(quick.unwrap(), 7);
        drop(go_on);
    }

    #[tokio::test]
    async fn a_page_that_breaks_the_reader_is_an_error() {
        let broken: Result<()> = in_time(Duration::from_secs(60), || panic!("as a test")).await;
        assert!(matches!(broken, Err(Error::Bug { .. })), "{broken:?}");
    }
}
