import { randomUUID } from "node:crypto";
import type { BuiltService } from "@lango/chassis";
import type { Subscription } from "@lango/contracts";
import { type Database, inTenant, openPool } from "@lango/postgres";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { until } from "./desk.ts";
import { daysAfter, noon, setUpService, type TestService } from "./test-service.ts";

/** Two replicas on one database, and a tenant on trial of the plan GROWTH that is not cached yet. */
export type MemoryScene = {
	readonly service: TestService;
	readonly other: BuiltService;
	readonly tenantId: string;
	/** Requests the tenant's snapshot from a replica, as a service does. */
	ask(app?: BuiltService["app"], headers?: Record<string, string>): Promise<Answer>;
	/**
	 * Changes stored data without a notification: a replica whose answer stays the same answers from its cache.
	 */
	raiseUntold(): Promise<void>;
	/** Changes stored data behind both replicas, with a notification. */
	raise(): Promise<void>;
};

type Answer = { status: number; body: Subscription; text: string; etag: string };

export function setMemoryScene(): MemoryScene {
	const service = setUpService();
	let other: BuiltService;
	let tenantId: string;
	beforeAll(async () => {
		other = await service.again();
		await until(async () => (await countListeners(service)) === 2);
	});
	afterAll(() => other.close());
	beforeEach(async () => {
		service.clock.now = noon;
		tenantId = randomUUID();
		await untold((tx) =>
			recordSubscription(tx, {
				tenantId,
				plan: "GROWTH",
				addOns: [],
				trial: { startedAt: noon, endsAt: daysAfter(14) },
				period: null,
				expiresAt: daysAfter(14),
				graceUntil: daysAfter(21),
				isRenewed: true,
			}),
		);
	});
	/** Turns off the database's notifications for a write. */
	const untold = async (write: (tx: Database) => Promise<unknown>) => {
		const owner = openPool({ url: service.database.ownerUrl, name: "untold", sizeMax: 1 });
		await inTenant(owner, tenantId, async (tx) => {
			await tx.query("alter table subscriptions disable trigger subscriptions__notify");
			await write(tx);
			await tx.query("set constraints all immediate");
			await tx.query("alter table subscriptions enable trigger subscriptions__notify");
		}).finally(() => owner.close());
	};
	const raised = "update subscriptions set version = version + 1 where tenant_id = $1";
	return {
		service,
		get other() {
			return other;
		},
		get tenantId() {
			return tenantId;
		},
		async ask(app = service.app, headers = {}) {
			const url = `/api/v1/tenants/${tenantId}/subscription`;
			const answer = await app.inject({ url, headers: { "x-api-key": service.apiKey, ...headers } });
			return {
				status: answer.statusCode,
				body: answer.body === "" ? ({} as Subscription) : answer.json<Subscription>(),
				text: answer.body,
				etag: String(answer.headers.etag),
			};
		},
		raiseUntold: () => untold((tx) => tx.query(raised, [tenantId])),
		async raise() {
			await inTenant(service.db, tenantId, (tx) => tx.query(raised, [tenantId]));
		},
	};
}

/** The number of processes that listen to the database's notifications. */
async function countListeners({ db }: TestService): Promise<number> {
	const [row] = await db.query<{ count: number }>(
		`select count(*)::int as count from pg_stat_activity
		  where application_name = 'lango-subscriptions-listen' and datname = current_database() and query like 'listen %' and state = 'idle'`,
	);
	return row?.count ?? 0;
}
