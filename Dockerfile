# Two stages: the build needs Go, the image contains only the static binary.
#
#   docker build -t gamedex .
#   docker run --name gamedex -p 127.0.0.1:8080:8080 -v gamedex:/data gamedex serve --demo
#   docker exec gamedex /gamedex key create --name NAME
#   docker exec gamedex /gamedex user create EMAIL --admin
#   docker exec -i gamedex /gamedex import - <listings.ndjson
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /out/gamedex ./cmd/gamedex \
 && mkdir -m 0700 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/gamedex /gamedex
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
VOLUME /data
ENV GAMEDEX_DATA_DIR=/data
# Nothing outside the container can reach its loopback address. The operations port,
# which has the profiler, is not exposed: docker run -P publishes exposed ports.
ENV GAMEDEX_ADDR=0.0.0.0:8080 GAMEDEX_OPS_ADDR=0.0.0.0:8081
# docker stop kills after 10 s: half of them for the drain, half for requests under way.
ENV GAMEDEX_DRAIN=5s
EXPOSE 8080
ENTRYPOINT ["/gamedex"]
CMD ["serve"]
