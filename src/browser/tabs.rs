//! The tabs and cookies of one session, used while its lock is held.
//!
//! Chromium and the browser context are created on first use; calls that only read never start Chromium.

use std::sync::Arc;

use fumi_base::text::BilingualText;

use crate::{
    context::BrowserContext,
    cookies::{self, Cookie, CookieFilter, CookieSameSite, NewCookie},
    devtools::{
        CallError,
        protocol::{
            storage,
            target::{TargetId, TargetInfo},
        },
    },
    errors::BrowserError,
    reset_reason::ResetReason,
    session::BrowserSessionState,
    tab::{PageDialog, Tab},
    tab_list::{self, ClosedTab, OpenTab},
};

/// The tabs and cookies of one session.
#[derive(Debug)]
pub struct SessionTabs {
    state: Arc<BrowserSessionState>,
}

/// A tab of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabInfo {
    /// The position, counted from 0 in the order of opening.
    pub index: usize,
    pub title: String,
    pub url: String,
    /// True for the tab on which calls act.
    pub current: bool,
    /// The dialog that blocks the tab.
    pub dialog: Option<PageDialog>,
}

impl SessionTabs {
    pub(crate) fn new(state: Arc<BrowserSessionState>) -> Self {
        Self { state }
    }

    /// Returns the current tab; opens an empty one if the session has no tab.
    pub async fn current(&mut self) -> Result<Arc<Tab>, BrowserError> {
        let context = self.state.context().await?;
        // A tab that closes itself is marked as closed a moment before it leaves the tab list.
        context.wait_until(|strip| strip.current().is_none_or(|index| !strip.open[index].tab.is_closed())).await?;
        let current = {
            let strip = context.tab_list();
            strip.current().map(|index| Arc::clone(&strip.open[index].tab))
        };
        match current {
            Some(tab) => Ok(tab),
            None => context.open().await,
        }
    }

    /// Returns all tabs in the order of opening.
    pub async fn list(&self) -> Vec<TabInfo> {
        match self.state.live_context() {
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

    fn find(&self, index: Option<usize>) -> Result<(Arc<BrowserContext>, TargetId), BrowserError> {
        let none = |count| BrowserError::NoTab { index: index.unwrap_or_default(), count };
        let context = self.state.live_context().ok_or_else(|| none(0))?;
        let target = {
            let strip = context.tab_list();
            index
                .or_else(|| strip.current())
                .and_then(|index| strip.open.get(index))
                .map(|open| open.id.clone())
                .ok_or_else(|| none(strip.open.len()))?
        };
        Ok((context, target))
    }

    /// Returns the number of tabs without a request to Chromium.
    pub fn count(&self) -> usize {
        self.state.live_context().map_or(0, |context| context.tab_list().open.len())
    }

    #[cfg(test)]
    pub(crate) fn is_any_coming(&self) -> bool {
        self.state.live_context().is_some_and(|context| context.tab_list().is_any_coming())
    }

    /// Returns the tabs that pages have closed since the last call, each with its last index, URL and title. Sends no
    /// request to Chromium.
    pub fn take_closed(&mut self) -> Vec<TabInfo> {
        let Some(context) = self.state.live_context() else {
            return Vec::new();
        };
        let closed = context.tab_list().take_closed();
        let info = |closed: ClosedTab| TabInfo {
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
    pub fn take_notice(&mut self) -> Option<BilingualText> {
        let context = self.state.live_context()?;
        let refused = context.tab_list().take_refused();
        (refused > 0).then(tab_list::refused)
    }

    /// Returns the tabs that pages have opened since the last call. Sends a request to Chromium only if there are any.
    pub async fn take_opened(&mut self) -> Result<Vec<TabInfo>, BrowserError> {
        let Some(context) = self.state.live_context() else {
            return Ok(Vec::new());
        };
        context.wait_all_set_up().await?;
        let news = context.tab_list().take_news();
        if news.is_empty() {
            return Ok(Vec::new());
        }
        let infos = infos(&context).await;
        let is_new = |(id, info)| news.contains(&id).then_some(info);
        Ok(infos.into_iter().filter_map(is_new).collect())
    }

    /// Returns, once, the reason why the tabs and cookies of earlier calls are gone.
    pub fn take_reset_reason(&mut self) -> Option<ResetReason> {
        self.state.take_reset_reason()
    }

    /// Returns the cookies that match the filter, sorted by domain, path and name.
    pub async fn cookies(&mut self, filter: &CookieFilter) -> Result<Vec<Cookie>, BrowserError> {
        let Some(context) = self.state.live_context() else {
            return Ok(Vec::new());
        };
        let mut cookies = raw_cookies(&context, filter).await?;
        cookies.sort_by(|a, b| (&a.domain, &a.path, &a.name).cmp(&(&b.domain, &b.path, &b.name)));
        Ok(cookies.into_iter().map(Cookie::from).collect())
    }

    /// Sets a cookie. Without URL and domain it belongs to the site of the current page. Returns the cookie as Chromium
    /// stored it, with a shorter life if the given one was too long; empty if it has expired already. Chromium drops some
    /// cookies without an error of its own.
    pub async fn set_cookie(&mut self, mut cookie: NewCookie) -> Result<Vec<Cookie>, BrowserError> {
        let context = self.state.context().await?;
        if cookie.url.is_none() && cookie.domain.is_none() {
            let current = {
                let strip = context.tab_list();
                strip.current().map(|index| strip.open[index].tab.url())
            };
            cookie.url = Some(current.filter(|url| url.starts_with("http")).ok_or_else(|| {
                BrowserError::BadBrowserArgument {
                    argument: "url",
                    reason: BilingualText::new(
                        "url or domain is required, because no web page is open",
                        "Web ページを開いていないので、url か domain を指定してください",
                    ),
                }
            })?);
        }
        let stored = cookie.stored();
        let value = cookie.value.clone();
        let lacks_secure = cookie.same_site == Some(CookieSameSite::None) && cookie.secure != Some(true);
        let may_have_expired = cookie.expires.is_some() && !lacks_secure;
        let set = storage::SetCookies { cookies: vec![cookie.into()], browser_context_id: context.id().clone() };
        match context.running().channel().call(&set).await {
            Ok(_) => {
                let found = self.cookies(&stored).await?;
                let is_stored = found.iter().any(|cookie| cookie.value == value);
                if is_stored || may_have_expired { Ok(found) } else { Err(dropped(lacks_secure)) }
            }
            Err(CallError::ErrorReply { message, .. }) => Err(BrowserError::BadBrowserArgument {
                argument: "name, value, url, domain, path, secure, sameSite",
                reason: BilingualText::new(
                    format!("Chromium rejected this cookie ({message})"),
                    format!("この Cookie は受け付けられません（{message}）"),
                ),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the cookies that match the filter and returns their number.
    pub async fn delete_cookies(&mut self, filter: &CookieFilter) -> Result<usize, BrowserError> {
        let Some(context) = self.state.live_context() else {
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
        if let Some(context) = self.state.live_context() {
            let clear = storage::ClearCookies { browser_context_id: context.id().clone() };
            context.running().channel().call(&clear).await?;
        }
        Ok(())
    }
}

/// Returns the error for a cookie that Chromium has dropped.
fn dropped(lacks_secure: bool) -> BrowserError {
    let (argument, en, ja) = if lacks_secure {
        (
            "sameSite",
            "Chromium drops a cookie with sameSite None that is not secure; pass secure true, or sameSite Lax",
            "sameSite が None で secure でない Cookie は Chromium が破棄します。secure を true にするか、sameSite を Lax にしてください",
        )
    } else {
        (
            "name, value, url, domain, path, secure, sameSite",
            "Chromium did not store this cookie",
            "Chromium はこの Cookie を保存しませんでした",
        )
    };
    BrowserError::BadBrowserArgument { argument, reason: BilingualText::new(en, ja) }
}

async fn raw_cookies(
    context: &BrowserContext,
    filter: &CookieFilter,
) -> Result<Vec<storage::StoredCookie>, BrowserError> {
    let get = storage::GetCookies { browser_context_id: context.id().clone() };
    let mut cookies = context.running().channel().call(&get).await?.cookies;
    cookies.retain(|cookie| filter.matches(cookie));
    Ok(cookies)
}

async fn infos(context: &BrowserContext) -> Vec<(TargetId, TabInfo)> {
    // If Chromium does not answer, the URLs are still known here.
    let known = context.infos().await.unwrap_or_default();
    let strip = context.tab_list();
    let current = strip.current();
    let info = |(index, open): (usize, &OpenTab)| {
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
    if info.title == info.url || info.title == bare.trim_end_matches('/') { String::new() } else { info.title.clone() }
}
