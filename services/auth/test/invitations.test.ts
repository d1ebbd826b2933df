import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import { type Firm, fresh, openOffice } from "./office.ts";
import { acceptedKey, apiKey, claimsOf, codeOf, openBrowser, password, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let own: Firm;
let other: typeof own;
beforeAll(async () => {
	own = await office.found();
	other = await office.found();
});

const invite = (body: object, { slug, token } = own) =>
	office.call("POST", `/api/v1/tenants/${slug}/invitations`, {
		token,
		body: { roles: ["cashier"], ...body },
	});
const address = () => `${fresh("guest")}@guests.example`;
const invited = async (body: object = {}, firm = own) => {
	const email = address();
	const response = await invite({ email, ...body }, firm);
	if (response.statusCode !== 201) throw new Error(`not invited: ${response.body}`);
	const { id, token } = response.json();
	return { email, id: id as string, invitation: token as string };
};
const registerWith = (body: object) => office.register({ org_action: "join_existing", ...body });
const joinWith = (token: string, body: object) => office.call("POST", "/api/v1/auth/join", { token, body });
const refused = [400, "invitation_invalid"];

test("an invited person registers and is active at once, with the roles and outlets of the invitation", async () => {
	const [hq] = (await office.call("GET", `/api/v1/tenants/${own.slug}/outlets`)).json();
	const { email, invitation, id } = await invited({ roles: ["cashier", "waiter"], outlet_ids: [hq.id] });
	const response = await registerWith({ email: email.toUpperCase(), invitation });
	expect(response.statusCode).toBe(201);
	expect(response.json()).toMatchObject({ status: "active", tenant: { slug: own.slug } });
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({
		roles: ["cashier", "waiter"],
		outlet_id: hq.id,
	});
	const [row] = await office.audit(own.slug, own.token);
	expect(row).toMatchObject({ action: "member.joined", after: { invitation_id: id, status: "active" } });
	const { items } = (
		await office.call("GET", `/api/v1/tenants/${own.slug}/invitations`, { token: own.token })
	).json();
	expect(items.find((one: { id: string }) => one.id === id)).toMatchObject({ status: "accepted" });
});

test("an invitation names inviter, organisation, address and roles, until it is used", async () => {
	const { email, invitation } = await invited({ roles: ["cashier", "waiter"] });
	const describe = (value: string) =>
		office.call("POST", "/api/v1/auth/invitation", { body: { invitation: value } });
	const { name: invited_by } = (await signOn.me(own.token)).json();
	const tenants = await office.call("GET", `/api/v1/tenants/by-slug/${own.slug}`);
	const preview = await describe(invitation);
	expect(preview.headers["cache-control"]).toBe("no-store");
	expect(preview.json()).toEqual({
		...{ email, invited_by, roles: ["cashier", "waiter"], expires_at: expect.any(String) },
		...{ tenant_slug: own.slug, tenant_name: tenants.json().name },
	});
	await registerWith({ email, invitation });
	expect(codeOf(await describe(invitation))).toEqual(refused);
	expect(codeOf(await describe("x".repeat(invitation.length)))).toEqual(refused);
});

test("an invitation does not verify the address, because its creator saw the value", async () => {
	const { email, invitation } = await invited();
	expect((await registerWith({ email, invitation })).json().user.email_verified).toBe(false);
});

test("a registered user accepts an invitation while signed in", async () => {
	const guest = await office.found();
	const response = await invite({ email: guest.email });
	const joined = await joinWith(guest.token, { invitation: response.json().token });
	expect(joined.statusCode).toBe(200);
	expect(joined.json()).toMatchObject({
		status: "active",
		tenant: { slug: own.slug },
		user: { roles: ["cashier"] },
	});
	expect(claimsOf(await office.tokenOf(guest.email, { tenant_slug: own.slug })).roles).toEqual(["cashier"]);
	expect(await office.events("auth.user.updated", guest.userId)).toMatchObject([
		{ tenantid: own.tenantId, data: { roles: ["cashier"], status: "active" } },
	]);
});

test("an invitation admits a person who waits, also to a tenant that requires invitations", async () => {
	const firm = await office.found();
	const waiting = await office.join(firm.slug);
	await office.call("PATCH", `/api/v1/tenants/${firm.slug}/settings`, {
		token: firm.token,
		body: { join_policy: "invite" },
	});
	const { token } = (await invite({ email: waiting.email }, firm)).json();
	const joined = await joinWith(await office.tokenOf(waiting.email), { invitation: token });
	expect(joined.json().status).toBe("active");
	const { email, invitation } = await invited({}, firm);
	expect((await registerWith({ email, invitation })).json().status).toBe("active");
});

test("an invitation is good once", async () => {
	const { email, invitation } = await invited();
	expect((await registerWith({ email, invitation })).statusCode).toBe(201);
	await office.call("DELETE", `/api/v1/tenants/${own.slug}/members/${await idOf(email)}`, {
		token: own.token,
	});
	const guest = await office.found();
	expect(codeOf(await joinWith(guest.token, { invitation }))).toEqual(refused);
});

async function idOf(email: string): Promise<string> {
	const [row] = await signOn.db.query<{ id: string }>("select id from users where email = $1", [email]);
	return row?.id ?? "";
}

test("used many times at once, one gets in", async () => {
	const guest = await office.found();
	const { token } = (await invite({ email: guest.email })).json();
	const answers = await Promise.all(
		Array.from({ length: 6 }, () => joinWith(guest.token, { invitation: token })),
	);
	expect(answers.map(({ statusCode }) => statusCode).filter((status) => status === 200)).toHaveLength(1);
	for (const answer of answers) expect([200, 400, 409]).toContain(answer.statusCode);
	expect(await office.events("auth.user.updated", guest.userId)).toHaveLength(1);
});

test("an invitation for one address is worth nothing for another", async () => {
	const { invitation } = await invited();
	expect(codeOf(await registerWith({ email: address(), invitation }))).toEqual(refused);
	expect(codeOf(await joinWith(other.token, { invitation }))).toEqual(refused);
});

test("an invitation for one tenant is worth nothing for another", async () => {
	const { email, invitation } = await invited();
	const response = await registerWith({ email, invitation, tenant_slug: other.slug });
	expect(codeOf(response)).toEqual(refused);
	expect((await registerWith({ email, invitation, tenant_slug: own.slug })).json().tenant.slug).toBe(
		own.slug,
	);
});

test("an invitation that ran out, was withdrawn, or was never made is worth nothing", async () => {
	const gone = await invited();
	const withdrawn = await office.call("DELETE", `/api/v1/tenants/${own.slug}/invitations/${gone.id}`, {
		token: own.token,
	});
	expect(withdrawn.statusCode).toBe(204);
	expect(codeOf(await registerWith(gone))).toEqual([400, "invalid_input"]);
	expect(codeOf(await registerWith({ email: gone.email, invitation: gone.invitation }))).toEqual(refused);
	expect(codeOf(await registerWith({ email: address(), invitation: "never-made" }))).toEqual(refused);
	const late = await invited({ expires_in_days: 1 });
	signOn.now.forward(86_401);
	expect(codeOf(await registerWith({ email: late.email, invitation: late.invitation }))).toEqual(refused);
	own.token = await office.tokenOf(own.email);
	other.token = await office.tokenOf(other.email);
});

test("a new invitation of the same address replaces the open one, with an audit row", async () => {
	const first = await invited();
	const second = (await invite({ email: first.email, roles: ["viewer"] })).json();
	expect(codeOf(await registerWith({ email: first.email, invitation: first.invitation }))).toEqual(refused);
	const joined = await registerWith({ email: first.email, invitation: second.token });
	expect(joined.json().user.roles).toEqual(["viewer"]);
	const audited = (await office.audit(own.slug, own.token)).map(({ action, subject }) => [action, subject]);
	expect(audited.filter(([, subject]) => subject === second.id)).toEqual([["invitation.created", second.id]]);
	expect(audited.filter(([action]) => action === "invitation.withdrawn")).toContainEqual([
		"invitation.withdrawn",
		first.id,
	]);
});

test("a value of another kind is not accepted as an invitation, nor the other way round", async () => {
	const { email, invitation } = await invited();
	const nurse = (await openBrowser(signOn.app).signIn("nurse@uhai.example")).json();
	expect(codeOf(await registerWith({ email, invitation: nurse.ssoExchangeToken }))).toEqual(refused);
	const [hq] = (await office.call("GET", "/api/v1/tenants/uhai/outlets")).json();
	const selected = await office.call("POST", "/api/v1/auth/select-outlet", {
		body: { ssoExchangeToken: invitation, outletId: hq.id },
	});
	expect(selected.statusCode).toBe(401);
	const reset = await office.call("POST", "/api/v1/auth/password/reset", {
		body: { token: invitation, password: "Tembo-na-Simba-77" },
	});
	expect(codeOf(reset)).toEqual([400, "link_invalid"]);
	const verified = await office.call("POST", "/api/v1/auth/email/verify", {
		body: { token: invitation, password: "Tembo-na-Simba-77" },
	});
	expect(codeOf(verified)).toEqual([400, "link_invalid"]);
});

test("a member of the tenant cannot be invited", async () => {
	expect(codeOf(await invite({ email: own.email.toUpperCase() }))).toEqual([409, "already_member"]);
});

test.each([
	["email", { email: "not-an-address" }],
	["roles", { roles: [] }],
	["roles.0", { roles: ["emperor"] }],
	["outlet_ids.0", { outlet_ids: ["HQ"] }],
	["expires_in_days", { expires_in_days: 31 }],
])("an invitation is refused naming %s: %j", async (field, body) => {
	const response = await invite({ email: address(), ...body });
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "invalid_input", field });
});

test("an invitation as superuser is refused in a customer's tenant; in the platform owner's tenant only a superuser can send it", async () => {
	const body = { email: address(), roles: ["superuser"] };
	expect(codeOf(await invite(body))).toEqual([403, "role_forbidden"]);
	const root = { ...own, slug: "lango", token: await office.tokenOf("root@lango.example") };
	expect(codeOf(await invite(body, { ...root, slug: own.slug }))).toEqual([403, "role_forbidden"]);
	const admin = await invited({ roles: ["admin"] }, root);
	await registerWith({ email: admin.email, invitation: admin.invitation });
	const asAdmin = { ...root, token: await office.tokenOf(admin.email) };
	expect(codeOf(await invite(body, asAdmin))).toEqual([403, "role_forbidden"]);
	const deputy = await invited({ roles: ["superuser"] }, root);
	await registerWith({ email: deputy.email, invitation: deputy.invitation });
	expect(claimsOf(await office.tokenOf(deputy.email))).toMatchObject({
		roles: ["superuser"],
		tenant_slug: "lango",
	});
	const members = `/api/v1/tenants/lango/members/${await idOf(deputy.email)}`;
	for (const [method, path, more] of [
		["PUT", `${members}/roles`, { body: { roles: ["viewer"] } }],
		["DELETE", members, {}],
	] as const)
		expect(codeOf(await office.call(method, path, { token: asAdmin.token, ...more }))).toEqual([
			403,
			"role_forbidden",
		]);
	expect((await office.call("DELETE", members, { token: root.token })).statusCode).toBe(204);
});

test("another tenant's outlet is in no invitation, and its invitations are not found", async () => {
	const [theirs] = (await office.call("GET", `/api/v1/tenants/${other.slug}/outlets`)).json();
	expect(codeOf(await invite({ email: address(), outlet_ids: [theirs.id] }))).toEqual([
		404,
		"outlet_not_found",
	]);
	const { id } = await invited({}, other);
	const response = await office.call("DELETE", `/api/v1/tenants/${own.slug}/invitations/${id}`, {
		token: own.token,
	});
	expect(codeOf(response)).toEqual([404, "invitation_not_found"]);
});

test("invitations are listed page by page, and never with what the invited bring", async () => {
	const firm = await office.found();
	const ids: string[] = [];
	for (let count = 0; count < 3; count += 1) ids.push((await invited({}, firm)).id);
	const seen: string[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const url = `/api/v1/tenants/${firm.slug}/invitations?limit=1${cursor && `&cursor=${cursor}`}`;
		const response = await office.call("GET", url, { token: firm.token });
		expect(response.body).not.toMatch(/token|hash/);
		seen.push(...response.json().items.map((one: { id: string }) => one.id));
		cursor = response.json().next_cursor;
	}
	expect(seen.toSorted()).toEqual(ids.toSorted());
});

test("the value is stored as a hash and is not in events; the mail sender fetches the address by its id", async () => {
	const { id, email, invitation } = await invited();
	const [event] = await office.events("auth.invitation.created", id);
	expect(event?.data).toMatchObject({
		link_id: id,
		email,
		tenant_name: `Firm ${own.slug}`,
		invited_by: "Zawadi Maina",
		roles: ["cashier"],
	});
	expect(JSON.stringify(event)).not.toContain(invitation);
	const url = `/api/v1/auth/links/${id}`;
	const fetched = await office.call("GET", url, { headers: apiKey });
	expect(fetched.statusCode).toBe(200);
	expect(fetched.headers["cache-control"]).toBe("no-store");
	expect(fetched.json()).toMatchObject({
		kind: "invitation",
		email,
		url: `http://localhost:3000/register#invitation=${invitation}`,
	});
	expect((await office.call("GET", url)).statusCode).toBe(401);
	expect(codeOf(await office.call("GET", url, { token: own.token }))).toEqual([403, "forbidden"]);
	const wrong = { "x-api-key": `lk_test5678_${"c".repeat(43)}` };
	expect(codeOf(await office.call("GET", url, { headers: wrong }))).toEqual([401, "api_key_invalid"]);
	await registerWith({ email, invitation, password });
	expect(codeOf(await office.call("GET", url, { headers: apiKey }))).toEqual([404, "link_not_found"]);
});

test("a tenant has at most a thousand open invitations, and one of them can be sent again", async () => {
	const firm = await office.found();
	await inTenant(signOn.db, firm.tenantId, async (tx) => {
		await tx.query(
			`insert into invitations (id, tenant_id, email, email_folded, roles, token_hash, key_id, created_by, created_at, expires_at)
			 select gen_random_uuid(), $1, n || '@x.example', n || '@x.example', '{viewer}', sha256(n::text::bytea), 'k1', $2, $3::timestamptz,
			   $3::timestamptz + interval '1 day'
			   from generate_series(1, 1000) n on conflict do nothing`,
			[firm.tenantId, firm.userId, signOn.now.at],
		);
	});
	expect(codeOf(await invite({ email: address() }, firm))).toEqual([409, "invitations_full"]);
	expect((await invite({ email: "7@x.example" }, firm)).statusCode).toBe(201);
});
