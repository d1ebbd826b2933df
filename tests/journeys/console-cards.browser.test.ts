import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { registerTenant, until } from "./console-tenant.ts";
import { type ConsoleStand, faultsInThemes, heading, openConsole, signIn } from "./console-visit.ts";

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
}, 300_000);
afterAll(() => stand?.close());

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole("dialog");
const cardGateway = () => stand.urls["card-gateway-sandbox"];

/** Reloads a list that does not refresh by itself, until it contains what a service recorded meanwhile. */
async function reloadUntil(page: Page, wanted: Locator): Promise<void> {
	const isListed = async () => {
		await page.reload();
		return wanted.waitFor({ timeout: 5_000 }).then(
			() => true,
			() => false,
		);
	};
	await expect.poll(isListed, patience).toBe(true);
}

/** Moves the clock of the card gateway, which charges what has become due. */
async function gatewayDaysPass(days: number): Promise<void> {
	const answer = await fetch(`${cardGateway()}/_control/clock`, {
		...{ method: "PUT", headers: { "content-type": "application/json" } },
		body: JSON.stringify({ advance_seconds: days * 86_400 }),
	});
	if (!answer.ok) throw new Error(`the clock answered ${answer.status}`);
}

test("a payment page is made and paid by a payer without an account, whose card is then charged by a plan and stopped", async () => {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await stand.visit(async (page, window) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}/payment-pages`);
		await signIn(page, tenant.email);
		await page.getByText("There are no payment pages yet.").waitFor();
		await press(page, "Create a page");
		await press(page, "Create");
		await dialogOf(page).getByRole("alert").getByText("Enter a name.").waitFor();
		await dialogOf(page).getByLabel("Name").fill("School fees");
		await dialogOf(page).getByLabel("Description").fill("Term one");
		await dialogOf(page).getByLabel("Amount in KES").fill("much");
		await press(page, "Create");
		await dialogOf(page).getByRole("alert").getByText("Enter an amount").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await dialogOf(page).getByLabel("Amount in KES").fill("");
		await press(page, "Create");
		await page.getByRole("row", { name: /School fees.*The payer chooses it/ }).waitFor();
		for (const width of [320, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			expect(await faultsInThemes(page)).toEqual([]);
		}

		await press(page, "QR code of School fees");
		await dialogOf(page).getByRole("img", { name: "QR code of the payment page" }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		const file = page.waitForEvent("download");
		await dialogOf(page).getByRole("link", { name: "Download the image" }).click();
		expect((await file).suggestedFilename()).toBe("School fees.svg");
		await dialogOf(page).getByRole("button", { name: "Close" }).click();

		const payer = await window.newPage();
		const link = page.getByRole("row", { name: /School fees/ }).getByRole("link");
		await payer.goto((await link.getAttribute("href")) ?? "");
		await payer.getByLabel("E-mail").fill("parent@example.com");
		await payer.getByLabel("Amount (KES)").fill("1500.50");
		await press(payer, "Continue");
		await payer.getByRole("button", { name: /^Pay / }).click();
		await payer.getByText("Paid. Thank you.").waitFor();
		await payer.close();
		await page.getByRole("link", { name: "Payments", exact: true }).click();
		await reloadUntil(page, page.getByRole("row", { name: /School fees.*Paid.*1,500.50/ }));

		await page.getByRole("link", { name: "Card plans", exact: true }).click();
		await page.getByText("There are no plans yet.").waitFor();
		await press(page, "Create a plan");
		await dialogOf(page).getByLabel("Name").fill("Bus");
		await dialogOf(page).getByLabel("Amount in KES").fill("800");
		await press(page, "Create");
		await page.getByRole("row", { name: /Bus.*every month.*Active.*800.00/ }).waitFor();
		await press(page, "Charge a card by a plan");
		await press(page, "Charge the card");
		await dialogOf(page).getByRole("alert").getByText("Choose a plan.").waitFor();
		await dialogOf(page).getByLabel("Plan").selectOption({ index: 1 });
		await dialogOf(page).getByLabel("Card", { exact: true }).selectOption({ index: 1 });
		expect(await faultsInThemes(page)).toEqual([]);
		await press(page, "Charge the card");
		const charged = page.getByRole("row", { name: /Visa •••• 4081.*Bus.*Active.*800.00/ });
		await charged.waitFor();
		await charged.getByRole("button", { name: /^Stop charging/ }).click();
		await dialogOf(page).getByRole("button", { name: "Stop" }).click();
		await page.getByRole("row", { name: /Bus.*Stopped/ }).waitFor();
		for (const width of [320, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			expect(await faultsInThemes(page)).toEqual([]);
		}
	});
});

test("a card that paid a bill pays the renewal when the paid period ends", async () => {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await tenant.ask("POST", "/checkout", { plan: "GROWTH" });
	await stand.visit(async (page) => {
		const bills = `${stand.urls.console}/${tenant.slug}/bills`;
		await page.goto(bills);
		await signIn(page, tenant.email);
		await page.getByRole("link", { name: /^Open Subscription/ }).click();
		await page.getByLabel("E-mail address for the receipt").fill(tenant.email);
		await press(page, "Pay by card or bank");
		await page.getByRole("button", { name: /^Pay .*4,500/ }).click();
		await page.waitForURL((url) => !url.pathname.startsWith("/checkout"));
		await page.goto(bills);
		await page.getByRole("row", { name: /Subscription.*Paid.*4,500.00/ }).waitFor();

		await page.getByLabel("A card is charged").check();
		await press(page, "Save");
		await page.getByRole("alert").getByText("Choose a card.").waitFor();
		await page.getByLabel("Card", { exact: true }).selectOption({ index: 1 });
		await press(page, "Save");
		await page.getByText("The method is saved.").waitFor();
		await page.getByText(/The card pays Ksh\s4,500\.00 on /).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);

		// The trial ends, and a month later the period that was paid.
		await tenant.daysPass(15);
		await tenant.daysPass(31);
		await page.goto(bills);
		await reloadUntil(page, page.getByRole("link", { name: /^Open Renewal/ }));
		await gatewayDaysPass(46);
		await page.getByRole("row", { name: /Renewal of the subscription.*Paid.*4,500.00/ }).waitFor({
			timeout: 30_000,
		});
		await heading(page, "Bills").waitFor();
	});
	await tenant.reaches("", ({ status }) => status === "ACTIVE");
	await stand.visit((page) => refundLast(page, tenant.slug));
	await until(hasRefund);
	await gatewayDaysPass(1);
	await tenant.reaches("", ({ status }) => status === "PAST_DUE");
});

/** Whether the card gateway has said something about a refund: then the refund has reached it. */
async function hasRefund(): Promise<boolean> {
	const answer = await fetch(`${cardGateway()}/_control/overview`);
	const { events } = (await answer.json()) as { events: Array<{ operation: string }> };
	return events.some(({ operation }) => operation.startsWith("refund."));
}

/** The platform owner returns all of what a tenant paid last for its bills; the tenant itself cannot. */
async function refundLast(page: Page, slug: string): Promise<void> {
	await page.goto(`${stand.urls.console}/lango`);
	await signIn(page, "root@lango.example");
	await heading(page, "Overview").waitFor();
	await page.goto(`${stand.urls.console}/${slug}/receipts`);
	await page
		.getByRole("link", { name: /^Open / })
		.first()
		.click();
	await press(page, "Refund");
	await dialogOf(page)
		.getByText(/4,500\.00/)
		.waitFor();
	await dialogOf(page).getByLabel("Reason").fill("Renewed by mistake");
	expect(await faultsInThemes(page)).toEqual([]);
	await dialogOf(page).getByRole("button", { name: "Refund", exact: true }).click();
	await dialogOf(page).waitFor({ state: "detached" });
	await page.getByRole("button", { name: "Refund", exact: true }).waitFor({ state: "detached" });
}
