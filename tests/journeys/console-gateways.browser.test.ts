import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { enterAsOwner, inDatabaseOf } from "./console-owner-visit.ts";
import {
	confirmByName,
	enter,
	faultsInThemes,
	heading,
	openSharedConsole,
	type SharedConsole,
} from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const number = "Number of the paybill or till";
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

test("an administrator sets the paybill of the organisation: wrong and taken numbers are refused, and secrets are not shown", () =>
	stand.visit(async (page) => {
		const admin = { email: "admin@uhai.example" };
		await enter(page, `${stand.urls.console}/uhai`, admin);
		await page.getByRole("link", { name: "Payment settings", exact: true }).click();
		await heading(page, "Payment settings").waitFor();
		for (const [entered, says] of [
			["12", "Enter a number of 5 to 10 digits."],
			["600300", "Another organisation has this number."],
		] as const) {
			await page.getByLabel(number).fill(entered);
			await save(page);
			await page.getByRole("alert").getByText(says).waitFor();
		}
		await page.getByLabel(number).fill("600200");
		await save(page);
		await page.getByText("The payment settings were saved.").waitFor();
		await page.getByText(/^Set .*ends with 026!/).waitFor();
		expect(await page.getByLabel("Password of the initiator", { exact: true }).inputValue()).toBe("");
		await page.getByRole("button", { name: "Connect these payments" }).click();
		await page.getByRole("dialog", { name: "Connect payments at 600200?" }).waitFor();
		await confirmByName(page, "600200", "Connect");
		await page.getByText("The payments are connected.").waitFor();
		await page.getByText(/^The gateway reports these payments to Lango since/).waitFor();
		await drawCode(page);
		expect(await faultsInThemes(page)).toEqual([]);
		await page.evaluate('document.cookie = "lango-language=sw; path=/"');
		await page.reload();
		await heading(page, "Mipangilio ya malipo").waitFor();
		expect(await page.getByLabel("Namba ya paybill au till").inputValue()).toBe("600200");
		expect(await faultsInThemes(page)).toEqual([]);
	}));

/** Has a QR code drawn, after a reference that is refused, and stores it. */
async function drawCode(page: Page): Promise<void> {
	const draw = () => page.getByRole("button", { name: "Create a QR code" }).click();
	await page.getByLabel("Reference").fill("Counter 1");
	await draw();
	await page.getByRole("alert").getByText("Enter at most 12 letters, digits and hyphens").waitFor();
	await page.getByLabel("Reference").fill("Counter-1");
	await page.getByLabel("Amount in KES").fill("250");
	await draw();
	await page.getByAltText("QR code Counter-1").waitFor();
	await page.getByText(/^Reference Counter-1, Ksh\s250\.00$/).waitFor();
	const stored = page.waitForEvent("download");
	await page.getByRole("link", { name: "Download the image" }).click();
	expect((await stored).suggestedFilename()).toBe("qr-Counter-1.png");
	const file = await readFile(await (await stored).path());
	expect(file.subarray(1, 4).toString()).toBe("PNG");
}

test("the balance of the paybill is asked for: it is confirmed, refused, failed or not known, in plain words", () =>
	stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/uhai`, { email: "admin@uhai.example" });
		await page.getByRole("link", { name: "Payment settings", exact: true }).click();
		const ask = () => page.getByRole("button", { name: "Ask the gateway for the balance" }).click();
		await page.getByRole("region", { name: "Balance of 600200" }).waitFor();
		await ask();
		await page.getByText("The gateway has confirmed the balance.").waitFor();
		await page.getByText(/^Ksh\s[\d,.]+, .*20\d\d/).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);

		await control("faults", [{ operation: "balance", fault: "spike_arrest", count: 1 }]);
		await ask();
		await page.getByRole("alert").getByText("The gateway refused the question.").waitFor();
		await setInitiatorPassword(page, "Not-the-password-1!");
		await ask();
		await page.getByText("The gateway did not read the balance (code 2001).").waitFor();
		await setInitiatorPassword(page, "Sandbox-2026!");
		await page.route("**/mobile-money/queries/*", async (route) => {
			const answer = await route.fetch();
			await route.fulfill({ response: answer, json: { ...(await answer.json()), status: "unknown" } });
		});
		await ask();
		await page.getByText("The balance is not known. Ask again.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByRole("link", { name: "Statement", exact: true }).click();
		await page.getByRole("row", { name: /^600200 .*Ksh .*20\d\d/ }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
	}));

async function setInitiatorPassword(page: Page, password: string): Promise<void> {
	await page.getByLabel("Password of the initiator", { exact: true }).fill(password);
	await save(page);
	await page.getByText("The payment settings were saved.").waitFor();
	await page.getByRole("button", { name: "Dismiss" }).first().click();
}

/** Changes the sandbox of the mobile-money gateway. */
async function control(path: string, body: unknown): Promise<void> {
	const answer = await fetch(`${stand.urls["mobile-money-sandbox"]}/_control/${path}`, {
		...{ method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
		signal: AbortSignal.timeout(10_000),
	});
	expect(answer.status).toBeLessThan(300);
}

test("the platform owner sees the gateways without their secrets; production needs an address that is public", () =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Payment gateways");
		await page.getByLabel("Address", { exact: true }).waitFor();
		await page.getByLabel("Environment").selectOption("Production");
		await page.getByLabel("Certificate").fill("a certificate");
		await save(page);
		await page.getByRole("alert").getByText("2 fields need attention.").waitFor();
		await page.getByRole("alert").getByText("This is not a PEM certificate").waitFor();
		await page.getByRole("alert").getByText("The address must be https and public in production.").waitFor();
		await page.getByLabel("Gateway", { exact: true }).selectOption("Cards and banks");
		await page.getByLabel("Address for webhooks, to set at the gateway").waitFor();
		await save(page);
		await page.getByText("Cards and banks: the settings were saved.").waitFor();
		expect(await page.getByLabel("Secret key").inputValue()).toBe("");
		expect(await faultsInThemes(page)).toEqual([]);
	}));

test("the platform owner rotates a secret of a gateway; the one before stays until it is retired", () =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Payment gateways");
		await page.getByLabel("Gateway", { exact: true }).selectOption("Cards and banks");
		await page.getByRole("row", { name: /Active/ }).waitFor();
		await page.getByRole("button", { name: "Rotate secrets" }).click();
		const dialog = page.getByRole("dialog");
		const rotate = dialog.getByRole("button", { name: "Rotate", exact: true });
		await rotate.click();
		await dialog.getByRole("alert").getByText("Enter at least one new secret.").waitFor();
		await dialog.getByLabel("Public key").fill("pk_test_journey_9z8y");
		expect(await faultsInThemes(page)).toEqual([]);
		await rotate.click();
		await page.getByText("The secrets are rotated. The old ones end in 72 hours.").waitFor();
		await page.getByRole("row", { name: /Public key …9z8y.*Active/ }).waitFor();
		await page.getByRole("row", { name: /Being replaced/ }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByRole("button", { name: /^Retire the secrets set/ }).click();
		await dialog.getByText("This cannot be undone.").waitFor();
		await confirmByName(page, "Cards and banks", "Retire");
		await page.getByText("The old secrets are retired.").waitFor();
		await expect.poll(() => page.getByRole("row", { name: /Being replaced/ }).count()).toBe(0);
	}));

test("the platform owner reads what a gateway sent, and lets it be applied again", () =>
	stand.visit(async (page) => {
		const body = '{"Result":{"OriginatorConversationID":"journey-1","ResultCode":0}}';
		const headers = { "content-type": "application/json" };
		await fetch(`${stand.urls.treasury}/webhooks/mobilemoney/b2c-result`, { method: "POST", headers, body });
		await enterAsOwner(page, stand, "Webhook inbox");
		await page.getByLabel("Route", { exact: true }).fill("b2c-result");
		await page.getByLabel("Route", { exact: true }).press("Enter");
		await page.getByLabel("Gateway", { exact: true }).selectOption("Mobile money");
		await page
			.getByRole("link", { name: /^Open b2c-result/ })
			.first()
			.click();
		await page.getByText(`"OriginatorConversationID": "journey-1"`).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByRole("button", { name: "Apply again", exact: true }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Apply again" }).click();
		await page.getByText("The request is applied again.").waitFor();
		await page.getByRole("main").getByRole("link", { name: "Webhook inbox" }).click();
		await page.getByRole("button", { name: "Apply several again" }).click();
		await dialog.getByRole("button", { name: "Apply again" }).click();
		for (const name of ["First day", "Last day"])
			await dialog.getByRole("alert").getByText(`${name}: Enter a day.`).waitFor();
		await dialog.getByLabel("First day").fill("2020-01-01");
		await dialog.getByLabel("Last day").fill("2020-01-02");
		await dialog.getByRole("button", { name: "Apply again" }).click();
		await page.getByText("Objects whose requests are applied again: 0.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
	}));

test("the platform owner halts payouts of one organisation with a reason, and lifts the halt", () =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Halts");
		await page.getByText("Nothing is halted.").waitFor();
		await page.getByRole("button", { name: "Halt payments", exact: true }).click();
		const dialog = page.getByRole("dialog");
		const halt = dialog.getByRole("button", { name: "Halt", exact: true });
		await halt.click();
		await dialog.getByRole("alert").getByText("Enter a reason.").waitFor();
		await dialog.getByLabel("What is halted").selectOption("Payouts");
		await dialog.getByLabel("Reason").fill("The float is counted.");
		await dialog.getByLabel("Organisation").fill("unknown-one");
		await halt.click();
		await dialog.getByRole("alert").getByText("No organisation has this address.").waitFor();
		await dialog.getByLabel("Organisation").fill("duka");
		await halt.click();
		await page.getByText("The halt is on.").waitFor();
		await page.getByRole("row", { name: /^Payouts Duka.*The float is counted\./ }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByRole("button", { name: /^Lift the halt: Payouts, Duka/ }).click();
		await dialog.getByLabel("Reason").fill("It is counted.");
		await dialog.getByRole("button", { name: "Lift the halt" }).click();
		await page.getByText("Nothing is halted.").waitFor();
	}));

test("the platform owner reads what a gateway and the books disagree about, with both sides", () =>
	stand.visit(async (page) => {
		await inDatabaseOf(stand, "treasury", (db) =>
			db.query(
				`insert into exceptions (id, class, subject, amount_minor, currency, ours, theirs, state, raised_at)
				 values (gen_random_uuid(), 'amount', 'pay-17', 5000, 'KES', $1, $2, 'open', now())`,
				[{ amount_minor: 100_000 }, { amount_minor: 95_000, status: "success" }].map((one) =>
					JSON.stringify(one),
				),
			),
		);
		await enterAsOwner(page, stand, "Exceptions");
		const row = page.getByRole("row", { name: /^The amount pay-17 Open Amount minor: 100000 .*95000/ });
		await row.waitFor();
		for (const width of [390, 768, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			expect(await faultsInThemes(page)).toEqual([]);
		}
		await page.getByLabel("Status", { exact: true }).selectOption("Closed");
		await row.waitFor({ state: "detached" });
		expect(page.url()).toMatch(/\/platform\/exceptions\?state=closed$/);
		await page.getByRole("button", { name: "Remove filters" }).click();
		await row.waitFor();
	}));

test("an administrator adds a recipient from the list of banks and lets payouts go there, then it cannot be removed", () =>
	stand.visit(async (page) => {
		const admin = { email: "admin@uhai.example" };
		await enter(page, `${stand.urls.console}/uhai`, admin);
		await page.getByRole("link", { name: "Payout recipients", exact: true }).click();
		await heading(page, "Payout recipients").waitFor();
		await page.getByRole("button", { name: "Add a recipient", exact: true }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Bank or provider").selectOption("Umoja Cooperative Bank");
		const add = dialog.getByRole("button", { name: "Add", exact: true });
		await add.click();
		await dialog.getByRole("alert").getByText("Enter the name of the account’s owner.").waitFor();
		await dialog.getByLabel("Name of the account’s owner").fill("Journey Account");
		await dialog.getByLabel("Account number").fill("12");
		await add.click();
		await dialog.getByRole("alert").getByText("An account number has 4 to 34 letters and digits.").waitFor();
		await dialog.getByLabel("Account number").fill("0099 8877 66");
		await add.click();
		await page.getByText("The recipient is added.").waitFor();
		const row = page.getByRole("row", { name: /^Journey Account/ });
		await row.getByText(/7766$/).waitFor();
		const recipient = page.getByLabel("Recipient", { exact: true });
		const before = await recipient.inputValue();
		await recipient.selectOption({ label: await labelOf(page, "Journey Account") });
		const limit = page.getByLabel("Approval required above");
		const limitBefore = await limit.inputValue();
		await limit.fill("50000.01");
		await save(page);
		await page
			.getByRole("alert")
			.getByText(/^Enter an amount of at most Ksh\s50,000\.00/)
			.waitFor();
		await limit.fill("1234.50");
		await save(page);
		await row.getByText("Payouts go here").waitFor();
		await page.reload();
		await expect.poll(() => limit.inputValue()).toBe("1234.50");
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByRole("button", { name: "Remove Journey Account" }).click();
		await dialog.getByRole("button", { name: "Remove", exact: true }).click();
		await dialog.getByText("Payouts go to this recipient.").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await recipient.selectOption(before);
		await limit.fill(limitBefore);
		await save(page);
		await row.getByText("Active").waitFor();
		await page.getByRole("button", { name: "Remove Journey Account" }).click();
		await dialog.getByRole("button", { name: "Remove", exact: true }).click();
		await page.getByText("The recipient is removed.").waitFor();
	}));

/** The text of the option that begins so. */
async function labelOf(page: Page, start: string): Promise<string> {
	return (await page.locator("option", { hasText: start }).first().textContent()) ?? "";
}
