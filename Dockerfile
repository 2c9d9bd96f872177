# fumi in a container: no root, no writable file system but what is mounted, no client for the health check.
#
#   docker build -t fumi .
#   docker run --rm -p 127.0.0.1:8640:8640 -u "$(id -u):$(id -g)" -v "$PWD:/workspace" fumi
#
# deploy/check-image tries every step that can run without a container engine.

# Both images are of one Debian, so that the C library is the same.
FROM rust:1.95-slim-trixie AS build
# The grammars, PCRE2 and jemalloc are C.
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# Built in, whatever the system has.
ENV PCRE2_SYS_STATIC=1
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --profile dist --locked \
    && cp target/dist/fumi /usr/local/bin/fumi

FROM debian:trixie-slim
LABEL org.opencontainers.image.title="fumi" \
      org.opencontainers.image.description="Token-efficient tools over text for AI clients, served through MCP" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /usr/local/bin/fumi /usr/local/bin/fumi
COPY deploy/healthcheck /usr/local/bin/fumi-healthcheck
# A number, so that Kubernetes can see that it is not root. `docker run -u` takes its place.
USER 10001:10001
WORKDIR /workspace
EXPOSE 8640
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["fumi-healthcheck", "8640"]
ENTRYPOINT ["fumi"]
# It listens beyond the container's loopback without authentication, and is therefore to be published on loopback only:
# -p 127.0.0.1:8640:8640.
CMD ["serve", "--listen", "0.0.0.0:8640", "--root", "/workspace", "--insecure"]
