//! The form of results by client, for clients that pass only one of the two renderings on to the model.

use std::{collections::BTreeMap, sync::LazyLock};

use fumi_base::embedded;
use fumi_config::ToolsConfig;
use fumi_kernel::ResultForm;
use rmcp::model::Implementation;
use serde::Deserialize;

/// One client of `clients.toml`. The other fields are for the documents.
#[derive(Deserialize)]
struct KnownClient {
    names: Vec<String>,
    form: ResultForm,
}

/// The form of results by the name in `clientInfo`.
static KNOWN: LazyLock<BTreeMap<String, ResultForm>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct KnownClients {
        client: Vec<KnownClient>,
    }
    let known: KnownClients = embedded::toml("clients.toml", include_str!("clients.toml"));
    let forms = |client: KnownClient| client.names.into_iter().map(move |name| (name, client.form));
    known.client.into_iter().flat_map(forms).collect()
});

/// Returns the form of results: the one that the URL or a header asked for, else the operator's for this client, else the
/// known one, else both.
///
/// The same inputs decide lists and calls, so that a client never gets a result without the structure that its list
/// promises.
pub(super) fn result_form(
    asked: Option<ResultForm>,
    config: &ToolsConfig,
    client: Option<&Implementation>,
) -> ResultForm {
    let by_name = || {
        let name = &client?.name;
        config.results.get(name).or_else(|| KNOWN.get(name)).copied()
    };
    asked.or_else(by_name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use fumi_config::Config;
    use fumi_kernel::ResultForm;
    use rmcp::model::Implementation;

    use super::{KNOWN, result_form};

    #[test]
    fn request_beats_configuration_and_configuration_beats_known_clients() {
        let (name, known) = KNOWN.get_key_value("claude-code").expect("it is known");
        let client = Implementation::new(name.clone(), "1");
        let mut config = Config::default().tools;
        assert_eq!(result_form(None, &config, Some(&client)), *known);
        config.results.insert(name.clone(), ResultForm::Structured);
        assert_eq!(result_form(None, &config, Some(&client)), ResultForm::Structured);
        assert_eq!(result_form(Some(ResultForm::Both), &config, Some(&client)), ResultForm::Both);
        let other = Implementation::new("another", "1");
        assert_eq!(result_form(None, &config, Some(&other)), ResultForm::Both);
        assert_eq!(result_form(None, &config, None), ResultForm::Both);
    }
}
