# pgveil in an image of its own: the first stage makes the page, the second builds with the project's own
# script, the third holds the binary and the libraries it needs, and runs as a user without rights.
#
#   docker build -t pgveil .
#   docker run -p 6432:6432 -v /srv/pgveil:/etc/pgveil:ro -v pgveil-state:/var/lib/pgveil pgveil
#
# /etc/pgveil holds pgveil.yaml and what it names (policies, passwords, users); the state directory of the
# configuration is /var/lib/pgveil.

FROM debian:12 AS page
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates npm
WORKDIR /src
COPY scripts scripts
COPY web/page web/page
RUN ROOT=/src bash scripts/web.sh && test -f web/page/dist/index.html

FROM debian:12 AS build
WORKDIR /src
COPY run ./
COPY scripts scripts
RUN ./run deps build
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY common common
COPY policy policy
COPY pg pg
COPY rewriter rewriter
COPY review review
COPY console console
COPY proxy proxy
COPY engine engine
COPY db db
COPY settings settings
COPY jobs jobs
COPY daemon daemon
COPY web/CMakeLists.txt web/
COPY web/http web/http
COPY web/api web/api
COPY cli cli
COPY --from=page /src/web/page/dist web/page/dist
RUN ./run build release \
 && install -D -s build/release/cli/pgveil /out/usr/local/bin/pgveil \
 && bash scripts/runtime_packages.sh /out/usr/local/bin/pgveil > /out/packages

FROM debian:12-slim
COPY --from=build /out/packages /tmp/packages
RUN apt-get update \
 && xargs -a /tmp/packages apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/* /tmp/packages \
 && useradd --system --uid 6432 --home-dir /var/lib/pgveil --create-home --shell /usr/sbin/nologin pgveil
COPY --from=build /out/usr/local/bin/pgveil /usr/local/bin/pgveil
USER pgveil
WORKDIR /var/lib/pgveil
EXPOSE 6432
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/pgveil"]
CMD ["serve", "--config", "/etc/pgveil/pgveil.yaml"]
