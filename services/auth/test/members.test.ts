import { globalRoles, rolePermissions } from "@lango/contracts";
import { beforeAll, expect, test } from "vitest";
import { type Firm, openOffice } from "./office.ts";
import { claimsOf, codeOf, obtainCode, openBrowser, setUpSignOn, tradeCode } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);
let own: Firm;
beforeAll(async () => {
	own = await office.found();
});

const as = (token = own.token, slug = own.slug) => ({
	members: (query = "") => office.call("GET", `/api/v1/tenants/${slug}/members${query}`, { token }),
	requests: () => office.call("GET", `/api/v1/tenants/${slug}/join-requests`, { token }),
	roles: (userId: string, roles: readonly string[]) =>
		office.call("PUT", `/api/v1/tenants/${slug}/members/${userId}/roles`, { token, body: { roles } }),
	outlets: (userId: string, body: object) =>
		office.call("PUT", `/api/v1/tenants/${slug}/members/${userId}/outlets`, { token, body }),
	remove: (userId: string) => office.call("DELETE", `/api/v1/tenants/${slug}/members/${userId}`, { token }),
	approve: (userId: string, body?: object) =>
		office.call("POST", `/api/v1/tenants/${slug}/join-requests/${userId}/approve`, {
			token,
			...(body !== undefined && { body }),
		}),
	refuse: (userId: string) =>
		office.call("POST", `/api/v1/tenants/${slug}/join-requests/${userId}/refuse`, { token }),
});
const member = async (roles?: readonly string[], into = own) => {
	const joined = await office.join(into.slug);
	const answer = await as(into.token, into.slug).approve(joined.userId, roles && { roles });
	if (answer.statusCode !== 204) throw new Error(`not approved: ${answer.body}`);
	return joined;
};

test("a join request is listed and approved with the requested role, which then applies", async () => {
	const { userId, email } = await office.join(own.slug, { requested_role: "rider" });
	const waiting = (await as().requests()).json();
	expect(waiting.next_cursor).toBeNull();
	expect(waiting.items).toContainEqual({
		id: userId,
		email,
		email_verified: false,
		name: "Zawadi Maina",
		requested_roles: ["rider"],
		status: "pending",
		requested_at: expect.any(String),
	});
	expect((await as().approve(userId)).statusCode).toBe(204);
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ roles: ["rider"], user_status: "active" });
	expect((await as().requests()).json().items).toEqual([]);
	const events = await office.events("auth.user.updated", userId);
	expect(events).toMatchObject([
		{ tenantid: own.tenantId, data: { roles: ["rider"], status: "active", version: 2 } },
	]);
	const [row] = await office.audit(own.slug, own.token);
	expect(row).toMatchObject({
		action: "join_request.approved",
		subject: userId,
		before: { status: "pending" },
		after: { status: "active", roles: ["rider"] },
	});
});

test("a user with a token from before the approval gets roles at the next refresh, not before", async () => {
	const { userId, email } = await office.join(own.slug);
	const { refresh_token } = (await office.signIn(email)).json();
	await as().approve(userId, { roles: ["cashier"] });
	const refreshed = await office.call("POST", "/api/v1/auth/refresh", {
		body: { refresh_token, client_id: "auth-ui" },
	});
	expect(claimsOf(refreshed.json().access_token)).toMatchObject({
		roles: ["cashier"],
		user_status: "active",
	});
});

test("a rejected user is not a member, and can send another join request", async () => {
	const { userId, email } = await office.join(own.slug);
	const token = await office.tokenOf(email);
	expect((await as().refuse(userId)).statusCode).toBe(204);
	expect((await office.signIn(email)).statusCode).toBe(401);
	expect((await signOn.me(token)).statusCode).toBe(401);
	expect(await office.events("auth.user.updated", userId)).toMatchObject([
		{ data: { status: "removed", roles: [] } },
	]);
	expect(codeOf(await as().approve(userId))).toEqual([404, "request_not_found"]);
});

test("of a concurrent approval and refusal one succeeds", async () => {
	for (let round = 0; round < 3; round += 1) {
		const { userId } = await office.join(own.slug);
		const answers = await Promise.all([as().approve(userId), as().refuse(userId), as().approve(userId)]);
		expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([204, 404, 404]);
		expect(await office.events("auth.user.updated", userId)).toHaveLength(1);
	}
});

test("every role that can assign roles, outlets or invitations is not bound to outlets", async () => {
	const giving = globalRoles.filter((role) =>
		rolePermissions[role].some((code) => code === "auth.users.change" || code === "auth.outlets.change"),
	);
	expect(giving).toContain("admin");
	for (const role of giving)
		expect([role, await signOn.db.query("select is_hq_user(array[$1], false) as is_free", [role])]).toEqual([
			role,
			[{ is_free: true }],
		]);
});

test("members are listed in pages in the order they joined, each once", async () => {
	const firm = await office.found();
	const ids = [firm.userId];
	signOn.now.forward(1);
	for (let count = 0; count < 4; count += 1) {
		signOn.now.forward(count % 2); // Two come in the same instant.
		ids.push((await member(undefined, firm)).userId);
	}
	const seen: string[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const page: { items: Array<{ user_id: string }>; next_cursor: string | null } = (
			await as(firm.token, firm.slug).members(`?limit=2${cursor && `&cursor=${cursor}`}`)
		).json();
		expect(page.items.length).toBeLessThanOrEqual(2);
		seen.push(...page.items.map(({ user_id }) => user_id));
		cursor = page.next_cursor;
	}
	expect(seen.toSorted()).toEqual(ids.toSorted());
	expect((await as(firm.token, firm.slug).members()).json().items[0]).toEqual({
		user_id: firm.userId,
		email: firm.email,
		email_verified: false,
		name: "Zawadi Maina",
		roles: ["admin"],
		status: "active",
		is_hq: true,
		is_hq_user: true,
		outlet_ids: [],
		joined_at: expect.any(String),
	});
});

test("administrators see whose address is not verified, of members and of people who wait", async () => {
	const firm = await office.found();
	const joined = await office.join(firm.slug);
	const at = (path: string) =>
		office.call("GET", `/api/v1/tenants/${firm.slug}/${path}`, { token: firm.token });
	const verified = async (path: string) =>
		(await at(path)).json().items.map((one: { email_verified: boolean }) => one.email_verified);
	expect([await verified("members"), await verified("join-requests")]).toEqual([[false], [false]]);
	await signOn.db.query("update users set email_verified = true where id = any ($1)", [
		[firm.userId, joined.userId],
	]);
	expect([await verified("members"), await verified("join-requests")]).toEqual([[true], [true]]);
});

test.each(["?limit=0", "?limit=201", "?cursor=nonsense", "?cursor=LTE"])(
	"a page asked for as %s is refused, naming the parameter",
	async (query) => {
		const response = await as().members(query);
		expect(response.statusCode).toBe(400);
		expect(response.json().field).toBe(query.slice(1, query.indexOf("=")));
	},
);

test("granted and revoked roles apply to the next token, and an event is published", async () => {
	const { userId, email } = await member();
	expect((await as().roles(userId, ["manager", "cashier"])).statusCode).toBe(204);
	expect(claimsOf(await office.tokenOf(email)).roles).toEqual(["manager", "cashier"]);
	expect((await as().roles(userId, ["viewer"])).statusCode).toBe(204);
	const versions = (await office.events("auth.user.updated", userId)).map(({ data }) => [
		data.version,
		data.roles,
	]);
	expect(versions).toEqual([
		[2, ["member"]],
		[3, ["manager", "cashier"]],
		[4, ["viewer"]],
	]);
	expect((await office.audit(own.slug, own.token))[0]).toMatchObject({
		action: "member.roles_changed",
		before: { roles: ["manager", "cashier"] },
		after: { roles: ["viewer"] },
	});
});

test.each([[[]], [["emperor"]], [["admin", "admin"]]])(
	"roles %j are refused, naming the field",
	async (roles) => {
		const { userId } = await member();
		const response = await as().roles(userId, roles);
		expect(response.statusCode).toBe(400);
		expect(response.json().field).toMatch(/^roles/);
	},
);

test("outlets are assigned and removed; with two the sign-in requires a selection, with one it does not", async () => {
	const { userId, email } = await member(["cashier"]);
	const open = async (code: string) =>
		(
			await office.call("POST", `/api/v1/tenants/${own.slug}/outlets`, {
				token: own.token,
				body: { code, name: code, use_case: "retail" },
			})
		).json().id as string;
	const [east, west] = [await open("EAST"), await open("WEST")];
	expect((await as().outlets(userId, { outlet_ids: [east, west] })).statusCode).toBe(204);
	expect((await office.signIn(email)).json().requiresOutletSelection).toBe(true);
	expect((await as().outlets(userId, { outlet_ids: [east] })).statusCode).toBe(204);
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ outlet_id: east, is_hq_user: false });
	expect((await as().outlets(userId, { outlet_ids: [], is_hq: true })).statusCode).toBe(204);
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ outlet_id: "", is_hq_user: true });
	expect((await office.events("auth.user.updated", userId)).at(-2)?.data).toMatchObject({
		outlet_ids: [east],
	});
});

test("an outlet of another tenant or an archived one cannot be assigned", async () => {
	const { userId } = await member();
	const stranger = await office.found();
	const [theirs] = (await office.call("GET", `/api/v1/tenants/${stranger.slug}/outlets`)).json();
	expect(codeOf(await as().outlets(userId, { outlet_ids: [theirs.id] }))).toEqual([404, "outlet_not_found"]);
	const gone = (
		await office.call("POST", `/api/v1/tenants/${own.slug}/outlets`, {
			token: own.token,
			body: { code: "GONE", name: "Gone", use_case: "retail" },
		})
	).json().id;
	await office.call("DELETE", `/api/v1/tenants/${own.slug}/outlets/${gone}`, { token: own.token });
	expect(codeOf(await as().outlets(userId, { outlet_ids: [gone] }))).toEqual([404, "outlet_not_found"]);
});

test("a removed member loses access at once: tokens, refresh, sign-in and administration", async () => {
	const { userId, email } = await member(["admin"]);
	const signedIn = (await office.signIn(email)).json();
	expect((await as(signedIn.access_token).members()).statusCode).toBe(200);
	expect((await as().remove(userId)).statusCode).toBe(204);
	expect(codeOf(await as(signedIn.access_token).members())).toEqual([401, "session_ended"]);
	const refreshed = await office.call("POST", "/api/v1/auth/refresh", {
		body: { refresh_token: signedIn.refresh_token, client_id: "auth-ui" },
	});
	expect(codeOf(refreshed)).toEqual([401, "invalid_grant"]);
	expect((await office.signIn(email)).statusCode).toBe(401);
	expect(codeOf(await as().remove(userId))).toEqual([404, "member_not_found"]);
	const sid = claimsOf(signedIn.access_token).sid as string;
	expect(await office.events("auth.session.revoked", sid)).toMatchObject([
		{ tenantid: own.tenantId, data: { user_id: userId, because: "access_removed" } },
	]);
});

test("a revoked role does not allow administration, although the token still contains it", async () => {
	const { userId, email } = await member(["admin"]);
	const token = await office.tokenOf(email);
	await as().roles(userId, ["member"]);
	expect(claimsOf(token).permissions).toContain("auth.users.change");
	expect(codeOf(await as(token).roles(own.userId, ["viewer"]))).toEqual([403, "forbidden"]);
});

test("a revoked session does not allow administration", async () => {
	const { email } = await member(["admin"]);
	const token = await office.tokenOf(email);
	await office.call("POST", "/api/v1/auth/logout", { token });
	expect(codeOf(await as(token).members())).toEqual([401, "session_ended"]);
});

test("a person's sessions in other tenants go on, and their primary tenant is one they belong to", async () => {
	const { userId, email } = await member();
	const second = await office.found();
	await office.call("POST", "/api/v1/auth/join", {
		token: await office.tokenOf(email),
		body: { tenant_slug: second.slug },
	});
	await as(second.token, second.slug).approve(userId);
	const there = await office.tokenOf(email, { tenant_slug: second.slug });
	await as().remove(userId);
	const me = await signOn.me(there);
	expect(me.json()).toMatchObject({ tenant_slug: second.slug, primary_tenant_id: second.tenantId });
	expect(claimsOf(await office.tokenOf(email)).tenant_slug).toBe(second.slug);
});

test("the last administrator cannot be demoted or removed", async () => {
	const firm = await office.found();
	const there = as(firm.token, firm.slug);
	expect(codeOf(await there.roles(firm.userId, ["member"]))).toEqual([409, "last_admin"]);
	expect(codeOf(await there.remove(firm.userId))).toEqual([409, "last_admin"]);
	const second = await member(["admin"], firm);
	expect((await there.roles(firm.userId, ["member"])).statusCode).toBe(204);
	expect(codeOf(await as(await office.tokenOf(second.email), firm.slug).remove(second.userId))).toEqual([
		409,
		"last_admin",
	]);
});

test("of two administrators who demote each other at the same time one stays", async () => {
	for (let round = 0; round < 3; round += 1) {
		const firm = await office.found();
		const second = await member(["admin"], firm);
		const other = as(await office.tokenOf(second.email), firm.slug);
		const answers = await Promise.all([
			as(firm.token, firm.slug).roles(second.userId, ["member"]),
			other.remove(firm.userId),
		]);
		const left = (
			await signOn.db.query<{ roles: string[] }>(
				"select m.roles from list_memberships($1) m union all select m.roles from list_memberships($2) m",
				[firm.userId, second.userId],
			)
		).filter(({ roles }) => roles.includes("admin"));
		expect(left, JSON.stringify(answers.map(({ statusCode }) => statusCode))).toHaveLength(1);
	}
});

test("the role superuser cannot be granted in a customer's tenant by any caller", async () => {
	const { userId } = await member();
	expect(codeOf(await as().roles(userId, ["superuser"]))).toEqual([403, "role_forbidden"]);
	const root = await office.tokenOf("root@lango.example");
	expect(codeOf(await as(root).roles(userId, ["superuser"]))).toEqual([403, "role_forbidden"]);
	const waiting = await office.join(own.slug);
	expect(codeOf(await as().approve(waiting.userId, { roles: ["superuser"] }))).toEqual([
		403,
		"role_forbidden",
	]);
});

test("a member without the permission is refused, also one who may look", async () => {
	const viewer = await member(["viewer"]);
	const manager = await member(["manager"]);
	const asViewer = as(await office.tokenOf(viewer.email));
	const asManager = as(await office.tokenOf(manager.email));
	expect(codeOf(await asViewer.members())).toEqual([403, "forbidden"]);
	expect((await asManager.members()).statusCode).toBe(200);
	expect(codeOf(await asManager.roles(viewer.userId, ["admin"]))).toEqual([403, "forbidden"]);
	expect(codeOf(await asManager.remove(viewer.userId))).toEqual([403, "forbidden"]);
});

test("a pending user cannot administer, whatever role they requested", async () => {
	const { email } = await office.join(own.slug);
	expect(codeOf(await as(await office.tokenOf(email)).members())).toEqual([403, "account_pending"]);
});

test("users of another tenant are not found in one's own tenant by any route", async () => {
	const stranger = await office.found();
	const waiting = await office.join(stranger.slug);
	expect(codeOf(await as().roles(stranger.userId, ["viewer"]))).toEqual([404, "member_not_found"]);
	expect(codeOf(await as().outlets(stranger.userId, { outlet_ids: [] }))).toEqual([404, "member_not_found"]);
	expect(codeOf(await as().remove(stranger.userId))).toEqual([404, "member_not_found"]);
	expect(codeOf(await as().approve(waiting.userId))).toEqual([404, "request_not_found"]);
	expect(codeOf(await as().refuse(waiting.userId))).toEqual([404, "request_not_found"]);
});

test("a removed user cannot join again without approval, even if the join policy is open", async () => {
	const firm = await office.found();
	await office.call("PATCH", `/api/v1/tenants/${firm.slug}/settings`, {
		token: firm.token,
		body: { join_policy: "open" },
	});
	const second = await office.found();
	const joining = (slug: string, token: string) =>
		office.call("POST", "/api/v1/auth/join", { token, body: { tenant_slug: slug } });
	expect((await joining(firm.slug, second.token)).json().status).toBe("active");
	expect(codeOf(await joining(firm.slug, second.token))).toEqual([409, "already_member"]);
	await as(firm.token, firm.slug).remove(second.userId);
	expect((await joining(firm.slug, second.token)).json().status).toBe("pending_review");
});

test("joining is refused without a session and with an ended session", async () => {
	expect((await office.call("POST", "/api/v1/auth/join", { body: { tenant_slug: "uhai" } })).statusCode).toBe(
		401,
	);
	const firm = await office.found();
	await office.call("POST", "/api/v1/auth/logout", { token: firm.token });
	const joining = { token: firm.token, body: { tenant_slug: "uhai" } };
	expect(codeOf(await office.call("POST", "/api/v1/auth/join", joining))).toEqual([401, "session_ended"]);
});

test("a code from before the rejection of its user opens no session", async () => {
	const other = await office.found();
	const { email, userId } = await office.join(other.slug);
	const browser = openBrowser(signOn.app);
	await browser.signIn(email);
	const code = await obtainCode(browser);
	const path = `/api/v1/tenants/${other.slug}/join-requests/${userId}/refuse`;
	expect((await office.call("POST", path, { token: other.token })).statusCode).toBe(204);
	const response = await tradeCode(signOn.app, code);
	expect([response.statusCode, response.json().error]).toEqual([400, "invalid_grant"]);
	const live = await signOn.db.query("select 1 from list_user_sessions($1, null, $2, null, null, 10)", [
		userId,
		signOn.now.at,
	]);
	expect(live).toEqual([]);
});
