import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { askToJoin, namesIn, open, tokenOf } from "./console-people-visit.ts";
import { registerTenant } from "./console-tenant.ts";
import {
	type ConsoleStand,
	enter,
	faultsInThemes,
	faultsOf,
	heading,
	openConsole,
	openPath,
	signIn,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
	// A service knows a user from the first visit.
	await visitHospital("nurse@uhai.example");
	await askToJoin(stand, "uhai", "Baraka Okoth");
});
afterAll(() => stand?.close());
const visit: ConsoleStand["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function visitHospital(email: string): Promise<string[]> {
	const answer = await fetch(`${stand.urls.hospital}/api/v1/uhai/hospital/auth/me`, {
		headers: { authorization: `Bearer ${await tokenOf(stand, email)}` },
	});
	expect(answer.status).toBe(200);
	const { permissions } = (await answer.json()) as { permissions: string[] };
	return permissions;
}

async function openHospital(page: Page): Promise<void> {
	await open(page, "Roles in services");
	await heading(page, "Roles in services").waitFor();
	await page.getByRole("link", { name: "Roles and people of Hospital" }).click();
	await heading(page, "Roles: Hospital").waitFor();
}

test("a service the plan does not include is marked in the list, leads to the plans, and shows nothing at its address", () =>
	visit(async (page) => {
		await page.goto(at("/kahawa/access"));
		await signIn(page, "owner@kahawa.example");
		await heading(page, "Roles in services").waitFor();
		await page.getByRole("link", { name: "Roles and people of Ordering" }).waitFor();
		await page.getByRole("link", { name: "Roles and people of Point of sale" }).waitFor();
		// No product has its name, so that no plan can lack it.
		await page.getByRole("link", { name: "Roles and people of Projects" }).waitFor();
		await page.getByText("Hospital is not part of your organisation’s plan.").waitFor();
		expect(await page.getByRole("link", { name: "Roles and people of Hospital" }).count()).toBe(0);
		expect(await faultsOf(page)).toEqual([]);

		const asked: string[] = [];
		page.on("request", (request) => asked.push(request.url()));
		await page.goto(at("/kahawa/access/hospital/people"));
		await heading(page, "Your plan does not include this").waitFor();
		expect(asked.filter((url) => url.startsWith(stand.urls.hospital))).toEqual([]);
		expect(await faultsOf(page)).toEqual([]);
		await page.getByRole("link", { name: "View plans" }).click();
		await heading(page, "Subscription").waitFor();

		await openPath(page, "/kahawa/access");
		await page.getByRole("link", { name: "View plans: Hospital" }).click();
		await heading(page, "Subscription").waitFor();
	}));

test("a role of one's own is made, assigned at once, changed, taken back and deleted", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await openHospital(page);
		await page.getByRole("button", { name: "Create a role" }).click();
		await dialog(page).getByLabel("Name").fill("Night pharmacist");
		await dialog(page).getByText("Its code is night_pharmacist.").waitFor();
		await dialog(page).getByLabel("Description").fill("Works in the pharmacy at night");
		await dialog(page)
			.getByRole("checkbox", { name: /^Settings: see/ })
			.check();
		await dialog(page).getByRole("button", { name: "Create a role" }).click();
		await page.getByText("The role Night pharmacist was created.").waitFor();
		await rowOf(page, "Night pharmacist").getByText("Your organisation").waitFor();
		await page.getByRole("link", { name: "Open the role Night pharmacist" }).click();
		await heading(page, "Night pharmacist").waitFor();
		await page.getByText("This role is not assigned to anyone.").waitFor();

		await page.getByRole("button", { name: "Assign" }).click();
		await dialog(page).getByRole("button", { name: "Assign" }).click();
		await dialog(page).getByRole("alert").getByText("Choose a person.").waitFor();
		await dialog(page).getByRole("searchbox").fill("njeri");
		await dialog(page)
			.getByRole("radio", { name: /^Njeri Kamau/ })
			.check();
		await dialog(page).getByLabel("Last day").fill("2020-01-01");
		await dialog(page).getByRole("button", { name: "Assign" }).click();
		await dialog(page).getByRole("alert").getByText("Choose a future date, or leave it empty.").waitFor();
		await dialog(page).getByLabel("Last day").fill("");
		await dialog(page).getByRole("button", { name: "Assign" }).click();
		await page.getByText("Njeri Kamau has the role Night pharmacist.").waitFor();
		const njeri = rowOf(page, "Njeri Kamau");
		await njeri.getByText("The whole organisation").waitFor();
		expect(await visitHospital("nurse@uhai.example")).toEqual(["hospital.config.view"]);

		await page.getByRole("button", { name: "Delete" }).click();
		await dialog(page).getByRole("button", { name: "Delete" }).click();
		await dialog(page).getByText("This role is still assigned. Revoke it first.").waitFor();
		await dialog(page).getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Change", exact: true }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Audit log: see/ })
			.check();
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await page.getByText("The role Night pharmacist was changed.").waitFor();
		await expect
			.poll(() => visitHospital("nurse@uhai.example"), patience)
			.toEqual(expect.arrayContaining(["hospital.audit.view", "hospital.config.view"]));

		await njeri.getByRole("button", { name: "Revoke from Njeri Kamau" }).click();
		await dialog(page).getByRole("button", { name: "Revoke" }).click();
		await page.getByText("Njeri Kamau no longer has the role.").waitFor();
		await page.getByText("This role is not assigned to anyone.").waitFor();
		await page.getByRole("button", { name: "Delete" }).click();
		await dialog(page).getByRole("button", { name: "Delete" }).click();
		await page.getByText("The role Night pharmacist was deleted.").waitFor();
		await heading(page, "Roles: Hospital").waitFor();
		await expect.poll(() => rowOf(page, "Night pharmacist").count(), patience).toBe(0);
	}));

test("where there are many outlets the one at which a role counts is searched, and stays while another is looked for", () =>
	visit(async (page) => {
		const headers = { "access-control-allow-origin": stand.urls.console };
		await page.route(/\/tenants\/uhai\/outlets$/, async (route) => {
			const few = await (await route.fetch()).json();
			const stalls = Array.from({ length: 30 }, (_, number) => ({
				...few[0],
				...{ id: crypto.randomUUID(), code: `STALL-${number}`, name: `Stall ${number}`, is_hq: false },
			}));
			await route.fulfill({ headers, json: [...few, ...stalls] });
		});
		await page.setViewportSize({ width: 360, height: 740 });
		await enter(page, at("/uhai"), admin);
		await openHospital(page);
		await page.getByRole("link", { name: "Open the role Viewer" }).click();
		await page.getByRole("button", { name: "Assign" }).click();
		const where = dialog(page).getByLabel("Applies to");
		const offered = () => where.getByRole("option").allTextContents();
		await expect.poll(async () => (await offered()).length, patience).toBe(34);
		const search = dialog(page).getByRole("searchbox", { name: "Search outlets by name or code" });
		await search.fill("ward");
		await expect.poll(offered, patience).toEqual(["The whole organisation", "Ward Block"]);
		await where.selectOption("Ward Block");
		await search.fill("STALL-17");
		await expect.poll(offered, patience).toEqual(["The whole organisation", "Ward Block", "Stall 17"]);
		expect(await where.locator("option:checked").textContent()).toBe("Ward Block");
		expect(await faultsInThemes(page)).toEqual([]);
		await dialog(page)
			.getByRole("radio", { name: /^Njeri Kamau/ })
			.check();
		await dialog(page).getByRole("button", { name: "Assign" }).click();
		await page.getByText("Njeri Kamau has the role Viewer.").waitFor();
		await rowOf(page, "Njeri Kamau").getByText("Ward Block").waitFor();
	}));

test("a person who was found by a search is still chosen after a reload", () =>
	visit(async (page) => {
		const headers = { "access-control-allow-origin": stand.urls.console };
		// More people than a search shows at first.
		await page.route(/\/users\?(?!.*\bq=)/, (route) =>
			route.request().method() === "GET"
				? route.fulfill({ headers, json: { items: [], next_cursor: null } })
				: route.fallback(),
		);
		await enter(page, at("/uhai"), admin);
		await openHospital(page);
		await page.getByRole("link", { name: "Open the role Viewer" }).click();
		const njeri = dialog(page).getByRole("radio", { name: /^Njeri Kamau/ });
		const assign = () => page.getByRole("button", { name: "Assign" }).click();
		await assign();
		await dialog(page).getByText("No results.").waitFor();
		expect(await njeri.count()).toBe(0);
		await dialog(page).getByRole("searchbox").fill("njeri");
		await njeri.check();
		page.once("dialog", (asked) => void asked.accept());
		await page.reload();
		await heading(page, "Viewer").waitFor();
		await assign();
		await expect.poll(() => njeri.isChecked(), patience).toBe(true);
		await page.keyboard.press("Escape");
		await page.getByRole("dialog", { name: "Discard what you entered?" }).waitFor();
	}));

test("a role that comes with the service is not changed, and a first role is not taken back", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await openHospital(page);
		await page.getByRole("link", { name: "Open the role Administrator" }).click();
		await heading(page, "Administrator").waitFor();
		await rowOf(page, "Asha Mwangi").getByText("First role").waitFor();
		expect(await page.getByRole("button", { name: /^Revoke from/ }).count()).toBe(0);
		expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
	}));

test("in a tenant with one outlet, which is selected by itself, who has a role in the whole tenant is listed", () =>
	visit(async (page) => {
		const tenant = await registerTenant(stand, { plan: "PROFESSIONAL" });
		await enter(page, at(`/${tenant.slug}`), tenant);
		await openHospital(page);
		await page.getByRole("link", { name: "Open the role Administrator" }).click();
		await heading(page, "Administrator").waitFor();
		await rowOf(page, "Amina Soko").getByText("The whole organisation").waitFor();
	}));

test("the people of a service are found, and their roles lead to what those grant", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await openHospital(page);
		await page
			.getByRole("navigation", { name: "Parts of this page" })
			.getByRole("link", { name: "People" })
			.click();
		await page.getByRole("searchbox", { name: "Search people by name or e-mail" }).fill("NURSE@");
		await expect.poll(() => namesIn(page), patience).toEqual(["Njeri Kamau"]);
		await page.getByRole("link", { name: "Operator" }).click();
		await heading(page, "Operator").waitFor();
		await page.getByText("This role grants no permissions yet.").waitFor();
	}));

test("without permission for a service's roles a message is shown, and an unknown service is not found", () =>
	visit(async (page) => {
		await page.goto(at("/uhai/access/hospital"));
		await signIn(page, "pharm@uhai.example");
		await heading(page, "You don’t have access").waitFor();
		await openPath(page, "/uhai/access/laundry");
		await heading(page, "Page not found").waitFor();
	}));

test("a person who leaves the page during an action stays where they went, and learns that it is done", () =>
	visit(async (page) => {
		const token = await tokenOf(stand, admin.email);
		const made = await fetch(`${stand.urls.hospital}/api/v1/uhai/hospital/roles`, {
			method: "POST",
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
			body: JSON.stringify({ code: "day_guide", permissions: [] }),
		});
		expect(made.status).toBe(201);
		const held = Promise.withResolvers<void>();
		await page.route(/\/roles\/day_guide$/, async (route) => {
			if (route.request().method() === "DELETE") await held.promise;
			await route.continue();
		});
		await enter(page, at("/uhai"), admin);
		await openHospital(page);
		await page.getByRole("searchbox", { name: "Search roles by name or description" }).fill("day_gui");
		await expect.poll(() => page.getByRole("row").count(), patience).toBe(2);
		await page.getByRole("link", { name: /^Open the role Day guide/i }).click();
		await page.getByRole("button", { name: "Delete" }).click();
		await dialog(page).getByRole("button", { name: "Delete" }).click();
		await page.goBack();
		await page.goBack();
		await heading(page, "Roles in services").waitFor();
		held.resolve();
		await page.getByText("The role Day guide was deleted.").waitFor();
		await heading(page, "Roles in services").waitFor();
	}));
