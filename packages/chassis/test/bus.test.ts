import { authSessionRevoked } from "@lango/contracts";
import { eventMigrations, recordEvent } from "@lango/events";
import { createTestDatabase, hasBus, startTestBus, type TestBus, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type BuiltService, buildService, type Context, subscribeRevocations } from "../src/index.ts";
import { defineShop, environmentOf } from "./shop.ts";

// A service on the bus of NATS_URL, whose server comes and goes.

const [session, user] = ["8f3c1d5e-0000-4000-8000-000000000001", "8f3c1d5e-0000-4000-8000-000000000002"];

describe.runIf(hasBus())("on a bus", () => {
	let bus: TestBus;
	let database: TestDatabase;
	beforeAll(async () => {
		bus = await startTestBus();
		database = await createTestDatabase({ name: "shop", sets: [eventMigrations] });
	});
	afterAll(async () => {
		await bus?.stop();
		await database?.drop();
	});

	const build = (dependencies: (context: Context) => Promise<unknown> = async () => ({})) =>
		buildService(defineShop(undefined, { dependencies }), {
			environment: { ...environmentOf(database.url), NATS_URL: bus.url, LOG_LEVEL: "silent" },
		});
	const readiness = async ({ app }: BuiltService) => {
		const answer = await app.inject("/readyz");
		return { code: answer.statusCode, ...answer.json<{ status: string; checks: Record<string, string> }>() };
	};
	const becomes = (built: BuiltService, wanted: object) =>
		vi.waitFor(async () => expect(await readiness(built)).toMatchObject(wanted), { timeout: 20_000 });

	test("an unavailable bus is named, and the service still works", async () => {
		const built = await build();
		await becomes(built, { code: 200, status: "ok", checks: { bus: "ok" } });
		await bus.kill();
		await becomes(built, { code: 200, status: "degraded", checks: { bus: "unavailable", database: "ok" } });
		await bus.restart();
		await becomes(built, { code: 200, status: "ok", checks: { bus: "ok" } });
		await built.close();
	});

	test("a process is ready only when it has read the revocations from before its start", async () => {
		const teller = await build();
		const now = new Date();
		const data = { session_id: session, user_id: user, because: "signed_out", at: now.toISOString() };
		await recordEvent(teller.db, authSessionRevoked, { subject: session, now, data });
		await expect
			.poll(() => teller.db.query("select from outbox where published_at is not null"))
			.toHaveLength(1);
		await teller.close();

		await bus.kill();
		let isRevoked: Awaited<ReturnType<typeof subscribeRevocations>> | undefined;
		const late = await build(async (context) => {
			isRevoked = await subscribeRevocations(context);
			return {};
		});
		await becomes(late, { code: 503, status: "unavailable", checks: { revocations: "unavailable" } });
		expect(isRevoked?.({ sid: session })).toBe(false);
		await bus.restart();
		await becomes(late, { code: 200, checks: { revocations: "ok" } });
		expect(isRevoked?.({ sid: session })).toBe(true);
		await late.close();
	});
});
