"""Checks the monitoring of fumi: the list of metrics, the alerts, the dashboard, the collector.

Every metric and label that an alert or a panel uses is in deploy/metrics.txt, and every entry there is used; another
test compares that list with a running server. promtool parses every expression, the panels' included, and tries every
alert on series that should and should not raise it.

    python tests/deploy/telemetry.py ROOT
"""

import json
import re
import shutil
import tempfile
from pathlib import Path

import yaml

from report import ROOT, check, documents, end, ran, text

AGGREGATED = ("_bucket", "_sum", "_count")
# Labels that Prometheus itself adds.
ADDED = {"job", "instance"}
WORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan"}
LISTS = {"by", "without", "on", "ignoring", "group_left", "group_right"}
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-zA-Z_:][a-zA-Z0-9_:]*|\d[\d.]*(?:e[+-]?\d+)?|\S')
# Plain values for Grafana's variables.
VARIABLES = {"$__rate_interval": "5m", "$instance": ".*", "$datasource": "prometheus"}
# The allowed parts of the collector's own distribution.
COMPONENTS = {
    "receivers": {"otlp"},
    "processors": {"memory_limiter", "batch"},
    "exporters": {"debug", "otlp", "otlphttp"},
}


def published():
    """Reads deploy/metrics.txt: each metric with its labels."""
    lines = [line for line in text("deploy/metrics.txt").splitlines() if line and not line.startswith("#")]
    check(lines == sorted(set(lines)), "metrics.txt is not sorted, or has a duplicate")
    found = {}
    for line in lines:
        parts = re.fullmatch(r"([a-z][a-z0-9_]*)(?:\{([a-z_]+(?:,[a-z_]+)*)\})?", line)
        if check(parts, f"metrics.txt: {line}"):
            found[parts[1]] = set((parts[2] or "").split(",")) - {""}
    return found


def asked(expression):
    """Returns the metrics of an expression, each with the labels of its braces; and the labels of its lists."""
    tokens = TOKEN.findall(expression)
    metrics, listed, at = [], set(), 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in LISTS and following == "(":
            end_of = tokens.index(")", at)
            listed |= {name for name in tokens[at + 2 : end_of] if name != ","}
            at = end_of
        elif re.match(r"[a-zA-Z_:]", token) and token.lower() not in WORDS and token not in LISTS:
            if following == "{":
                end_of = tokens.index("}", at)
                # Names are before an operator; values are quoted.
                metrics.append((token, {name for name in tokens[at + 2 : end_of] if re.match(r"[a-zA-Z_]", name)}))
                at = end_of
            elif following not in ("(", ""):
                # `sum by (x) (...)`: an operator, unless something other than a list follows.
                if following not in LISTS:
                    metrics.append((token, set()))
            elif following == "":
                metrics.append((token, set()))
        at += 1
    return metrics, listed


def known(expression, metrics, where):
    """Checks that every name in an expression is published; returns its metric families."""
    found, listed = asked(expression)
    check(found, f"{where}: asks for no metric")
    families, labels = set(), {"le"}
    for name, braces in found:
        family = next((name.removesuffix(end_of) for end_of in AGGREGATED if name.removesuffix(end_of) in metrics), name)
        if not check(family in metrics, f"{where}: {name} is not in metrics.txt"):
            continue
        families.add(family)
        labels |= metrics[family] | ADDED
        allowed = metrics[family] | ADDED | ({"le"} if name.endswith("_bucket") else set())
        check(braces <= allowed, f"{where}: {name} has no label {', '.join(braces - allowed)}")
        check("job" in braces, f"{where}: {name} of any job")
    check(listed <= labels, f"{where}: none of its metrics has the label {', '.join(listed - labels)}")
    return families


def prometheus(metrics):
    """Checks the rules and the scraping, as Prometheus reads them; returns the metric families of the alerts."""
    families = set()
    (rules,) = documents(text("deploy/prometheus/alerts.yml"))
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    for alert in alerts:
        where = f"the alert {alert.get('alert')}"
        check(set(alert) == {"alert", "expr", "for", "labels", "annotations"}, f"{where}: has {sorted(alert)}")
        check(alert["labels"].get("severity") in ("warning", "critical"), f"{where}: no severity")
        for note in ("summary", "summary_ja", "action", "action_ja"):
            said = alert["annotations"].get(note, "")
            check(said, f"{where}: no {note}")
            check(bool(re.search(r"[ぁ-んァ-ン一-龥]", said)) == note.endswith("_ja"), f"{where}: the language of {note}")
        families |= known(alert["expr"], metrics, where)
    (tests,) = documents((ROOT / "tests/deploy/alerts_test.yml").read_text(encoding="utf-8"))
    expected = {
        re.search(r'alertname="(\w+)"', sample["labels"])[1]
        for group in tests["tests"]
        for query in group["promql_expr_test"]
        for sample in query["exp_samples"]
    }
    names = {alert["alert"] for alert in alerts}
    check(names == expected, f"seen firing by no test, or tested and not there: {names ^ expected}")
    with tempfile.TemporaryDirectory() as folder:
        for file in [*(ROOT / "deploy/prometheus").iterdir(), ROOT / "tests/deploy/alerts_test.yml"]:
            shutil.copy(file, folder)
        ran("promtool", "check", "config", "prometheus.yml", cwd=folder)
        ran("promtool", "test", "rules", "alerts_test.yml", cwd=folder)
    return families


def dashboard(file, metrics):
    """Checks one dashboard; returns the metric families of its panels."""
    board = json.loads(file.read_text(encoding="utf-8"))
    variables = {variable["name"] for variable in board["templating"]["list"]}
    check({"datasource", "instance"} <= variables, f"{file.name}: its variables are {variables}")
    ids = [panel["id"] for panel in board["panels"]]
    check(len(ids) == len(set(ids)), f"{file.name}: two panels have one id")
    taken, families, expressions = set(), set(), []
    for panel in board["panels"]:
        where = f"{file.name}, {panel['title']}"
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        check(not cells & taken and place["x"] + place["w"] <= 24, f"{where}: lies over another panel, or outside")
        taken |= cells
        if panel["type"] == "row":
            continue
        check(panel.get("description"), f"{where}: does not say what it shows")
        check(panel["targets"], f"{where}: asks for nothing")
        for target in panel["targets"]:
            check(target["datasource"]["uid"] == "${datasource}", f"{where}: has a source of its own")
            expressions.append((where, target["expr"]))
            families |= known(target["expr"], metrics, where)
    for variable in board["templating"]["list"]:
        values = re.fullmatch(r"label_values\((.+), (\w+)\)", variable.get("definition", ""))
        if variable["type"] == "query" and check(values, f"{file.name}: the variable {variable['name']}"):
            families |= known(values[1], metrics, f"{file.name}, {variable['name']}")
    # promtool parses them as rules; each gets the name of its panel, so that a message names it.
    rules = []
    for number, (where, expression) in enumerate(expressions):
        for name, value in VARIABLES.items():
            expression = expression.replace(name, value)
        check("$" not in expression, f"{where}: an unknown variable in {expression}")
        rules.append({"record": f"panel:{number}", "expr": expression, "labels": {"panel": where}})
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": file.name, "rules": rules}]}), encoding="utf-8")
        ran("promtool", "check", "rules", "panels.yml", cwd=folder)
    return families


def collector():
    (config,) = documents(text("deploy/otel-collector.yaml"))
    check(set(config) == {*COMPONENTS, "service"}, f"the collector has {sorted(config)}")
    used = {kind: set() for kind in COMPONENTS}
    pipelines = config["service"]["pipelines"]
    # The signals that fumi sends.
    check(set(pipelines) == {"traces", "logs", "metrics"}, f"the collector takes {sorted(pipelines)}")
    for signal, pipeline in pipelines.items():
        for kind, names in pipeline.items():
            for name in names:
                check(name in config[kind], f"{signal} name the {kind[:-1]} {name}, which is not configured")
                used[kind].add(name)
        check(pipeline["processors"][:1] == ["memory_limiter"], f"{signal}: the memory limit does not come first")
    for kind, allowed in COMPONENTS.items():
        check(set(config[kind]) == used[kind], f"configured and not used: {set(config[kind]) ^ used[kind]}")
        check(set(config[kind]) <= allowed, f"the collector's image has no {set(config[kind]) - allowed}")
    check("http" in config["receivers"]["otlp"]["protocols"], "fumi sends over HTTP")


metrics = published()
families = prometheus(metrics)
boards = sorted((ROOT / "deploy/grafana/dashboards").glob("*.json"))
check(boards, "dashboards are missing")
for board in boards:
    families |= dashboard(board, metrics)
check(families == set(metrics), f"in metrics.txt, but used nowhere: {set(metrics) - families}")
collector()
end("telemetry", 250)
