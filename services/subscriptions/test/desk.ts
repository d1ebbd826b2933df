import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Subscription } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { beforeEach } from "vitest";
import { noon, setUpService, type TestService } from "./test-service.ts";

type Answer = { status: number; body: Record<string, unknown> };
type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The calls of a tenant's administrator and of the platform owner. */
export type Desk = {
	tenantId: string;
	/** Calls a route below the tenant's subscription as its administrator. */
	ask(method: Method, path?: string, body?: object): Promise<Answer>;
	/** Calls any route as the platform owner. */
	own(method: Method, url: string, body?: object): Promise<Answer>;
	snapshot(): Promise<Subscription>;
	/** Whether the tenant has the plan in this status, for `until`. */
	isOn(plan: string, status: string): () => Promise<boolean>;
	/** Pays for a plan when its trial ends, at noon on 15 March: the period lasts until 15 April. */
	payFor(plan: string): Promise<void>;
	/** A quote for a change to the plan. */
	quote(plan: string): Promise<Quoted>;
	/** Sets the sandbox's answer for the tenant, after earlier requests are answered. */
	answers(answer: "pays" | "refuses" | "silent"): Promise<void>;
	/** Moves the tenant's clock by a number of days. */
	daysPass(days: number): Promise<Subscription>;
	/** The published events about the tenant, with type and data; events of one subject are in order. */
	events(type?: string): Promise<Array<{ type: string; data: Record<string, unknown> }>>;
	/** The stored amounts. */
	books(): Promise<Books>;
};

type Quoted = { quote_id: string; due_minor: number; version: number };

type Books = {
	cash: number;
	balance: number;
	charged: number;
	credited: number;
	operations: Array<{ kind: string; status: string; amount: number; attempt: number }>;
	lines: Array<{ starts_at: Date; ends_at: Date; charged: number; credited: number }>;
};

const day = 86_400_000;

/**
 * Starts the service for the tests of the calling file. Each test begins at noon on 1 March with a new
 * tenant; `changeTenant` gives it another one.
 */
export function setUpDesk(settings?: Record<string, string>) {
	const service = setUpService(settings);
	const desk = {} as Desk;
	const changeTenant = (to: Desk = openDesk(service)) => void Object.assign(desk, to);
	beforeEach(() => {
		service.clock.now = noon;
		changeTenant();
	});
	return { service, desk, changeTenant };
}

/** Opens a desk, for a new tenant unless one is given. */
export function openDesk(service: TestService, tenantId: string = randomUUID()): Desk {
	// Tokens are made on use: the clock may have passed the expiry of the last one.
	const admin = () => service.tokenOf(tenantId, { roles: ["admin"] });
	const root = () => service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "lango" });
	const call = async (
		method: Method,
		url: string,
		{ token, body }: { token: string; body?: object | undefined },
	) => {
		const answer = await service.app.inject({
			method,
			url,
			headers: { authorization: `Bearer ${token}` },
			...(body !== undefined && { payload: body }),
		});
		return { status: answer.statusCode, body: answer.body === "" ? {} : answer.json() };
	};
	let clock: Date | undefined;
	const desk: Desk = {
		tenantId,
		ask: (method, path = "", body) =>
			call(method, `/api/v1/tenants/${tenantId}/subscription${path}`, { token: admin(), body }),
		own: (method, url, body) => call(method, url, { token: root(), body }),
		snapshot: async () => (await desk.ask("GET")).body as Subscription,
		isOn: (plan, status) => async () => {
			const now = await desk.snapshot();
			return now.plan === plan && now.status === status;
		},
		payFor: async (plan) => {
			await desk.ask("POST", "", { plan });
			service.clock.now = new Date("2026-03-15T12:00:00Z");
			await desk.ask("POST", "/checkout", { plan });
			await until(desk.isOn(plan, "ACTIVE"));
		},
		quote: async (plan) => {
			const { status, body } = await desk.ask("POST", "/quote", { plan });
			if (status !== 200) throw new Error(`no quote: ${status} ${JSON.stringify(body)}`);
			return body as Quoted;
		},
		answers: async (answer) => {
			await until(async () => (await countUntaken(service, tenantId)) === 0);
			const { status } = await desk.own("PUT", `/api/v1/sandbox/billing/${tenantId}`, { answer });
			if (status !== 200) throw new Error(`the sandbox answered ${status}`);
		},
		daysPass: async (days) => {
			clock = new Date((clock ?? service.clock.now).getTime() + days * day);
			const now = clock.toISOString();
			const { status, body } = await desk.own("PUT", `/api/v1/test-clock/${tenantId}`, { now });
			if (status !== 200) throw new Error(`the clock answered ${status} ${JSON.stringify(body)}`);
			return body["subscription"] as Subscription;
		},
		events: async (type) => {
			await until(async () => (await countUnpublished(service, tenantId)) === 0);
			return [...service.published.values()]
				.filter(
					(envelope) => envelope.tenantid === tenantId && (type === undefined || envelope.type === type),
				)
				.map((envelope) => ({ type: envelope.type, data: envelope.data as Record<string, unknown> }));
		},
		books: () => readBooks(service, tenantId),
	};
	return desk;
}

/** Events about the tenant that are not published or not processed yet. */
async function countUntaken(service: TestService, tenantId: string): Promise<number> {
	const [row] = await service.db.query<{ count: number }>(
		`select (select count(*) from outbox where published_at is null and envelope ->> 'tenantid' = $1)::int
		      + (select count(*) from deliveries where convert_from(body, 'UTF8')::json ->> 'tenantid' = $1)::int as count`,
		[tenantId],
	);
	return row?.count ?? 0;
}

async function countUnpublished(service: TestService, tenantId: string): Promise<number> {
	const [row] = await service.db.query<{ count: number }>(
		"select count(*)::int as count from outbox where published_at is null and envelope ->> 'tenantid' = $1",
		[tenantId],
	);
	return row?.count ?? 0;
}

async function readBooks(service: TestService, tenantId: string): Promise<Books> {
	return inTenant(service.db, tenantId, async (tx) => {
		const [sums] = await tx.query<Omit<Books, "operations" | "lines">>(
			`select (select coalesce(sum(amount_minor), 0)::float8 from received_payments) as cash,
			        (select balance_minor::float8 from subscriptions) as balance,
			        (select coalesce(sum(charged_minor), 0)::float8 from paid_lines) as charged,
			        (select coalesce(sum(credited_minor), 0)::float8 from paid_lines) as credited`,
		);
		const operations = await tx.query<Books["operations"][number]>(
			"select kind, status, amount_minor::float8 as amount, attempt from billing_operations order by requested_at, id",
		);
		const lines = await tx.query<Books["lines"][number]>(
			`select starts_at, ends_at, charged_minor::float8 as charged, credited_minor::float8 as credited
			   from paid_lines order by starts_at, ends_at`,
		);
		if (sums === undefined) throw new Error("sums return one row");
		return { ...sums, operations, lines };
	});
}

/** Waits until events are processed. */
export async function until(check: () => Promise<boolean>): Promise<void> {
	const startedAt = performance.now();
	while (!(await check())) {
		if (performance.now() - startedAt > 15_000) throw new Error("the condition was not met in time");
		await sleep(25);
	}
}

/** The status and the code of a response. */
export const codeOf = ({ status, body }: Answer) => [status, body["code"]];

/** The audit log of a tenant, or of the catalogue. */
export async function auditOf(service: TestService, subject: string): Promise<string[]> {
	const rows = await acrossTenants(service.db, (tx) =>
		tx.query<{ action: string }>(
			`select action from (select id, action, subject from audit_log
			                     union all select id, action, subject from platform_audit_log) entry
			  where subject = $1 order by id`,
			[subject],
		),
	);
	return rows.map(({ action }) => action);
}
