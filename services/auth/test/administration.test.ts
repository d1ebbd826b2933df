import { beforeAll, expect, test } from "vitest";
import { type Firm, openOffice } from "./office.ts";
import { acceptedKey, apiKey, codeOf, setUpSignOn, unknownId } from "./sign-on.ts";

const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let own: Firm;
let other: typeof own;
const people: Record<string, string> = {};
beforeAll(async () => {
	own = await office.found();
	other = await office.found();
	for (const role of ["manager", "viewer"]) {
		const { email, userId } = await office.join(own.slug);
		await office.call("POST", `/api/v1/tenants/${own.slug}/join-requests/${userId}/approve`, {
			token: own.token,
			body: { roles: [role] },
		});
		people[role] = await office.tokenOf(email);
	}
	people.pending = await office.tokenOf((await office.join(own.slug)).email);
	people.admin = own.token;
	people.stranger = other.token;
	people.root = await office.tokenOf("root@lango.example");
});

/**
 * Each route of tenant administration, a valid body, and the status that an administrator gets for unknown
 * ids.
 */
const routes = [
	["GET", "settings", undefined, 200],
	["PATCH", "settings", {}, 200],
	["POST", "outlets", { code: "A", name: "A", use_case: "retail" }, 201],
	["PATCH", `outlets/${unknownId}`, {}, 404],
	["DELETE", `outlets/${unknownId}`, undefined, 404],
	["POST", `outlets/${unknownId}/restore`, undefined, 404],
	["GET", "members", undefined, 200],
	["PUT", `members/${unknownId}/roles`, { roles: ["viewer"] }, 404],
	["PUT", `members/${unknownId}/outlets`, { outlet_ids: [] }, 404],
	["DELETE", `members/${unknownId}`, undefined, 404],
	["GET", "join-requests", undefined, 200],
	["POST", `join-requests/${unknownId}/approve`, {}, 404],
	["POST", `join-requests/${unknownId}/refuse`, undefined, 404],
	["POST", "invitations", { email: "guest@guests.example", roles: ["viewer"] }, 201],
	["GET", "invitations", undefined, 200],
	["DELETE", `invitations/${unknownId}`, undefined, 404],
	["GET", "audit", undefined, 200],
] as const;
const looking = new Set(["members", "join-requests", "invitations"]);
const cases = routes.map(([method, path, body, status]) => ({
	method,
	path,
	...(body !== undefined && { body }),
	status,
	/** The routes that read. */
	mayLook: method === "GET" && looking.has(path),
}));

type Case = (typeof cases)[number];
const ask = ({ method, path, body }: Case, who: { token?: string | undefined; slug?: string }) =>
	office.call(method, `/api/v1/tenants/${who.slug ?? own.slug}/${path}`, {
		...(who.token !== undefined && { token: who.token }),
		...(body !== undefined && { body }),
	});

/** The statuses and codes of every route for a caller. */
const answersFor = async (who: { token?: string | undefined; slug?: string }) => {
	const answers: Record<string, unknown> = {};
	for (const one of cases) answers[`${one.method} ${one.path}`] = codeOf(await ask(one, who));
	return answers;
};
const each = (expected: (one: Case) => unknown) =>
	Object.fromEntries(cases.map((one) => [`${one.method} ${one.path}`, expected(one)]));

test("no response to an administrator is cached, and unknown ids are not found", async () => {
	for (const one of cases) {
		const answer = await ask(one, { token: people.admin });
		const seen = [answer.statusCode, answer.headers["cache-control"]];
		expect(seen, `${one.method} ${one.path}`).toEqual([one.status, "no-store"]);
	}
});

test("a manager may read the lists of people; a viewer and a pending user may use no route", async () => {
	const asManager = await answersFor({ token: people.manager });
	expect(asManager).toEqual(each((one) => (one.mayLook ? [200, undefined] : [403, "forbidden"])));
	expect(await answersFor({ token: people.viewer })).toEqual(each(() => [403, "forbidden"]));
	expect(await answersFor({ token: people.pending })).toEqual(each(() => [403, "account_pending"]));
});

test("another tenant is not found by any route, like one that does not exist", async () => {
	const notFound = each(() => [404, "tenant_not_found"]);
	expect(await answersFor({ token: people.stranger })).toEqual(notFound);
	expect(await answersFor({ token: people.stranger, slug: "nowhere" })).toEqual(notFound);
	expect(await answersFor({ token: people.viewer, slug: other.slug })).toEqual(notFound);
});

test.each(["%00", "UHAI", "x", "..%2fuhai", "a".repeat(64)])(
	"the address %j names no tenant",
	async (slug) => {
		const one = { method: "GET", path: "settings", status: 200, mayLook: false } as const;
		const response = await ask(one, { token: people.admin, slug });
		expect([400, 404]).toContain(response.statusCode);
		const outlets = await office.call("GET", `/api/v1/tenants/${slug}/outlets`);
		expect([400, 404]).toContain(outlets.statusCode);
	},
);

test("an administrator of a suspended tenant cannot administer it", async () => {
	const firm = await office.found();
	await signOn.db.query("update tenants set status = 'suspended' where id = $1", [firm.tenantId]);
	const one = { method: "GET", path: "settings", status: 200, mayLook: false } as const;
	expect(codeOf(await ask(one, { token: firm.token, slug: firm.slug }))).toEqual([403, "tenant_inactive"]);
});

test("a tenant's audit rows are listed in pages, newest first, each once", async () => {
	const seen: unknown[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const url = `/api/v1/tenants/${own.slug}/audit?limit=2${cursor && `&cursor=${cursor}`}`;
		const page: { items: Array<{ id: string; action: string }>; next_cursor: string | null } = (
			await office.call("GET", url, { token: own.token })
		).json();
		seen.push(...page.items.map(({ id }) => id));
		cursor = page.next_cursor;
		if (cursor === null) expect(page.items.at(-1)?.action).toBe("tenant.created");
	}
	expect(new Set(seen).size).toBe(seen.length);
	expect(seen.length).toBeGreaterThan(5);
});

test("audit rows are added and never changed or removed by the service", async () => {
	for (const statement of ["update audit_log set action = 'x'", "delete from audit_log"])
		await expect(signOn.db.query(statement)).rejects.toThrow(/permission denied/);
});

test("no audit row contains a person's name or address", async () => {
	const { items } = (
		await office.call("GET", "/api/v1/admin/audit?limit=200", { token: String(people.root) })
	).json();
	const text = JSON.stringify(
		items.map(({ before, after, subject }: Record<string, unknown>) => [before, after, subject]),
	);
	expect(text).not.toMatch(/@|Zawadi/);
});

test("without AUTH_API_KEYS no key is accepted; a replaced key is accepted for one hour", async () => {
	const { admitSettingKeys } = await import("@lango/access");
	const { mintApiKey } = await import("@lango/tokens");
	const tenant = `/api/v1/tenants/${own.tenantId}`;
	const status = async (key: string) =>
		(await office.call("GET", tenant, { headers: { "x-api-key": key } })).statusCode;
	const fresh = mintApiKey();
	const next = { ...fresh, caller: "hospital", permissions: ["tenants.read"] };
	await admitSettingKeys(signOn.db, { keys: [next], now: signOn.now.at });
	expect([await status(apiKey["x-api-key"]), await status(fresh.text)]).toEqual([200, 200]);
	signOn.now.forward(3_601);
	expect([await status(apiKey["x-api-key"]), await status(fresh.text)]).toEqual([401, 200]);
	await admitSettingKeys(signOn.db, { keys: [], now: signOn.now.at });
	signOn.now.forward(3_601);
	expect(await status(fresh.text)).toBe(401);
});
