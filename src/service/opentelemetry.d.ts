// What the service uses of an optional peer that only test/integrations installs. Its tsconfig.json checks with the real types.

declare module '@opentelemetry/sdk-node' {
  export class NodeSDK {
    constructor(configuration: { readonly serviceName: string });
    start(): void;
    shutdown(): Promise<void>;
  }
}
