import { beforeAll, expect, test } from "vitest";
import { type Firm, openOffice } from "./office.ts";
import { setUpSignOn, unknownId } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);
let own: Firm;
let amina: { userId: string; email: string };
let baraka: typeof amina;
beforeAll(async () => {
	own = await office.found();
	signOn.now.forward(1);
	amina = await joinAs("Amina Were", ["cashier"]);
	signOn.now.forward(1);
	baraka = await joinAs("Baraka 100%_Okoth", ["cashier", "waiter"]);
});

const ask = (path: string) => office.call("GET", `/api/v1/tenants/${own.slug}/${path}`, { token: own.token });
const post = (path: string, body?: object) =>
	office.call("POST", `/api/v1/tenants/${own.slug}/${path}`, { token: own.token, ...(body && { body }) });
const namesIn = async (path: string): Promise<string[]> =>
	(await ask(path)).json().items.map(({ name }: { name: string }) => name);

async function joinAs(name: string, roles: readonly string[]) {
	const joined = await office.join(own.slug, { name });
	expect((await post(`join-requests/${joined.userId}/approve`, { roles })).statusCode).toBe(204);
	return joined;
}

test.each([
	["amina", ["Amina Were"]],
	["WERE", ["Amina Were"]],
	["100%_", ["Baraka 100%_Okoth"]],
	["%", ["Baraka 100%_Okoth"]],
	["a", ["Zawadi Maina", "Amina Were", "Baraka 100%_Okoth"]],
	["unknown", []],
])("people are found by %j, a part of a name in whatever letters", async (q, found) => {
	expect(await namesIn(`members?q=${encodeURIComponent(q)}`)).toEqual(found);
});

test("people are found by a part of their address", async () => {
	const [name = ""] = amina.email.split("@");
	expect(await namesIn(`members?q=${name.toUpperCase()}`)).toEqual(["Amina Were"]);
});

test("people are filtered by role and searched within the filter", async () => {
	expect(await namesIn("members?role=cashier")).toEqual(["Amina Were", "Baraka 100%_Okoth"]);
	expect(await namesIn("members?role=waiter")).toEqual(["Baraka 100%_Okoth"]);
	expect(await namesIn("members?role=waiter&q=amina")).toEqual([]);
});

test("a search is paged", async () => {
	const first = (await ask("members?role=cashier&limit=1")).json();
	expect(first.items).toHaveLength(1);
	const next = (await ask(`members?role=cashier&limit=1&cursor=${first.next_cursor}`)).json();
	expect(next).toMatchObject({ items: [{ user_id: baraka.userId }], next_cursor: null });
});

test("a list is counted on request: within its filters, on each page, and only in its tenant", async () => {
	const other = await office.found();
	await office.join(other.slug, { name: "Elsewhere Amina" });
	await office.join(own.slug, { name: "Halima Waits" });
	for (const email of ["one@count.example", "two@count.example"])
		await post("invitations", { email, roles: ["viewer"] });
	const totalOf = async (path: string) => (await ask(path)).json().total;
	expect(await totalOf("members?total=true&limit=1")).toBe(3);
	expect(await totalOf("members?total=true&role=cashier&q=baraka")).toBe(1);
	const first = (await ask("members?role=cashier&limit=1")).json();
	expect(first).not.toHaveProperty("total");
	expect(await totalOf(`members?total=true&role=cashier&cursor=${first.next_cursor}`)).toBe(2);
	expect(await totalOf("join-requests?total=true&q=halima")).toBe(1);
	expect(await totalOf("invitations?total=true&limit=1&q=count.example")).toBe(2);
	expect(await totalOf("invitations?total=true&q=count.example&status=accepted")).toBe(0);
});

test("a user disabled by the platform owner is listed as disabled", async () => {
	const token = await office.tokenOf("root@lango.example");
	const disabled = await joinAs("Daudi Disabled", ["viewer"]);
	await office.call("POST", `/api/v1/admin/people/${disabled.userId}/disable`, { token });
	const { items } = (await ask("members?q=daudi")).json();
	expect(items).toMatchObject([{ user_id: disabled.userId, status: "disabled" }]);
});

test("a join request is found by name", async () => {
	await office.join(own.slug, { name: "Chausiku Waits" });
	expect(await namesIn("join-requests?q=chausi")).toEqual(["Chausiku Waits"]);
	expect(await namesIn("join-requests?q=amina")).toEqual([]);
});

test("invitations are found by a part of the address and by status", async () => {
	const invite = (email: string) => post("invitations", { email, roles: ["viewer"] });
	const { id } = (await invite("first@guests.example")).json();
	signOn.now.forward(1);
	await invite("second@guests.example");
	await office.call("DELETE", `/api/v1/tenants/${own.slug}/invitations/${id}`, { token: own.token });
	const emails = async (query: string) =>
		(await ask(`invitations?${query}`)).json().items.map(({ email }: { email: string }) => email);
	expect(await emails("q=GUESTS.example")).toEqual(["second@guests.example", "first@guests.example"]);
	expect(await emails("q=guests.example&status=open")).toEqual(["second@guests.example"]);
	expect(await emails("q=guests.example&status=withdrawn")).toEqual(["first@guests.example"]);
	expect(await emails("q=guests.example&status=accepted")).toEqual([]);
});

test("the audit log is filtered by action, person and time, and contains the names of ids", async () => {
	const at = signOn.now.at;
	signOn.now.forward(60);
	const code = { code: "NORTH", name: "North Gate", use_case: "retail" };
	const { id } = (await post("outlets", code)).json();
	const opened = (await ask("audit?action=outlet.opened")).json().items;
	expect(opened).toMatchObject([{ subject: id, subject_name: "North Gate", actor_name: "Zawadi Maina" }]);
	const approved = (await ask("audit?action=join_request.approved")).json().items;
	expect(approved.map((row: { subject_name: string }) => row.subject_name)).toContain("Amina Were");
	const [invited] = (await ask("audit?action=invitation.created")).json().items;
	expect(invited.subject_name).toBe("second@guests.example");
	const actors = async (query: string) =>
		(await ask(`audit?${query}`)).json().items.map((row: { actor_user_id: string }) => row.actor_user_id);
	expect(new Set(await actors(`actor=${own.userId.toUpperCase()}`))).toEqual(new Set([own.userId]));
	expect(await actors(`actor=${unknownId}`)).toEqual([]);
	const since = (await ask(`audit?from=${signOn.now.at.toISOString()}`)).json().items;
	expect(since.map(({ action }: { action: string }) => action)).toEqual(["outlet.opened"]);
	const until = (await ask(`audit?limit=1&to=${signOn.now.at.toISOString()}`)).json().items;
	expect(new Date(until[0].at).getTime()).toBeLessThanOrEqual(at.getTime());
});

test("a person of another tenant has no name in a tenant's audit log", async () => {
	const token = await office.tokenOf("root@lango.example");
	await office.call("GET", `/api/v1/tenants/${own.slug}/members`, { token });
	const [passed] = (await ask("audit?action=access.passed")).json().items;
	expect(passed).toMatchObject({ actor_name: null, subject_name: null, actor_user_id: expect.any(String) });
});

test.each([
	["q", `members?q=${"x".repeat(101)}`],
	["role", "members?role=emperor"],
	["status", "invitations?status=lost"],
	["actor", "audit?actor=me"],
	["from", "audit?from=yesterday"],
])("a search is refused naming %s: %s", async (field, path) => {
	const response = await ask(path);
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "invalid_input", field });
});

test("an archived outlet is restored with an event and an audit row; one that is not archived cannot be", async () => {
	const { id } = (await post("outlets", { code: "BACK", name: "Back", use_case: "retail" })).json();
	const coded = async () => {
		const response = await post(`outlets/${id}/restore`);
		return [response.statusCode, response.json().status ?? response.json().code];
	};
	expect(await coded()).toEqual([404, "outlet_not_found"]);
	await office.call("DELETE", `/api/v1/tenants/${own.slug}/outlets/${id}`, { token: own.token });
	expect(await coded()).toEqual([200, "active"]);
	const events = await office.events("outlet.changed", id);
	expect(events.map(({ data }) => [data.status, data.version])).toEqual([
		["active", 1],
		["archived", 2],
		["active", 3],
	]);
	const [row] = (await ask("audit?limit=1")).json().items;
	expect(row).toMatchObject({ action: "outlet.restored", subject: id, subject_name: "Back" });
});

test("a member of an archived outlet has it again after its restoration", async () => {
	const { id } = (await post("outlets", { code: "AGAIN", name: "Again", use_case: "retail" })).json();
	const body = { outlet_ids: [id] };
	await office.call("PUT", `/api/v1/tenants/${own.slug}/members/${amina.userId}/outlets`, {
		token: own.token,
		body,
	});
	await office.call("DELETE", `/api/v1/tenants/${own.slug}/outlets/${id}`, { token: own.token });
	await post(`outlets/${id}/restore`);
	const [found] = (await ask("members?q=amina")).json().items;
	expect(found.outlet_ids).toEqual([id]);
});
