import { memoryStorage } from "@lango/client";
import { expect, test } from "vitest";
import { openTab, reach, settled, setUpListeningSignOn, signInto } from "./front-end.ts";
import { openBrowser } from "./sign-on.ts";

const signOn = setUpListeningSignOn();

const sessions = "/api/v1/auth/sessions";

test("a session continues over many rotations of its refresh token", async () => {
	const tab = openTab(signOn);
	await signInto(signOn, tab, "admin@uhai.example");
	for (let days = 0; days < 3; days += 1) {
		signOn.now.forward(21_601);
		expect(await tab.client.call(sessions)).toHaveProperty("items");
	}
	expect(tab.asked.filter((line) => line === "POST /api/v1/auth/refresh")).toHaveLength(3);
});

test("a session that was ended elsewhere is left at the next call, with everything cleared", async () => {
	const storage = memoryStorage();
	const tab = openTab(signOn, { storage });
	await signInto(signOn, tab, "admin@uhai.example");
	const other = openTab(signOn);
	await signInto(signOn, other, "admin@uhai.example");
	const { items } = await other.client.call<{ items: Array<{ id: string; is_current: boolean }> }>(sessions);
	for (const { id, is_current } of items)
		if (!is_current) await other.client.call(`${sessions}/${id}`, { method: "DELETE" });
	signOn.now.forward(16);
	await expect(tab.client.call(sessions)).rejects.toMatchObject({ code: "invalid_grant" });
	expect(tab.client.getState().status).toBe("redirecting");
	expect(tab.left.at(-1)).toBe(
		`${signOn.url}/api/v1/auth/logout?post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A3001%2F`,
	);
	expect(storage.get("lango:console-ui::refresh")).toBeUndefined();
	expect(await other.client.call(sessions)).toHaveProperty("items");
});

test("signing out ends the session at the sign-on service and leads to its logout, which leads back", async () => {
	const tab = openTab(signOn);
	const kept = memoryStorage();
	await signInto(signOn, tab, "admin@uhai.example");
	const copy = openTab(signOn, { storage: kept });
	await tab.client.signOut();
	const logout = new URL(tab.left.at(-1) ?? "");
	const answer = await openBrowser(signOn.app).get(logout.pathname + logout.search);
	expect([answer.statusCode, answer.headers.location]).toEqual([303, "http://localhost:3001/"]);
	expect(tab.asked.at(-1)).toBe("POST /api/v1/auth/logout");
	await copy.client.start();
	expect(copy.client.getState()).toEqual({ status: "signed_out", ended: false });
});

test("a user with several outlets must select one before final tokens are issued, also after a reload", async () => {
	const kept = memoryStorage();
	const tab = openTab(signOn, { tab: kept });
	const choosing = await signInto(signOn, tab, "nurse@uhai.example");
	expect(choosing).toMatchObject({ status: "choosing_outlet", tenantSlug: "uhai" });
	const reloaded = openTab(signOn, { tab: kept, service: { name: "hospital", url: "http://127.0.0.1:9" } });
	await reloaded.client.start();
	expect(reloaded.client.getState()).toEqual(choosing);
	const outlets = await tab.client.listOutlets();
	expect(outlets.map(({ code }) => code).toSorted()).toEqual(["PHARM", "WARD"]);
	const pharmacy = outlets.find(({ code }) => /pharm/i.test(code));
	await tab.client.selectOutlet(pharmacy?.id ?? "");
	expect(await settled(tab.client)).toMatchObject({
		status: "ready",
		profile: { outletId: pharmacy?.id, isHqUser: false },
	});
	const next = openTab(signOn, { tab: kept });
	await next.client.start();
	expect(next.client.getState().status).toBe("signed_out");
});

test("an outlet that is not assigned to the user is refused, and another can be selected", async () => {
	const tab = openTab(signOn);
	await signInto(signOn, tab, "nurse@uhai.example");
	const outlets = await tab.client.listOutlets("uhai");
	const hq = outlets.find(({ is_hq }) => is_hq);
	const theirs = outlets.find(({ is_hq }) => !is_hq);
	await expect(tab.client.selectOutlet(hq?.id ?? "")).rejects.toMatchObject({
		code: "outlet_forbidden",
		status: 403,
	});
	expect(tab.client.getState().status).toBe("choosing_outlet");
	await tab.client.selectOutlet(theirs?.id ?? "");
	expect(await settled(tab.client)).toMatchObject({ status: "ready", profile: { outletId: theirs?.id } });
});

test("a user with the headquarters among their outlets can select it", async () => {
	const admin = openTab(signOn);
	await signInto(signOn, admin, "admin@uhai.example");
	const all = await admin.client.listOutlets();
	const ids = all.filter(({ code }) => code !== "PHARM").map(({ id }) => id);
	const members = "/api/v1/tenants/uhai/members";
	const { items } = await admin.client.call<{ items: Array<{ user_id: string; email: string }> }>(members);
	const nurse = items.find(({ email }) => email === "nurse@uhai.example");
	const before = all.filter(({ is_hq }) => !is_hq).map(({ id }) => id);
	const give = (outlet_ids: string[]) =>
		admin.client.call(`${members}/${nurse?.user_id}/outlets`, { method: "PUT", body: { outlet_ids } });
	await give(ids);
	const tab = openTab(signOn);
	await signInto(signOn, tab, "nurse@uhai.example");
	const offered = await tab.client.listOutlets();
	expect(offered.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
	const hq = offered.find(({ is_hq }) => is_hq);
	await tab.client.selectOutlet(hq?.id ?? "");
	expect(await settled(tab.client)).toMatchObject({ status: "ready", profile: { outletId: hq?.id } });
	await give(before);
});

test("a selection after the expiry of its one-time token uses a new one", async () => {
	const tab = openTab(signOn);
	await signInto(signOn, tab, "nurse@uhai.example");
	const theirs = (await tab.client.listOutlets()).find(({ is_hq }) => !is_hq);
	signOn.now.forward(301);
	await tab.client.selectOutlet(theirs?.id ?? "");
	expect(await settled(tab.client)).toMatchObject({ status: "ready", profile: { outletId: theirs?.id } });
	expect(tab.asked).toContain("POST /api/v1/auth/outlet-exchange");
	const offered = await tab.client.switchableOutlets();
	expect(offered.map(({ code }) => code).toSorted()).toEqual(["PHARM", "WARD"]);
	const other = offered.find(({ id }) => id !== theirs?.id);
	await tab.client.selectOutlet(other?.id ?? "");
	expect(await settled(tab.client)).toMatchObject({ status: "ready", profile: { outletId: other?.id } });
});

test("a pending user gets access with the approved roles within 15 seconds", async () => {
	const email = "rider@example.org";
	const registered = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/register",
		payload: {
			...{ name: "Rehema", email, password: "Karibu-2026!" },
			...{ org_action: "join_existing", tenant_slug: "uhai", requested_role: "rider" },
		},
	});
	expect(registered.statusCode).toBe(201);
	const admin = openTab(signOn);
	await signInto(signOn, admin, "admin@uhai.example");
	const tab = openTab(signOn);
	expect(await signInto(signOn, tab, email)).toMatchObject({
		status: "pending",
		profile: { status: "pending", globalRoles: [] },
	});
	const path = "/api/v1/tenants/uhai/join-requests";
	const { items } = await admin.client.call<{ items: Array<{ id: string }> }>(path);
	await admin.client.call(`${path}/${items[0]?.id}/approve`, { method: "POST", body: {} });
	expect(await reach(tab.client, ({ status }) => status === "ready")).toMatchObject({
		wasPending: true,
		profile: { status: "active", globalRoles: ["rider"] },
	});
});
