import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { FastifyReply } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Caller } from "../request/call.ts";
import { createTenantSlots, type TenantSlots } from "./tenant-slots.ts";

let slots: TenantSlots;
/** What the handler does after it has its slot; a rejection is answered 500. */
let work: (path: string) => Promise<void>;
const server = createServer(async (asked, answer) => {
	const [, tenantId = "", ...rest] = asked.url?.split("/") ?? [];
	answer.statusCode = await handle(tenantId, rest.join("/"), answer);
	answer.end("{}");
});
beforeAll(async () => {
	await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => void server.close());
beforeEach(() => {
	slots = createTenantSlots({ requestsMax: 3 });
	work = async () => undefined;
});

const member = (tenantId: string): Caller => ({
	kind: "key",
	keyId: "k",
	tenantId,
	permissions: [],
});

async function handle(tenantId: string, path: string, raw: ServerResponse): Promise<number> {
	try {
		slots.take({ tenantId, caller: member(tenantId) }, { raw } as FastifyReply);
		await work(path);
		return 200;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "tenant_busy" ? 429 : 500;
	}
}

const open = (path: string) => {
	const { port } = server.address() as AddressInfo;
	const asking = request({ port, host: "127.0.0.1", path, agent: false });
	const answered = once(asking, "response").then(async ([answer]: IncomingMessage[]) => {
		await answer?.resume().toArray();
		return answer?.statusCode;
	});
	answered.catch(() => undefined);
	asking.on("error", () => undefined).end();
	return { answered, abort: () => void asking.destroy() };
};
const settled = () => expect.poll(() => slots.taken()).toBe(0);

describe("slots of a tenant", () => {
	test("over the bound a request is refused, of another tenant it is answered, and a slot is free after the response", async () => {
		const gate = Promise.withResolvers<void>();
		work = () => gate.promise;
		const held = [open("/a"), open("/a"), open("/a")];
		await expect.poll(() => slots.taken()).toBe(3);
		expect(await open("/a").answered).toBe(429);
		const other = open("/b");
		await expect.poll(() => slots.taken()).toBe(4);
		gate.resolve();
		expect(await Promise.all([...held, other].map(({ answered }) => answered))).toEqual([200, 200, 200, 200]);
		await settled();
		expect(await open("/a").answered).toBe(200);
	});

	test("a client that aborts keeps its slot until its handler answers", async () => {
		const gate = Promise.withResolvers<void>();
		work = () => gate.promise;
		const held = [open("/a"), open("/a"), open("/a")];
		await expect.poll(() => slots.taken()).toBe(3);
		for (const { abort } of held) abort();
		await sleep(50);
		expect(await open("/a").answered).toBe(429);
		gate.resolve();
		await settled();
	});

	test("callers without a credential have slots of their own, and a key for all tenants takes none", () => {
		const reply = { raw: { once: () => undefined } } as unknown as FastifyReply;
		const take = (caller: Caller | undefined) => slots.take({ tenantId: "a", caller }, reply);
		for (let n = 0; n < 3; n += 1) take(undefined);
		expect(() => take(undefined)).toThrow(expect.objectContaining({ code: "tenant_busy" }));
		for (let n = 0; n < 3; n += 1) take(member("a"));
		expect(() => take(member("a"))).toThrow(
			expect.objectContaining({ code: "tenant_busy", headers: { "retry-after": "1" } }),
		);
		const service: Caller = { kind: "key", keyId: "k", tenantId: undefined, permissions: [] };
		expect(() => take(service)).not.toThrow();
		expect(slots.taken()).toBe(6);
	});
});

test("no tenant exceeds its requests in progress, and every slot is released, in any order of events", async () => {
	const step = fc.record({
		tenant: fc.constantFrom("a", "b"),
		pauseMs: fc.integer({ min: 0, max: 3 }),
		workMs: fc.integer({ min: 0, max: 6 }),
		abortMs: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
			slots = createTenantSlots({ requestsMax: 3 });
			const working: Record<string, number> = { a: 0, b: 0 };
			let most = 0;
			work = async (path) => {
				const [tenant = "", workMs, fails] = path.split("/");
				working[tenant] = (working[tenant] ?? 0) + 1;
				most = Math.max(most, working[tenant]);
				await sleep(Number(workMs));
				working[tenant] -= 1;
				if (fails === "true") throw new Error("a bug");
			};
			const asks = steps.map(async ({ tenant, pauseMs, workMs, abortMs, fails }) => {
				await sleep(pauseMs);
				const { answered, abort } = open(`/${tenant}/${tenant}/${workMs}/${fails}`);
				if (abortMs !== undefined) setTimeout(abort, abortMs);
				return answered.catch(() => undefined);
			});
			await Promise.all(asks);
			await settled();
			expect(most).toBeLessThanOrEqual(3);
		}),
		{ numRuns: 40 },
	);
}, 30_000);
