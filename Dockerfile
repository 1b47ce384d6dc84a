# The service in a container. Needs a volume at /data and a writable /tmp; the rest of the file system may be read-only.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY .config ./.config
COPY src ./src
COPY processors ./processors
# With what the service is made of, the drivers of PostgreSQL and Redis for several nodes, and the queue for batches.
RUN npm ci && npm install --save-prod --ignore-scripts fastify@5.12.8 @fastify/busboy@3.2.6 pino@9.14.0 prom-client@15.1.3 rate-limiter-flexible@11.4.0 @libsql/client@0.18.0 pg@8.23.1 ioredis@6.0.0 bullmq@6.7.0 && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production LECTERN_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["serve", "--host", "0.0.0.0"]
