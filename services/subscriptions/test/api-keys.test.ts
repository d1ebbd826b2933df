import { randomUUID } from "node:crypto";
import { SettingsError } from "@lango/chassis";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptedText, setUpService, type TestService } from "./test-service.ts";

const service = setUpService();

const statusWith = async (key: string) =>
	(
		await service.app.inject({
			url: `/api/v1/tenants/${randomUUID()}/subscription`,
			headers: { "x-api-key": key },
		})
	).json().code;

describe("the configured key", () => {
	test("is stored only as a hash", async () => {
		const rows = await service.db.query("select row_to_json(k)::text as line from api_keys k");
		expect(rows).toHaveLength(1);
		const secret = service.apiKey.split("_").slice(2).join("_");
		expect(JSON.stringify(rows)).not.toContain(secret);
	});

	test.each(["secret", "lk_short_x", `lk_abcdefgh12345678_${"x".repeat(20)}`, ` ${mintApiKey().text}`])(
		"that is malformed (%s) is a settings error that does not contain it",
		async (key) => {
			const error: unknown = await service
				.again({ SUBSCRIPTIONS_API_KEYS: acceptedText(key) })
				.catch((reason: unknown) => reason);
			expect(error).toBeInstanceOf(SettingsError);
			expect(String(error)).toContain("SUBSCRIPTIONS_API_KEYS is <caller>:<purpose>:<key>");
			expect(String(error)).not.toContain(key);
		},
	);

	test("that is missing is a settings error that explains its use", async () => {
		await expect(service.again({ SUBSCRIPTIONS_API_KEYS: "" })).rejects.toThrow(
			/SUBSCRIPTIONS_API_KEYS is missing: keys of other services/,
		);
	});

	test("is accepted for one hour after it is replaced", async () => {
		const next = mintApiKey().text;
		await (await service.again({ SUBSCRIPTIONS_API_KEYS: acceptedText(next) })).close();
		expect([await statusWith(next), await statusWith(service.apiKey)]).toEqual([
			"no_subscription",
			"no_subscription",
		]);
		service.clock.now = new Date(service.clock.now.getTime() + 3_600_000);
		expect([await statusWith(next), await statusWith(service.apiKey)]).toEqual([
			"no_subscription",
			"api_key_invalid",
		]);
	});

	test("is accepted again after a start that restores it", async () => {
		await (await service.again()).close();
		expect(await statusWith(service.apiKey)).toBe("no_subscription");
	});
});

describe("a key for one purpose", () => {
	const [snapshots, usage] = [mintApiKey().text, mintApiKey().text];
	let again: Awaited<ReturnType<TestService["again"]>>;
	beforeAll(async () => {
		again = await service.again({
			SUBSCRIPTIONS_API_KEYS: `auth:snapshot.read:${snapshots},ordering:usage.report:${usage}`,
		});
	});
	afterAll(() => again.close());
	type Request = { method: "GET" | "POST"; path: string; body?: object | undefined };
	const ask = async (key: string, { method, path, body }: Request) => {
		const url = `/api/v1/tenants/${randomUUID()}${path}`;
		const headers = { "x-api-key": key };
		return (await again.app.inject({ method, url, headers, ...(body && { payload: body }) })).json().code;
	};
	const event = { id: "order:1", metric: "order_count", value: 1, at: "2026-03-01T12:00:00Z" };
	const consumption = { id: "one", limit: "max_riders", metric: "rider_count", value: 1 };

	test.each(["/subscription", "/limits", "/subscription/billing"])(
		"for snapshots can read GET %s, one for usage cannot",
		async (path) => {
			expect(await ask(snapshots, { method: "GET", path })).toBe("no_subscription");
			expect(await ask(usage, { method: "GET", path })).toBe("forbidden");
		},
	);

	test("for another purpose than the route needs is refused with that purpose", async () => {
		const address = `/api/v1/tenants/${randomUUID()}`;
		const send = (key: string, request: { method: "GET" | "POST"; url: string; payload?: object }) =>
			again.app.inject({ ...request, headers: { "x-api-key": key } });
		const read = await send(usage, { method: "GET", url: `${address}/subscription` });
		const report = await send(snapshots, {
			method: "POST",
			url: `${address}/usage`,
			payload: { events: [event] },
		});
		const needed = (purpose: string) =>
			`This route needs an API key for ${purpose} (X-API-Key: lk_<id>_<secret>).`;
		expect([read.statusCode, read.json().error]).toEqual([403, needed("snapshot.read")]);
		expect([report.statusCode, report.json().error]).toEqual([403, needed("usage.report")]);
	});

	test.each([
		["/usage", { events: [event] }],
		["/usage/consume", consumption],
		["/overage", { id: "one", metric: "order_count", quantity: 1 }],
	] as const)("for usage is accepted at POST %s, one for snapshots is not", async (path, body) => {
		expect(await ask(usage, { method: "POST", path, body })).toBe("no_subscription");
		expect(await ask(snapshots, { method: "POST", path, body })).toBe("forbidden");
	});
});
