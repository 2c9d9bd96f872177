# fumi in a container: no root, no writable file system but what is mounted, no client for the health check.
#
#   docker build -t fumi .
#   docker run --rm fumi token new
#   docker run --rm -p 127.0.0.1:8640:8640 -u "$(id -u):$(id -g)" -v "$PWD:/workspace" -e FUMI_TOKEN_SHA256=... fumi
#
# Two targets: `slim`, the last and therefore the one above, and `browser`, which adds Chromium. docs/deployment.md says
# more. deploy/check-image tries every step that can run without a container engine.

# All stages are of one Debian, so that the C library is the same.
FROM rust:1.95-slim-trixie AS build
# The grammars, PCRE2, jemalloc and the cryptography of TLS are C; the last brings its assembly ready-made, and needs
# neither CMake nor Perl. The certificates are for the image, and Python collects the licences.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates gcc libc6-dev make python3 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# Built in, whatever the system has.
ENV PCRE2_SYS_STATIC=1
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --profile dist --locked --no-default-features \
    && cp target/dist/fumi /usr/local/bin/fumi \
    && ./release licences /usr/local/share/doc/fumi/licenses

FROM debian:trixie-slim AS base
# The registry of MCP servers compares the name with server.json.
LABEL org.opencontainers.image.title="fumi" \
      org.opencontainers.image.description="Token-efficient tools over text for AI clients, served through MCP" \
      org.opencontainers.image.licenses="MIT" \
      io.modelcontextprotocol.server.name="com.example/fumi"
COPY --from=build /usr/local/bin/fumi /usr/local/bin/fumi
# Without these no HTTPS leaves the container: keys of an issuer of tokens, telemetry.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY deploy/healthcheck /usr/local/bin/fumi-healthcheck
# The terms of the crates, of Rust's standard library and of the dictionary of Japanese go with every copy of the program.
COPY --from=build /usr/local/share/doc/fumi/licenses /usr/share/doc/fumi/licenses
COPY LICENSE /usr/share/doc/fumi/LICENSE
# A volume that is mounted here takes the mode, so that any user of `docker run -u` can keep state in it. It is not
# declared as one: every container would leave an anonymous volume behind.
RUN install -d -m 1777 /state
# A number, so that Kubernetes can see that it is not root. `docker run -u` takes its place.
USER 10001:10001
WORKDIR /workspace
EXPOSE 8640
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["fumi-healthcheck", "8640"]
ENTRYPOINT ["fumi"]
# It listens beyond the container's loopback, and therefore starts only with credentials: FUMI_TOKEN_SHA256, or a
# configuration with [auth]. State is kept in memory and nothing is written; with a volume at /state, `--store fs` in place
# of the last two words keeps it.
CMD ["serve", "--listen", "0.0.0.0:8640", "--root", "/workspace", "--state", "/state", "--store", "memory"]

FROM base AS browser
USER 0:0
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation fonts-noto-cjk fonts-noto-color-emoji \
    && rm -rf /var/lib/apt/lists/*
# Chromium keeps a profile and crash reports below these. The root is read-only: run it with --tmpfs /tmp.
ENV HOME=/tmp XDG_CONFIG_HOME=/tmp/.config XDG_CACHE_HOME=/tmp/.cache
USER 10001:10001

FROM base AS slim
