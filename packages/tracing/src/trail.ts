import { AsyncLocalStorage } from "node:async_hooks";
import type { Span, SpanContext, Tracer } from "@opentelemetry/api";

/** What work under way belongs to: a request, an event that has its effect, or a try of a job. */
export type Trail = {
	/** What the request that began it all is known by: X-Request-ID, `correlationid` of events, `reqId` of log lines. */
	correlationId: string;
	/** Makes the service's spans; undefined where nothing is exported. */
	tracer: Tracer | undefined;
	/** The span of this work; undefined where it is not recorded, and then nothing below it is. */
	span: Span | undefined;
	/** Where in its trace the work stands, told to whatever it causes: its own span or, where nothing is exported, the one it came from. */
	at: SpanContext | undefined;
};

const trails = new AsyncLocalStorage<Trail | undefined>();

/** What the work under way belongs to; undefined for what a service does of its own accord. */
export const currentTrail = (): Trail | undefined => trails.getStore();

/** Runs `work`, and all it causes, on this trail. */
export const onTrail = <T>(trail: Trail, work: () => T): T => trails.run(trail, work);

/** Runs `work` on no trail: what goes on for others, too, is not of whoever happened to set it going. */
export const offTrail = <T>(work: () => T): T => trails.run(undefined, work);
