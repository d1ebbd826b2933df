import { randomUUID } from "node:crypto";
import type { Subscription } from "@lango/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
	createEntitlements,
	type Entitlements,
	type EntitlementsOptions,
	EntitlementsUnavailable,
} from "../src/index.ts";
import { type StandIn, startStandIn } from "./subscription-service.ts";

const start = Date.parse("2026-03-01T12:00:00Z");
let time = start;
let service: StandIn;
let entitlements: Entitlements;
let tenantId: string;

const build = (more: Partial<EntitlementsOptions> = {}) =>
	createEntitlements({
		subscriptionsUrl: service.url,
		apiKey: "lk_key_secret",
		now: () => new Date(time),
		timeoutMs: 300,
		...more,
	});
const at = (offsetSeconds: number) => new Date(start + offsetSeconds * 1_000).toISOString();
const snapshot = (more: Partial<Subscription> = {}): Subscription => ({
	tenant_id: tenantId,
	status: "ACTIVE",
	plan: "GROWTH",
	features: ["multi_outlet"],
	limits: { max_riders: 15 },
	products: ["ordering"],
	expires_at: at(86_400),
	expiry: (start + 86_400_000) / 1_000,
	access: "full",
	grace_until: null,
	trial_end: null,
	pending_change: null,
	version: 1,
	next_change_at: at(86_400),
	...more,
});
const passes = (seconds: number) => {
	time += seconds * 1_000;
};
/** Answers are held back until the returned function is called. */
const holdAnswers = () => {
	let release = () => {};
	service.gate = new Promise((resolve) => {
		release = resolve;
	});
	return release;
};
const asksOf = async (count: number) => {
	while (service.asked.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
};

beforeAll(async () => {
	service = await startStandIn();
});
afterAll(() => service.close());
beforeEach(() => {
	time = start;
	tenantId = randomUUID();
	service.records.clear();
	service.records.set(tenantId, snapshot());
	service.asked.length = 0;
	service.answer = undefined;
	service.gate = undefined;
	entitlements = build();
});

describe("asking", () => {
	test("the snapshot is fetched with the API key and then kept for 60 s", async () => {
		expect(await entitlements.find(tenantId)).toEqual(snapshot());
		passes(59.999);
		expect(await entitlements.find(tenantId)).toEqual(snapshot());
		expect(service.asked).toHaveLength(1);
		expect(service.asked[0]?.headers["x-api-key"]).toBe("lk_key_secret");
	});

	test("after 60 s it is asked again, by ETag, and an unchanged answer is good for 60 s more", async () => {
		await entitlements.find(tenantId);
		passes(60);
		expect(await entitlements.find(tenantId)).toEqual(snapshot());
		passes(59);
		await entitlements.find(tenantId);
		expect(service.asked.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1-full"']);
	});

	test("a changed answer replaces what was kept", async () => {
		await entitlements.find(tenantId);
		service.records.set(tenantId, snapshot({ version: 2, plan: "STARTER" }));
		passes(60);
		expect((await entitlements.find(tenantId))?.plan).toBe("STARTER");
	});

	test("the answer of the service is believed even with a lower version, as after a restore", async () => {
		service.records.set(tenantId, snapshot({ version: 9 }));
		await entitlements.find(tenantId);
		service.records.set(tenantId, snapshot({ version: 3, plan: "STARTER" }));
		passes(60);
		expect((await entitlements.find(tenantId))?.plan).toBe("STARTER");
	});

	test("once next_change_at has passed it is asked again, however young", async () => {
		service.records.set(tenantId, snapshot({ next_change_at: at(20) }));
		await entitlements.find(tenantId);
		service.records.set(tenantId, snapshot({ status: "EXPIRED", access: "grace" }));
		passes(19.999);
		expect((await entitlements.find(tenantId))?.access).toBe("full");
		passes(0.001);
		expect((await entitlements.find(tenantId))?.access).toBe("grace");
	});

	test("a service whose clock is behind ours is asked once a second, not at every request", async () => {
		service.records.set(tenantId, snapshot({ next_change_at: at(-5) }));
		for (let request = 0; request < 30; request += 1) {
			await entitlements.find(tenantId);
			passes(0.1);
		}
		expect(service.asked).toHaveLength(3);
	});

	test("no record is known for 60 s too", async () => {
		service.records.clear();
		expect(await entitlements.find(tenantId)).toBeNull();
		passes(59);
		expect(await entitlements.find(tenantId)).toBeNull();
		expect(service.asked).toHaveLength(1);
		service.records.set(tenantId, snapshot());
		passes(1);
		expect(await entitlements.find(tenantId)).toEqual(snapshot());
	});

	test("a hundred requests at once ask once", async () => {
		const release = holdAnswers();
		const all = Promise.all(Array.from({ length: 100 }, () => entitlements.find(tenantId)));
		await asksOf(1);
		release();
		expect(new Set(await all)).toHaveProperty("size", 1);
		expect(service.asked).toHaveLength(1);
	});

	test("tenants do not wait for each other", async () => {
		service.answer = (path) =>
			path.includes(tenantId) ? "never" : { status: 404, body: '{"code":"no_subscription"}' };
		const late = entitlements.find(tenantId).catch((error: unknown) => error);
		expect(await entitlements.find(randomUUID())).toBeNull();
		expect(await late).toBeInstanceOf(EntitlementsUnavailable);
	});

	test("the tenants asked for longest ago are forgotten first", async () => {
		entitlements = build({ cacheMax: 2 });
		const [second, third] = [randomUUID(), randomUUID()];
		for (const id of [tenantId, second, tenantId, third]) await entitlements.find(id);
		service.asked.length = 0;
		await entitlements.find(tenantId);
		expect(service.asked).toHaveLength(0);
		await entitlements.find(second);
		expect(service.asked).toHaveLength(1);
	});

	test("a tenant's id means the same in capitals", async () => {
		await entitlements.find(tenantId);
		expect(await entitlements.find(tenantId.toUpperCase())).toEqual(snapshot());
		expect(service.asked).toHaveLength(1);
	});
});

describe("a service that is away", () => {
	const faults: Array<[string, () => void]> = [
		[
			"answers 500",
			() => {
				service.answer = () => ({ status: 500, body: '{"code":"internal"}' });
			},
		],
		[
			"refuses the key",
			() => {
				service.answer = () => ({ status: 401, body: '{"code":"api_key_invalid"}' });
			},
		],
		[
			"never answers",
			() => {
				service.answer = () => "never";
			},
		],
		[
			"answers 404 for another reason",
			() => {
				service.answer = () => ({ status: 404, body: '{"code":"not_found"}' });
			},
		],
		[
			"answers 404 in HTML",
			() => {
				service.answer = () => ({ status: 404, body: "<h1>Not found</h1>" });
			},
		],
		[
			"answers half a snapshot",
			() => {
				service.answer = () => ({
					status: 200,
					body: JSON.stringify({ tenant_id: tenantId, access: "full" }),
				});
			},
		],
		[
			"answers for another tenant",
			() => {
				service.answer = () => ({ status: 200, body: JSON.stringify(snapshot({ tenant_id: randomUUID() })) });
			},
		],
		[
			"answers without end",
			() => {
				service.answer = () => ({
					status: 200,
					body: JSON.stringify({ ...snapshot(), padding: "x".repeat(100_000) }),
				});
			},
		],
		[
			"sends us elsewhere",
			() => {
				service.answer = (path) =>
					path === "/elsewhere"
						? { status: 200, body: JSON.stringify(snapshot()) }
						: { status: 302, body: "", headers: { location: "/elsewhere" } };
			},
		],
	];

	test.each(faults)("that %s is no statement about the tenant", async (_what, breakIt) => {
		breakIt();
		await expect(entitlements.find(tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		await expect(entitlements.mayMutate({ tenantId })).rejects.toBeInstanceOf(EntitlementsUnavailable);
	});

	test.each(faults)(
		"that %s leaves what is younger than 60 s in use, then closes the gate",
		async (_what, breakIt) => {
			service.records.set(tenantId, snapshot({ next_change_at: at(10) }));
			await entitlements.find(tenantId);
			passes(30);
			breakIt();
			expect(await entitlements.mayMutate({ tenantId })).toBe(true);
			passes(30);
			await expect(entitlements.mayMutate({ tenantId })).rejects.toBeInstanceOf(EntitlementsUnavailable);
		},
	);

	test("that cannot be reached is unavailable, and asked again at the next request", async () => {
		const port = new URL(service.url).port;
		const calls: string[] = [];
		const refuseOnce: typeof fetch = (input, init) => {
			calls.push(String(input));
			return fetch(calls.length === 1 ? `http://127.0.0.1:1/${port}` : input, init);
		};
		entitlements = build({ fetch: refuseOnce });
		await expect(entitlements.find(tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		expect(await entitlements.find(tenantId)).toEqual(snapshot());
	});

	test("that answers 304 to who had nothing is no statement about the tenant", async () => {
		service.answer = () => ({ status: 304, body: "" });
		await expect(entitlements.find(tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
	});

	test("is not waited for beyond the time limit", async () => {
		service.answer = () => "never";
		entitlements = build({ timeoutMs: 50 });
		const before = performance.now();
		await expect(entitlements.find(tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		expect(performance.now() - before).toBeLessThan(1_000);
	});
});

describe("events", () => {
	test("a higher version replaces what is held at once", async () => {
		await entitlements.find(tenantId);
		entitlements.apply(snapshot({ version: 2, access: "read_only", status: "EXPIRED" }));
		expect(await entitlements.mayMutate({ tenantId })).toBe(false);
		expect(service.asked).toHaveLength(1);
	});

	test.each([1, 2])("version %i is dropped when 2 is held", async (version) => {
		service.records.set(tenantId, snapshot({ version: 2 }));
		await entitlements.find(tenantId);
		entitlements.apply(snapshot({ version, access: "read_only" }));
		expect(await entitlements.mayMutate({ tenantId })).toBe(true);
	});

	test("the first subscription of a tenant that had none is taken", async () => {
		service.records.clear();
		await entitlements.find(tenantId);
		entitlements.apply(snapshot());
		expect(await entitlements.mayMutate({ tenantId })).toBe(true);
	});

	test("one that was told a minute ago is not relied on", async () => {
		entitlements.apply(snapshot({ version: 5, access: "read_only" }), new Date(time - 60_000));
		expect(await entitlements.mayMutate({ tenantId })).toBe(true);
		expect(service.asked).toHaveLength(1);
	});

	test("one that comes while the service is being asked is not undone by the older answer", async () => {
		const release = holdAnswers();
		const asking = entitlements.find(tenantId);
		await asksOf(1);
		entitlements.apply(snapshot({ version: 2, plan: "STARTER" }));
		release();
		expect((await asking)?.plan).toBe("STARTER");
		expect((await entitlements.find(tenantId))?.plan).toBe("STARTER");
	});

	test("after clear everything is asked anew, and an older answer that comes later is not kept", async () => {
		const release = holdAnswers();
		const asking = entitlements.find(tenantId);
		await asksOf(1);
		entitlements.clear();
		service.gate = undefined;
		service.records.set(tenantId, snapshot({ version: 2, plan: "STARTER" }));
		expect((await entitlements.find(tenantId))?.plan).toBe("STARTER");
		release();
		expect((await asking)?.plan).toBe("GROWTH");
		expect((await entitlements.find(tenantId))?.plan).toBe("STARTER");
		expect(service.asked).toHaveLength(2);
	});
});
