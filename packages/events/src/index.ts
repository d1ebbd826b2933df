export { type Backlog, readBacklog } from "./backlog.store.ts";
export { InvalidEvent } from "./check-event.ts";
export { eventMigrations } from "./event-migrations.ts";
export { inProcessTransport } from "./in-process-transport.ts";
export type { Applied } from "./inbox/apply-deliveries.ts";
export { type Consumer, type ConsumersOptions, defineConsumer, startConsumers } from "./inbox/consumers.ts";
export {
	type DeadLetter,
	discardDeadLetter,
	listDeadLetters,
	redriveDeadLetter,
} from "./inbox/dead-letters.ts";
export { requestReplay } from "./inbox/request-replay.ts";
export { type NatsOptions, natsTransport } from "./nats/transport.ts";
export { erasePersonFromEvents } from "./outbox/outbox.store.ts";
export { type NewEvent, recordEvent } from "./outbox/record-event.ts";
export {
	type DiscardedEvent,
	discardRefusedEvent,
	listRefusedEvents,
	type RefusedEvent,
} from "./outbox/refused-events.ts";
export { type Relay, type RelayOptions, startRelay } from "./outbox/relay.ts";
export { republishEvents } from "./outbox/republish.ts";
export { type At, type Step, steps } from "./step.ts";
export { streamOf } from "./stream.ts";
export {
	type Observation,
	type OnError,
	type Replay,
	type Subscription,
	type Transport,
	TransportUnavailable,
	type Unread,
} from "./transport.ts";
export { uuidV7, uuidV7Floor } from "./uuid-v7.ts";
