import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Subscription, SubscriptionBilling, UsageEvent } from "@lango/contracts";

/**
 * A test double of the subscription service: serves the given tenants over HTTP, with the right key only.
 */
export type TestSubscriptions = {
	url: string;
	apiKey: string;
	/** The subscriptions by tenant id. A missing tenant has none. */
	records: Map<string, Subscription>;
	/** What `GET …/subscription/billing` answers, by tenant id. */
	billing: Map<string, SubscriptionBilling>;
	/** The received usage reports with their tenants, including duplicates. */
	reported: Array<UsageEvent & { tenantId: string }>;
	/** The number of received requests. */
	asked: number;
	/** If set, every request is answered with this status. */
	brokenWith: number | undefined;
	close(): Promise<void>;
};

/** Starts the service on a free port. */
export async function startTestSubscriptions(): Promise<TestSubscriptions> {
	const server = createServer(async (request, response) => {
		subscriptions.asked += 1;
		const [, id = "", what] =
			/^\/api\/v1\/tenants\/([\w-]+)\/(subscription|subscription\/billing|usage)$/.exec(request.url ?? "") ??
			[];
		const body = await text(request);
		const isKnown = request.headers["x-api-key"] === subscriptions.apiKey;
		const record = findRecord(subscriptions, what, id);
		const status = subscriptions.brokenWith ?? (isKnown ? (record === undefined ? 404 : 200) : 401);
		response.writeHead(status, { "content-type": "application/json" });
		const respond = () => (what === "usage" ? takeReport(subscriptions, id, body) : record);
		response.end(
			JSON.stringify(status === 200 ? respond() : { error: "refused", code: codes[status] ?? "internal" }),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const subscriptions: TestSubscriptions = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		apiKey: "lk_testsubscriptions_secretsecretsecretsecretsecretsecret",
		records: new Map(),
		billing: new Map(),
		reported: [],
		asked: 0,
		brokenWith: undefined,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
	return subscriptions;
}

const findRecord = ({ billing, records }: TestSubscriptions, what: string | undefined, id: string) =>
	what === "subscription/billing" ? billing.get(id) : records.get(id);

function takeReport({ reported }: TestSubscriptions, tenantId: string, body: string) {
	const { events } = JSON.parse(body) as { events: UsageEvent[] };
	const before = new Set(reported.filter((one) => one.tenantId === tenantId).map(({ id }) => id));
	reported.push(...events.map((event) => ({ ...event, tenantId })));
	const duplicates = events.filter(({ id }) => before.has(id)).length;
	return { accepted: events.length - duplicates, duplicates };
}

const codes: Record<number, string> = { 401: "api_key_invalid", 404: "no_subscription" };

/** A current subscription, as served by the subscription service. */
export function testSubscription(tenantId: string, more: Partial<Subscription> = {}): Subscription {
	const end = new Date(Date.now() + 30 * 86_400_000);
	return {
		tenant_id: tenantId,
		status: "ACTIVE",
		plan: "PROFESSIONAL",
		features: ["customer_portal"],
		limits: {},
		products: ["hospital"],
		expires_at: end.toISOString(),
		expiry: Math.floor(end.getTime() / 1_000),
		access: "full",
		grace_until: null,
		trial_end: null,
		pending_change: null,
		version: 1,
		next_change_at: null,
		...more,
	};
}

/** An expired subscription after its grace period. */
export function expiredSubscription(tenantId: string): Subscription {
	const end = new Date(Date.now() - 30 * 86_400_000);
	const expiry = { expires_at: end.toISOString(), expiry: Math.floor(end.getTime() / 1_000) };
	return testSubscription(tenantId, { status: "EXPIRED", access: "read_only", ...expiry });
}
