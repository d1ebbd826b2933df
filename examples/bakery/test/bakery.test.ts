import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildService } from "@lango/chassis";
import { openStand, printPolicy, type Samples, type Stand, walkForeign } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bakery } from "../service.ts";

const base = "/api/v1/:tenant/bakery";
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

test("a baker bakes, a guest looks, and only a baker sells", async () => {
	const { uhai } = stand.tenants;
	const [baker, guest] = [stand.token(uhai, "admin"), stand.token(uhai, "member")];
	const url = "/api/v1/uhai/bakery/loaves";
	const baked = await stand.call({ method: "POST", url, token: baker, body: { name: "Mkate" } });
	expect(baked.status).toBe(201);
	const seen = await stand.call({ method: "GET", url, token: guest });
	expect(seen.body).toEqual({ items: [baked.body], next_cursor: null });
	const sale = `${url}/${baked.body.id}`;
	expect((await stand.call({ method: "DELETE", url: sale, token: guest })).status).toBe(403);
	expect((await stand.call({ method: "DELETE", url: sale, token: baker })).status).toBe(204);
	expect((await stand.call({ method: "DELETE", url: sale, token: baker })).body.code).toBe("loaf_unknown");
});

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	await expect(await printPolicy(stand, { base, samples })).toMatchFileSnapshot("access.txt");
}, 60_000);

test("another tenant and its things are not found, on any route", async () => {
	expect((await walkForeign(stand, { base, samples })).answered).toEqual([]);
}, 60_000);

test("the program starts, answers over HTTP, and stops when told", async () => {
	const { database, issuer, subscriptions, tenants } = stand;
	const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], {
		env: {
			BAKERY_DATABASE_URL: database.url,
			AUTH_URL: issuer.url,
			SUBSCRIPTIONS_URL: subscriptions.url,
			SUBSCRIPTIONS_API_KEY: subscriptions.apiKey,
			BAKERY_PORT: "4555",
		},
		stdio: "ignore",
	});
	const ended = once(child, "exit");
	const headers = { authorization: `Bearer ${stand.token(tenants.uhai, "admin")}` };
	const ask = () =>
		fetch("http://localhost:4555/api/v1/uhai/bakery/loaves", { headers }).catch(() => undefined);
	let answer = await ask();
	while (answer === undefined && child.exitCode === null) {
		await sleep(100);
		answer = await ask();
	}
	expect(answer?.status).toBe(200);
	child.kill("SIGTERM");
	expect(await ended).toEqual([0, null]);
});
