"""Checks that every check of deploy/ can fail: breaks a copy of the tree in many ways, and expects a message for each.

This finds a check that always passes. Each breakage is a piece of text that is replaced (it must exist), with some
words of the expected message. Breakages in one group do not hide one another, and are made together.

    python tests/deploy/broken.py BINARY
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COPIED = ("deploy", "docs", "tests/deploy", "config/default.toml", "Cargo.toml", "Dockerfile", "README.md", "README.ja.md", "server.json")

BASE = "deploy/k8s/base/"
SINGLE = "deploy/k8s/overlays/single/"
OAUTH = "deploy/k8s/overlays/oauth/"
REPLICAS = "deploy/k8s/overlays/replicas/"
COMPOSE, COMPOSE_REPLICAS = "deploy/compose.yaml", "deploy/compose.replicas.yaml"
ALERTS = "deploy/prometheus/alerts.yml"
BOARD = "deploy/grafana/dashboards/fumi.json"
COLLECTOR = "deploy/otel-collector.yaml"

GROUPS = {
    "kubernetes": [
        [
            (BASE + "deployment.yaml", "enableServiceLinks", "enableServiceLink", "enableServiceLink"),
            (BASE + "servicemonitor.yaml", "interval: 15s", "scrapeInterval: 15s", "scrapeInterval"),
            (BASE + "network.yaml", "namespaceSelector:\n            matchLabels:\n              kubernetes.io/metadata.name: monitoring\n      ports:\n        - protocol: TCP\n          port: metrics", "podSelector: {}\n      ports:\n        - protocol: TCP\n          port: metrics", "opens metrics to"),
            (BASE + "secret.example.yaml", "replace-with-the-sha256-of-a-token", "a" * 64, "a hash that could be a real one"),
            (BASE + "kustomization.yaml", "newTag: 0.1.0", "newTag: 0.0.9", "the image is registry.example.com/fumi:0.0.9"),
        ],
        [
            (BASE + "kustomization.yaml", "- serviceaccount.yaml", "- serviceaccount.yaml\n  - secret.example.yaml", "a Secret is rendered"),
            (BASE + "serviceaccount.yaml", "automountServiceAccountToken: false", "automountServiceAccountToken: true", "the account hands out tokens"),
            (BASE + "namespace.yaml", "enforce: restricted", "enforce: baseline", "does not enforce the restricted standard"),
            (BASE + "deployment.yaml", "      automountServiceAccountToken: false\n", "", "the pod carries a token"),
            (BASE + "deployment.yaml", "runAsUser: 10001", "runAsUser: 10002", "its user is not the image's"),
            (BASE + "deployment.yaml", "runAsNonRoot: true", "runAsNonRoot: false", "it may run as root"),
            (BASE + "deployment.yaml", "type: RuntimeDefault", "type: Unconfined", "no seccomp profile"),
            (BASE + "deployment.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "its root can be written to"),
            (BASE + "deployment.yaml", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "it may gain privileges"),
            (BASE + "deployment.yaml", "                - ALL", "                - NET_RAW", "it keeps capabilities"),
            (BASE + "deployment.yaml", "              memory: 2Gi\n", "", "no limits"),
            (BASE + "deployment.yaml", "path: /readyz", "path: /livez", "readinessProbe does not ask /readyz"),
            (BASE + "deployment.yaml", "terminationGracePeriodSeconds: 60", "terminationGracePeriodSeconds: 30", "killed after 30 s"),
            (BASE + "deployment.yaml", "containerPort: 9464", "containerPort: 9465", "metrics_listen is 0.0.0.0:9464"),
            (BASE + "deployment.yaml", "claimName: fumi-state", "claimName: fumi-stat", "no claim fumi-stat"),
            (BASE + "deployment.yaml", "key: sha256", "key: sha", "no example of the Secret"),
            (BASE + "deployment.yaml", "            - /etc/fumi/fumi.toml", "            - /etc/fummi/fumi.toml", "/etc/fummi/fumi.toml is not mounted"),
            (BASE + "deployment.yaml", "            - --state", "            - --stat", "fumi has no --stat"),
            (BASE + "autoscaler.yaml", "kind: Deployment\n    name: fumi", "kind: StatefulSet\n    name: fumi", "it scales"),
            (BASE + "autoscaler.yaml", "minReplicas: 2", "minReplicas: 7", "more replicas at least than at most"),
            (BASE + "disruption.yaml", "maxUnavailable: 1", "minAvailable: 9", "no node could be drained"),
            (BASE + "disruption.yaml", "      app.kubernetes.io/name: fumi\n", "      app.kubernetes.io/name: fumy\n", "the budget finds no pod"),
            (BASE + "service.yaml", "targetPort: http", "targetPort: web", "names the port web"),
            (BASE + "servicemonitor.yaml", "port: metrics", "port: metric", "asks for the port metric"),
            (BASE + "servicemonitor.yaml", "jobLabel: app.kubernetes.io/name", "jobLabel: app.kubernetes.io/component", "would call the job metrics"),
            (BASE + "network.yaml", "port: http", "port: web", "the policy fumi opens web"),
            (BASE + "network.yaml", "    - Ingress\n    - Egress", "    - Ingress", "traffic is bounded for"),
            (SINGLE + "single.yaml", "maxReplicas: 1", "maxReplicas: 3", "several replicas cannot mount ReadWriteOnce"),
            (SINGLE + "single.yaml", "    $patch: replace\n    type: Recreate", "    type: RollingUpdate", "cannot both mount"),
            (OAUTH + "fumi.toml", 'mode = "oauth"', 'mode = "tokens"', "either from the Secret or from an issuer"),
            (BASE + "provider.example.yaml", "cidr: 192.0.2.0/24", "cird: 192.0.2.0/24", "provider.example.yaml, Kubernetes"),
            (BASE + "provider.example.yaml", "name: fumi\n  policyTypes", "name: fumy\n  policyTypes", "provider.example.yaml finds no pod"),
        ],
        [
            (BASE + "deployment.yaml", "spec:\n  selector:", "spec:\n  replicas: 2\n  selector:", "every apply would undo the autoscaler"),
            (BASE + "fumi.toml", "drain_seconds = 30", "drain_second = 30", "drain_second"),
            (BASE + "deployment.yaml", "        app.kubernetes.io/name: fumi\n    spec:", "        app.kubernetes.io/name: fumi\n        app: fumi\n    spec:\n      hostNetwork: true", "it uses hostNetwork"),
            (BASE + "service.yaml", "    app.kubernetes.io/component: metrics", "    app.kubernetes.io/component: metric", "finds 0 Services"),
            (OAUTH + "issuer.yaml", "port: 443", "port: 444", "the issuer's keys are out of reach"),
            (OAUTH + "oauth.yaml", "              $patch: delete", "              value: x", "either from the Secret or from an issuer"),
        ],
        [
            (REPLICAS + "replicas.yaml", "FUMI__STORE__KIND", "FUMI__STORE__KINDS", "no setting for FUMI__STORE__KINDS"),
            (REPLICAS + "replicas.yaml", "value: http://$(POD_IP):8640", "value: http://$(POD_IP):8641", "the replicas look for each other at http://10.0.0.7:8641"),
            (REPLICAS + "replicas.yaml", "key: state-key", "key: statekey", "'key': 'statekey'"),
            (REPLICAS + "replicas.yaml", "name: fumi_pool_waiting", "name: fumi_pool_queue", "it scales by fumi_pool_queue"),
            (REPLICAS + "replicas.yaml", "$patch: delete\n", "spec:\n  accessModes:\n    - ReadWriteOnce\n", "several replicas cannot mount ReadWriteOnce"),
            (REPLICAS + "secret.example.yaml", "@fumi-redis:6379/0\n---", "@fumi-redis:6380/0\n---", "no Service is fumi-redis:6380"),
            (REPLICAS + "secret.example.yaml", "  password: replace-with-a-password", "  password: replace-with-another", "the password of Redis is not that of the URL"),
            (REPLICAS + "redis.yaml", "value: $(REDIS_PASSWORD)", "value: $(PASSWORD)", "REDISCLI_AUTH contains a variable that is not set before it"),
            (REPLICAS + "redis.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "redis: its root can be written to"),
            (REPLICAS + "redis.yaml", "valkey/valkey:8.1.4", "valkey/valkey:latest", "names no version"),
            (REPLICAS + "redis.yaml", "valkey-cli ping", "valkey-cli info", "Redis has no startupProbe"),
            (REPLICAS + "redis.yaml", "mountPath: /etc/redis", "mountPath: /etc/valkey", "/etc/redis/redis.conf is not mounted"),
            (REPLICAS + "redis.yaml", "targetPort: redis", "targetPort: redes", "names the port redes"),
            (REPLICAS + "redis.conf", "noeviction", "allkeys-lru", "redis.conf has not maxmemory-policy noeviction"),
            (REPLICAS + "redis.conf", "maxmemory 256mb", "maxmemory 512mb", "Redis may use maxmemory 512mb of 512Mi"),
            (REPLICAS + "network.yaml", "port: 8640", "port: 8641", "replicas do not reach each other"),
            (REPLICAS + "network.yaml", "port: 6379", "port: 6380", "fumi does not reach Redis"),
            (REPLICAS + "network.yaml", "        - podSelector:\n            matchLabels:\n              app.kubernetes.io/name: fumi\n      ports:\n        - protocol: TCP\n          port: redis", "        - podSelector: {}\n      ports:\n        - protocol: TCP\n          port: redis", "Redis is open to"),
        ],
        [
            (REPLICAS + "replicas.yaml", "            # Before the variable that contains it. An IPv6 address must stand in brackets there: http://[$(POD_IP)]:8640\n            - name: POD_IP", "            - name: POD", "FUMI__SERVER__REPLICA_URL contains a variable that is not set before it"),
            (REPLICAS + "replicas.yaml", "            - --state\n", "            - --store\n            - fs\n            - --state\n", "--store overrides the variables"),
            (REPLICAS + "replicas.yaml", "              valueFrom:\n                secretKeyRef:\n                  name: fumi-redis\n                  key: url", "              value: redis://:x@fumi-redis:6379/0", "FUMI__STORE__URL is not from a Secret"),
            (REPLICAS + "network.yaml", "    - Ingress\n    - Egress\n", "    - Ingress\n", "traffic is bounded for"),
            (REPLICAS + "prometheus-adapter.yaml", "seriesQuery: fumi_pool_waiting", "seriesQuery: fumi_pool_queued", "the adapter asks for fumi_pool_queued"),
            (REPLICAS + "secret.example.yaml", "replace-with-the-output-of-openssl-rand-base64-48", "short", "a state-key that could be a real one"),
        ],
        [
            (REPLICAS + "redis.yaml", "app.kubernetes.io/name: fumi-redis\n    spec:", "app.kubernetes.io/name: fumi\n    spec:", "the StatefulSet fumi-redis does not find its pods"),
        ],
        [
            (BASE + "kustomization.yaml", "  - network.yaml\n", "  - networks.yaml\n", "networks.yaml"),
        ],
    ],
    "compose": [
        [
            (COMPOSE, "target: slim", "target: slimm", "no target slimm"),
            (COMPOSE, "stop_grace_period: 45s", "stop_grace_period: 20s", "killed after 20 s"),
            (COMPOSE, '"127.0.0.1:9090:9090"', '"9090:9090"', "published beyond loopback"),
            (COMPOSE, "    read_only: true\n    tmpfs:\n      - /tmp\n    cap_drop:\n      - ALL\n    security_opt:\n      - no-new-privileges:true\n    healthcheck:\n      test: [\"CMD\", \"fumi-h", "    tmpfs:\n      - /tmp\n    privileged: true\n    healthcheck:\n      test: [\"CMD\", \"fumi-h", "fumi: it keeps capabilities"),
            (COMPOSE, "prom/prometheus:v3.5.0", "prom/prometheus:latest", "names no version"),
            (COMPOSE, "mem_limit: 256m", "memory: 256m", "unknown keys: {'memory'}"),
            (COMPOSE, "./otel-collector.yaml:/etc", "./otel-collectors.yaml:/etc", "./otel-collectors.yaml is not there"),
            (COMPOSE, "./grafana/dashboards:/etc/grafana/dashboards:ro", "./grafana/dashboards:/etc/grafana/boards", "./grafana/dashboards can be written to"),
            (COMPOSE, "      - state:/state", "      - stat:/state", "the volume stat is not declared"),
            (COMPOSE, "http://otel-collector:4318", "http://otel-collector:4317", "listens on {'4318'}"),
            (COMPOSE, "FUMI__LOG__FORMAT", "FUMI__LOG__FORMATS", "formats"),
            (COMPOSE, "      - --store", "      - --stores", "fumi has no --stores"),
            (COMPOSE, '"fumi-healthcheck", "8640"]', '"fumi-healthcheck", "8641"]', "its health check is not the image's"),
            (COMPOSE, "${FUMI_TOKEN_SHA256:?set it to the SHA-256 that fumi token new prints}", "${FUMI_TOKEN_SHA256:-" + "0" * 64 + "}", "it starts without a token"),
            ("deploy/prometheus/prometheus.yml", "fumi:9464", "fumi:9465", "asks fumi:9465"),
            ("deploy/grafana/provisioning/datasources/prometheus.yaml", "http://prometheus:9090", "http://prometheuz:9090", "service prometheuz does not exist"),
            ("deploy/grafana/provisioning/dashboards/fumi.yaml", "/etc/grafana/dashboards", "/etc/grafana/panels", "/etc/grafana/panels is not mounted"),
        ],
        [
            (COMPOSE_REPLICAS, "      FUMI__SERVER__REPLICA_URL: http://fumi-2:8640", "      FUMI__SERVER__REPLICA_URL: http://fumi-1:8640", "fumi-2: the others look for it elsewhere"),
            (COMPOSE_REPLICAS, "      - state-2:/state", "      - state-1:/state", "two replicas have one state folder"),
            (COMPOSE_REPLICAS, "      FUMI__STORE__KIND", "      FUMI__STORE__KINDS", "no setting for FUMI__STORE__KINDS"),
            (COMPOSE_REPLICAS, "${FUMI_STATE_KEY:?set it to the output of openssl rand -base64 48}", "0123456789abcdef0123456789abcdef", "contains no secret of yours"),
            (COMPOSE_REPLICAS, "@redis:6379/0", "@redis:6380/0", "listens on {'6379'}"),
            (COMPOSE_REPLICAS, "      - clients\n      - replicas\n", "      - clients\n      - replicas\n      - store\n", "Redis is open to"),
            (COMPOSE_REPLICAS, "requirepass $$REDISCLI_AUTH", "maxclients 100", "Redis needs no password"),
            (COMPOSE_REPLICAS, '"127.0.0.1:8640:8640"', '"127.0.0.1:8640:8641"', "nginx listens on"),
            (COMPOSE_REPLICAS, "stop_grace_period: 45s", "stop_grace_period: 20s", "killed after 20 s"),
            ("deploy/nginx.replicas.conf", "server fumi-2:8640", "server fumi-1:8640", "nginx sends requests to"),
        ],
        [
            (COMPOSE_REPLICAS, "  store:\n    internal: true", "  store: {}", "Redis reaches the outside"),
            (COMPOSE_REPLICAS, "      REDISCLI_AUTH: \"${FUMI_REDIS_PASSWORD", "      REDISCLI_AUTH: \"${FUMI_PASSWORD", "the password of Redis is not that of the URL"),
        ],
        [
            (COMPOSE, "    restart: unless-stopped\n\n  # Its", "    restart: unless-stopped\n    restart: always\n\n  # Its", "is a duplicate key"),
        ],
    ],
    "redis": [
        [
            (REPLICAS + "redis.yaml", "requirepass $REDIS_PASSWORD", "maxclients 100", "Kubernetes: Redis needs no password"),
            (REPLICAS + "redis.conf", "appendonly yes", "appendonly no", "compose: Redis forgets at a restart"),
        ],
        [
            (COMPOSE_REPLICAS, "exec valkey-server", "valkey-server", "Redis ends with"),
        ],
    ],
    "telemetry": [
        [
            ("deploy/metrics.txt", "fumi_sessions\n", "fumi_sessions\nfumi_nobody_asks\n", "used nowhere: {'fumi_nobody_asks'}"),
            (ALERTS, "expr: fumi_sessions{job", "expr: fumi_session{job", "fumi_session is not in metrics.txt"),
            (ALERTS, 'reason=~"auth|host"', 'reasons=~"auth|host"', "has no label reasons"),
            (ALERTS, "sum by (le, pool)", "sum by (le, pools)", "none of its metrics has the label pools"),
            (ALERTS, "process_memory_usage_bytes{job=\"fumi\"} > 1.6e9", "process_memory_usage_bytes > 1.6e9", "process_memory_usage_bytes of any job"),
            (ALERTS, "severity: critical", "severity: urgent", "the alert FumiAbsent: no severity"),
            (ALERTS, "summary_ja: Prometheus の問い合わせに応じる fumi がありません。", "summary_ja: No fumi.", "the language of summary_ja"),
            (ALERTS, "- alert: FumiMemory", "- alert: FumiMemoryHigh", "seen firing by no test"),
            (BOARD, "sum(fumi_sessions{", "sum(fumi_session_count{", "fumi_session_count is not in metrics.txt"),
            (BOARD, "fumi_pool_running{job", "fumi_pool_runing{job", "fumi_pool_runing is not in metrics.txt"),
            (BOARD, '"x": 4', '"x": 2', "lies over another panel"),
            (BOARD, '"description": "Resident, by process."', '"description": ""', "does not say what it shows"),
            (COLLECTOR, "exporters: [debug]", "exporters: [logging]", "which is not configured"),
            (COLLECTOR, "processors: [memory_limiter, batch]", "processors: [batch, memory_limiter]", "does not come first"),
        ],
        [
            (ALERTS, "fumi_sessions{job=\"fumi\"} > 9000", "fumi_sessions{job=\"fumi\"} > 99000", "promtool test rules"),
            (BOARD, "sum(fumi_sessions{job", "sum(((fumi_sessions{job", "promtool check rules"),
        ],
        [
            ("deploy/prometheus/prometheus.yml", "rule_files", "rules_files", "promtool check config"),
        ],
    ],
    "documents": [
        [
            ("docs/deployment.md", "deploy/nginx.conf](../deploy/nginx.conf)", "deploy/nginx.conf](../deploy/nginz.conf)", "deploy/nginz.conf does not exist"),
            ("docs/deployment.md", "| `FumiSlow` |", "| `FumiSlower` |", "alerts that are not described"),
            ("docs/deployment.md", "--state /state --store fs", "--states /state --store fs", "fumi has no --states"),
            ("docs/deployment.md", "kubectl apply -k deploy/k8s/base", "kubectl apply -k deploy/k8s", "deploy/k8s cannot be applied"),
            ("docs/deployment.md", "--target browser", "--target chromium", "no target chromium"),
            ("docs/deployment.md", "allowed_hosts = [", "allowed_host = [", "allowed_host"),
            ("docs/deployment.md", "api_key_env = ", "api_key = ", "api_key"),
            ("docs/deployment.ja.md", "docker kill --signal HUP fumi", "docker kill -s HUP fumi", "has commands that"),
            ("README.ja.md", "-e FUMI_TOKEN_SHA256=... fumi", "-e FUMI_TOKEN=... fumi", "README.ja.md starts the image otherwise"),
        ],
    ],
    "registry": [
        [
            ("server.json", '"name": "com.example/fumi"', '"name": "com.example/fumy"', "the image's label is another name"),
            ("server.json", '"version": "0.1.0"', '"version": "0.2.0"', "it says 0.2.0"),
            ("server.json", "https://{host}/mcp", "https://{name}/mcp", "no variable {'name'}"),
            ("server.json", '"name": "--root"', '"name": "--folder"', "fumi has no --folder"),
            ("server.json", '"value": "/workspace"', '"value": "/projects"', "is not among the mounts"),
            ("server.json", "registry.example.com", "docker.io", "registry.example.com/ is gone"),
        ],
        [
            ("server.json", '"description": "Token-efficient', '"description": "' + "Very " * 30 + 'token-efficient', "is too long"),
            ("server.json", '"transport": {', '"transports": {', "'transport' is a required property"),
        ],
    ],
}


def said(checker, root, binary):
    """Returns a checker's output for a tree, and whether it fails."""
    done = subprocess.run(
        [sys.executable, root / f"tests/deploy/{checker}.py", root, "redis-server" if checker == "redis" else binary],
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode != 0, f"{done.stdout}{done.stderr}"


def copy(target):
    for path in COPIED:
        source, copied = ROOT / path, target / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, copied)


def main():
    binary, missed, made = sys.argv[1], [], 0
    for checker, groups in GROUPS.items():
        for group in groups:
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder).resolve()
                copy(root)
                for path, old, new, _ in group:
                    file = root / path
                    before = file.read_text(encoding="utf-8")
                    if old not in before:
                        missed.append(f"{path}: {old!r} is missing, so it cannot be broken")
                    file.write_text(before.replace(old, new, 1), encoding="utf-8")
                failed, report = said(checker, root, binary)
                for path, old, new, expected in group:
                    made += 1
                    if not failed or expected not in report:
                        missed.append(f"{checker} does not see {new!r} in {path} (expected: {expected})")
    for miss in missed:
        print(f"✗ {miss}", file=sys.stderr)
    if missed:
        sys.exit(1)
    print(f"  {made} breakages, each seen")


main()
