import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { open, tokenOf } from "./console-people-visit.ts";
import { type ConsoleStand, enter, faultsOf, heading, openConsole, openPath } from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
	// A service knows a user from the first visit.
	const answer = await fetch(`${stand.urls.hospital}/api/v1/uhai/hospital/auth/me`, {
		headers: { authorization: `Bearer ${await tokenOf(stand, "nurse@uhai.example")}` },
	});
	expect(answer.status).toBe(200);
});
afterAll(() => stand?.close());
const visit: ConsoleStand["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

test("the audit trail shows the actor and the change, can be filtered by it, and shows before and after", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Outlets");
		await page.getByRole("button", { name: "Change Ward Block" }).click();
		await dialog(page).getByLabel("Name").fill("Ward Block A");
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await page.getByText("Ward Block A was changed.").waitFor();
		await open(page, "Audit log");
		await page.getByLabel("Kind", { exact: true }).selectOption("Organisation and outlets");
		const row = rowOf(page, "Ward Block A");
		await row.getByRole("button", { name: "Show only: You" }).first().waitFor();
		await row
			.getByRole("button", { name: /^Details: An outlet was changed/ })
			.first()
			.click();
		await dialog(page).getByText("Before: Ward Block", { exact: true }).waitFor();
		await dialog(page).getByText("After: Ward Block A", { exact: true }).waitFor();
		await dialog(page).getByRole("button", { name: "Close" }).click();
		await page.getByLabel("Person", { exact: true }).selectOption("Njeri Kamau");
		await page.getByText("No results.").waitFor();
		await page.reload();
		await page.getByText("No results.").waitFor();
		await page.getByRole("button", { name: "Remove filters" }).click();
		await row.first().waitFor();
		await row.first().getByRole("button", { name: "Show only: You" }).click();
		await page.getByRole("button", { name: "Remove filters" }).waitFor();
		expect(await page.getByLabel("Person", { exact: true }).locator("option:checked").textContent()).toBe(
			"Asha Mwangi",
		);
		await page.getByLabel("To date").fill("2020-01-01");
		await page.getByText("No results.").waitFor();
	}));

test("sign-ins, changes in services and those of the plan are in one audit trail, newest first", () =>
	visit(async (page) => {
		const token = await tokenOf(stand, admin.email);
		const made = await fetch(`${stand.urls.hospital}/api/v1/uhai/hospital/roles`, {
			method: "POST",
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
			body: JSON.stringify({ code: "porter", permissions: [] }),
		});
		expect(made.status).toBe(201);
		const { tenant_id: tenantId } = JSON.parse(
			Buffer.from(token.split(".")[1] ?? "", "base64url").toString(),
		) as { tenant_id: string };
		const selected = await fetch(
			`${stand.urls.subscriptions}/api/v1/tenants/${tenantId}/subscription/cancel`,
			{ method: "POST", headers: { authorization: `Bearer ${token}` } },
		);
		expect(selected.status).toBe(200);
		await enter(page, at("/uhai"), admin);
		await open(page, "Audit log");
		await rowOf(page, "A role was created").filter({ hasText: "porter" }).waitFor();
		await rowOf(page, "The subscription was cancelled").first().waitFor();
		await rowOf(page, "A person signed in").first().waitFor();
		const whats = await page.locator("tbody tr").allTextContents();
		const placeOf = (text: string) => whats.findIndex((what) => what.includes(text));
		expect(placeOf("A person signed in")).toBeLessThan(placeOf("The subscription was cancelled"));
		expect(placeOf("The subscription was cancelled")).toBeLessThan(placeOf("porter"));
		await page.getByLabel("Kind", { exact: true }).selectOption("Sign-ins and passwords");
		await expect.poll(() => rowOf(page, "porter").count(), patience).toBe(0);
		await rowOf(page, "A person signed in").first().waitFor();
		await page.getByLabel("Kind", { exact: true }).selectOption("All kinds");
		await page.getByLabel("Where", { exact: true }).selectOption("Hospital");
		await rowOf(page, "A role was created")
			.filter({ hasText: "porter" })
			.getByRole("button", { name: "Show only: You" })
			.waitFor();
		await expect.poll(() => rowOf(page, "A person signed in").count(), patience).toBe(0);
	}));

test("the audit trail is exported as CSV and NDJSON as it is filtered", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await openPath(page, "/uhai/audit?kind=signIns");
		await rowOf(page, "A person signed in").first().waitFor();
		const csv = await savedBy(page, "Export as CSV");
		expect(csv.name).toBe("uhai-audit.csv");
		expect(csv.text).toMatch(/^at,source,action,[^\n]*\r\n[^\n]*,auth,session\.started,/);
		const { text } = await savedBy(page, "Export as NDJSON");
		const entries = text
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(entries[0]).toMatchObject({ source: "auth", action: "session.started", actor: "Asha Mwangi" });
	}));

/** The file that a button saves. */
async function savedBy(page: Page, name: string): Promise<{ name: string; text: string }> {
	const saved = page.waitForEvent("download");
	await page.getByRole("button", { name }).click();
	const download = await saved;
	const chunks: Buffer[] = [];
	for await (const chunk of await download.createReadStream()) chunks.push(chunk);
	return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
}

test("a visit of the platform owner is one row, also if others act meanwhile, and one line of each export", async () => {
	await visit(async (page) => {
		await enter(page, at("/lango"), { email: "root@lango.example" });
		for (const [path, name] of [
			["/uhai/people", "People"],
			["/uhai/outlets", "Outlets"],
		] as const) {
			await openPath(page, path);
			await heading(page, name).waitFor();
		}
		await letNurseMakeRole("day_porter");
		await openPath(page, "/uhai/access/hospital");
		await page
			.getByText(/day.porter/i)
			.first()
			.waitFor();
	});
	await visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Audit log");
		await rowOf(page, "day_porter").waitFor();
		const visits = rowOf(page, "accessed");
		expect(await visits.count()).toBe(1);
		await visits.filter({ hasText: /(?:[3-9]|\d\d) requests/ }).waitFor();
		for (const file of ["Export as CSV", "Export as NDJSON"]) {
			const { text } = await savedBy(page, file);
			expect(text.split("\n").filter((line) => line.includes("access.passed"))).toHaveLength(1);
		}
	});
});

test("a visit of the platform owner across the edge of a page is one row, and the range counts rows", async () => {
	const owner = { authorization: `Bearer ${await tokenOf(stand, "root@lango.example")}` };
	const admins = {
		authorization: `Bearer ${await tokenOf(stand, admin.email)}`,
		"content-type": "application/json",
	};
	for (let index = 0; index < 60; index += 1) {
		const passed = await fetch(`${stand.urls.auth}/api/v1/tenants/uhai/members`, { headers: owner });
		expect(passed.status).toBe(200);
		const body = JSON.stringify({ code: `porter_${index}`, permissions: [] });
		const roles = `${stand.urls.hospital}/api/v1/uhai/hospital/roles`;
		const made = await fetch(roles, { method: "POST", headers: admins, body });
		expect(made.status).toBe(201);
	}
	await visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Audit log");
		const visits = rowOf(page, "accessed").filter({ hasText: /\d\d+ requests/ });
		await visits.waitFor();
		await page.getByText(/^1–50/).waitFor();
		expect(await rowOf(page, "accessed").count()).toBe(1);
		const [count] = /\d+(?= requests)/.exec((await visits.textContent()) ?? "") ?? [];
		expect(Number(count)).toBeGreaterThanOrEqual(60);
		await page.getByRole("button", { name: "Next page" }).click();
		await page.getByText(/^51–/).waitFor();
		await rowOf(page, "porter_0").waitFor();
		expect(await rowOf(page, "accessed").count()).toBe(0);
	});
});

test("people in the audit trail of a service have their names however many the organisation has, and who is gone the beginning of their id", () =>
	visit(async (page) => {
		await letNurseMakeRole("night_porter");
		await enter(page, at("/uhai"), admin);
		let isGone = false;
		const headers = { "access-control-allow-origin": stand.urls.console };
		// A first page of others before the one that there is.
		await page.route(/\/members\?/, (route) => {
			const url = new URL(route.request().url());
			const isFirst = !url.searchParams.has("cursor");
			url.searchParams.delete("cursor");
			if (!isFirst && !isGone) return route.continue({ url: url.href });
			return route.fulfill({ headers, json: { items: [], next_cursor: isFirst ? "later" : null } });
		});
		const made = rowOf(page, "night_porter");
		await openAuditLogOfHospital(page);
		await made.getByRole("button", { name: "Show only: Njeri Kamau" }).waitFor();
		isGone = true;
		await page.reload();
		await openAuditLogOfHospital(page);
		await made.getByText(/^Unknown person [0-9a-f]{8}$/).waitFor();
		expect(await faultsOf(page)).toEqual([]);
	}));

/** Makes somebody who works at the wards an administrator of the hospital's access, and a role by them. */
async function letNurseMakeRole(code: string): Promise<void> {
	const roles = `${stand.urls.hospital}/api/v1/uhai/hospital/roles`;
	const post = async (email: string, address: string, body: object) => {
		const answer = await fetch(address, {
			method: "POST",
			headers: { authorization: `Bearer ${await tokenOf(stand, email)}`, "content-type": "application/json" },
			body: JSON.stringify(body),
		});
		expect(answer.status).toBe(201);
	};
	const members = await fetch(`${stand.urls.auth}/api/v1/tenants/uhai/members?q=nurse`, {
		headers: { authorization: `Bearer ${await tokenOf(stand, admin.email)}` },
	});
	const { items } = (await members.json()) as { items: Array<{ user_id: string }> };
	const nurse = { user_id: items[0]?.user_id, outlet_id: null, expires_at: null };
	await post(admin.email, `${roles}/hospital_admin/assignments`, nurse);
	await post("nurse@uhai.example", roles, { code, permissions: [] });
}

async function openAuditLogOfHospital(page: Page): Promise<void> {
	await open(page, "Audit log");
	await page.getByLabel("Where", { exact: true }).selectOption("Hospital");
}
