import { startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults, openWindow, startBrowser } from "./browser.ts";

const phone = "254712345678";
let browser: Browser;
let sandbox: Awaited<ReturnType<typeof startMobileMoneySandbox>>;
beforeAll(async () => {
	[browser, sandbox] = await Promise.all([startBrowser(), startMobileMoneySandbox({ port: 0 })]);
});
afterAll(async () => {
	await browser.close();
	await sandbox.stop();
});

/** Sends a prompt for KES 250 to the phone, as a program does. */
async function push() {
	const basic = btoa("sandbox-consumer-key:sandbox-consumer-secret");
	const issued = await fetch(`${sandbox.url}/oauth/v1/generate?grant_type=client_credentials`, {
		headers: { authorization: `Basic ${basic}` },
	});
	const { access_token: token } = (await issued.json()) as { access_token: string };
	const answer = await fetch(`${sandbox.url}/mobilemoney/stkpush/v1/processrequest`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({
			...{ BusinessShortCode: "600100", Timestamp: "20261124110000", Amount: "250" },
			...{ Password: btoa("600100sandbox-passkey20261124110000"), PartyA: phone, PartyB: "600100" },
			...{ TransactionType: "CustomerPayBillOnline", PhoneNumber: phone },
			...{
				CallBackURL: "http://127.0.0.1:1/callback",
				AccountReference: "INV-1",
				TransactionDesc: "Invoice 1",
			},
		}),
	});
	expect(answer.status).toBe(200);
}

test.each(["light", "dark"] as const)(
	"a payer accepts a prompt and pays over the counter on a narrow page with %s colours",
	async (colorScheme) => {
		await fetch(`${sandbox.url}/_control/reset`, { method: "POST" });
		const context = await openWindow(browser, { width: 390, colorScheme });
		const page = await context.newPage();
		await page.goto(sandbox.url);
		await push();
		const prompt = page.getByRole("region", { name: new RegExp(phone) });
		await prompt.getByText("Account INV-1").waitFor();
		expect(await accessibilityFaults(page)).toEqual([]);
		expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
		await prompt.getByRole("button", { name: "Enter PIN and accept" }).click();
		await prompt.waitFor({ state: "detached" });

		await page.getByLabel("Paybill or till").selectOption("600200");
		await page.getByLabel("Amount in KES").fill("40");
		await page.getByLabel("Account number").fill("WARD-7");
		await page.getByRole("button", { name: "Pay", exact: true }).click();
		await page.getByText(/^Paid\. Receipt [0-9A-Z]{10}\.$/).waitFor();
		await page.getByText("99,710.00").waitFor();
		expect(await accessibilityFaults(page)).toEqual([]);
		await context.close();
	},
);
