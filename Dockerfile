# The bundle is built with the toolchain of package-lock.json and runs on Node 24 without it.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
ARG COMMIT=unknown
RUN PROBEWRIGHT_BUILD_COMMIT=$COMMIT npm run build

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="probewright" \
      org.opencontainers.image.description="Kubernetes admission webhook for container probes" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=build /build/dist ./
COPY LICENSE ./
ENV NODE_ENV=production
# The image's own unprivileged user, by number so that runAsNonRoot can be checked. Nothing below / is written to.
USER 1000:1000
EXPOSE 8443 8081
ENTRYPOINT ["node", "--enable-source-maps", "/app/probewright.js"]
CMD ["serve"]
