import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildService } from "@lango/chassis";
import { listUnboundTables, listUnguardedTables } from "@lango/postgres";
import {
	findFreePort,
	openStand,
	printOutlets,
	printPolicy,
	type Samples,
	type Stand,
	walkForeign,
} from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bakery } from "../service.ts";

const [base, url] = ["/api/v1/:tenant/bakery", "/api/v1/uhai/bakery/loaves"];
const samples: Samples = {
	[`POST ${base}/loaves`]: () => ({ body: { name: "Mkate" } }),
	[`DELETE ${base}/loaves/:id`]: async ({ make }) => {
		const { id } = await make("POST", `${base}/loaves`, { name: "Mkate" });
		return { params: { id: String(id) } };
	},
};
let stand: Stand;
beforeAll(async () => {
	stand = await openStand({ service: bakery, build: buildService });
});
afterAll(() => stand.close());

test("a baker can add, list and remove loaves, and a guest can only list them", async () => {
	const { uhai } = stand.tenants;
	const [baker, guest] = [stand.token(uhai, "admin"), stand.token(uhai, "member")];
	const baked = await stand.call({ method: "POST", url, token: baker, body: { name: "Mkate" } });
	expect(baked.status).toBe(201);
	const seen = await stand.call({ method: "GET", url, token: guest });
	expect(seen.body).toEqual({ items: [baked.body], next_cursor: null });
	const sale = `${url}/${baked.body.id}`;
	expect((await stand.call({ method: "DELETE", url: sale, token: guest })).status).toBe(403);
	expect((await stand.call({ method: "DELETE", url: sale, token: baker })).status).toBe(204);
	expect((await stand.call({ method: "DELETE", url: sale, token: baker })).body.code).toBe("loaf_unknown");
});

test("a loaf is added at an outlet of the tenant, and visible only there and in the whole tenant", async () => {
	const [here, theirs] = [stand.outletOf(stand.tenants.uhai), stand.outletOf(stand.tenants.kahawa)];
	const token = stand.token(stand.tenants.uhai, "admin");
	const call = (method: string, outlet: string, body?: object) =>
		stand.call({ method, url, token, headers: { "x-outlet-id": outlet }, body });
	const { body: loaf } = await call("POST", here, { name: "Andazi" });
	expect((await call("POST", theirs, { name: "Andazi" })).body.code).toBe("outlet_not_found");
	const seen = await Promise.all([here, theirs, "all"].map((outlet) => call("GET", outlet)));
	expect(seen.map(({ body }) => body.items)).toEqual([[{ ...loaf, outlet_id: here }], [], [loaf]]);
});

test("every route responds to every kind of caller as recorded in access.txt and outlets.txt", async () => {
	await expect(await printPolicy(stand, { base, samples })).toMatchFileSnapshot("access.txt");
	await expect(await printOutlets(stand, { base, samples })).toMatchFileSnapshot("outlets.txt");
}, 60_000);

test("another tenant and its records are not found, on any route", async () => {
	expect((await walkForeign(stand, { base, samples })).answered).toEqual([]);
}, 60_000);

test("every table with a tenant or an outlet has its policy", async () => {
	expect(await listUnguardedTables(stand.database.db)).toEqual([]);
	expect(await listUnboundTables(stand.database.db)).toEqual(["user_role_assignments"]);
});

const at = (path: string) => join(import.meta.dirname, path);
test.each([
	["node main.ts", [at("../main.ts")]],
	["npm run beside", [at("../../../tools/beside.ts"), at("../service.ts")]],
])("started by %s it responds over HTTP and stops at SIGTERM", async (_how, files) => {
	const { database, issuer, subscriptions, tenants } = stand;
	const [port, home] = [await findFreePort(), await mkdtemp(join(tmpdir(), "bakery-"))];
	const env = {
		...{ BAKERY_DATABASE_URL: database.url, BAKERY_MIGRATION_DATABASE_URL: database.ownerUrl },
		...{ DATABASE_URL: database.ownerUrl, LANGO_HOME: home, BAKERY_PORT: String(port) },
		...{ AUTH_URL: issuer.url, SUBSCRIPTIONS_URL: subscriptions.url },
		BAKERY_SNAPSHOT_READ_KEY: subscriptions.apiKey,
	};
	const child = spawn(process.execPath, files, { env, stdio: ["ignore", "ignore", "inherit"] });
	const ended = once(child, "exit");
	const headers = { authorization: `Bearer ${stand.token(tenants.uhai, "admin")}` };
	const ask = () => fetch(`http://localhost:${port}${url}`, { headers, signal: AbortSignal.timeout(1_000) });
	try {
		const answers = async () => (await ask().catch(() => undefined))?.status;
		await expect.poll(answers, { timeout: 45_000 }).toBe(200);
		child.kill("SIGTERM");
		expect(await ended).toEqual([0, null]);
	} finally {
		child.kill("SIGKILL");
		await rm(home, { recursive: true });
	}
});
