import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildService } from "@lango/chassis";
import { listUnguardedTables, listUntiedTables } from "@lango/postgres";
import { openStand, routesOfDocument, type Samples, type Stand, walkForeign } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kiosk } from "../service.ts";

const base = "/api/v1/:tenant/kiosk";
const samples: Samples = { [`PUT ${base}/notice`]: () => ({ body: { text: "Karibu" } }) };
let stand: Stand;
beforeAll(async () => {
	stand = await openStand({ service: kiosk, build: buildService });
});
afterAll(() => stand.close());

test("a service with one noun is declared in under 65 lines, including its routes and statements", () => {
	const lines = readFileSync(join(import.meta.dirname, "../service.ts"), "utf8")
		.trimEnd()
		.split("\n");
	expect(lines.length).toBeLessThan(65);
	expect(lines.filter((line) => line.length > 110)).toEqual([]);
});

test("the keeper can set the notice, a guest can read it, and neither can set that of another tenant", async () => {
	const { uhai, kahawa, duka } = stand.tenants;
	const as = (role: string, tenant = uhai, at = tenant) => ({
		url: `/api/v1/${at.slug}/kiosk/notice`,
		token: stand.token(tenant, role),
	});
	const body = { text: "Open until eight" };
	const read = (who: ReturnType<typeof as>) => stand.call({ method: "GET", ...who });
	const hang = (who: ReturnType<typeof as>) => stand.call({ method: "PUT", ...who, body });
	expect(await read(as("member"))).toEqual({ status: 200, body: { text: "" } });
	expect(await hang(as("admin"))).toEqual({ status: 200, body });
	expect(await read(as("member"))).toEqual({ status: 200, body });
	expect(await read(as("member", kahawa))).toEqual({ status: 200, body: { text: "" } });
	expect(await hang(as("member"))).toMatchObject({ status: 403, body: { code: "forbidden" } });
	expect(await hang(as("admin", kahawa, uhai))).toMatchObject({ status: 404 });
	expect(await hang(as("admin", duka))).toMatchObject({ status: 403, body: { upgrade: true } });
	expect((await stand.call({ method: "GET", url: as("member").url })).status).toBe(401);
});

test("the service has sign-on, roles, keys, settings, audit and the reference, and separates tenants", async () => {
	const urls = routesOfDocument(stand.built.app.swagger(), "/api/").map(({ url }) => url.replace(base, ""));
	const common = [
		"/auth/me",
		"/config",
		"/roles",
		"/permissions",
		"/users",
		"/api-keys",
		"/audit",
		"/notice",
	];
	expect(urls).toEqual(expect.arrayContaining(common));
	expect((await walkForeign(stand, { base, samples })).answered).toEqual([]);
	const { db } = stand.database;
	expect([await listUnguardedTables(db), await listUntiedTables(db)]).toEqual([[], []]);
});
