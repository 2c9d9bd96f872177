"""Checks deploy/compose.yaml and compose.replicas.yaml against the files around it and for its rules: loopback, read-only, no privileges, limits.

A container engine is not available. Keys are compared with a list, because Compose refuses a file with an unknown key.

    python tests/deploy/compose.py ROOT BINARY
"""

import re
from collections import Counter
from pathlib import Path

from report import FUMI, ROOT, accepts, check, documents, end, flags_exist, is_setting, text

FILE, REPLICAS = "deploy/compose.yaml", "deploy/compose.replicas.yaml"
TOP = {"services", "networks", "volumes"}
# A variable without which Compose does not start.
REQUIRED = re.compile(r"\$\{(\w+):\?[^}]+\}")
SERVICE = {
    "build", "cap_drop", "command", "cpus", "depends_on", "environment", "healthcheck", "image", "mem_limit", "networks",
    "pids_limit", "ports", "read_only", "restart", "security_opt", "stop_grace_period", "tmpfs", "user", "volumes",
}
HEALTH = {"test", "interval", "timeout", "start_period"}


def expanded(value):
    """Returns a value with the default of each `${NAME:-default}`."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)


def image(name, service):
    if "build" in service:
        stages = re.findall(r"^FROM \S+ AS (\w+)$", text("Dockerfile"), re.MULTILINE)
        check(service["build"]["target"] in stages, f"{name}: the Dockerfile has no target {service['build']['target']}")
        context = (ROOT / "deploy") / service["build"]["context"]
        check((context / "Dockerfile").is_file(), f"{name}: no Dockerfile in {service['build']['context']}")
    else:
        check(re.fullmatch(r"[\w./-]+:v?\d+\.\d+\.\d+", service["image"]), f"{name}: {service['image']} names no version")


def hardened(name, service):
    check(service.get("read_only") is True, f"{name}: its root can be written to")
    check(service.get("cap_drop") == ["ALL"], f"{name}: it keeps capabilities")
    check(service.get("security_opt") == ["no-new-privileges:true"], f"{name}: it may gain privileges")
    for bound in ("mem_limit", "cpus", "pids_limit"):
        check(bound in service, f"{name}: no {bound}")
    for port in service.get("ports", []):
        check(re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port), f"{name}: {port} is published beyond loopback")


def mounted(name, service, volumes):
    targets = set()
    for mount in service.get("volumes", []):
        source, target, *mode = expanded(mount).split(":")
        check(target not in targets, f"{name}: {target} is mounted twice")
        targets.add(target)
        if source.startswith("."):
            check(((ROOT / "deploy") / source).exists(), f"{name}: {source} is not there")
            check(mode == ["ro"] or target == "/workspace", f"{name}: {source} can be written to")
        else:
            check(source in volumes, f"{name}: the volume {source} is not declared")
    return targets


def connected(name, service, compose):
    for network in service.get("networks", []):
        check(network in compose["networks"], f"{name}: the network {network} is not declared")
    for other in service.get("depends_on", []):
        check(other in compose["services"], f"{name}: it waits for {other}, which is not there")
    if service.get("ports"):
        inside = [network for network in service["networks"] if (compose["networks"].get(network) or {}).get("internal")]
        check(set(service["networks"]) - set(inside), f"{name}: a port of an internal network cannot be published")
    health = service.get("healthcheck")
    if health:
        check(set(health) <= HEALTH and health["test"][0] == "CMD", f"{name}: the form of its health check")


def reaches(name, url, compose, ports, whence):
    """Checks that `name` is a service on a network of `whence`, and listens on the port."""
    host, _, port = re.sub(r"^https?://", "", url).partition(":")
    if check(host in compose["services"], f"{name} uses {url}, but service {host} does not exist"):
        shared = set(compose["services"][host]["networks"]) & set(compose["services"][whence]["networks"])
        check(shared, f"{name}: {whence} and {host} share no network")
        check(port in ports[host], f"{name} asks {url}; {host} listens on {ports[host]}")


def consistent(file):
    """Checks one file by itself; returns it, and the paths at which each service has a mount."""
    (compose,) = documents(text(file))
    check(set(compose) <= TOP, f"unknown keys: {set(compose) - TOP}")
    targets = {}
    for name, service in compose["services"].items():
        check(set(service) <= SERVICE, f"{name}: unknown keys: {set(service) - SERVICE}")
        image(name, service)
        hardened(name, service)
        targets[name] = mounted(name, service, compose["volumes"])
        connected(name, service, compose)
    used = {mount.split(":")[0] for service in compose["services"].values() for mount in service.get("volumes", [])}
    check(set(compose["volumes"]) <= used, f"declared and not mounted: {set(compose['volumes']) - used}")
    networks = {network for service in compose["services"].values() for network in service["networks"]}
    check(set(compose["networks"]) == networks, f"declared and not used: {set(compose['networks']) - networks}")
    published = [port.split(":")[1] for service in compose["services"].values() for port in service.get("ports", [])]
    check(len(published) == len(set(published)), f"a port is published twice: {published}")
    return compose, targets


def serves(file, name, service, mounts):
    """fumi: its flags, its configuration, its health check, its paths. Returns its variables with examples of secrets."""
    flags_exist(service["command"], file)
    secret = service["environment"]["FUMI_TOKEN_SHA256"]
    check(REQUIRED.fullmatch(secret), f"it starts without a token, or with one of ours: {secret}")
    environment = {variable: REQUIRED.sub("example" * 6, value) for variable, value in service["environment"].items()}
    settings = {variable: value for variable, value in environment.items() if variable.startswith("FUMI__")}
    for variable in settings:
        check(is_setting(variable), f"{name}: fumi has no setting for {variable}")
    accepts("", {**settings, "FUMI_TOKEN_SHA256": "0" * 64, "FUMI__SERVER__LISTEN": "0.0.0.0:8640"}, file)
    docker = re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", text("Dockerfile"), re.MULTILINE)[1]
    check(service["healthcheck"]["test"] == ["CMD", *documents(docker)[0]], "its health check is not the image's")
    for path in ("/workspace", "/state"):
        check(path in mounts and path in service["command"], f"{path} is not both mounted and named")
    drain = int(re.search(r"^drain_seconds = (\d+)$", text("config/default.toml"), re.MULTILINE)[1])
    grace = int(service["stop_grace_period"].rstrip("s"))
    check(grace >= drain + 10, f"it is killed after {grace} s and drains for {drain}")
    return environment


def replicas(compose, targets):
    """Checks that the fumi of compose.replicas.yaml reach each other and one Redis server, and nginx all of them."""
    services = compose["services"]
    names = [name for name, service in services.items() if "FUMI_TOKEN_SHA256" in service.get("environment", {})]
    check(len(names) > 1, f"{REPLICAS}: {names} are no replicas")
    ports = {name: {"8640"} for name in names} | {"redis": {"6379"}}
    shared, states = [], []
    for name in names:
        environment = serves(REPLICAS, name, services[name], targets[name])
        check("--store" not in services[name]["command"], f"{name}: --store overrides the variables")
        check(environment.get("FUMI__SERVER__REPLICA_URL") == f"http://{name}:8640", f"{name}: the others look for it elsewhere")
        for other in names:
            reaches(other, f"http://{name}:8640", compose, ports, other)
        secrets = {key: services[name]["environment"].get(key, "") for key in ("FUMI__SERVER__STATE_KEY", "FUMI__STORE__URL")}
        for key, value in secrets.items():
            check(REQUIRED.search(value), f"{name}: {key} contains no secret of yours")
        shared.append(secrets)
        url = re.fullmatch(r"redis://:[^@]+@([\w-]+:\d+)/\d+", environment.get("FUMI__STORE__URL", ""))
        if check(url, f"{name}: the store is {environment.get('FUMI__STORE__URL')}"):
            reaches(name, url[1], compose, ports, name)
        states += [mount.partition(":")[0] for mount in services[name]["volumes"] if mount.endswith(":/state")]
    check(all(secrets == shared[0] for secrets in shared), "the replicas differ in their secrets")
    check(len(set(states)) == len(names), f"two replicas have one state folder: {states}")
    redis = services["redis"]
    members = [name for name, service in services.items() if set(service["networks"]) & set(redis["networks"])]
    check(sorted(members) == sorted([*names, "redis"]), f"Redis is open to {members}")
    (network,) = redis["networks"]
    check((compose["networks"][network] or {}).get("internal") is True, "Redis reaches the outside")
    password = REQUIRED.search(shared[0]["FUMI__STORE__URL"])
    check(password and redis["environment"].get("REDISCLI_AUTH") == password[0], "the password of Redis is not that of the URL")
    script = redis["command"][-1]
    check("requirepass $$REDISCLI_AUTH\n" in script, "Redis needs no password")
    for path in re.findall(r"\s(/\S+)", script):
        check(path in targets["redis"], f"{path} is not mounted in Redis")
    upstream = Counter(re.findall(r"^\s*server ([\w-]+:\d+) resolve max_fails=0;$", text("deploy/nginx.replicas.conf"), re.MULTILINE))
    check(upstream == Counter(f"{name}:8640" for name in names), f"nginx sends requests to {sorted(upstream)}")
    for target in upstream:
        reaches("nginx.replicas.conf", target, compose, ports, "nginx")
    inside = re.findall(r"^\s*listen (\d+);$", text("deploy/nginx.replicas.conf"), re.MULTILINE)
    check([port.rpartition(":")[2] for port in services["nginx"]["ports"]] == inside, f"nginx listens on {inside}")


check(FUMI, "usage: compose.py ROOT BINARY")
replicas(*consistent(REPLICAS))
compose, targets = consistent(FILE)
environment = compose["services"]["fumi"]["environment"]
serves(FILE, "fumi", compose["services"]["fumi"], targets["fumi"])

# The connections between the services.
(collector,) = documents(text("deploy/otel-collector.yaml"))
ports = {
    "fumi": {"8640", environment["FUMI__TELEMETRY__METRICS_LISTEN"].rpartition(":")[2]},
    "otel-collector": {protocol["endpoint"].rpartition(":")[2] for protocol in collector["receivers"]["otlp"]["protocols"].values()},
    "prometheus": {"9090"},
}
reaches("fumi", environment["OTEL_EXPORTER_OTLP_ENDPOINT"], compose, ports, "fumi")
(scrapes,) = documents(text("deploy/prometheus/prometheus.yml"))
for job in scrapes["scrape_configs"]:
    for target in [target for static in job["static_configs"] for target in static["targets"]]:
        reaches(f"the job {job['job_name']}", target, compose, ports, "prometheus")
for source in sorted((ROOT / "deploy/grafana/provisioning/datasources").iterdir()):
    for datasource in documents(text(source))[0]["datasources"]:
        reaches(source.name, datasource["url"], compose, ports, "grafana")
for source in sorted((ROOT / "deploy/grafana/provisioning/dashboards").iterdir()):
    for provider in documents(text(source))[0]["providers"]:
        check(provider["options"]["path"] in targets["grafana"], f"{provider['options']['path']} is not mounted in Grafana")
home = Path(compose["services"]["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
check(str(home.parent) in targets["grafana"], f"{home} is not mounted in Grafana")
check((ROOT / "deploy/grafana/dashboards" / home.name).is_file(), f"dashboard {home.name} does not exist")
for flag in compose["services"]["prometheus"]["command"] + compose["services"]["otel-collector"]["command"]:
    name, _, value = flag.partition("=")
    if value.startswith("/"):
        everywhere = targets["prometheus"] | targets["otel-collector"]
        check(any(value == target or value.startswith(f"{target}/") for target in everywhere), f"{flag} is not mounted")
end("deploy/compose*.yaml", 230)
