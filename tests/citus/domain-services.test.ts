import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildService } from "@lango/chassis";
import { openStand, printPolicy, walkForeign } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { hospital } from "../../services/hospital/src/service.ts";
import { inventory } from "../../services/inventory/src/service.ts";
import { logistics } from "../../services/logistics/src/service.ts";
import { policy as policyOfLogistics } from "../../services/logistics/test/policy.ts";
import { marketflow } from "../../services/marketflow/src/service.ts";
import { pos } from "../../services/pos/src/service.ts";
import { policy as policyOfPos } from "../../services/pos/test/policy.ts";
import { encryptionKey, posUrl } from "../../services/pos/test/shop.ts";
import { projects } from "../../services/projects/src/service.ts";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

const common = [hospital, inventory, marketflow, projects].map((service) => ({
	service,
	policy: { base: `/api/v1/:tenant/${service.name}` },
}));
const cases = [
	...common,
	{ service: logistics, policy: policyOfLogistics, plan: { limits: { max_riders: -1 } } },
	{
		service: pos,
		policy: policyOfPos,
		environment: { POS_KEY_ENCRYPTION_KEYS: encryptionKey, POS_URL: posUrl },
	},
].flatMap((one) => workerCounts.map((workers) => ({ ...one, name: one.service.name, workers })));

describe.for(cases)("$name on a coordinator and $workers workers", (one) => {
	const { service, policy, workers, ...rest } = one;
	const createDatabase = () => createClusterDatabase(service, workers);
	const stand = setUp(() => openStand({ ...rest, service, build: buildService, createDatabase }));

	test("every route responds to every kind of caller as on one PostgreSQL", async () => {
		const recorded = join(import.meta.dirname, "../../services", service.name, "test/access.txt");
		expect(await printPolicy(stand, policy)).toBe(readFileSync(recorded, "utf8"));
	}, 120_000);

	test("another tenant and its records are not found, on any route, by slug or by id", async () => {
		const { called, answered } = await walkForeign(stand, policy);
		expect(answered).toEqual([]);
		expect(called).toBeGreaterThan(30);
	}, 120_000);
});
