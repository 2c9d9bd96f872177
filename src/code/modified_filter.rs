//! Filters by a file's time of change, as in fd: within a time span (`2h`, `2weeks`) or since a date (`2026-01-31`, RFC
//! 3339, `@unix`).
//!
//! The current time is an argument, so that tests are deterministic. A date without a zone is in the server's time
//! zone, as in fd. This module reads neither a clock nor a file.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::{Span, Timestamp, Zoned, civil::DateTime, tz::TimeZone};

use crate::errors::search::SearchError;

/// A bound on a file's time of change. Both bounds are strict, as in fd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModifiedFilter {
    /// The bound of `changed_within`: later than this.
    After(SystemTime),
    /// The bound of `changed_before`: earlier than this.
    Before(SystemTime),
}

impl ModifiedFilter {
    /// Parses the value of `changed_within`.
    pub fn within(value: &str, now: SystemTime) -> Result<Self, SearchError> {
        parse_time("changed_within", value, now).map(Self::After)
    }

    /// Parses the value of `changed_before`.
    pub fn before(value: &str, now: SystemTime) -> Result<Self, SearchError> {
        parse_time("changed_before", value, now).map(Self::Before)
    }

    /// True if a file changed at this time passes.
    pub fn admits(self, changed: SystemTime) -> bool {
        match self {
            Self::After(bound) => changed > bound,
            Self::Before(bound) => changed < bound,
        }
    }
}

/// Returns a time in the server's time zone to the minute, in a form that [`ModifiedFilter`] parses. Returns an empty
/// text for a time outside the calendar.
pub fn shown_time(unix_seconds: i64) -> String {
    let shown = |time: Timestamp| {
        let zoned = time.to_zoned(TimeZone::system());
        zoned.strftime("%Y-%m-%d %H:%M").to_string()
    };
    Timestamp::from_second(unix_seconds).map_or_else(|_| String::new(), shown)
}

/// Parses a time span before now, or a date.
fn parse_time(argument: &'static str, value: &str, now: SystemTime) -> Result<SystemTime, SearchError> {
    let read = || -> Option<SystemTime> {
        if let Ok(span) = value.parse::<Span>() {
            let now = Zoned::try_from(now).ok()?;
            return now.checked_sub(span).ok().map(SystemTime::from);
        }
        if let Ok(instant) = value.parse::<Timestamp>() {
            return Some(instant.into());
        }
        if let Ok(local) = value.parse::<DateTime>() {
            let zoned = TimeZone::system().to_ambiguous_zoned(local).later().ok()?;
            return Some(zoned.into());
        }
        let seconds: u64 = value.strip_prefix('@')?.parse().ok()?;
        UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    };
    read().ok_or_else(|| SearchError::InvalidTime { argument, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{ModifiedFilter, shown_time};

    #[test]
    fn spans_are_relative_to_now_and_dates_absolute() {
        // 2026-02-10T00:00:00Z
        let now = UNIX_EPOCH + Duration::from_hours(491_856);
        for (value, seconds) in [
            ("2h", 1_770_674_400),
            ("30min", 1_770_679_800),
            ("@1700000000", 1_700_000_000),
            ("2026-01-31T10:00:00Z", 1_769_853_600),
            ("2026-01-31T10:00:00+09:00", 1_769_821_200),
        ] {
            let bound = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(ModifiedFilter::within(value, now), Ok(ModifiedFilter::After(bound)), "{value}");
        }
        for value in ["1d", "2weeks", "2026-01-31", "2026-01-31 10:00:00"] {
            assert!(ModifiedFilter::before(value, now).is_ok(), "{value}");
        }
        for value in ["", "soon", "1770681600", "@18446744073709551615", "999999999999y"] {
            assert!(ModifiedFilter::before(value, now).is_err(), "{value}");
        }
    }

    #[test]
    fn shown_time_is_parsed_again() {
        let seconds: i64 = 1_769_853_600;
        let shown = shown_time(seconds);
        let parsed = ModifiedFilter::within(&shown, UNIX_EPOCH);
        let time = UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs());
        assert_eq!(parsed.ok(), Some(ModifiedFilter::After(time)), "{shown}");
        assert_eq!(shown_time(i64::MAX), "");
    }
}
