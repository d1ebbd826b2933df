import { randomUUID } from "node:crypto";
import { admitSettingKeys } from "@lango/access";
import { mintApiKey } from "@lango/tokens";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { obtainTokens, setUpSignOn, startSignOn } from "./sign-on.ts";

const [tenants, links, recipients] = [mintApiKey().text, mintApiKey().text, mintApiKey().text];
const signOn = setUpSignOn({
	AUTH_API_KEYS: `hospital:tenants.read:${tenants},notifications:links.read:${links},notifications:recipients.read:${recipients}`,
});

const office = openOffice(signOn);

const ask = async (key: string, url: string) =>
	(await signOn.app.inject({ url, headers: { "x-api-key": key } })).json().code;

test("a key that reads tenants does not read links, and one that reads links does not read tenants", async () => {
	const [tenant, link] = [`/api/v1/tenants/${randomUUID()}`, `/api/v1/auth/links/${randomUUID()}`];
	expect([await ask(tenants, tenant), await ask(tenants, link)]).toEqual(["tenant_not_found", "forbidden"]);
	expect([await ask(links, link), await ask(links, tenant)]).toEqual(["link_not_found", "forbidden"]);
});

test("a service reads the active people of a tenant by role, a page at a time, with its key", async () => {
	const firm = await office.found();
	const added = [];
	for (const role of ["staff", "staff", "rider"]) {
		const joined = await office.join(firm.slug);
		await office.call("POST", `/api/v1/tenants/${firm.slug}/join-requests/${joined.userId}/approve`, {
			token: firm.token,
			body: { roles: [role] },
		});
		added.push(joined);
	}
	await office.join(firm.slug);
	const read = async (
		query: string,
		tenantId = firm.tenantId,
		headers: Record<string, string> = { "x-api-key": recipients },
	) => {
		const answer = await signOn.app.inject({
			url: `/api/v1/tenants/${tenantId}/recipients${query}`,
			headers,
		});
		return { status: answer.statusCode, body: answer.json() };
	};
	// All joined at the same moment of the test's clock, so the id decides.
	const [first, second] = added.slice(0, 2).toSorted((one, other) => (one.userId < other.userId ? -1 : 1));
	const { body: one } = await read("?role=staff&limit=1");
	expect(one.items).toEqual([
		{
			...{ user_id: first?.userId, email: first?.email, name: "Zawadi Maina" },
			...{ roles: ["staff"], status: "active", email_verified: false },
		},
	]);
	const { body: rest } = await read(`?role=staff&limit=1&cursor=${one.next_cursor}`);
	expect([rest.items.map((item: { user_id: string }) => item.user_id), rest.next_cursor]).toEqual([
		[second?.userId],
		null,
	]);
	expect((await read("")).body.items).toHaveLength(4);
	expect(await read("?role=unknown")).toMatchObject({ status: 400, body: { field: "role" } });
	expect(await read("", "019bd000-0000-7000-8000-000000000000")).toMatchObject({
		status: 404,
		body: { code: "tenant_not_found" },
	});
	expect((await read("", firm.tenantId, { "x-api-key": links })).status).toBe(403);
	expect((await read("", firm.tenantId, {})).status).toBe(401);
	expect((await read("", firm.tenantId, { authorization: `Bearer ${firm.token}` })).status).toBe(403);
});

test("a request without the right key is refused with the purpose of the key that the route needs", async () => {
	const url = `/api/v1/tenants/${randomUUID()}`;
	const { access_token } = await obtainTokens(signOn.app, "root@lango.example");
	const send = async (headers: Record<string, string>) => {
		const { statusCode, body } = await signOn.app.inject({ url, headers });
		return [statusCode, JSON.parse(body).error];
	};
	const needed = "This route needs an API key for tenants.read (X-API-Key: lk_<id>_<secret>).";
	expect(await send({})).toEqual([401, expect.stringContaining(needed)]);
	expect(await send({ "x-api-key": mintApiKey().text })).toEqual([401, expect.stringContaining(needed)]);
	expect(await send({ "x-api-key": links })).toEqual([403, needed]);
	expect(await send({ authorization: `Bearer ${access_token}` })).toEqual([403, needed]);
});

test("a start with AUTH_API_KEY of an earlier release is refused and says what to set", async () => {
	await expect(startSignOn({ AUTH_API_KEY: tenants })).rejects.toThrow(
		/AUTH_API_KEY is no longer read: list one key per caller and purpose in AUTH_API_KEYS/,
	);
});

test("a key that is no longer listed is accepted for one hour", async () => {
	const replaced = mintApiKey();
	await signOn.db.query(
		"insert into api_keys (id, secret_hash, source, permissions) values ($1, $2, 'setting', '{tenants.read}')",
		[replaced.id, replaced.secretHash],
	);
	const next = { ...mintApiKey(), caller: "hospital", permissions: ["tenants.read"] };
	await admitSettingKeys(signOn.db, { keys: [next], now: signOn.now.at });
	const tenant = `/api/v1/tenants/${randomUUID()}`;
	expect(await ask(replaced.text, tenant)).toBe("tenant_not_found");
	signOn.now.forward(3_601);
	expect(await ask(replaced.text, tenant)).toBe("api_key_invalid");
});
