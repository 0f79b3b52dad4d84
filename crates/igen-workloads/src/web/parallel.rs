//! Requests of a page that go out together, each when the one that it comes after has been answered.

use igen_engine::Reason;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::Poll;

use super::ask::Asked;
use super::fetch::Lane;
use super::program::Page;
use super::visit::{Together, Visit};

/// Requests that may go out.
struct Queue<'a> {
    page: &'a Page,
    /// Those whose turn has come, in that order, and since when.
    ready: RefCell<Vec<(usize, u64)>>,
    /// Place of the next one.
    next: Cell<usize>,
    under_way: Cell<usize>,
}

impl Visit<'_, '_> {
    /// Sends the requests of a page over these connections; the first failure ends it, when what is under way has
    /// been answered.
    pub async fn requests(&self, lanes: &mut [Lane], page: &Page) -> Result<(), Reason> {
        let queue = Queue {
            page,
            ready: RefCell::new(vec![(0, self.meter.now_ns())]),
            next: Cell::new(0),
            under_way: Cell::new(0),
        };
        let together = Together::default();
        let (queue, each) = (&queue, &together);
        together
            .work(lanes, |lane| self.send(lane, queue, each))
            .await;
        together.outcome()
    }

    async fn send(&self, lane: &mut Lane, queue: &Queue<'_>, together: &Together) {
        while let Some((request, ready_ns)) = queue.take(together).await {
            self.meter.waited_since(ready_ns);
            let asked = Asked::Request(&queue.page.requests[request]);
            let done = self.ask(lane, asked).await;
            queue.answered(request, done.is_ok(), self.meter.now_ns());
            together.ends(done);
        }
    }
}

impl Queue<'_> {
    /// The next request, when there is one; `None` when there are no more.
    async fn take(&self, together: &Together) -> Option<(usize, u64)> {
        poll_fn(|_| {
            if together.has_failed() {
                return Poll::Ready(None);
            }
            if let Some(next) = self.ready.borrow().get(self.next.get()).copied() {
                self.next.set(self.next.get() + 1);
                self.under_way.set(self.under_way.get() + 1);
                return Poll::Ready(Some(next));
            }
            // Whoever ends one looks at all others again.
            if self.under_way.get() == 0 {
                Poll::Ready(None)
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// A request is over; if that went well, those that come after it may go out.
    fn answered(&self, request: usize, well: bool, now_ns: u64) {
        self.under_way.set(self.under_way.get() - 1);
        if well {
            let followers = self.page.order.followers(request);
            let mut ready = self.ready.borrow_mut();
            ready.extend(followers.map(|follower| (follower, now_ns)));
        }
    }
}
