import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildService } from "@lango/chassis";
import { openStand, printPolicy, walkForeign } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { hospital } from "../../services/hospital/src/service.ts";
import { inventory } from "../../services/inventory/src/service.ts";
import { marketflow } from "../../services/marketflow/src/service.ts";
import { projects } from "../../services/projects/src/service.ts";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

const cases = [hospital, inventory, marketflow, projects].flatMap((service) =>
	workerCounts.map((workers) => ({ service, name: service.name, workers })),
);

describe.for(cases)("$name on a coordinator and $workers workers", ({ service, workers }) => {
	const policy = { base: `/api/v1/:tenant/${service.name}` };
	const createDatabase = () => createClusterDatabase(service, workers);
	const stand = setUp(() => openStand({ service, build: buildService, createDatabase }));

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
