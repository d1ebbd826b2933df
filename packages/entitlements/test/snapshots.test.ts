import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { EntitlementsUnavailable } from "../src/index.ts";
import { setScene } from "./scene.ts";

const scene = setScene();
/** Delays responses until the returned function is called. */
const holdAnswers = () => {
	let release = () => {};
	scene.service.gate = new Promise((resolve) => {
		release = resolve;
	});
	return release;
};
const asksOf = async (count: number) => {
	while (scene.service.asked.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
};

test("after missed events every cached snapshot is fetched again, for any number of tenants", async () => {
	const tenants = Array.from({ length: 3 }, () => randomUUID());
	for (const tenant_id of tenants) {
		scene.service.records.set(tenant_id, scene.snapshot({ tenant_id }));
		await scene.entitlements.find(tenant_id);
	}
	scene.entitlements.dropAll();
	for (const tenant_id of tenants) await scene.entitlements.find(tenant_id);
	expect(scene.service.asked).toHaveLength(6);
});

describe("asking", () => {
	test("the snapshot is fetched with the API key and cached for 60 s", async () => {
		expect(await scene.entitlements.find(scene.tenantId)).toEqual(scene.snapshot());
		scene.passes(59.999);
		expect(await scene.entitlements.find(scene.tenantId)).toEqual(scene.snapshot());
		expect(scene.service.asked).toHaveLength(1);
		expect(scene.service.asked[0]?.headers["x-api-key"]).toBe("lk_key_secret");
	});

	test("after 60 s it is revalidated by ETag, and an unchanged one is cached for another 60 s", async () => {
		await scene.entitlements.find(scene.tenantId);
		scene.passes(60);
		expect(await scene.entitlements.find(scene.tenantId)).toEqual(scene.snapshot());
		scene.passes(59);
		await scene.entitlements.find(scene.tenantId);
		expect(scene.service.asked.map(({ headers }) => headers["if-none-match"])).toEqual([
			undefined,
			'"1-full"',
		]);
	});

	test("a changed response replaces the cached snapshot", async () => {
		await scene.entitlements.find(scene.tenantId);
		scene.service.records.set(scene.tenantId, scene.snapshot({ version: 2, plan: "STARTER" }));
		scene.passes(60);
		expect((await scene.entitlements.find(scene.tenantId))?.plan).toBe("STARTER");
	});

	test("a response replaces the snapshot even with a lower version, as after a restore", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ version: 9 }));
		await scene.entitlements.find(scene.tenantId);
		scene.service.records.set(scene.tenantId, scene.snapshot({ version: 3, plan: "STARTER" }));
		scene.passes(60);
		expect((await scene.entitlements.find(scene.tenantId))?.plan).toBe("STARTER");
	});

	test("after next_change_at the snapshot is fetched again at any age", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ next_change_at: scene.at(20) }));
		await scene.entitlements.find(scene.tenantId);
		scene.service.records.set(scene.tenantId, scene.snapshot({ status: "EXPIRED", access: "grace" }));
		scene.passes(19.999);
		expect((await scene.entitlements.find(scene.tenantId))?.access).toBe("full");
		scene.passes(0.001);
		expect((await scene.entitlements.find(scene.tenantId))?.access).toBe("grace");
	});

	test("a service whose clock is behind is asked once a second, not at every request", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ next_change_at: scene.at(-5) }));
		for (let request = 0; request < 30; request += 1) {
			await scene.entitlements.find(scene.tenantId);
			scene.passes(0.1);
		}
		expect(scene.service.asked).toHaveLength(3);
	});

	test("a missing subscription is cached for 60 s too", async () => {
		scene.service.records.clear();
		expect(await scene.entitlements.find(scene.tenantId)).toBeNull();
		scene.passes(59);
		expect(await scene.entitlements.find(scene.tenantId)).toBeNull();
		expect(scene.service.asked).toHaveLength(1);
		scene.service.records.set(scene.tenantId, scene.snapshot());
		scene.passes(1);
		expect(await scene.entitlements.find(scene.tenantId)).toEqual(scene.snapshot());
	});

	test("a hundred concurrent requests cause one request to the service", async () => {
		const release = holdAnswers();
		const all = Promise.all(Array.from({ length: 100 }, () => scene.entitlements.find(scene.tenantId)));
		await asksOf(1);
		release();
		expect(new Set(await all)).toHaveProperty("size", 1);
		expect(scene.service.asked).toHaveLength(1);
	});

	test("tenants do not wait for each other", async () => {
		scene.service.answer = (path) =>
			path.includes(scene.tenantId) ? "never" : { status: 404, body: '{"code":"no_subscription"}' };
		const late = scene.entitlements.find(scene.tenantId).catch((error: unknown) => error);
		expect(await scene.entitlements.find(randomUUID())).toBeNull();
		expect(await late).toBeInstanceOf(EntitlementsUnavailable);
	});

	test("the least recently used tenants are evicted first", async () => {
		scene.entitlements = scene.build({ cacheMax: 2 });
		const [second, third] = [randomUUID(), randomUUID()];
		for (const id of [scene.tenantId, second, scene.tenantId, third]) await scene.entitlements.find(id);
		scene.service.asked.length = 0;
		await scene.entitlements.find(scene.tenantId);
		expect(scene.service.asked).toHaveLength(0);
		await scene.entitlements.find(second);
		expect(scene.service.asked).toHaveLength(1);
	});

	test("tenant ids are case-insensitive", async () => {
		await scene.entitlements.find(scene.tenantId);
		expect(await scene.entitlements.find(scene.tenantId.toUpperCase())).toEqual(scene.snapshot());
		expect(scene.service.asked).toHaveLength(1);
	});
});

describe("a service that is away", () => {
	const faults: Array<[string, () => void]> = [
		[
			"answers 500",
			() => {
				scene.service.answer = () => ({ status: 500, body: '{"code":"internal"}' });
			},
		],
		[
			"refuses the key",
			() => {
				scene.service.answer = () => ({ status: 401, body: '{"code":"api_key_invalid"}' });
			},
		],
		[
			"never responds",
			() => {
				scene.service.answer = () => "never";
			},
		],
		[
			"answers 404 for another reason",
			() => {
				scene.service.answer = () => ({ status: 404, body: '{"code":"not_found"}' });
			},
		],
		[
			"answers 404 in HTML",
			() => {
				scene.service.answer = () => ({ status: 404, body: "<h1>Not found</h1>" });
			},
		],
		[
			"answers with an incomplete snapshot",
			() => {
				scene.service.answer = () => ({
					status: 200,
					body: JSON.stringify({ tenant_id: scene.tenantId, access: "full" }),
				});
			},
		],
		[
			"answers with the subscription of another tenant",
			() => {
				scene.service.answer = () => ({
					status: 200,
					body: JSON.stringify(scene.snapshot({ tenant_id: randomUUID() })),
				});
			},
		],
		[
			"answers with a body that is too large",
			() => {
				scene.service.answer = () => ({
					status: 200,
					body: JSON.stringify({ ...scene.snapshot(), padding: "x".repeat(100_000) }),
				});
			},
		],
		[
			"redirects",
			() => {
				scene.service.answer = (path) =>
					path === "/elsewhere"
						? { status: 200, body: JSON.stringify(scene.snapshot()) }
						: { status: 302, body: "", headers: { location: "/elsewhere" } };
			},
		],
	];

	test.each(faults)("that %s throws EntitlementsUnavailable", async (_what, breakIt) => {
		breakIt();
		await expect(scene.entitlements.find(scene.tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		await expect(scene.entitlements.mayMutate({ tenantId: scene.tenantId })).rejects.toBeInstanceOf(
			EntitlementsUnavailable,
		);
	});

	test.each(faults)(
		"that %s leaves snapshots younger than 60 s in use, and then throws",
		async (_what, breakIt) => {
			scene.service.records.set(scene.tenantId, scene.snapshot({ next_change_at: scene.at(10) }));
			await scene.entitlements.find(scene.tenantId);
			scene.passes(30);
			breakIt();
			expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId })).toBe(true);
			scene.passes(30);
			await expect(scene.entitlements.mayMutate({ tenantId: scene.tenantId })).rejects.toBeInstanceOf(
				EntitlementsUnavailable,
			);
		},
	);

	test("that is unreachable throws EntitlementsUnavailable, and is asked again by the next request", async () => {
		const port = new URL(scene.service.url).port;
		const calls: string[] = [];
		const refuseOnce: typeof fetch = (input, init) => {
			calls.push(String(input));
			return fetch(calls.length === 1 ? `http://127.0.0.1:1/${port}` : input, init);
		};
		scene.entitlements = scene.build({ fetch: refuseOnce });
		await expect(scene.entitlements.find(scene.tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		expect(await scene.entitlements.find(scene.tenantId)).toEqual(scene.snapshot());
	});

	test("that answers 304 without an earlier snapshot throws EntitlementsUnavailable", async () => {
		scene.service.answer = () => ({ status: 304, body: "" });
		await expect(scene.entitlements.find(scene.tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
	});

	test("is waited for only until the time limit", async () => {
		scene.service.answer = () => "never";
		scene.entitlements = scene.build({ timeoutMs: 50 });
		const before = performance.now();
		await expect(scene.entitlements.find(scene.tenantId)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		expect(performance.now() - before).toBeLessThan(1_000);
	});
});

describe("events", () => {
	test("a higher version replaces the cached snapshot at once", async () => {
		await scene.entitlements.find(scene.tenantId);
		scene.entitlements.apply(scene.snapshot({ version: 2, access: "read_only", status: "EXPIRED" }));
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId })).toBe(false);
		expect(scene.service.asked).toHaveLength(1);
	});

	test.each([1, 2])("version %i is ignored if version 2 is cached", async (version) => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ version: 2 }));
		await scene.entitlements.find(scene.tenantId);
		scene.entitlements.apply(scene.snapshot({ version, access: "read_only" }));
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId })).toBe(true);
	});

	test("the first subscription of a tenant without one is stored", async () => {
		scene.service.records.clear();
		await scene.entitlements.find(scene.tenantId);
		scene.entitlements.apply(scene.snapshot());
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId })).toBe(true);
	});

	test("an event published a minute ago is not considered current", async () => {
		scene.entitlements.apply(
			scene.snapshot({ version: 5, access: "read_only" }),
			new Date(scene.time - 60_000),
		);
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId })).toBe(true);
		expect(scene.service.asked).toHaveLength(1);
	});

	test("an event during a request is not overwritten by the older response", async () => {
		const release = holdAnswers();
		const asking = scene.entitlements.find(scene.tenantId);
		await asksOf(1);
		scene.entitlements.apply(scene.snapshot({ version: 2, plan: "STARTER" }));
		release();
		expect((await asking)?.plan).toBe("STARTER");
		expect((await scene.entitlements.find(scene.tenantId))?.plan).toBe("STARTER");
	});

	test("after an invalidation everything is fetched again, and an older response that arrives later is not stored", async () => {
		const release = holdAnswers();
		const asking = scene.entitlements.find(scene.tenantId);
		await asksOf(1);
		scene.entitlements.dropAll();
		scene.service.gate = undefined;
		scene.service.records.set(scene.tenantId, scene.snapshot({ version: 2, plan: "STARTER" }));
		expect((await scene.entitlements.find(scene.tenantId))?.plan).toBe("STARTER");
		release();
		expect((await asking)?.plan).toBe("GROWTH");
		expect((await scene.entitlements.find(scene.tenantId))?.plan).toBe("STARTER");
		expect(scene.service.asked).toHaveLength(2);
	});
});
