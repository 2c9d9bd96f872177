"""Checks deploy/k8s, rendered by `kubectl kustomize`, against the published schemas and for consistency.

Schemas check single fields. They do not check that a selector finds pods, that a port has the name that others use,
that a claim exists, or that a server has the time to drain. The checks need neither a cluster nor a network.

    python tests/deploy/kubernetes.py ROOT BINARY
"""

import re
import tomllib

import kubernetes_validate

from report import FUMI, ROOT, accepts, check, defaults, documents, end, flags_exist, is_setting, ran, text, version

# The oldest and the newest version with published schemas.
RELEASES = ("1.25", "1.37")
HASH = "0" * 64
# The address of a pod, for the check of its configuration.
ADDRESS = "10.0.0.7"
LABELS = {"app.kubernetes.io/name": "fumi"}
REDIS = {"app.kubernetes.io/name": "fumi-redis"}
# The kind of the Prometheus operator has no published schema among them: these are the fields in use.
SERVICE_MONITOR = {
    "": {"apiVersion", "kind", "metadata", "spec"},
    "metadata": {"name", "namespace", "labels"},
    "spec": {"selector", "jobLabel", "endpoints"},
    "selector": {"matchLabels"},
    "endpoint": {"port", "path", "interval"},
}


def matches(selector, labels):
    return bool(selector) and all(labels.get(name) == value for name, value in selector.items())


def schema(document, where):
    kind = document["kind"]
    if kind == "ServiceMonitor":
        return service_monitor(document, where)
    for release in RELEASES:
        try:
            kubernetes_validate.validate(document, release, strict=True)
            check(True, where)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
            path = ".".join(str(part) for part in getattr(error, "path", []))
            check(False, f"{where}, Kubernetes {release}: {kind} {path}: {error.message[:300]}")


def service_monitor(document, where):
    spec = document.get("spec", {})
    parts = [("", document), ("metadata", document["metadata"]), ("spec", spec), ("selector", spec.get("selector", {}))]
    for name, part in parts + [("endpoint", endpoint) for endpoint in spec.get("endpoints", [])]:
        check(set(part) <= SERVICE_MONITOR[name], f"{where}: ServiceMonitor {name} has {set(part) - SERVICE_MONITOR[name]}")
    check(document["apiVersion"] == "monitoring.coreos.com/v1", f"{where}: ServiceMonitor of {document['apiVersion']}")
    check(spec.get("endpoints"), f"{where}: the ServiceMonitor has no endpoint")
    for endpoint in spec.get("endpoints", []):
        check(isinstance(endpoint.get("port"), str), f"{where}: an endpoint names its port")
        check(re.fullmatch(r"\d+(s|m)", endpoint.get("interval", "")), f"{where}: interval {endpoint.get('interval')}")


class Rendered:
    """One rendered folder; its documents by kind."""

    def __init__(self, folder):
        self.where = str(folder.relative_to(ROOT))
        self.documents = documents(ran("kubectl", "kustomize", str(folder)) or "")

    def all(self, kind):
        return [document for document in self.documents if document["kind"] == kind]

    def names(self, kind):
        return {document["metadata"]["name"] for document in self.all(kind)}

    def one(self, kind):
        found = self.all(kind)
        check(len(found) == 1, f"{self.where}: {len(found)} of {kind}")
        return found[0]

    def check(self, holds, what):
        return check(holds, f"{self.where}: {what}")

    def workloads(self):
        """The templates of the pods: fumi's first, then that of Redis if there is one."""
        return [document["spec"]["template"] for kind in ("Deployment", "StatefulSet") for document in self.all(kind)]

    def found_by(self, selector):
        """The template of the pods that a selector finds; None unless it finds those of one workload."""
        found = [template for template in self.workloads() if matches(selector, template["metadata"]["labels"])]
        return found[0] if len(found) == 1 else None


def ports_of(template):
    return {port["name"]: port["containerPort"] for container in template["spec"]["containers"] for port in container["ports"]}


def examples():
    """The values of the Secrets that the examples describe, by name and key."""
    files = sorted((ROOT / "deploy/k8s").rglob("secret.example.yaml"))
    secrets = [secret for file in files for secret in documents(text(file))]
    return {(secret["metadata"]["name"], key): value for secret in secrets for key, value in secret["stringData"].items()}


def common(rendered):
    for document in rendered.documents:
        kind, name = document["kind"], document["metadata"]["name"]
        if kind != "Namespace":
            rendered.check(document["metadata"].get("namespace") == "fumi", f"{kind} {name} is in another namespace")
        if kind != "ConfigMap":
            labels = document["metadata"].get("labels", {})
            rendered.check(labels.get("app.kubernetes.io/name") in ("fumi", "fumi-redis"), f"{kind} {name} is not labelled")
    rendered.check(not rendered.all("Secret"), "a Secret is rendered: credentials do not belong here")


def locked_down(rendered, pod):
    rendered.check(pod.get("automountServiceAccountToken") is False, "the pod carries a token for the cluster's API")
    rendered.check(rendered.one("ServiceAccount").get("automountServiceAccountToken") is False, "the account hands out tokens")
    rendered.check({pod.get("serviceAccountName")} == rendered.names("ServiceAccount"), "the pod's account is another")
    context = pod.get("securityContext", {})
    rendered.check(context.get("runAsNonRoot") is True and context.get("runAsUser", 0) > 0, "it may run as root")
    rendered.check(context.get("seccompProfile") == {"type": "RuntimeDefault"}, "no seccomp profile")
    image_user = re.findall(r"^USER ([1-9]\d*):", text("Dockerfile"), re.MULTILINE)
    is_fumi = pod["containers"][0]["name"] == "fumi"
    rendered.check(not is_fumi or str(context.get("runAsUser")) in image_user, "its user is not the image's")
    for field in ("hostNetwork", "hostPID", "hostIPC", "hostPath"):
        rendered.check(field not in str(pod), f"it uses {field}")
    for container in pod["containers"] + pod.get("initContainers", []):
        own = container.get("securityContext", {})
        rendered.check(own.get("readOnlyRootFilesystem") is True, f"{container['name']}: its root can be written to")
        rendered.check(own.get("allowPrivilegeEscalation") is False, f"{container['name']}: it may gain privileges")
        rendered.check(own.get("capabilities") == {"drop": ["ALL"]}, f"{container['name']}: it keeps capabilities")
        resources = container.get("resources", {})
        for bound in ("requests", "limits"):
            rendered.check({"cpu", "memory"} <= set(resources.get(bound, {})), f"{container['name']}: no {bound}")
        tag = container["image"].rpartition(":")[2]
        if is_fumi:
            rendered.check(tag == version(), f"the image is {container['image']}, Cargo.toml says {version()}")
        else:
            rendered.check(re.fullmatch(r"\d+\.\d+\.\d+", tag), f"{container['image']} names no version")
    levels = rendered.one("Namespace")["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
    rendered.check(levels == "restricted", "the namespace does not enforce the restricted standard")


def probed(rendered, container):
    for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        asked = container.get(probe, {}).get("httpGet", {})
        rendered.check((asked.get("path"), asked.get("port")) == (path, "http"), f"{probe} does not ask {path}")


def referenced(rendered, pod, container):
    """Checks that every object that the pod names exists."""
    volumes = {claim["metadata"]["name"]: claim for set in rendered.all("StatefulSet") for claim in set["spec"]["volumeClaimTemplates"]}
    volumes = {} if container["name"] == "fumi" else volumes
    for volume in pod.get("volumes", []):
        volumes[volume["name"]] = volume
        if "configMap" in volume:
            rendered.check(volume["configMap"]["name"] in rendered.names("ConfigMap"), f"no {volume['configMap']}")
        if "persistentVolumeClaim" in volume:
            claim = volume["persistentVolumeClaim"]["claimName"]
            rendered.check(claim in rendered.names("PersistentVolumeClaim"), f"no claim {claim}")
    mounted = {}
    for mount in container.get("volumeMounts", []):
        rendered.check(mount["name"] in volumes, f"no volume {mount['name']}")
        mounted[mount["mountPath"]] = mount
    rendered.check({mount["name"] for mount in mounted.values()} == set(volumes), "a volume is not mounted")
    for word in [word for words in container.get("args", []) + container.get("command", []) for word in words.split()]:
        if word.startswith("/"):
            rendered.check(any(word == path or word.startswith(f"{path}/") for path in mounted), f"{word} is not mounted")
    if container["name"] == "fumi":
        rendered.check(mounted.get("/workspace", {}).get("readOnly") is True, "projects can be written to")


def environment(rendered, container):
    """Returns the variables of a container as Kubernetes sets them, with the Secrets of the examples."""
    secrets, values = examples(), {}
    for variable in container.get("env", []):
        name, source = variable["name"], variable.get("valueFrom", {})
        rendered.check(not name.startswith("FUMI__") or is_setting(name), f"fumi has no setting for {name}")
        secret = source.get("secretKeyRef")
        if secret:
            known = (secret["name"], secret["key"]) in secrets
            rendered.check(known, f"no example of the Secret {secret}")
            values[name] = secrets.get((secret["name"], secret["key"]), "")
        elif "fieldRef" in source:
            rendered.check(source["fieldRef"]["fieldPath"] == "status.podIP", f"{name} is {source}")
            values[name] = ADDRESS
        else:
            used = re.findall(r"\$\((\w+)\)", variable["value"])
            rendered.check(set(used) <= set(values), f"{name} contains a variable that is not set before it: {used}")
            values[name] = re.sub(r"\$\((\w+)\)", lambda match: values.get(match[1], match[0]), variable["value"])
    return values


def selected(rendered, template):
    """Checks that every selector finds the pods, and every named port is one of theirs."""
    for kind in ("Deployment", "StatefulSet"):
        for workload in rendered.all(kind):
            found = rendered.found_by(workload["spec"]["selector"]["matchLabels"])
            rendered.check(found is workload["spec"]["template"], f"the {kind} {workload['metadata']['name']} does not find its pods")
    for service in rendered.all("Service"):
        name, found = service["metadata"]["name"], rendered.found_by(service["spec"]["selector"])
        if rendered.check(found, f"the Service {name} finds no pod"):
            for port in service["spec"]["ports"]:
                rendered.check(port["targetPort"] in ports_of(found), f"the Service {name} names the port {port['targetPort']}")
    budget = rendered.found_by(rendered.one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"])
    rendered.check(budget is template, "the budget finds no pod")
    policies, bounded = rendered.all("NetworkPolicy"), {}
    rendered.check(policies, "no NetworkPolicy")
    for policy in policies:
        name, spec = policy["metadata"]["name"], policy["spec"]
        found = rendered.found_by(spec["podSelector"].get("matchLabels"))
        if not rendered.check(found, f"the policy {name} finds no pod"):
            continue
        bounded.setdefault(str(found["metadata"]["labels"]), set()).update(spec["policyTypes"])
        for rule in spec.get("ingress", []):
            for port in rule.get("ports", []):
                rendered.check(port["port"] in ports_of(found), f"the policy {name} opens {port['port']}")
            # Only Prometheus scrapes metrics.
            sources = str(rule.get("from"))
            metrics = any(port["port"] == "metrics" for port in rule.get("ports", [{"port": "metrics"}]))
            rendered.check(not metrics or "monitoring" in sources, f"the policy {name} opens metrics to {sources}")
    for workload in rendered.workloads():
        types = bounded.get(str(workload["metadata"]["labels"]), set())
        rendered.check(types == {"Ingress", "Egress"}, f"traffic is bounded for {types} only")
    for monitor in rendered.all("ServiceMonitor"):
        found = [s for s in rendered.all("Service") if matches(monitor["spec"]["selector"]["matchLabels"], s["metadata"]["labels"])]
        if rendered.check(len(found) == 1, f"the ServiceMonitor finds {len(found)} Services"):
            offered = {port["name"] for port in found[0]["spec"]["ports"]}
            for endpoint in monitor["spec"]["endpoints"]:
                rendered.check(endpoint["port"] in offered, f"the ServiceMonitor asks for the port {endpoint['port']}")
            # The dashboard and the alerts select job="fumi".
            job = found[0]["metadata"]["labels"].get(monitor["spec"].get("jobLabel"))
            rendered.check(job == "fumi", f"Prometheus would call the job {job}")


def scaled(rendered, container):
    deployment, scaler = rendered.one("Deployment"), rendered.one("HorizontalPodAutoscaler")["spec"]
    rendered.check("replicas" not in deployment["spec"], "every apply would undo the autoscaler")
    target = scaler["scaleTargetRef"]
    rendered.check((target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"]), f"it scales {target}")
    rendered.check(1 <= scaler["minReplicas"] <= scaler["maxReplicas"], "more replicas at least than at most")
    for metric in scaler["metrics"]:
        if metric["type"] == "Pods":
            of_pods(rendered, metric["pods"]["metric"]["name"])
        else:
            rendered.check(metric["resource"]["name"] in container["resources"]["requests"], f"no request for {metric['resource']}")
    budget = rendered.one("PodDisruptionBudget")["spec"]
    rendered.check("maxUnavailable" in budget or budget["minAvailable"] < scaler["minReplicas"], "no node could be drained")
    shared = all("ReadWriteMany" in claim["spec"]["accessModes"] for claim in rendered.all("PersistentVolumeClaim"))
    if not shared:
        rendered.check(scaler["maxReplicas"] == 1, "several replicas cannot mount ReadWriteOnce")
        rendered.check(deployment["spec"]["strategy"] == {"type": "Recreate"}, "old and new replica cannot both mount ReadWriteOnce")
    else:
        rendered.check(deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0, "a rollout takes capacity away")


def of_pods(rendered, name):
    """Checks that fumi has a metric, and that the example for the adapter publishes it under this name."""
    published = re.findall(r"^\w+", text("deploy/metrics.txt"), re.MULTILINE)
    rendered.check(name in published, f"it scales by {name}, which is not in metrics.txt")
    rules = [rule for rule in adapter()["rules"]["custom"] if rule["name"]["as"] == name]
    if rendered.check(len(rules) == 1, f"the adapter does not publish {name}"):
        asked = re.match(r"\w+", rules[0]["seriesQuery"])[0]
        rendered.check(asked in published, f"the adapter asks for {asked}, which is not in metrics.txt")


def adapter():
    return documents(text("deploy/k8s/overlays/replicas/prometheus-adapter.yaml"))[0]


def configured(rendered, pod, container, ports):
    """Checks that fumi itself accepts the configuration, and that it agrees with the manifests around it."""
    (configuration,) = [map["data"]["fumi.toml"] for map in rendered.all("ConfigMap") if "fumi.toml" in map["data"]]
    config = tomllib.loads(configuration)
    for section, key, port in (("server", "listen", "http"), ("telemetry", "metrics_listen", "metrics")):
        listens = config[section][key]
        rendered.check(listens == f"0.0.0.0:{ports.get(port)}", f"{key} is {listens}, the port is {ports.get(port)}")
    drain = config["server"].get("drain_seconds", defaults()["server"]["drain_seconds"])
    pause = container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [])
    rendered.check(pause[:1] == ["sleep"], "no pause before SIGTERM")
    # Five more for streams to close (http/shutdown.rs), and five for a slow machine.
    needed = drain + int((pause + ["0"])[1]) + 10
    granted = pod.get("terminationGracePeriodSeconds", 30)
    rendered.check(granted >= needed, f"it is killed after {granted} s, and needs {needed} to drain")
    with_token = any(variable["name"] == "FUMI_TOKEN_SHA256" for variable in container.get("env", []))
    by_issuer = config.get("auth", {}).get("mode") == "oauth"
    rendered.check(with_token != by_issuer, "credentials come either from the Secret or from an issuer")
    if by_issuer:
        rendered.check(443 in [port for port, _ in reached(rendered, LABELS)], "the issuer's keys are out of reach")
    flags_exist(container["args"], rendered.where)
    variables = environment(rendered, container)
    settings = {name: value for name, value in variables.items() if name.startswith("FUMI__")}
    accepts(configuration, settings | ({"FUMI_TOKEN_SHA256": HASH} if with_token else {}), rendered.where)
    if "FUMI__SERVER__REPLICA_URL" in variables:
        replicated(rendered, container, variables, ports)


def reached(rendered, labels):
    """The ports to which pods with these labels may connect, each with the targets."""
    policies = [policy["spec"] for policy in rendered.all("NetworkPolicy") if policy["spec"]["podSelector"].get("matchLabels") == labels]
    rules = [rule for policy in policies for rule in policy.get("egress", [])]
    return [(port["port"], target.get("podSelector", {}).get("matchLabels")) for rule in rules for port in rule["ports"] for target in rule.get("to", [{}])]


def replicated(rendered, container, variables, ports):
    """Checks that replicas reach each other and the Redis server, which nobody else reaches."""
    own = f"http://{ADDRESS}:{ports['http']}"
    rendered.check(variables["FUMI__SERVER__REPLICA_URL"] == own, f"the replicas look for each other at {variables['FUMI__SERVER__REPLICA_URL']}")
    rendered.check("--store" not in container["args"], "--store overrides the variables")
    secret = {v["name"]: "secretKeyRef" in v.get("valueFrom", {}) for v in container["env"]}
    for name in ("FUMI__STORE__URL", "FUMI__SERVER__STATE_KEY"):
        rendered.check(secret.get(name), f"{name} is not from a Secret")
    redis = next((template["spec"]["containers"][0] for template in rendered.workloads() if matches(REDIS, template["metadata"]["labels"])), None)
    if not rendered.check(redis, "no Redis server"):
        return
    url = re.fullmatch(r"redis://:([^@]+)@([\w-]+):(\d+)/\d+", variables.get("FUMI__STORE__URL", ""))
    if rendered.check(url, f"the store is {variables.get('FUMI__STORE__URL')}"):
        password, host, port = url[1], url[2], int(url[3])
        offered = {s["metadata"]["name"]: [p["port"] for p in s["spec"]["ports"]] for s in rendered.all("Service")}
        rendered.check(port in offered.get(host, []), f"no Service is {host}:{port}")
        passwords = environment(rendered, redis)
        rendered.check(passwords.get("REDIS_PASSWORD") == password, "the password of Redis is not that of the URL")
        rendered.check(passwords.get("REDISCLI_AUTH") == password, "the probes of Redis have another password")
    rendered.check((ports["http"], LABELS) in reached(rendered, LABELS), "replicas do not reach each other")
    rendered.check((ports_of({"spec": {"containers": [redis]}})["redis"], REDIS) in reached(rendered, LABELS), "fumi does not reach Redis")
    rendered.check(not reached(rendered, REDIS), "Redis may connect to others")
    for policy in rendered.all("NetworkPolicy"):
        if policy["spec"]["podSelector"].get("matchLabels") == REDIS:
            allowed = [source for rule in policy["spec"]["ingress"] for source in rule.get("from", ["anyone"])]
            rendered.check(allowed == [{"podSelector": {"matchLabels": LABELS}}], f"Redis is open to {allowed}")
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        rendered.check("ping" in str(redis.get(probe, {}).get("exec")), f"Redis has no {probe}")
    (conf,) = [map["data"]["redis.conf"] for map in rendered.all("ConfigMap") if "redis.conf" in map["data"]]
    for line in ("appendonly yes", "maxmemory-policy noeviction", "dir /data"):
        rendered.check(f"\n{line}\n" in conf, f"redis.conf has not {line}")
    most, limit = re.search(r"^maxmemory (\d+)mb$", conf, re.MULTILINE), redis["resources"]["limits"]["memory"]
    rendered.check(most and int(most[1]) * 2 <= int(limit.removesuffix("Mi")), f"Redis may use {most and most[0]} of {limit}")


def provider():
    """Checks that the policy for a provider, which is not part of the base, is valid and finds the pod."""
    for document in documents(text("deploy/k8s/base/provider.example.yaml")):
        schema(document, "provider.example.yaml")
        check(matches(document["spec"]["podSelector"].get("matchLabels"), LABELS), "provider.example.yaml finds no pod")


def example():
    for file in sorted((ROOT / "deploy/k8s").rglob("secret.example.yaml")):
        for secret in documents(text(file)):
            schema(secret, file.name)
    for (name, key), value in examples().items():
        check(not re.fullmatch(r"[0-9a-fA-F]{64}", value), f"the example of {name} has a {key} that holds a hash that could be a real one")
        check("replace-with-" in value, f"the example of {name} has a {key} that could be a real one")


check(FUMI, "usage: kubernetes.py ROOT BINARY")
folders = [ROOT / "deploy/k8s/base", *sorted((ROOT / "deploy/k8s/overlays").iterdir())]
for folder in folders:
    rendered = Rendered(folder)
    if not rendered.check(rendered.documents, "nothing was rendered"):
        continue
    for document in rendered.documents:
        schema(document, rendered.where)
    template = rendered.one("Deployment")["spec"]["template"]
    container = template["spec"]["containers"][0]
    common(rendered)
    for workload in rendered.workloads():
        locked_down(rendered, workload["spec"])
        referenced(rendered, workload["spec"], workload["spec"]["containers"][0])
    probed(rendered, container)
    selected(rendered, template)
    configured(rendered, template["spec"], container, ports_of(template))
    scaled(rendered, container)
example()
provider()
end("deploy/k8s", 400)
