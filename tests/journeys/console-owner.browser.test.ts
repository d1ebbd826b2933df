import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enterAsOwner, letJobsDie, letOneWait, publishInvalidEvents } from "./console-owner-visit.ts";
import {
	type ConsoleStand,
	confirmByName,
	enter,
	faultsInThemes,
	heading,
	openConsole,
	signIn,
} from "./console-visit.ts";

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
});
afterAll(() => stand?.close());
const at = (path: string) => `${stand.urls.console}${path}`;
const inPage = (name: string, look: (page: Page) => Promise<void>) =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, name);
		await look(page);
	});
const question = (page: Page) => page.getByRole("dialog");

test("only the platform's owner finds the platform's pages or opens one by its address", () =>
	stand.visit(async (page) => {
		await enter(page, at("/uhai"), { email: "admin@uhai.example" });
		expect(await page.getByRole("link", { name: "Signing keys" }).count()).toBe(0);
		const asked: string[] = [];
		page.on("request", (request) => asked.push(request.url()));
		await page.goto(at("/uhai/platform/keys"));
		await heading(page, "You don’t have access").waitFor();
		expect(asked.filter((url) => url.includes("/api/v1/admin/"))).toEqual([]);
	}));

test("the platform's pages stand below the owner's own tenant, whichever is open, and no tenant headers are sent", () =>
	inPage("Organisations", async (page) => {
		const sent: string[] = [];
		page.on("request", (request) => {
			const { "x-tenant-id": id, "x-tenant-slug": slug } = request.headers();
			if (id !== undefined || slug !== undefined) sent.push(request.url());
		});
		await page.goto(at("/uhai"));
		await page.getByText("You are viewing this organisation as the platform owner.").waitFor();
		for (const name of [
			"Plans and add-ons",
			"Applications",
			"Signing keys",
			"Failed events and jobs",
			"Organisations",
		]) {
			await page.getByRole("link", { name, exact: true }).click();
			await heading(page, name).waitFor();
		}
		expect(page.url()).toBe(at("/lango/platform/tenants"));
		await page.goto(at("/uhai/platform/failures?service=hospital"));
		await heading(page, "Failed events and jobs").waitFor();
		await expect.poll(() => page.url(), patience).toBe(at("/lango/platform/failures?service=hospital"));
		expect(sent).toEqual([]);
	}));

test("organisations are found by name and by status; one is suspended after a question, and let go on", () =>
	inPage("Organisations", async (page) => {
		const rows = page.getByRole("row");
		await page.getByRole("link", { name: "Duka Mart" }).waitFor();
		await page.getByRole("searchbox").fill("KAHAWA");
		await expect.poll(() => rows.count(), patience).toBe(2);
		await page.getByRole("link", { name: "Kahawa Café" }).click();
		await heading(page, "Kahawa Café").waitFor();
		await page.goBack();
		await expect.poll(() => page.getByRole("searchbox").inputValue(), patience).toBe("KAHAWA");
		await page.getByRole("link", { name: "Kahawa Café" }).click();

		await page.getByRole("button", { name: "Suspend" }).click();
		await question(page).getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Suspend" }).click();
		await question(page).getByRole("button", { name: "Suspend organisation" }).click();
		await page.getByText("Kahawa Café was suspended.").waitFor();
		await stand.visit(async (other) => {
			await other.goto(at("/kahawa"));
			await signIn(other, "owner@kahawa.example");
			await other.getByRole("alert").getByText("This organisation is suspended.").waitFor();
		});

		await page.getByRole("link", { name: "Organisations" }).first().click();
		await page.getByLabel("Status").selectOption({ label: "Suspended" });
		await expect.poll(() => rows.count(), patience).toBe(2);
		await page.getByRole("link", { name: "Kahawa Café" }).click();
		await page.getByRole("button", { name: "Reactivate" }).click();
		await question(page).getByRole("button", { name: "Reactivate" }).click();
		await page.getByText("Kahawa Café was reactivated.").waitFor();
		await page.getByRole("button", { name: "Suspend" }).waitFor();
	}));

test("an extension for an expired organisation applies at once and is in the record with its reason", () =>
	inPage("Organisations", async (page) => {
		await page.getByRole("link", { name: "Duka Mart" }).click();
		await page.getByText("Expired", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Extend subscription" }).click();
		const form = question(page);
		await form.getByLabel("Days").fill("400");
		await form.getByLabel("Reason").fill("The payment came by bank");
		await form.getByRole("button", { name: "Extend" }).click();
		await form.getByRole("alert").getByText("from 1 to 366").waitFor();
		await form.getByLabel("Days").fill("10");
		await form.getByRole("button", { name: "Extend" }).click();
		await page.getByText("The subscription was extended.").waitFor();
		await page.getByText("Active", { exact: true }).nth(1).waitFor();
		const line = page.getByRole("row", { name: /The subscription was extended/ });
		await line.getByText("The payment came by bank").waitFor();
		await line.getByText("You").waitFor();
	}));

test("an organisation is given what its plan does not say, and goes back to its plan", () =>
	inPage("Organisations", async (page) => {
		await page.getByRole("link", { name: "Uhai Hospital" }).click();
		await page.getByText("No overrides: the values of the plan apply.").waitFor();
		await page.getByRole("link", { name: "Set overrides" }).click();
		await heading(page, "Set overrides").waitFor();
		await page.getByLabel("Webhooks").selectOption({ label: "Off" });
		await page.getByLabel("Riders").fill("2.5");
		await page.getByLabel("Reason").fill("A pilot");
		await page.getByRole("button", { name: "Save overrides" }).click();
		await page.getByRole("alert").getByText("Enter a whole number, −1 for no limit").waitFor();
		await page.getByLabel("Riders").fill("-1");
		await page.getByRole("button", { name: "Save overrides" }).click();
		await heading(page, "Uhai Hospital").waitFor();
		await page.getByText("2 values differ from the plan:").waitFor();
		await page.getByText("Webhooks: Off").waitFor();
		await page.getByText("Riders: no limit", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Remove overrides" }).click();
		await question(page).getByRole("button", { name: "Remove overrides" }).click();
		await page.getByText("No overrides: the values of the plan apply.").waitFor();
	}));

test("a plan is made, published, written again from its newest version, and retired", () =>
	inPage("Plans and add-ons", async (page) => {
		await page.getByRole("button", { name: "Create a plan" }).click();
		await question(page).getByLabel("Name").fill("Clinic");
		await question(page).getByLabel("Code").fill("CLINIC");
		await question(page).getByLabel("Position in the list of plans").fill("15");
		await question(page).getByRole("button", { name: "Create a plan" }).click();
		await heading(page, "Clinic").waitFor();
		await page.getByText("There is no version yet").waitFor();

		await page.getByRole("link", { name: "Create the next version" }).click();
		await page.getByLabel("Price").fill("2500.50");
		const orders = page.getByRole("group", { name: "Orders a day" });
		await orders.getByLabel("At most", { exact: true }).fill("50");
		await orders.getByLabel("Charge per unit over the limit").fill("5");
		await page.getByRole("button", { name: "Publish version" }).click();
		await page.getByRole("alert").getByText("Enter the maximum over the limit").waitFor();
		await orders.getByLabel("Maximum over the limit").fill("20");
		await page.getByRole("button", { name: "Publish version" }).click();
		await question(page).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await confirmByName(page, "Clinic", "Publish version 1");
		await page.getByText("Version 1 is published and on offer.").waitFor();
		await page.getByText("Ksh 2,500.50 a month").waitFor();
		await page.getByText("then Ksh 5.00 each, 20 at most").waitFor();

		await page.getByRole("link", { name: "Create the next version" }).click();
		expect(await page.getByLabel("Price").inputValue()).toBe("2500.50");
		await page.getByLabel("Price").fill("3000");
		await page.getByRole("button", { name: "Publish version" }).click();
		await confirmByName(page, "Clinic", "Publish version 2");
		await page.getByText("Existing subscribers only").waitFor();
		await page.getByRole("button", { name: "Retire version 2" }).click();
		await confirmByName(page, "Clinic", "Retire version");
		await page.getByText("Version 2 is retired.").waitFor();
		await page.getByText(/^Retired on/).waitFor();
		await expect.poll(() => page.getByText("On offer", { exact: true }).count(), patience).toBe(1);
		await page.getByRole("link", { name: "Plans and add-ons" }).first().click();
		await page.getByRole("row", { name: /Clinic.*Ksh\s2,500\.50 a month.*1 of 2/ }).waitFor();
	}));

test("an add-on is made and published with products and limits of its own", () =>
	inPage("Plans and add-ons", async (page) => {
		await page.getByRole("button", { name: "Create an add-on" }).click();
		await question(page).getByLabel("Name").fill("More riders");
		await question(page).getByLabel("Code").fill("more_riders");
		await question(page).getByRole("button", { name: "Create an add-on" }).click();
		await heading(page, "More riders").waitFor();
		await page.getByRole("link", { name: "Create the next version" }).click();
		await page.getByLabel("Price").fill("800");
		await page.getByLabel("Logistics").check();
		await page.getByRole("group", { name: "Riders" }).getByLabel("At most").fill("10");
		await page.getByRole("button", { name: "Publish version" }).click();
		await confirmByName(page, "More riders", "Publish version 1");
		await page.getByText("Version 1 is published and on offer.").waitFor();
		await page.getByText("Riders: 10").waitFor();
		await page.getByText("Logistics").last().waitFor();
	}));

test("new keys are asked for, and the key that signed one's own token is revoked without being signed out", () =>
	inPage("Signing keys", async (page) => {
		const revoke = page.getByRole("button", { name: /^Revoke the key/ });
		await expect.poll(() => revoke.count(), patience).toBe(2);
		await page.getByRole("button", { name: "Rotate keys" }).click();
		await question(page).getByRole("button", { name: "Rotate keys" }).click();
		await page.getByText("New keys are published. Rotate again in 11 minutes").waitFor();
		await expect.poll(() => revoke.count(), patience).toBe(4);
		await page.getByRole("button", { name: "Rotate keys" }).click();
		await question(page).getByRole("button", { name: "Rotate keys" }).click();
		await page.getByText("11 minutes after their publication").waitFor();

		const signing = page
			.getByRole("row")
			.filter({ hasText: "ES256" })
			.filter({ hasText: /Active/ });
		const short = (await signing.getByRole("button").getAttribute("aria-label"))?.slice(-12) ?? "";
		await signing.getByRole("button").click();
		await question(page).getByText("Only for emergencies.").waitFor();
		await confirmByName(page, short, "Revoke key");
		await page.getByText(/The key .* was revoked\./).waitFor();
		await expect.poll(() => revoke.count(), patience).toBe(3);
		await page.getByRole("link", { name: "Organisations", exact: true }).click();
		await page.getByRole("link", { name: "Duka Mart" }).waitFor();
	}));

/** Loads the page again until the list has so many rows below its head. */
async function untilRows(page: Page, count: number): Promise<void> {
	const rows = async () => {
		await page.reload();
		await heading(page, "Failed events and jobs").waitFor();
		await page.waitForLoadState("networkidle");
		return Math.max(0, (await letters(page).count()) - 1);
	};
	await expect.poll(rows, { timeout: 20_000 }).toBe(count);
}
const letters = (page: Page) => page.getByRole("table", { name: "Events" }).getByRole("row");

test("events that a service cannot read are shown with what came, tried again all together, and given up", async () => {
	await publishInvalidEvents(stand);
	await inPage("Failed events and jobs", async (page) => {
		await page.getByRole("link", { name: /^Hospital/ }).click();
		await untilRows(page, 2);
		expect(await page.getByRole("link", { name: /^Hospital/ }).textContent()).toContain("2");
		const first = letters(page).nth(1);
		await first.getByText("does not fit its contract").waitFor();
		await first.getByText("Show the event").click();
		await first.getByText('"data": {}').waitFor();
		expect(await faultsInThemes(page)).toEqual([]);

		await page.getByRole("button", { name: "Retry all: events" }).click();
		await question(page).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await question(page).getByRole("button", { name: "Retry all" }).click();
		await page.getByText("2 are being retried.").waitFor();
		await untilRows(page, 2);

		const giveUp = page.getByRole("button", { name: "Discard: tenant.created" });
		for (const left of [1, 0]) {
			await giveUp.first().click();
			await question(page).getByText("This cannot be undone.").waitFor();
			expect(await faultsInThemes(page)).toEqual([]);
			await confirmByName(page, "tenant.created", "Discard event");
			await expect.poll(() => giveUp.count(), patience).toBe(left);
		}
		await page.getByText("There are no failed events.").waitFor();
	});
});

test("an event that is tried again takes with it what waits behind it, in order", async () => {
	await letOneWait(stand);
	await inPage("Failed events and jobs", async (page) => {
		await page.getByRole("link", { name: /^Hospital/ }).click();
		await untilRows(page, 1);
		await letters(page).nth(1).getByText("no space left on device").waitFor();
		await page.getByRole("button", { name: "Retry: tenant.created" }).click();
		await question(page).getByText("The event waiting behind it follows.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await question(page).getByRole("button", { name: "Retry" }).click();
		await page.getByText("The event is being retried.").waitFor();
		await untilRows(page, 0);
		await page.getByText("There are no failed events.").waitFor();
	});
});

test("a job whose last try failed is shown with its reason and put back into its queue", async () => {
	await letJobsDie(stand, ["no disk"]);
	await inPage("Failed events and jobs", async (page) => {
		await page.getByText("no disk").waitFor();
		await page.getByText("3 attempts").waitFor();
		await page.getByRole("button", { name: "Retry: sessions.purge" }).click();
		await question(page).getByRole("button", { name: "Retry" }).click();
		await page.getByText(/The job is in its queue again|Another job already does/).waitFor();
		await page.getByText("There are no failed jobs.").waitFor();
	});
});
