"""Checks deploy/k8s, rendered by `kubectl kustomize`, against the published schemas and for consistency.

Schemas check single fields. They do not check that a selector finds pods, that a port has the name that others use,
that a claim exists, or that a server has the time to drain. The checks need neither a cluster nor a network.

    python tests/deploy/kubernetes.py ROOT BINARY
"""

import re
import tomllib

import kubernetes_validate

from report import FUMI, ROOT, accepts, check, defaults, documents, end, flags_exist, ran, text, version

# The oldest and the newest version with published schemas.
RELEASES = ("1.25", "1.37")
HASH = "0" * 64
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


def common(rendered):
    for document in rendered.documents:
        kind, name = document["kind"], document["metadata"]["name"]
        if kind != "Namespace":
            rendered.check(document["metadata"].get("namespace") == "fumi", f"{kind} {name} is in another namespace")
        if kind != "ConfigMap":
            labels = document["metadata"].get("labels", {})
            rendered.check(labels.get("app.kubernetes.io/name") == "fumi", f"{kind} {name} is not labelled")
    rendered.check(not rendered.all("Secret"), "a Secret is rendered: credentials do not belong here")


def locked_down(rendered, pod):
    rendered.check(pod.get("automountServiceAccountToken") is False, "the pod carries a token for the cluster's API")
    rendered.check(rendered.one("ServiceAccount").get("automountServiceAccountToken") is False, "the account hands out tokens")
    rendered.check({pod.get("serviceAccountName")} == rendered.names("ServiceAccount"), "the pod's account is another")
    context = pod.get("securityContext", {})
    rendered.check(context.get("runAsNonRoot") is True and context.get("runAsUser", 0) > 0, "it may run as root")
    rendered.check(context.get("seccompProfile") == {"type": "RuntimeDefault"}, "no seccomp profile")
    image_user = re.findall(r"^USER ([1-9]\d*):", text("Dockerfile"), re.MULTILINE)
    rendered.check(image_user and str(context.get("runAsUser")) in image_user, "its user is not the image's")
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
        rendered.check(tag == version(), f"the image is {container['image']}, Cargo.toml says {version()}")
    levels = rendered.one("Namespace")["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
    rendered.check(levels == "restricted", "the namespace does not enforce the restricted standard")


def probed(rendered, container):
    for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        asked = container.get(probe, {}).get("httpGet", {})
        rendered.check((asked.get("path"), asked.get("port")) == (path, "http"), f"{probe} does not ask {path}")


def referenced(rendered, pod, container):
    """Checks that every object that the pod names exists."""
    example = documents(text("deploy/k8s/base/secret.example.yaml"))
    secrets = {(secret["metadata"]["name"], key) for secret in example for key in secret["stringData"]}
    volumes = {}
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
    for word in container["args"]:
        if word.startswith("/"):
            rendered.check(any(word == path or word.startswith(f"{path}/") for path in mounted), f"{word} is not mounted")
    rendered.check(mounted.get("/workspace", {}).get("readOnly") is True, "projects can be written to")
    for variable in container.get("env", []):
        secret = variable.get("valueFrom", {}).get("secretKeyRef")
        if secret:
            rendered.check((secret["name"], secret["key"]) in secrets, f"no example of the Secret {secret}")


def selected(rendered, template, container):
    """Checks that every selector finds the pods, and every named port is one of theirs."""
    labels = template["metadata"]["labels"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    rendered.check(matches(rendered.one("Deployment")["spec"]["selector"]["matchLabels"], labels), "the Deployment")
    for service in rendered.all("Service"):
        name = service["metadata"]["name"]
        rendered.check(matches(service["spec"]["selector"], labels), f"the Service {name} finds no pod")
        for port in service["spec"]["ports"]:
            rendered.check(port["targetPort"] in ports, f"the Service {name} names the port {port['targetPort']}")
    rendered.check(matches(rendered.one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"], labels), "the budget finds no pod")
    policies = rendered.all("NetworkPolicy")
    rendered.check(policies, "no NetworkPolicy")
    for policy in policies:
        name, spec = policy["metadata"]["name"], policy["spec"]
        rendered.check(matches(spec["podSelector"].get("matchLabels"), labels), f"the policy {name} finds no pod")
        for rule in spec.get("ingress", []):
            for port in rule.get("ports", []):
                rendered.check(port["port"] in ports, f"the policy {name} opens {port['port']}")
            # Only Prometheus scrapes metrics.
            sources = str(rule.get("from"))
            metrics = any(port["port"] == "metrics" for port in rule.get("ports", [{"port": "metrics"}]))
            rendered.check(not metrics or "monitoring" in sources, f"the policy {name} opens metrics to {sources}")
    bounded = {kind for policy in policies for kind in policy["spec"]["policyTypes"]}
    rendered.check(bounded == {"Ingress", "Egress"}, f"traffic is bounded for {bounded} only")
    for monitor in rendered.all("ServiceMonitor"):
        found = [s for s in rendered.all("Service") if matches(monitor["spec"]["selector"]["matchLabels"], s["metadata"]["labels"])]
        if rendered.check(len(found) == 1, f"the ServiceMonitor finds {len(found)} Services"):
            offered = {port["name"] for port in found[0]["spec"]["ports"]}
            for endpoint in monitor["spec"]["endpoints"]:
                rendered.check(endpoint["port"] in offered, f"the ServiceMonitor asks for the port {endpoint['port']}")
            # The dashboard and the alerts select job="fumi".
            job = found[0]["metadata"]["labels"].get(monitor["spec"].get("jobLabel"))
            rendered.check(job == "fumi", f"Prometheus would call the job {job}")
    return ports


def scaled(rendered, container):
    deployment, scaler = rendered.one("Deployment"), rendered.one("HorizontalPodAutoscaler")["spec"]
    rendered.check("replicas" not in deployment["spec"], "every apply would undo the autoscaler")
    target = scaler["scaleTargetRef"]
    rendered.check((target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"]), f"it scales {target}")
    rendered.check(1 <= scaler["minReplicas"] <= scaler["maxReplicas"], "more replicas at least than at most")
    for metric in scaler["metrics"]:
        rendered.check(metric["resource"]["name"] in container["resources"]["requests"], f"no request for {metric['resource']}")
    budget = rendered.one("PodDisruptionBudget")["spec"]
    rendered.check("maxUnavailable" in budget or budget["minAvailable"] < scaler["minReplicas"], "no node could be drained")
    shared = all("ReadWriteMany" in claim["spec"]["accessModes"] for claim in rendered.all("PersistentVolumeClaim"))
    if not shared:
        rendered.check(scaler["maxReplicas"] == 1, "several replicas cannot mount ReadWriteOnce")
        rendered.check(deployment["spec"]["strategy"] == {"type": "Recreate"}, "old and new replica cannot both mount ReadWriteOnce")
    else:
        rendered.check(deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0, "a rollout takes capacity away")


def configured(rendered, pod, container, ports):
    """Checks that fumi itself accepts the configuration, and that it agrees with the manifests around it."""
    configuration = rendered.one("ConfigMap")["data"]["fumi.toml"]
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
        reached = [port["port"] for policy in rendered.all("NetworkPolicy") for rule in policy["spec"].get("egress", []) for port in rule["ports"]]
        rendered.check(443 in reached, "the issuer's keys are out of reach")
    flags_exist(container["args"], rendered.where)
    accepts(configuration, {"FUMI_TOKEN_SHA256": HASH} if with_token else {}, rendered.where)


def in_the_guide():
    """Checks that manifests in docs/deployment.md are as valid as the committed ones, and find the pod."""
    guide = text("docs/deployment.md")
    shown = re.findall(r"^( *)```yaml\n(.*?)^\1```$", guide, re.MULTILINE | re.DOTALL)
    check(shown, "docs/deployment.md shows no manifest")
    for indent, content in shown:
        for document in documents(re.sub(rf"^{indent}", "", content, flags=re.MULTILINE)):
            schema(document, "docs/deployment.md")
            selector = document["spec"]["podSelector"].get("matchLabels")
            check(matches(selector, {"app.kubernetes.io/name": "fumi"}), "docs/deployment.md: its policy finds no pod")


def example():
    for secret in documents(text("deploy/k8s/base/secret.example.yaml")):
        schema(secret, "secret.example.yaml")
        for value in secret["stringData"].values():
            check(not re.fullmatch(r"[0-9a-fA-F]{64}", value), "secret.example.yaml holds a hash that could be a real one")


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
    locked_down(rendered, template["spec"])
    probed(rendered, container)
    referenced(rendered, template["spec"], container)
    configured(rendered, template["spec"], container, selected(rendered, template, container))
    scaled(rendered, container)
example()
in_the_guide()
end("deploy/k8s", 250)
