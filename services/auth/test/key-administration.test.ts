import type { AdminKey } from "@lango/contracts";
import { beforeAll, expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { setUpSignOn } from "./sign-on.ts";

// what the platform's owner does about the keys that sign tokens

const signOn = setUpSignOn();
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
});

const call = (method: "GET" | "POST", path = "", token = root) =>
	office.call(method, `/api/v1/admin/keys${path}`, { token });
const list = async (): Promise<AdminKey[]> => (await call("GET")).json().items;
const published = async () =>
	(await signOn.app.inject("/.well-known/jwks.json"))
		.json<{ keys: Array<{ kid: string }> }>()
		.keys.map(({ kid }) => kid);
const kidOf = (token: string): string =>
	JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;
const lastAudit = async () =>
	(await office.call("GET", "/api/v1/admin/audit?limit=5", { token: root }))
		.json()
		.items.find(({ action }: { action: string }) => action !== "session.started");

test("the keys are listed with what they do, since when and until when, without anything secret", async () => {
	const answer = await call("GET");
	const keys = await list();
	expect(keys.map(({ algorithm, status }) => `${algorithm} ${status}`).toSorted()).toEqual([
		"ES256 active",
		"RS256 active",
	]);
	expect(keys[0]).toMatchObject({
		since: "2026-03-02T08:00:00.000Z",
		goes_on_at: "2026-05-31T08:00:00.000Z",
	});
	expect(answer.body).not.toMatch(/sealed|private|"d"/);
});

test("asking once publishes new keys, asking again after eleven minutes has them sign, and the ones before stay published", async () => {
	const before = await published();
	const first = (await call("POST", "/rotate")).json();
	expect(first.outcome).toBe("prepared");
	expect(first.keys.filter(({ status }: AdminKey) => status === "pending")).toHaveLength(2);
	expect(await published()).toHaveLength(4);
	expect(await lastAudit()).toMatchObject({ action: "keys.rotated", tenant_id: null });
	expect((await call("POST", "/rotate")).json().outcome).toBe("waiting");
	signOn.now.forward(660);
	expect((await call("POST", "/rotate")).json().outcome).toBe("changed");
	expect(before).not.toContain(kidOf(await office.tokenOf("root@lango.example")));
	expect(await published()).toEqual(expect.arrayContaining(before));
	expect((await call("GET")).statusCode).toBe(200);
});

test("a revoked key is not published, its tokens are rejected at once, and another key signs", async () => {
	const fresh = await office.tokenOf("root@lango.example");
	const kid = kidOf(fresh);
	expect((await call("POST", `/${kid}/revoke`)).statusCode).toBe(204);
	expect(await published()).not.toContain(kid);
	expect((await call("GET", "", fresh)).statusCode).toBe(401);
	root = await office.tokenOf("root@lango.example");
	expect(kidOf(root)).not.toBe(kid);
	expect(await lastAudit()).toMatchObject({ action: "key.revoked", subject: kid });
	const again = await call("POST", `/${kid}/revoke`);
	expect([again.statusCode, again.json().code]).toEqual([404, "key_not_found"]);
});

test.each([
	["GET", ""],
	["POST", "/rotate"],
	["POST", "/some-key/revoke"],
] as const)(
	"%s %s is refused to the administrator of a tenant, and nothing is changed",
	async (method, path) => {
		const admin = await office.tokenOf("admin@uhai.example");
		const before = await list();
		expect((await call(method, path, admin)).statusCode).toBe(403);
		expect(await list()).toEqual(before);
	},
);
