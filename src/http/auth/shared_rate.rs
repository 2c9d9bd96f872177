//! The rate limit of a principal over all replicas, kept in their store.
//!
//! The entry of a principal is the time at which all its permits will be back (the theoretical arrival time of the generic
//! cell rate algorithm, ITU-T I.371), in microseconds since 1970. It is changed by a conditional write, so no
//! call is lost. Clocks of replicas that differ by a second move the limit by a second.

use std::time::{Duration, SystemTime};

use fumi_base::store::{ExpectedState, Store, StoreError};

/// The time in which all permits return, in microseconds.
const MINUTE: u64 = 60_000_000;

/// Counts one call of a principal. Returns the time until the next permit if there is none: after the burst of a full minute
/// they return one by one.
pub(super) async fn count(store: &dyn Store, principal: &str, per_minute: u32) -> Result<Option<Duration>, StoreError> {
    let key = format!("rate/{principal}");
    loop {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        let entry = store.get(&key).await?;
        let known = entry.as_ref().and_then(|entry| entry.value.as_slice().try_into().ok()).map(u64::from_le_bytes);
        let all_returned = known.unwrap_or(now).max(now) + MINUTE / u64::from(per_minute.max(1));
        let ahead = all_returned - now;
        if ahead > MINUTE {
            return Ok(Some(Duration::from_micros(ahead - MINUTE)));
        }
        let expected = entry.map_or(ExpectedState::Absent, |entry| ExpectedState::Version(entry.version));
        let ttl = Some(Duration::from_micros(ahead));
        match store.put(&key, all_returned.to_le_bytes().to_vec(), expected, ttl).await {
            // Another replica counted a call.
            Err(StoreError::Conflict) => {}
            written => return written.map(|_| None),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::store::memory::MemoryStore;

    use super::count;

    #[tokio::test]
    async fn permits_of_a_minute_are_counted_by_principal() {
        let store = MemoryStore::default();
        for principal in ["ann", "bob"] {
            for _ in 0..5 {
                assert_eq!(count(&store, principal, 5).await.expect("counted"), None);
            }
            let wait = count(&store, principal, 5).await.expect("counted").expect("no permit is left");
            assert!((11.0..=12.0).contains(&wait.as_secs_f64()), "{wait:?}");
        }
    }
}
