import { openPool } from "@lango/postgres";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { registerPaybill, registerTenant } from "./console-tenant.ts";
import { type ConsoleStand, faultsInThemes, openConsole, signIn } from "./console-visit.ts";

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
	await registerPaybill(stand);
}, 300_000);
afterAll(() => stand?.close());

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Lets the period that a tenant has paid end now: wallets and the treasury live in real time. */
async function endPeriod(tenantId: string): Promise<void> {
	const url = new URL(stand.databaseUrl);
	url.pathname = "/subscriptions";
	const db = openPool({ url: url.toString(), name: "journey", sizeMax: 1 });
	const dates = [
		...["trial_started_at", "trial_ends_at", "period_started_at", "period_ends_at"],
		...["expires_at", "grace_until", "anchor_at"],
	];
	try {
		const rows = await db.query(
			`update subscriptions set ${dates.map((name) => `${name} = ${name} - (period_ends_at - now())`).join(", ")}
			  where tenant_id = $1 and period_ends_at is not null returning tenant_id`,
			[tenantId],
		);
		expect(rows).toHaveLength(1);
	} finally {
		await db.close();
	}
}

/** Answers the prompt on a phone of the sandbox with the PIN. */
const accept = (phones: Page, phone: string) =>
	phones
		.getByRole("region", { name: new RegExp(phone) })
		.getByRole("button", { name: "Enter PIN and accept" })
		.click();

/** Opens the address again until the page shows something. */
const reachesPage = (page: Page, address: string, shown: Locator) =>
	expect
		.poll(
			async () => {
				await page.goto(address);
				return shown.waitFor({ timeout: 5_000 }).then(
					() => true,
					() => false,
				);
			},
			{ ...patience, timeout: 60_000 },
		)
		.toBe(true);

test("a renewal is paid by a standing order that was executed before the asking, once its payer has consented on the phone", async () => {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await tenant.ask("POST", "/checkout", { plan: "GROWTH" });
	await stand.visit(async (page, window) => {
		const bills = `${stand.urls.console}/${tenant.slug}/bills`;
		await page.goto(bills);
		await signIn(page, tenant.email);
		await page.getByRole("link", { name: /^Open Subscription/ }).click();
		const phones = await window.newPage();
		await phones.goto(stand.urls["mobile-money-sandbox"]);
		await page.getByLabel("Phone that pays").fill("0712 345 679");
		await press(page, "Ask the phone to pay");
		await accept(phones, "254712345679");
		await page.getByText("This bill is paid. Thank you.").waitFor();
		await tenant.reaches("", ({ status }) => status === "ACTIVE");
		await endPeriod(tenant.id);

		await page.goto(bills);
		await page.getByLabel("A standing order of mobile money").check();
		await press(page, "Save");
		await page.getByRole("alert").getByText("Enter the number of the phone that is asked.").waitFor();
		await page.getByLabel("Phone that is asked").fill("0712 345 681");
		await press(page, "Save");
		await page.getByText("The method is saved.").waitFor();
		await accept(phones, "254712345681");
		expect(await faultsInThemes(page)).toEqual([]);
		const credit = page.getByText("Your credit is Ksh 4,500.00. It pays the next bill.");
		const renewal = page.getByRole("row", { name: /Renewal of the subscription.*Paid.*4,500.00/ });
		await reachesPage(page, bills, credit);
		expect(await renewal.count()).toBe(0);
		await tenant.daysPass(1);
		await reachesPage(page, bills, renewal);
		expect(await credit.count()).toBe(0);
		expect(await faultsInThemes(page)).toEqual([]);
		await tenant.reaches("", ({ status }) => status === "ACTIVE");
	});
});

test("a payer consents to a standing order of a tenant, whose wallet pays it; the tenant stops it", async () => {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	// A paybill of the sandbox that no demo tenant has.
	const initiator = { initiator_name: "sandbox-initiator", initiator_password: "Sandbox-2026!" };
	await tenant.collects("PUT", "/gateway", { shortcode: "600500", kind: "paybill", ...initiator });
	await tenant.collects("POST", "/mobile-money/urls");
	await stand.visit(async (page, window) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}/standing-orders`);
		await signIn(page, tenant.email);
		await page.getByText("There are no standing orders yet.").waitFor();
		await press(page, "Request standing order");
		const dialog = page.getByRole("dialog");
		await press(page, "Request");
		for (const says of [
			"Enter a Kenyan mobile number",
			"Enter an amount in whole shillings",
			"Enter a last day",
		])
			await dialog.getByRole("alert").getByText(says).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await dialog.getByLabel("Phone of the payer").fill("0712 345 682");
		await dialog.getByLabel("Amount in KES").fill("1500");
		const lastDay = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
		await dialog.getByLabel("Last day").fill(lastDay);
		await dialog.getByLabel("What it is for").fill("School fees");
		const phones = await window.newPage();
		await phones.goto(stand.urls["mobile-money-sandbox"]);
		await press(page, "Request");
		await page.getByRole("row", { name: /School fees.*Waiting for consent.*every month/ }).waitFor();
		await accept(phones, "254712345682");
		const active = page.getByRole("row", { name: /School fees.*Active.*Ksh 1,500.00/ });
		await active.waitFor();
		for (const width of [390, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			expect(await faultsInThemes(page)).toEqual([]);
		}
		await active.getByRole("button", { name: /^Stop the standing order of/ }).click();
		await press(page, "Stop it here");
		await page.getByRole("row", { name: /School fees.*Stopped/ }).waitFor();
		await page.getByRole("link", { name: "Payments", exact: true }).click();
		await page.getByRole("row", { name: /School fees.*Paid.*1,500.00/ }).waitFor();
	});
});
