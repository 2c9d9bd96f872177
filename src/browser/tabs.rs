//! The tabs and cookies of one session, used while its lock is held.
//!
//! Chromium and the browser context are created on first use; calls that only read never start Chromium.

use std::sync::Arc;

use fumi_base::text::Text;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    context::Context,
    cookies::{self, Cookie, CookieFilter, NewCookie},
    devtools::{
        CallError,
        protocol::{
            storage,
            target::{TargetId, TargetInfo},
        },
    },
    errors::BrowserError,
    loss::Loss,
    session::State,
    strip::{self, Closed, Open},
    tab::{Dialog, Tab},
};

/// The tabs and cookies of one session.
#[derive(Debug)]
pub struct Tabs {
    state: Arc<State>,
}

/// A tab in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TabInfo {
    /// Counted from 0, in the order of opening.
    pub index: usize,
    /// Title.
    pub title: String,
    /// URL.
    pub url: String,
    /// Whether calls go to it.
    pub current: bool,
    /// The dialog that blocks it.
    #[serde(skip)]
    pub dialog: Option<Dialog>,
}

impl Tabs {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state }
    }

    /// Returns the current tab; opens an empty one if the session has no tab.
    pub async fn current(&mut self) -> Result<Arc<Tab>, BrowserError> {
        let context = self.state.context().await?;
        // A tab that closes itself is marked as closed a moment before it leaves the tab list.
        context
            .until(|strip| strip.current().is_none_or(|index| !strip.open[index].tab.is_closed()))
            .await?;
        let current = {
            let strip = context.strip();
            strip.current().map(|index| Arc::clone(&strip.open[index].tab))
        };
        match current {
            Some(tab) => Ok(tab),
            None => context.open().await,
        }
    }

    /// Returns all tabs in the order of opening.
    pub async fn list(&self) -> Vec<TabInfo> {
        match self.state.live() {
            Some(context) => infos(&context).await.into_iter().map(|(_, info)| info).collect(),
            None => Vec::new(),
        }
    }

    /// Opens a tab and makes it the current one. A denied URL is rejected before the tab is opened; if the page does
    /// not load, the tab stays open.
    pub async fn open(&mut self, url: Option<&str>) -> Result<Arc<Tab>, BrowserError> {
        if let Some(url) = url {
            self.state.judge(url)?;
        }
        let tab = self.state.context().await?.open().await?;
        if let Some(url) = url {
            tab.navigate(url).await?;
        }
        Ok(tab)
    }

    /// Makes the tab at `index` the current one.
    pub async fn select(&mut self, index: usize) -> Result<Arc<Tab>, BrowserError> {
        let (context, target) = self.find(Some(index))?;
        context.select(&target);
        self.current().await
    }

    /// Closes the tab at `index`, or the current tab. If that was the current one, its opener or else its neighbour
    /// becomes current.
    pub async fn close(&mut self, index: Option<usize>) -> Result<(), BrowserError> {
        let (context, target) = self.find(index)?;
        context.close_tab(&target).await
    }

    fn find(&self, index: Option<usize>) -> Result<(Arc<Context>, TargetId), BrowserError> {
        let none = |count| BrowserError::NoTab {
            index: index.unwrap_or_default(),
            count,
        };
        let context = self.state.live().ok_or_else(|| none(0))?;
        let target = {
            let strip = context.strip();
            index
                .or_else(|| strip.current())
                .and_then(|index| strip.open.get(index))
                .map(|open| open.id.clone())
                .ok_or_else(|| none(strip.open.len()))?
        };
        Ok((context, target))
    }

    /// Returns the number of tabs without a request to Chromium.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state.live().map_or(0, |context| context.strip().open.len())
    }

    #[cfg(test)]
    pub(crate) fn is_any_coming(&self) -> bool {
        self.state.live().is_some_and(|context| context.strip().is_any_coming())
    }

    /// Returns the tabs that pages have closed since the last call, each with its last index, URL and title. Sends no
    /// request to Chromium.
    pub fn closed(&mut self) -> Vec<TabInfo> {
        let Some(context) = self.state.live() else {
            return Vec::new();
        };
        let closed = context.strip().take_closed();
        let info = |closed: Closed| TabInfo {
            index: closed.index,
            title: closed.tab.last_title(),
            url: closed.tab.url(),
            current: false,
            dialog: None,
        };
        closed.into_iter().map(info).collect()
    }

    /// Returns a notice that a caller must see, once: that windows were closed because a session may not have more
    /// tabs.
    pub fn take_notice(&mut self) -> Option<Text> {
        let context = self.state.live()?;
        let refused = context.strip().take_refused();
        (refused > 0).then(strip::refused)
    }

    /// Returns the tabs that pages have opened since the last call. Sends a request to Chromium only if there are any.
    pub async fn opened(&mut self) -> Result<Vec<TabInfo>, BrowserError> {
        let Some(context) = self.state.live() else {
            return Ok(Vec::new());
        };
        context.all_there().await?;
        let news = context.strip().take_news();
        if news.is_empty() {
            return Ok(Vec::new());
        }
        let infos = infos(&context).await;
        let is_new = |(id, info)| news.contains(&id).then_some(info);
        Ok(infos.into_iter().filter_map(is_new).collect())
    }

    /// Returns, once, the reason why the tabs and cookies of earlier calls are gone.
    pub fn take_loss(&mut self) -> Option<Loss> {
        self.state.take_loss()
    }

    /// Returns the cookies that match the filter, sorted by domain, path and name.
    pub async fn cookies(&mut self, filter: &CookieFilter) -> Result<Vec<Cookie>, BrowserError> {
        let Some(context) = self.state.live() else {
            return Ok(Vec::new());
        };
        let mut cookies = raw_cookies(&context, filter).await?;
        cookies.sort_by(|a, b| (&a.domain, &a.path, &a.name).cmp(&(&b.domain, &b.path, &b.name)));
        Ok(cookies.into_iter().map(Cookie::from).collect())
    }

    /// Sets a cookie. Without URL and domain it belongs to the site of the current page.
    pub async fn set_cookie(&mut self, mut cookie: NewCookie) -> Result<(), BrowserError> {
        let context = self.state.context().await?;
        if cookie.url.is_none() && cookie.domain.is_none() {
            let current = {
                let strip = context.strip();
                strip.current().map(|index| strip.open[index].tab.url())
            };
            cookie.url = Some(
                current
                    .filter(|url| url.starts_with("http"))
                    .ok_or_else(|| BrowserError::Argument {
                        argument: "url",
                        reason: Text::new(
                            "url or domain is needed, since no web page is open",
                            "Web ページを開いていないので、url か domain を指定してください",
                        ),
                    })?,
            );
        }
        let set = storage::SetCookies {
            cookies: vec![cookie.into()],
            browser_context_id: context.id().clone(),
        };
        match context.running().channel().call(&set).await {
            Ok(_) => Ok(()),
            Err(CallError::Refused { message, .. }) => Err(BrowserError::Argument {
                argument: "name, value, url, domain, path, secure, sameSite",
                reason: Text::new(
                    format!("Chromium does not take this cookie ({message})"),
                    format!("この Cookie は受け付けられません（{message}）"),
                ),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the cookies that match the filter and returns their number.
    pub async fn delete_cookies(&mut self, filter: &CookieFilter) -> Result<usize, BrowserError> {
        let Some(context) = self.state.live() else {
            return Ok(0);
        };
        let cookies = raw_cookies(&context, filter).await?;
        let count = cookies.len();
        if count > 0 {
            let set = storage::SetCookies {
                cookies: cookies.into_iter().map(cookies::expired).collect(),
                browser_context_id: context.id().clone(),
            };
            context.running().channel().call(&set).await?;
        }
        Ok(count)
    }

    /// Removes all cookies of the session.
    pub async fn clear_cookies(&mut self) -> Result<(), BrowserError> {
        if let Some(context) = self.state.live() {
            let clear = storage::ClearCookies {
                browser_context_id: context.id().clone(),
            };
            context.running().channel().call(&clear).await?;
        }
        Ok(())
    }
}

async fn raw_cookies(context: &Context, filter: &CookieFilter) -> Result<Vec<storage::Cookie>, BrowserError> {
    let get = storage::GetCookies {
        browser_context_id: context.id().clone(),
    };
    let mut cookies = context.running().channel().call(&get).await?.cookies;
    cookies.retain(|cookie| filter.matches(cookie));
    Ok(cookies)
}

async fn infos(context: &Context) -> Vec<(TargetId, TabInfo)> {
    // If Chromium does not answer, the URLs are still known here.
    let known = context.infos().await.unwrap_or_default();
    let strip = context.strip();
    let current = strip.current();
    let info = |(index, open): (usize, &Open)| {
        let known = known.iter().find(|known| known.target_id == open.id);
        let url = known.map_or_else(|| open.tab.url(), |known| known.url.clone());
        let info = TabInfo {
            index,
            title: known.map(title).unwrap_or_default(),
            url,
            current: current == Some(index),
            dialog: open.tab.dialog(),
        };
        (open.id.clone(), info)
    };
    strip.open.iter().enumerate().map(info).collect()
}

/// Returns the title. Chromium reports the URL as the title of a page that has none; that counts as empty.
fn title(info: &TargetInfo) -> String {
    let bare = info.url.split_once("://").map_or(info.url.as_str(), |(_, rest)| rest);
    if info.title == info.url || info.title == bare.trim_end_matches('/') {
        String::new()
    } else {
        info.title.clone()
    }
}
