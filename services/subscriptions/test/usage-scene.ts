import { randomUUID } from "node:crypto";
import type { BuiltService } from "@lango/chassis";
import { acrossTenants, inTenant } from "@lango/postgres";
import { beforeEach } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { noon, setUpService, type TestService } from "./test-service.ts";

const dayMs = 86_400_000;

/** A tenant on GROWTH with a paid month around noon on 1 March, and its callers. */
export type UsageScene = {
	service: TestService;
	tenantId: string;
	/** A request with the API key unless a token is given, for the scene's tenant unless another is given. */
	call(request: Call): Promise<Answer>;
	report(events: readonly object[], more?: Partial<Call>): Promise<Answer>;
	consume(value?: number, more?: object): Promise<Answer>;
	usageOf(metric: string): Promise<Record<string, unknown>>;
	/** A tenant with a plan made for it. */
	tenantWith(plan: { limits: Record<string, number>; overage?: object }): Promise<string>;
	/** Sets the tenant's time zone. */
	moveTo(timeZone: string): Promise<void>;
	at(offsetMs: number): string;
	rows<R extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
};

export type Call = {
	method?: "GET" | "POST" | "DELETE";
	path: string;
	body?: unknown;
	token?: string;
	headers?: Record<string, string>;
	tenantId?: string;
	on?: BuiltService;
};
type Answer = { status: number; body: Record<string, unknown> };

/** Sets the scene before each test of the file that calls it. */
export function setUsageScene(): UsageScene {
	const scene = {
		service: setUpService(),
		at: (offsetMs) => new Date(noon.getTime() + offsetMs).toISOString(),
		call: (request) => call(scene, request),
		report: (events, more = {}) => call(scene, { method: "POST", path: "/usage", body: { events }, ...more }),
		consume: (value = 1, more = {}) =>
			call(scene, {
				method: "POST",
				path: "/usage/consume",
				body: { id: randomUUID(), limit: "max_orders_per_day", metric: "order_count", value, ...more },
			}),
		usageOf: async (metric) => (await call(scene, { path: `/usage/${metric}?period=current` })).body,
		tenantWith: (plan) => tenantWith(scene.service, plan),
		moveTo: (timeZone) => moveTo(scene, timeZone),
		rows: (text, values = []) => acrossTenants(scene.service.db, (tx) => tx.query(text, values)),
	} as UsageScene;
	beforeEach(async () => {
		scene.service.clock.now = noon;
		scene.tenantId = randomUUID();
		await subscribe(scene.service, scene.tenantId, "GROWTH");
	});
	return scene;
}

async function call(
	scene: UsageScene,
	{ method = "GET", path, body, token, ...request }: Call,
): Promise<Answer> {
	const { headers = {}, tenantId = scene.tenantId, on = scene.service } = request;
	const credential =
		token === undefined ? { "x-api-key": scene.service.apiKey } : { authorization: `Bearer ${token}` };
	const answer = await on.app.inject({
		method,
		url: `/api/v1/tenants/${tenantId}${path}`,
		headers: { ...(request.headers === undefined && credential), ...headers },
		...(body !== undefined && { payload: body as object }),
	});
	return { status: answer.statusCode, body: answer.body === "" ? {} : answer.json() };
}

/** Gives the tenant a paid month from 20 February to 20 March. */
export async function subscribe(service: TestService, tenantId: string, plan: string): Promise<void> {
	const [startedAt, endsAt] = [new Date("2026-02-20T00:00:00Z"), new Date("2026-03-20T00:00:00Z")];
	const expiresAt = new Date(endsAt.getTime() + 14 * dayMs);
	await recordSubscription(service.db, {
		tenantId,
		plan,
		addOns: [],
		trial: null,
		period: { startedAt, endsAt },
		expiresAt,
		graceUntil: new Date(expiresAt.getTime() + 7 * dayMs),
		isRenewed: false,
	});
}

let plans = 0;

async function tenantWith(
	service: TestService,
	{ limits, overage = {} }: { limits: Record<string, number>; overage?: object },
): Promise<string> {
	plans += 1;
	const code = `TEST_${plans}`;
	await service.db.query("insert into plans (code, name, position, retired_at) values ($1, $1, $2, now())", [
		code,
		1_000 + plans,
	]);
	await service.db.query(
		`insert into plan_versions (plan_code, version, bundle_code, price_minor, currency, billing_interval, trial_days,
		                            grace_days, features, limits, overage)
		 values ($1, 1, 'starter', 100, 'KES', 'month', 14, 7, '{}', $2, $3)`,
		[code, limits, overage],
	);
	const tenantId = randomUUID();
	await subscribe(service, tenantId, code);
	return tenantId;
}

async function moveTo({ service, tenantId }: UsageScene, timeZone: string): Promise<void> {
	await inTenant(service.db, tenantId, (tx) =>
		tx.query(
			`insert into tenant_calendars (tenant_id, time_zone, version) values ($1, $2, 1)
			 on conflict (tenant_id) do update set time_zone = excluded.time_zone, version = tenant_calendars.version + 1`,
			[tenantId, timeZone],
		),
	);
}
