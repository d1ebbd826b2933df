import { randomUUID } from "node:crypto";
import { Consumption, type NewConsumption, OverageReported, Usage, type UsageEvent } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import type { Static, TSchema } from "typebox";
import Value from "typebox/value";
import { EntitlementsUnavailable } from "./ask.ts";
import { callUsage, type UsageCall } from "./call-usage.ts";
import {
	batchMax,
	type DelayedReports,
	type DroppedReports,
	queueUsage,
	sendHalving,
} from "./usage-queue.ts";

export type UsageOptions = {
	/** Address of the subscription service, without a trailing slash. */
	subscriptionsUrl: string;
	/** A key that is good for all tenants, to report usage by; a service without one may report nothing. */
	apiKey: string | undefined;
	now: () => Date;
	/** Told of reports that were refused, or not sent before the end: they are counted nowhere. */
	onDropped: (dropped: DroppedReports) => void;
	/** Told each time that the reports wait on that could not be sent, at most once a second and at least once a minute. */
	onDelayed?: (delayed: DelayedReports) => void;
	fetch?: typeof fetch;
	timeoutMs?: number;
	/** Reports that wait, at most. */
	waitingMax?: number;
	/** How long reports are gathered before they are sent. */
	intervalMs?: number;
};

/** What is reported; `id` and `at` are made when they are absent. */
type Report = { tenantId: string; metric: string; value: number } & Partial<
	Pick<UsageEvent, "id" | "at" | "metadata">
>;
type Overage = { tenantId: string; metric: string; quantity: number; id?: string; at?: string };

/** The subscription service's operations on usage, for services (spec §4.2). */
export type UsageClient = {
	/** GetUsage: how a metric stands in its current window. Throws UsageRefused, EntitlementsUnavailable. */
	getUsage(tenantId: string, metric: string): Promise<Usage>;
	/** ReportUsage: taken at once, sent in batches, counted once. Throws UsageQueueFull when too much waits. */
	reportUsage(report: Report): void;
	/**
	 * Sends a tenant's reports now, for who keeps them in a table until they are told: resolves once all of them are counted,
	 * or refused for good and told to `onDropped`. Throws EntitlementsUnavailable when there was no answer: send all again.
	 */
	sendUsage(tenantId: string, events: readonly UsageEvent[]): Promise<void>;
	/** ReportOverage, recorded once an id. Throws UsageRefused, EntitlementsUnavailable. */
	reportOverage(overage: Overage): Promise<OverageReported>;
	/** Consumes once an id. Throws UsageRefused (`limit_reached` with the limit's name), EntitlementsUnavailable: closed. */
	consume(consumption: NewConsumption & { tenantId: string }): Promise<Consumption>;
	/** Gives back what an id has consumed, or ever would. Throws UsageRefused, EntitlementsUnavailable. */
	release(tenantId: string, id: string): Promise<void>;
	/** Sends the reports that wait. Throws EntitlementsUnavailable when they wait on. */
	flush(): Promise<void>;
	/** Sends what it can within 5 s; what is left is told to `onDropped`. */
	stop(): Promise<void>;
};

/** As many reports wait as may: the subscription service has been away for long. */
export class UsageQueueFull extends Error {
	constructor() {
		super("too many reports of usage wait to be sent");
		this.name = "UsageQueueFull";
	}
}

const stopMs = 5_000;
/** Every request here has one effect however often it comes, so one that got no answer is sent once more. */
const triesMax = 2;

/** Makes the client; stop it when the service stops. */
export function createUsageClient(options: UsageOptions): UsageClient {
	const {
		now,
		onDropped,
		fetch: send = tracedFetch,
		timeoutMs = 2_000,
		waitingMax = 10_000,
		intervalMs = 1_000,
	} = options;
	const { subscriptionsUrl, apiKey } = options;
	const call = (request: UsageCall) =>
		callUsage({ subscriptionsUrl, apiKey: required(apiKey), fetch: send, timeoutMs }, request);
	const insist = async (request: UsageCall) => {
		for (let attempt = 1; ; attempt += 1) {
			try {
				return await call(request);
			} catch (error) {
				if (attempt >= triesMax || !(error instanceof EntitlementsUnavailable)) throw error;
			}
		}
	};
	const tell = (tenantId: string, events: readonly UsageEvent[]) =>
		call({ method: "POST", tenantId, path: "/usage", body: { events } });
	const queue = queueUsage({
		send: tell,
		onDropped,
		waitingMax,
		intervalMs,
		...(options.onDelayed && { onDelayed: options.onDelayed }),
	});
	return {
		getUsage: async (tenantId, metric) => {
			const path = `/usage/${encodeURIComponent(metric)}?period=current`;
			return checked(Usage, await insist({ method: "GET", tenantId, path }));
		},
		reportUsage({ tenantId, id = randomUUID(), at = now().toISOString(), ...rest }) {
			if (!queue.add(tenantId.toLowerCase(), { id, at, ...rest })) throw new UsageQueueFull();
		},
		sendUsage: async (tenantId, events) => {
			for (let from = 0; from < events.length; from += batchMax)
				await sendHalving({ send: tell, onDropped }, tenantId, events.slice(from, from + batchMax));
		},
		reportOverage: async ({ tenantId, id = randomUUID(), at = now().toISOString(), ...rest }) => {
			const body = { id, at, ...rest };
			return checked(OverageReported, await insist({ method: "POST", tenantId, path: "/overage", body }));
		},
		consume: async ({ tenantId, ...body }) =>
			checked(Consumption, await insist({ method: "POST", tenantId, path: "/usage/consume", body })),
		release: async (tenantId, id) => {
			await insist({ method: "DELETE", tenantId, path: `/usage/consume/${encodeURIComponent(id)}` });
		},
		flush: () => queue.flush(),
		stop: () => queue.stop(stopMs),
	};
}

function required(apiKey: string | undefined): string {
	if (apiKey === undefined)
		throw new Error("this service has no key for usage reports: set <SERVICE>_USAGE_REPORT_KEY");
	return apiKey;
}

function checked<S extends TSchema>(shape: S, body: unknown): Static<S> {
	if (!Value.Check(shape, body))
		throw new EntitlementsUnavailable(new Error("the subscription service answered something else"));
	return body;
}
