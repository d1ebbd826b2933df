import { beforeAll, expect, test } from "vitest";
import { type Firm, fresh, openOffice } from "./office.ts";
import { backend, claimsOf, obtainTokens, password, postToken, setUpSignOn } from "./sign-on.ts";

// what tokens and events say of the outlets a person may see

const signOn = setUpSignOn();
const office = openOffice(signOn);
let firm: Firm;
/** The ids of the hospital's outlets by code. */
let outlets: Record<string, string>;
beforeAll(async () => {
	firm = await office.found();
	outlets = await signOn.outletsOf("uhai");
});

const nurse = "nurse@uhai.example";
const scopeOf = (token: string) => {
	const { outlet_scope, outlet_ids, outlet_id } = claimsOf(token);
	return { outlet_scope, outlet_ids, outlet_id };
};
const both = () => ({
	outlet_scope: "unselected",
	outlet_ids: [outlets.PHARM, outlets.WARD],
	outlet_id: "",
});
const at = (code: string) => ({
	outlet_scope: "selected",
	outlet_ids: undefined,
	outlet_id: outlets[code],
});
const refresh = async (token: string) => (await signOn.refresh(token)).json();
const select = async (ssoExchangeToken: string, code: string) =>
	(
		await office.call("POST", "/api/v1/auth/select-outlet", {
			body: { ssoExchangeToken, outletId: outlets[code] },
		})
	).json();

test("a token lists the outlets of a person who has not selected one, and names the one they selected", async () => {
	const first = await obtainTokens(signOn.app, nurse);
	expect(scopeOf(first.access_token)).toEqual(both());
	const again = await refresh(first.refresh_token);
	expect(scopeOf(again.access_token)).toEqual(both());
	const selected = await select(again.ssoExchangeToken, "WARD");
	expect(scopeOf(selected.access_token)).toEqual(at("WARD"));
	expect(scopeOf((await refresh(selected.refresh_token)).access_token)).toEqual(at("WARD"));
	const token = selected.access_token;
	const { ssoExchangeToken } = (await office.call("POST", "/api/v1/auth/outlet-exchange", { token })).json();
	expect(scopeOf((await select(ssoExchangeToken, "PHARM")).access_token)).toEqual(at("PHARM"));
});

test("the password sign-in returns the same scope", async () => {
	expect(scopeOf((await office.signIn(nurse)).json().access_token)).toEqual(both());
	expect(scopeOf((await office.signIn("pharm@uhai.example")).json().access_token)).toEqual(at("PHARM"));
});

test("the headquarters, administrators and superusers have every outlet", async () => {
	for (const email of ["admin@uhai.example", "owner@kahawa.example", "root@lango.example"])
		expect(scopeOf(await office.tokenOf(email))).toMatchObject({
			outlet_scope: "all",
			outlet_ids: undefined,
			outlet_id: "",
		});
});

test("a program's own token has every outlet", async () => {
	const own = (await postToken(signOn.app, { grant_type: "client_credentials", ...backend })).json();
	expect(claimsOf(own.access_token)).toMatchObject({ outlet_scope: "all" });
});

test("introspection and auth/me say the same as the token", async () => {
	const { access_token: token } = await obtainTokens(signOn.app, nurse);
	const introspected = await postTo("/api/v1/introspect", { token, ...backend });
	expect(introspected).toMatchObject({ active: true, ...both() });
	expect((await signOn.me(token)).json()).toMatchObject(both());
});
const postTo = async (url: string, members: Record<string, string>) =>
	(
		await signOn.app.inject({
			method: "POST",
			url,
			headers: { "content-type": "application/x-www-form-urlencoded" },
			payload: new URLSearchParams(members).toString(),
		})
	).json();

test("a person without outlets in a tenant of several has an empty list", async () => {
	const { email, userId } = await office.join("uhai");
	expect(scopeOf(await office.tokenOf(email))).toMatchObject({ outlet_scope: "unselected", outlet_ids: [] });
	const admin = await office.tokenOf("admin@uhai.example");
	const url = `/api/v1/tenants/uhai/join-requests/${userId}/approve`;
	await office.call("POST", url, { token: admin, body: { roles: ["staff"] } });
	expect(scopeOf(await office.tokenOf(email))).toMatchObject({ outlet_scope: "unselected", outlet_ids: [] });
});

test("without active outlets in the tenant every token of a member has every outlet, until the tenant opens one", async () => {
	const { slug, token } = await office.found();
	const { email, userId } = await office.join(slug);
	const administer = (method: "POST" | "DELETE", path: string, body?: object) =>
		office.call(method, `/api/v1/tenants/${slug}/${path}`, { token, ...(body !== undefined && { body }) });
	expect(scopeOf(await office.tokenOf(email))).toMatchObject({ outlet_scope: "unselected", outlet_ids: [] });
	await administer("POST", `join-requests/${userId}/approve`, { roles: ["staff"] });
	const first = await obtainTokens(signOn.app, email);
	expect(scopeOf(first.access_token)).toMatchObject({ outlet_scope: "selected" });
	const [only] = (await office.call("GET", `/api/v1/tenants/${slug}/outlets`)).json();
	expect((await administer("DELETE", `outlets/${only.id}`)).statusCode).toBeLessThan(300);

	const every = { outlet_scope: "all", outlet_ids: undefined, outlet_id: "" };
	const refreshed = await refresh(first.refresh_token);
	expect(scopeOf(refreshed.access_token)).toEqual(every);
	expect(claimsOf(refreshed.access_token)).toMatchObject({ is_hq_user: false });
	expect(scopeOf((await obtainTokens(signOn.app, email)).access_token)).toEqual(every);
	expect(scopeOf(await office.tokenOf(email))).toEqual(every);
	const me = await signOn.me(refreshed.access_token);
	expect(me.json()).toMatchObject({ outlet_scope: "all", is_hq_user: false });

	await administer("POST", `outlets/${only.id}/restore`);
	expect(scopeOf((await refresh(refreshed.refresh_token)).access_token)).toMatchObject({
		outlet_scope: "selected",
		outlet_id: only.id,
	});
});

test("auth.user.created contains the outlets of the new person, and whether they are bound to outlets", async () => {
	expect((await office.events("auth.user.created", firm.userId))[0]?.data).toMatchObject({
		is_hq: true,
		outlet_ids: [],
	});
	const admin = await office.tokenOf("admin@uhai.example");
	const email = `${fresh("guest")}@guests.example`;
	const invited = await office.call("POST", "/api/v1/tenants/uhai/invitations", {
		token: admin,
		body: { email, roles: ["staff"], outlet_ids: [outlets.WARD] },
	});
	const registered = await office.register({
		email,
		password,
		org_action: "join_existing",
		invitation: invited.json().token,
	});
	const { id } = registered.json().user;
	expect((await office.events("auth.user.created", id))[0]?.data).toMatchObject({
		is_hq: false,
		outlet_ids: [outlets.WARD],
	});
});

test("each change of a person's outlets, headquarters flag, role or membership is in an event of a higher version", async () => {
	const { userId } = await office.join(firm.slug);
	const [hq] = (await office.call("GET", `/api/v1/tenants/${firm.slug}/outlets`)).json();
	const change = (path: string, method: "PUT" | "POST" | "DELETE", body?: object) =>
		office.call(method, `/api/v1/tenants/${firm.slug}/${path}`, {
			token: firm.token,
			...(body !== undefined && { body }),
		});
	const member = `members/${userId}`;
	await change(`join-requests/${userId}/approve`, "POST", { roles: ["staff"] });
	await change(`${member}/outlets`, "PUT", { outlet_ids: [hq.id] });
	await change(`${member}/outlets`, "PUT", { outlet_ids: [], is_hq: true });
	await change(`${member}/outlets`, "PUT", { outlet_ids: [], is_hq: false });
	await change(`${member}/roles`, "PUT", { roles: ["admin"] });
	await change(`${member}/roles`, "PUT", { roles: ["staff"] });
	await change(`${member}/outlets`, "PUT", { outlet_ids: [hq.id], is_hq: true });
	await change(member, "DELETE");
	const events = (await office.events("auth.user.updated", userId)).map(({ data }) => data);
	expect(events.map(({ is_hq, outlet_ids }) => [is_hq, outlet_ids])).toEqual([
		[false, []],
		[false, [hq.id]],
		[true, []],
		[false, []],
		[true, []],
		[false, []],
		[true, [hq.id]],
		[false, []],
	]);
	const versions = events.map(({ version }) => Number(version));
	expect(versions).toEqual(versions.toSorted((one, other) => one - other));
	expect(new Set(versions).size).toBe(versions.length);
});
