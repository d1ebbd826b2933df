import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { open } from "./console-people-visit.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import { faultsOf, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	stand = await openSharedConsole();
	tenant = await registerTenant(stand);
	await tenant.paysFor("STARTER");
	await tenant.answers("refuses");
});

const at = (path = "") => `${stand.urls.console}/${tenant.slug}${path}`;
const main = (page: Page) => page.getByRole("main");
const banner = (page: Page) => page.getByRole("complementary");

/** The tenant's administrator opens an address again. */
async function come(page: Page, path = ""): Promise<void> {
	await page.goto(at(path));
	await signIn(page, tenant.email);
}

// One tenant from a missing payment to a successful one: each test continues where the one before it
// ended.

test("a refused renewal is shown on every page, and its payment can be requested at once", async () => {
	await tenant.daysPass(31);
	await stand.visit(async (page) => {
		await come(page);
		await heading(page, "Overview").waitFor();
		await page.getByText("Payment overdue", { exact: true }).waitFor();
		await banner(page).getByText("The last payment is overdue.").waitFor();
		await banner(page).getByRole("link", { name: "View plans" }).click();
		await heading(page, "Subscription").waitFor();
		const refusal = main(page).getByRole("alert");
		await refusal.getByText("It will be retried automatically. You can also pay now.").waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await refusal.getByRole("button", { name: "Pay now" }).click();
		await page.getByText("The payment was requested again.").waitFor();
		await refusal.getByText("refused by the sandbox").waitFor();
		await main(page).getByText("Refused, retrying").waitFor();
	});
});

test("once the retries are spent it has expired: the plans come first, and everything works until the grace is over", async () => {
	await tenant.daysPass(14);
	await stand.visit(async (page) => {
		await come(page);
		await heading(page, "Subscription").waitFor();
		expect(page.url()).toBe(at("/subscribe"));
		await main(page)
			.getByText(/^Your subscription has expired\. Everything works until \d+\s\w+\s\d+\. After that/)
			.waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await main(page).getByRole("button", { name: "Continue", exact: true }).click();
		await heading(page, "Overview").waitFor();
		await page.getByText("Everything works until", { exact: true }).waitFor();
		await banner(page)
			.getByText(
				/^The subscription has expired\. Everything works until \d+\s\w+\s\d+\. Renew it before then/,
			)
			.waitFor();
		// What it says is so: a service of the plan takes a change, by the gate every service has.
		await page.getByRole("link", { name: "Roles in services" }).click();
		await page.getByRole("link", { name: "Roles and people of Ordering" }).click();
		await page.getByRole("button", { name: "Create a role" }).click();
		await page.getByRole("dialog").getByLabel("Name").fill("Night cook");
		await page.getByRole("dialog").getByRole("checkbox").first().check();
		await page.getByRole("dialog").getByRole("button", { name: "Create a role" }).click();
		await page.getByText("The role Night cook was created.").waitFor();
	});
});

test("after the grace the features are gone, what is there can be read, and on a phone the way to pay is the first thing", async () => {
	await tenant.daysPass(8);
	const phone = { width: 390, height: 844, touch: true } as const;
	await stand.visit(async (page) => {
		await come(page);
		await heading(page, "Subscription").waitFor();
		await main(page)
			.getByText("You can view data of the services, but you cannot change it")
			.first()
			.waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await page.getByRole("button", { name: "Continue in read-only mode" }).click();
		await heading(page, "Overview").waitFor();
		await page.getByText("No features").waitFor();
	}, phone);
});

test("what the banner says can still be changed is changed, and a link that the subscription interrupted is continued", () =>
	stand.visit(async (page) => {
		await come(page, "/settings");
		await heading(page, "Subscription").waitFor();
		await page.getByRole("button", { name: "Continue in read-only mode" }).click();
		await heading(page, "Settings").waitFor();
		await banner(page)
			.getByText("People, outlets, settings and the subscription can still be changed.")
			.waitFor();
		await page.getByLabel("Name", { exact: true }).fill("Soko Jipya");
		await page.getByRole("button", { name: "Save settings" }).click();
		await page.getByText("Settings saved.").waitFor();
	}));

test("a change that is refused then says so where it was asked for, and leads to the plans from there", async () => {
	const phone = { width: 390, height: 844, touch: true, colorScheme: "dark" } as const;
	await stand.visit(async (page) => {
		await come(page);
		await heading(page, "Subscription").waitFor();
		await page.getByRole("button", { name: "Continue in read-only mode" }).click();
		await heading(page, "Overview").waitFor();
		const asking = page.getByRole("dialog");
		const plans = asking.getByRole("alert").getByRole("link", { name: "View plans" });
		await open(page, "Roles in services");
		await page.getByRole("link", { name: "Roles and people of Ordering" }).click();
		await page.getByRole("button", { name: "Create a role" }).click();
		await asking.getByLabel("Name").fill("Day cook");
		await asking.getByRole("button", { name: "Create a role" }).click();
		await plans.waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await plans.click();
		await page.getByRole("button", { name: "Leave the page" }).click();
		await heading(page, "Subscription").waitFor();
		expect(await asking.count()).toBe(0);

		await page.goBack();
		await page.getByRole("link", { name: "Open the role Night cook" }).click();
		await page.getByRole("button", { name: "Delete" }).click();
		await asking.getByRole("button", { name: "Delete" }).click();
		await plans.waitFor();
		expect(await faultsOf(page)).toEqual([]);
	}, phone);
});

test("a checkout that is paid makes it active at once, with its features and without a banner, and leads on to the page that was opened", async () => {
	await tenant.answers("pays");
	await stand.visit(async (page) => {
		await come(page, "/settings");
		await main(page).getByRole("link", { name: "Pay for Starter" }).click();
		await heading(page, "Pay for Starter").waitFor();
		await main(page).getByRole("button", { name: "Pay Ksh 1,500.00" }).click();
		await page.getByText("Ksh 1,500.00 for Starter was paid. Thank you.").waitFor();
		await main(page).getByText("Active", { exact: true }).waitFor();
		await main(page).getByRole("button", { name: "Continue to the page you opened" }).click();
		await heading(page, "Settings").waitFor();
		expect(page.url()).toBe(at("/settings"));
		await page.getByRole("link", { name: "Overview" }).click();
		await heading(page, "Overview").waitFor();
		await page.getByText("Customer portal").waitFor();
		await expect.poll(() => banner(page).getByText("expired").count(), patience).toBe(0);
		expect(page.url()).toBe(at());
	});
});
