# Two builds of one commit give the same bytes: scripts/release/README.md. Dependabot renews the digest of the base image.
# The bundle is built with the toolchain of package-lock.json and runs on Node 24 without it.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
ARG COMMIT=unknown
RUN PROBEWRIGHT_BUILD_COMMIT=$COMMIT npm run build

# Node and the shared libraries that it is linked with, at their own paths, and nothing else: no shell, no package manager.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS runtime
RUN for file in "$(command -v node)" $(ldd "$(command -v node)" | grep -o '/[^ )]*'); do install -D "$file" "/rootfs$file"; done

FROM scratch
LABEL org.opencontainers.image.title="probewright" \
      org.opencontainers.image.description="Kubernetes admission webhook for container probes" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=runtime /rootfs/ /
COPY --from=build /build/dist /app/
COPY LICENSE /app/
ENV NODE_ENV=production
# By number, so that runAsNonRoot can be checked; any other will do as well. Nothing below / is written to.
USER 65532:65532
WORKDIR /app
EXPOSE 8443 8081
ENTRYPOINT ["/usr/local/bin/node", "/app/probewright.js"]
CMD ["serve"]
