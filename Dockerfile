# pgveil in an image of its own: the Debian package, installed in Debian 13. A package that ./run package 13
# has made is used; without one, the first stage makes it.
#
#   docker build -t pgveil .
#   docker run -p 6432:6432 -v /srv/pgveil:/etc/pgveil:ro -v pgveil-state:/var/lib/pgveil pgveil
#
# /etc/pgveil holds pgveil.yaml and what it names (policies, passwords, users); the state directory of the
# configuration is /var/lib/pgveil.

FROM debian:13 AS package
WORKDIR /src
COPY . .
RUN ls build/packages/pgveil_*~deb13_*.deb >/dev/null 2>&1 || ./run package
RUN install -D -m 0644 "$(ls -t build/packages/pgveil_*~deb13_*.deb | head -n 1)" /out/pgveil.deb

FROM debian:13-slim
COPY --from=package /out/pgveil.deb /tmp/pgveil.deb
# The user's id is fixed, so that volumes keep their owner.
RUN useradd --system --uid 6432 --home-dir /var/lib/pgveil --shell /usr/sbin/nologin pgveil \
 && apt-get update \
 && apt-get install -y --no-install-recommends /tmp/pgveil.deb \
 && rm -rf /var/lib/apt/lists/* /tmp/pgveil.deb
USER pgveil
WORKDIR /var/lib/pgveil
EXPOSE 6432
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/pgveil"]
CMD ["serve", "--config", "/etc/pgveil/pgveil.yaml"]
