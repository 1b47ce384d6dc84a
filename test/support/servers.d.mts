export interface Server {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}
export function hasPostgres(): boolean;
export function hasRedis(): boolean;
export function startPostgres(): Promise<Server>;
export function startRedis(): Promise<Server>;
