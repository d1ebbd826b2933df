export { type Consumer, type ConsumersOptions, defineConsumer, startConsumers } from "./consumers.ts";
export { eventMigrations } from "./event-migrations.ts";
export { inProcessTransport } from "./in-process-transport.ts";
export type { OnError } from "./publish-batch.ts";
export { type NewEvent, recordEvent } from "./record-event.ts";
export { type Relay, type RelayOptions, startRelay } from "./relay.ts";
export type { Subscription, Transport } from "./transport.ts";
