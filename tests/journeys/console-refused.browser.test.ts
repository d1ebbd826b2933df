import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { open, tokenOf } from "./console-people-visit.ts";
import { enter, faultsOf, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };
const pharmacist = { email: "pharm@uhai.example" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");

/** Gives somebody of the hospital other roles, as its administrator. */
async function giveRoles(name: string, roles: string[]): Promise<void> {
	const members = `${stand.urls.auth}/api/v1/tenants/uhai/members`;
	const headers = {
		authorization: `Bearer ${await tokenOf(stand, admin.email)}`,
		"content-type": "application/json",
	};
	const { items } = (await (await fetch(members, { headers })).json()) as {
		items: Array<{ user_id: string; name: string }>;
	};
	const id = items.find((member) => member.name === name)?.user_id;
	const body = JSON.stringify({ roles });
	const answer = await fetch(`${members}/${id}/roles`, { method: "PUT", headers, body });
	expect(answer.status).toBeLessThan(300);
}

test("a page whose permission was revoked leads to the unauthorized page, and opens again when it is granted", () =>
	stand.visit(async (page) => {
		await giveRoles("Peter Barasa", ["staff", "admin"]);
		await enter(page, at("/uhai"), pharmacist);
		await giveRoles("Peter Barasa", ["staff"]);
		await open(page, "Audit log");
		await heading(page, "You don’t have access").waitFor();
		expect(page.url()).toBe(at("/uhai/audit"));
		expect(await faultsOf(page)).toEqual([]);
		await giveRoles("Peter Barasa", ["staff", "admin"]);
		await open(page, "Overview");
		await heading(page, "Overview").waitFor();
		await open(page, "Audit log");
		await page.getByRole("table", { name: "Audit log" }).waitFor();
		await giveRoles("Peter Barasa", ["staff"]);
	}));

test("a refused action says so in its dialog, which stays open", () =>
	stand.visit(async (page) => {
		await giveRoles("Peter Barasa", ["staff", "admin"]);
		await enter(page, at("/uhai"), pharmacist);
		await open(page, "People");
		await page.getByRole("button", { name: "Change Njeri Kamau" }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Receptionist/ })
			.check();
		await giveRoles("Peter Barasa", ["staff"]);
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await dialog(page).getByText("You don’t have permission to do this.").waitFor();
		await heading(page, "People").waitFor();
	}));

test("the audit trail is without services that one may not read, and names those that do not answer", () =>
	stand.visit(async (page) => {
		const headers = { "access-control-allow-origin": stand.urls.console };
		let status = 403;
		await page.route(/\/hospital\/audit\?/, (route) =>
			route.fulfill({ status, headers, json: { error: "Not allowed.", code: "forbidden" } }),
		);
		await enter(page, at("/uhai"), admin);
		await open(page, "Audit log");
		const entries = page.getByRole("table", { name: "Audit log" });
		await entries.waitFor();
		expect(await page.getByText("did not answer").count()).toBe(0);
		const where = page.getByLabel("Where", { exact: true });
		await where.selectOption("Hospital");
		await page.getByRole("alert").getByText("You don’t have permission to do this.").waitFor();
		await heading(page, "Audit log").waitFor();
		expect(await entries.count()).toBe(0);
		status = 503;
		await page.goto(at("/uhai/audit"));
		await page.getByText("Without the entries of: Hospital.").waitFor();
		await entries.waitFor();
		await page.getByRole("button", { name: "Export as CSV" }).click();
		await page.getByRole("alert").getByText("Nothing was exported").waitFor();
		expect(await faultsOf(page)).toEqual([]);
	}));

test("a refused renewal of the session ends in a page that says so, and not in another sign-in", () =>
	stand.visit(async (page) => {
		const headers = {
			"access-control-allow-origin": stand.urls.console,
			"access-control-allow-credentials": "true",
		};
		await enter(page, at("/uhai"), admin);
		await page.route(/\/members\?/, (route) =>
			route.fulfill({ status: 403, headers, json: { error: "Pending.", code: "account_pending" } }),
		);
		await page.route(/\/auth\/(refresh|resume)$/, (route) =>
			route.fulfill({ status: 401, headers, json: { error: "Ended.", code: "invalid_grant" } }),
		);
		await open(page, "People");
		await heading(page, "You are signed out").waitFor();
		expect(page.url()).toBe(at("/uhai/people"));
		expect(await page.evaluate("sessionStorage.getItem('console-selected-outlet-id')")).toBeNull();
		expect(await faultsOf(page)).toEqual([]);
	}));

test("a person whose approval is withdrawn sees the pending page mid-work, and their profile within 15 seconds of the approval", () =>
	stand.visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		const headers = { "access-control-allow-origin": stand.urls.console };
		let status = "pending_review";
		await page.route(/\/members\?/, async (route) => {
			const json = { error: "Your access is waiting for approval.", code: "account_pending" };
			if (status === "active") await route.continue();
			else await route.fulfill({ status: 403, headers, json });
		});
		await page.route(/\/api\/v1\/auth\/me$/, async (route) => {
			const answer = await route.fetch();
			await route.fulfill({ response: answer, json: { ...(await answer.json()), status } });
		});
		await page.clock.install();
		await open(page, "People");
		await heading(page, "Waiting for approval").waitFor();
		await page.waitForURL(at("/uhai/pending?next=%2Fuhai%2Fpeople"));
		await page.getByRole("navigation").waitFor({ state: "detached" });
		await heading(page, "Waiting for approval").waitFor();
		status = "active";
		await page.clock.fastForward(15_000);
		await heading(page, "Your profile").waitFor();
		expect(page.url()).toBe(at("/uhai/profile?next=%2Fuhai%2Fpeople"));
	}));
