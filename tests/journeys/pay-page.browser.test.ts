import { openPool } from "@lango/postgres";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults, untilKept } from "./browser.ts";
import { registerTenant, until } from "./console-tenant.ts";
import { type ConsoleStand, faultsInThemes, heading, openConsole } from "./console-visit.ts";
import { pressByKey, tabTo, type } from "./keyboard.ts";

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
}, 300_000);
afterAll(() => stand?.close());

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const paid = (page: Page) => heading(page, "Paid. Thank you.").waitFor();
/** The last one is that of a phone, at which payers continue. */
const widths = [1280, 768, 390];

type Treasury = ReturnType<typeof openPool>;

/** Reads or changes the database of the treasury. */
async function inTreasury<T>(work: (db: Treasury) => Promise<T>): Promise<T> {
	const url = new URL(stand.databaseUrl);
	url.pathname = "/treasury";
	const db = openPool({ url: url.toString(), name: "journey", sizeMax: 1 });
	try {
		return await work(db);
	} finally {
		await db.close();
	}
}

/** A tenant that has to pay for a plan; returns the address where anybody can pay it. */
async function askForPayment(): Promise<string> {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await tenant.ask("POST", "/checkout", { plan: "GROWTH" });
	let address = "";
	await inTreasury((db) =>
		until(async () => {
			const [row] = await db.query<{ url: string }>(
				`select envelope->'data'->>'pay_url' as url from outbox
				  where envelope->>'type' = 'treasury.payment.required' and envelope->'data'->>'tenant_id' = $1`,
				[tenant.id],
			);
			address = row?.url ?? "";
			return address !== "";
		}),
	);
	return address;
}

/** Continues to the card gateway's page. */
async function openCheckout(page: Page): Promise<void> {
	await page.getByLabel("Card, bank or USSD").check();
	await page.getByLabel("Your e-mail address").fill("amina@example.com");
	await press(page, "Continue to the payment page");
	await page.getByRole("button", { name: "Pay KES 4,500.00" }).waitFor();
}

test("a payer without an account pays by card on a narrow screen: forms are checked and keep their entries, and the browser comes back to a paid page", async () => {
	const address = await askForPayment();
	await stand.visit(async (page) => {
		await page.goto(address);
		await heading(page, "Pay Ksh 4,500.00").waitFor();
		await page.getByText("Pay on your phone instead").click();
		await page.getByRole("img", { name: "QR code of this page" }).waitFor();
		for (const width of widths) {
			await page.setViewportSize({ width, height: 844 });
			expect(await faultsInThemes(page)).toEqual([]);
		}
		await press(page, "Ask the phone to pay");
		await page.getByRole("alert").getByText("Enter the number of the phone that pays.").waitFor();
		await page.getByLabel("Phone that pays").fill("0612 345 678");
		await press(page, "Ask the phone to pay");
		await page.getByRole("alert").getByText("This is not a Kenyan mobile number.").waitFor();
		await page.getByLabel("Card, bank or USSD").check();
		await press(page, "Continue to the payment page");
		await page.getByRole("alert").getByText("Enter your e-mail address").waitFor();
		await page.getByLabel("Your e-mail address").fill("amina@");
		await press(page, "Continue to the payment page");
		await page.getByRole("alert").getByText("Enter your e-mail address").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.reload();
		await expect.poll(() => page.getByLabel("Your e-mail address").inputValue()).toBe("amina@");
		expect(await page.getByLabel("Card, bank or USSD").isChecked()).toBe(true);
		await page.getByLabel("Mobile money on your phone").check();
		expect(await page.getByLabel("Phone that pays").inputValue()).toBe("0612 345 678");
		await openCheckout(page);
		await page.getByRole("button", { name: /^Pay / }).click();
		await paid(page);
		expect(await faultsInThemes(page)).toEqual([]);
	});
});

test("a payer without an account chooses to pay by card and pays by the keyboard alone", async () => {
	const address = await askForPayment();
	await stand.visit(async (page) => {
		await page.goto(address);
		await tabTo(page, page.getByLabel("Mobile money on your phone"));
		await page.keyboard.press("ArrowDown");
		await type(page, page.getByLabel("Your e-mail address"), "amina@example.com");
		await page.keyboard.press("Enter");
		await pressByKey(page, page.getByRole("button", { name: "Pay KES 4,500.00" }));
		await paid(page);
	});
});

test("without a network the page of a payer stays: a press says so and loses nothing, and a reload waits", async () => {
	const address = await askForPayment();
	await stand.visit(
		async (page, window) => {
			await page.goto(address);
			await heading(page, "Pay Ksh 4,500.00").waitFor();
			await untilKept(page);
			await window.setOffline(true);
			await page.getByText("You are offline").waitFor();
			await page.getByLabel("Phone that pays").fill("0712 345 678");
			await press(page, "Ask the phone to pay");
			await page.getByRole("alert").getByText("The service is temporarily unavailable.").waitFor();
			expect(await page.getByLabel("Phone that pays").inputValue()).toBe("0712 345 678");
			expect(await accessibilityFaults(page)).toEqual([]);
			await page.reload();
			await heading(page, "You are offline").waitFor();
			await window.setOffline(false);
			await heading(page, "Pay Ksh 4,500.00").waitFor();
			await expect.poll(() => page.getByLabel("Phone that pays").inputValue()).toBe("0712 345 678");
		},
		{ isKept: true },
	);
});

test("a payer who closes the page of the gateway after paying has paid: the pay page says so by itself", async () => {
	const address = await askForPayment();
	await stand.visit(async (page, window) => {
		await page.goto(address);
		await openCheckout(page);
		const other = await window.newPage();
		await other.goto(address);
		await heading(other, "Pay Ksh 4,500.00").waitFor();
		// The address to which the gateway sends the browser is never reached.
		await window.route("**/api/v1/payments/callback**", (route) => route.abort());
		await page.getByRole("button", { name: /^Pay / }).click();
		await paid(other);
		await page.close();
	});
});

test("a payer's phone is asked and does not pay: the page says why; it cannot be asked again so soon, and another phone pays, on a narrow screen and in Swahili, too", async () => {
	const address = await askForPayment();
	await stand.visit(async (page, window) => {
		const phones = await window.newPage();
		await phones.goto(stand.urls["mobile-money-sandbox"]);
		const answer = (phone: string, choice: string) =>
			phones
				.getByRole("region", { name: new RegExp(phone) })
				.getByRole("button", { name: choice })
				.click();
		await page.setViewportSize({ width: 390, height: 844 });
		await page.goto(address);
		await page.getByLabel("Phone that pays").fill("0712 555 111");
		await press(page, "Ask the phone to pay");
		await page.getByText("was asked to pay.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await answer("254712555111", "Cancel");
		await page.getByText("The request was cancelled on the phone. Nothing was charged.").waitFor();
		await page.getByLabel("Phone that pays").fill("0712 555 113");
		await press(page, "Ask the phone to pay");
		await answer("254712555113", "Wrong PIN");
		await page.getByText("The PIN was wrong. Nothing was charged. You can try again.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await press(page, "Kiswahili");
		await page.getByText("PIN haikuwa sahihi.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.getByLabel("Simu inayolipa").fill("0712 555 111");
		await press(page, "Omba simu ilipe");
		await page.getByText("Simu hii imeombwa kiasi hiki muda mfupi uliopita.").waitFor();
		await page.getByLabel("Simu inayolipa").fill("0712 555 112");
		await press(page, "Omba simu ilipe");
		await page.getByText("imeombwa kulipa.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await answer("254712555112", "Enter PIN and accept");
		await heading(page, "Imelipwa. Asante.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
	});
});

test("an amount above what mobile money takes is paid by card or in parts at the paybill, and the page says why", async () => {
	const address = await askForPayment();
	const setMax = (minor: number) =>
		inTreasury((db) =>
			db.query(
				"update gateway_profiles set settings = settings || jsonb_build_object('payment_max_minor', $1::bigint) where kind = 'mobile_money'",
				[minor],
			),
		);
	await setMax(400_000);
	await stand.visit(async (page) => {
		await page.goto(address);
		await page.getByText("it is more than mobile money takes in one payment").waitFor();
		await page.getByText("Or pay it in several parts at paybill").waitFor();
		await page.getByLabel("Your e-mail address").waitFor();
		expect(await page.getByLabel("Phone that pays").count()).toBe(0);
		for (const width of widths) {
			await page.setViewportSize({ width, height: 800 });
			expect(await faultsInThemes(page)).toEqual([]);
		}
		await press(page, "Kiswahili");
		await page.getByText("kinazidi kinachopokelewa na pesa ya simu").waitFor();
		await setMax(25_000_000);
		await page.getByLabel("Simu inayolipa").waitFor();
	});
});

test("a request whose time is over says so and what the payer can do, and is not asked about again and again", async () => {
	const address = await askForPayment();
	await inTreasury((db) =>
		db.query("update intents set expires_at = now() - interval '1 minute' where payee = 'platform'"),
	);
	await stand.visit(async (page) => {
		let asked = 0;
		page.on("request", (request) => {
			asked += request.url().includes("/api/v1/pay/") ? 1 : 0;
		});
		await page.clock.install();
		await page.goto(address);
		await heading(page, "This payment request has expired").waitFor();
		await page.getByText("If you have paid already, do not pay again").waitFor();
		await page.setViewportSize({ width: 390, height: 800 });
		expect(await faultsInThemes(page)).toEqual([]);
		const before = asked;
		await page.clock.fastForward(60_000);
		await press(page, "Check again");
		await expect.poll(() => asked).toBeGreaterThan(before);
		await page.getByRole("button", { name: "Check again" }).waitFor();
		expect(asked).toBe(before + 1);
	});
});

test("a link that is not complete says so, and no sign-in is asked for", async () => {
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}/pay/abc`);
		await heading(page, "This payment link is not valid").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
	});
});

const phoneHeight = 664;
/** What a browser on a phone of this size shows between its bars. */
const onAPhone = { width: 390, height: phoneHeight, touch: true };

/** Elements that begin or end beside the window, or whose content is wider than what they show. */
const findCut = `[...document.querySelectorAll("header *, main *, footer *")].filter((element) => {
	const { left, right, width, height } = element.getBoundingClientRect();
	if (width <= 1 || height <= 1) return false;
	const isCut = getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
	return left < 0 || right > innerWidth || isCut;
}).map((element) => element.outerHTML.slice(0, 120))`;

/** Checks that nothing of the page is cut, and that a button is seen without scrolling. */
async function expectInView(page: Page, button: string): Promise<void> {
	const shown = page.getByRole("button", { name: button, exact: true });
	await shown.waitFor();
	await page.evaluate("scrollTo(0, 0)");
	expect(await page.evaluate(findCut)).toEqual([]);
	const box = await shown.boundingBox();
	expect(box === null ? Number.NaN : box.y + box.height).toBeLessThanOrEqual(phoneHeight);
}

/** Checks the page in both languages. */
async function expectInBoth(page: Page, english: string, swahili: string): Promise<void> {
	await expectInView(page, english);
	await press(page, "Kiswahili");
	await expectInView(page, swahili);
	await press(page, "English");
}

test("on a phone nothing of the pay page is cut and its button is in view, also after the phone has cancelled", async () => {
	const address = await askForPayment();
	await stand.visit(async (page) => {
		await page.goto(address);
		const onPhone = ["Ask the phone to pay", "Omba simu ilipe"] as const;
		await expectInBoth(page, ...onPhone);
		await page.getByLabel("Card, bank or USSD").check();
		await expectInBoth(page, "Continue to the payment page", "Endelea kwenye ukurasa wa malipo");
		await page.getByLabel("Mobile money on your phone").check();
		await page.getByLabel("Phone that pays").fill("0712 555 032");
		await press(page, "Ask the phone to pay");
		await page.getByText("The request was cancelled on the phone.").waitFor();
		await expectInBoth(page, ...onPhone);
	}, onAPhone);
});
