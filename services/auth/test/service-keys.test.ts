import { randomUUID } from "node:crypto";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SignOn, startSignOn } from "./sign-on.ts";

const [tenants, links] = [mintApiKey().text, mintApiKey().text];
let signOn: SignOn;
beforeAll(async () => {
	signOn = await startSignOn({
		AUTH_API_KEYS: `hospital:tenants.read:${tenants},notifications:links.read:${links}`,
	});
});
afterAll(() => signOn.close());

const ask = async (key: string, url: string) =>
	(await signOn.app.inject({ url, headers: { "x-api-key": key } })).json().code;

test("a key that reads tenants does not read links, and one that reads links does not read tenants", async () => {
	const [tenant, link] = [`/api/v1/tenants/${randomUUID()}`, `/api/v1/auth/links/${randomUUID()}`];
	expect([await ask(tenants, tenant), await ask(tenants, link)]).toEqual(["tenant_not_found", "forbidden"]);
	expect([await ask(links, link), await ask(links, tenant)]).toEqual(["link_not_found", "forbidden"]);
});

test("a start with AUTH_API_KEY of an earlier release is refused and says what to set", async () => {
	await expect(startSignOn({ AUTH_API_KEY: tenants })).rejects.toThrow(
		/AUTH_API_KEY is no longer read: list one key per caller and purpose in AUTH_API_KEYS/,
	);
});

test("the key that all services shared goes on for the hour in which it is replaced", async () => {
	const shared = mintApiKey();
	await signOn.db.query(
		"insert into api_keys (id, secret_hash, source, permissions) values ($1, $2, 'setting', '{tenants.read,links.read}')",
		[shared.id, shared.secretHash],
	);
	const { admitSettingKeys } = await import("@lango/access");
	const next = { ...mintApiKey(), caller: "hospital", permissions: ["tenants.read"] };
	await admitSettingKeys(signOn.db, { keys: [next], now: signOn.now.at });
	const tenant = `/api/v1/tenants/${randomUUID()}`;
	expect(await ask(shared.text, tenant)).toBe("tenant_not_found");
	signOn.now.forward(3_601);
	expect(await ask(shared.text, tenant)).toBe("api_key_invalid");
});
