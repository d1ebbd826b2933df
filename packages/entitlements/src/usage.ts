import { randomUUID } from "node:crypto";
import { Consumption, type NewConsumption, OverageReported, Usage, type UsageEvent } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import type { Static, TSchema } from "typebox";
import Value from "typebox/value";
import { EntitlementsUnavailable } from "./ask.ts";
import { callUsage, type UsageCall } from "./call-usage.ts";
import { type DroppedReports, sendReports } from "./send-reports.ts";

export type UsageOptions = {
	/** The URL of the subscription service, without a trailing slash. */
	subscriptionsUrl: string;
	/** An API key for usage reports of all tenants. A service without a key cannot report usage. */
	apiKey: string | undefined;
	now: () => Date;
	/** Called with reports that were refused for good. They are not counted. */
	onDropped: (dropped: DroppedReports) => void;
	fetch?: typeof fetch;
	timeoutMs?: number;
};

type Overage = { tenantId: string; metric: string; quantity: number; id?: string; at?: string };

/** The subscription service's usage operations for services (spec §4.2). */
export type UsageClient = {
	/**
	 * GetUsage: returns the state of a metric in its current window. Throws UsageRefused,
	 * EntitlementsUnavailable.
	 */
	getUsage(tenantId: string, metric: string): Promise<Usage>;
	/**
	 * ReportUsage: sends a tenant's reports, each counted once by its id. Resolves when each is counted, or
	 * refused for good and passed to `onDropped`. Throws EntitlementsUnavailable if there was no response: send
	 * all again. A service stores its reports until then.
	 */
	reportUsage(tenantId: string, events: readonly UsageEvent[]): Promise<void>;
	/** ReportOverage, idempotent by id. Throws UsageRefused, EntitlementsUnavailable. */
	reportOverage(overage: Overage): Promise<OverageReported>;
	/**
	 * Consumes a part of a limit, idempotent by id. Throws UsageRefused (`limit_reached` with the limit's
	 * name), EntitlementsUnavailable.
	 */
	consume(consumption: NewConsumption & { tenantId: string }): Promise<Consumption>;
	/**
	 * Releases what an id has consumed, and blocks a later consumption with it. Throws UsageRefused,
	 * EntitlementsUnavailable.
	 */
	release(tenantId: string, id: string): Promise<void>;
};

/** Requests are idempotent, so one without a response is retried once. */
const triesMax = 2;

/** Creates the client. */
export function createUsageClient(options: UsageOptions): UsageClient {
	const { subscriptionsUrl, apiKey, now, onDropped, fetch: send = tracedFetch, timeoutMs = 2_000 } = options;
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
	const sendEvents = (tenantId: string, events: readonly UsageEvent[]) =>
		call({ method: "POST", tenantId, path: "/usage", body: { events } });
	return {
		getUsage: async (tenantId, metric) => {
			const path = `/usage/${encodeURIComponent(metric)}?period=current`;
			return checked(Usage, await insist({ method: "GET", tenantId, path }));
		},
		reportUsage: (tenantId, events) => sendReports({ send: sendEvents, onDropped }, tenantId, events),
		reportOverage: async ({ tenantId, id = randomUUID(), at = now().toISOString(), ...rest }) => {
			const body = { id, at, ...rest };
			return checked(OverageReported, await insist({ method: "POST", tenantId, path: "/overage", body }));
		},
		consume: async ({ tenantId, ...body }) =>
			checked(Consumption, await insist({ method: "POST", tenantId, path: "/usage/consume", body })),
		release: async (tenantId, id) => {
			await insist({ method: "DELETE", tenantId, path: `/usage/consume/${encodeURIComponent(id)}` });
		},
	};
}

function required(apiKey: string | undefined): string {
	if (apiKey === undefined)
		throw new Error("this service has no key for usage reports: set <SERVICE>_USAGE_REPORT_KEY");
	return apiKey;
}

function checked<S extends TSchema>(shape: S, body: unknown): Static<S> {
	if (!Value.Check(shape, body))
		throw new EntitlementsUnavailable(new Error("the subscription service answered with an invalid body"));
	return body;
}
