import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import { faultsOf, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	stand = await openSharedConsole();
	tenant = await registerTenant(stand);
	await tenant.paysFor("STARTER");
});

const at = (path = "") => `${stand.urls.console}/${tenant.slug}${path}`;
const save = (page: Page) => page.getByRole("button", { name: "Save settings" }).click();

/** The tenant's administrator opens its settings by the navigation. */
async function openSettings(page: Page): Promise<void> {
	await page.goto(at());
	await signIn(page, tenant.email);
	await page.getByRole("link", { name: "Settings", exact: true }).click();
	await heading(page, "Settings").waitFor();
	await page.getByLabel("Name", { exact: true }).waitFor();
}

test("a tenant's name, colour, time zone and sign-up rule are changed: every page shows it, the audit trail has it, and sign-up is closed", async () => {
	await stand.visit(async (page) => {
		await openSettings(page);
		await page.getByLabel("Name", { exact: true }).fill("Soko la Mwanza");
		await page.getByLabel("Colour", { exact: true }).fill("#0A7F3F");
		await page.getByLabel("Time zone").selectOption("Pacific/Auckland");
		await page.getByLabel("Currency").selectOption("TZS");
		await page.getByLabel("By invitation only").check();
		const sent = page.waitForRequest((request) => request.method() === "PATCH");
		await save(page);
		await page.getByText("Settings saved.").waitFor();
		expect((await sent).postDataJSON()).toEqual({
			...{ name: "Soko la Mwanza", time_zone: "Pacific/Auckland", currency: "TZS" },
			...{ branding: { colour: "#0a7f3f" }, join_policy: "invite" },
		});
		await page.getByRole("banner").getByText("Soko la Mwanza").waitFor();
		await page.getByRole("link", { name: "Audit log" }).click();
		const line = page.getByRole("row", { name: /settings were changed/ });
		await line.getByRole("button", { name: /^Details/ }).click();
		const details = page.getByRole("dialog");
		await details.getByText("After: #0a7f3f").waitFor();
		await details.getByText("After: By invitation only").waitFor();
	});
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.accounts}/register?tenant=${tenant.slug}`);
		await page.getByLabel("Your name").fill("Otieno");
		await page.getByLabel("E-mail address").fill(`otieno@${tenant.slug}.example`);
		await page.getByLabel("Password", { exact: true }).fill("Karibu-2026!");
		await page.getByRole("button", { name: "Continue", exact: true }).click();
		await page.getByText("You are asking to join Soko la Mwanza.").waitFor();
		await page.getByRole("button", { name: "Register", exact: true }).click();
		await page.getByRole("alert").getByText("only by invitation").waitFor();
	});
});

test("what cannot be used is said at its field, and settings that are as they were are not sent", () =>
	stand.visit(async (page) => {
		await openSettings(page);
		let sent = 0;
		page.on("request", (request) => {
			if (request.method() === "PATCH") sent += 1;
		});
		const fault = page.getByRole("alert");
		await page.getByLabel("Colour", { exact: true }).fill("green");
		await save(page);
		await fault.getByText("Enter # and six hexadecimal digits").waitFor();
		await expect.poll(() => page.evaluate("document.activeElement.id"), patience).toBe("colour");
		await page.getByLabel("Colour", { exact: true }).fill("#0a7f3f");
		await save(page);
		await page.getByText("There are no changes to save.").waitFor();
		expect(sent).toBe(0);
	}));

test("a logo is chosen, looked at, uploaded and removed; a file that cannot be a logo is refused in words", () =>
	stand.visit(async (page) => {
		await openSettings(page);
		const file = page.getByLabel("Image file");
		const upload = page.getByRole("button", { name: "Upload the logo" });
		const fault = page.getByRole("alert");
		const png = Buffer.from(
			"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
			"base64",
		);
		await upload.click();
		await fault.getByText("Choose an image file first.").waitFor();
		await expect.poll(() => page.evaluate("document.activeElement.type"), patience).toBe("file");
		await file.setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") });
		await upload.click();
		await fault.getByText("is not a PNG, JPEG or WebP image").waitFor();
		await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.alloc(262_145) });
		await upload.click();
		await fault.getByText("larger than 256 KB").waitFor();
		await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from("broken") });
		await upload.click();
		await fault.getByText("This file is damaged").waitFor();

		await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png });
		await page.getByAltText("The chosen image").waitFor();
		await upload.click();
		await page.getByText("The logo is saved.").waitFor();
		await expect
			.poll(() => loadedLogo(page), patience)
			.toMatch(/\/api\/v1\/tenants\/[0-9a-f-]{36}\/logo\/[0-9a-f]{64}$/);
		expect(await page.getByAltText("The chosen image").count()).toBe(0);
		expect(await faultsOf(page)).toEqual([]);

		await page.getByRole("button", { name: "Remove the logo" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Remove the logo" }).click();
		await page.getByText("The logo is removed.").waitFor();
		await expect.poll(() => loadedLogo(page), patience).toBe("");
	}));

/**
 * The address of the tenant's logo in the page's head, if the browser has loaded it as an image; else empty.
 */
const loadedLogo = (page: Page) =>
	page.evaluate<string>(
		"[...document.querySelectorAll('header img')].find((image) => image.naturalWidth > 0)?.src ?? ''",
	);

test("an action while offline says so, loses nothing that was typed, and succeeds when it is tried again online", () =>
	stand.visit(async (page, window) => {
		await openSettings(page);
		await page.getByLabel("Colour", { exact: true }).fill("#778899");
		await window.setOffline(true);
		await save(page);
		await page.getByRole("alert").getByText("The service cannot be reached. Check your connection").waitFor();
		expect(await page.getByLabel("Colour", { exact: true }).inputValue()).toBe("#778899");
		await window.setOffline(false);
		await save(page);
		await page.getByText("Settings saved.").waitFor();
	}));

test("what another administrator changed meanwhile stays: only what was changed here is sent, and what is typed during the save is kept", () =>
	stand.visit(async (page, window) => {
		await openSettings(page);
		const other = await window.newPage();
		await other.goto(at("/settings"));
		await other.getByLabel("Name", { exact: true }).waitFor();
		await page.getByLabel("Colour", { exact: true }).fill("#112233");

		await other.getByLabel("Name", { exact: true }).fill("Soko la Usiku");
		await other.getByLabel("Currency").selectOption("UGX");
		await save(other);
		await other.getByText("Settings saved.").waitFor();

		const read = page.waitForResponse((answer) => answer.url().endsWith("/settings") && answer.ok());
		await asItComesToTheFront(page);
		await read;
		// What was read has reached the page once it is called by the new name.
		await page.getByText("Soko la Usiku").first().waitFor();
		const sent = page.waitForRequest((request) => request.method() === "PATCH");
		const held = Promise.withResolvers<void>();
		await page.route("**/settings", async (route) => {
			if (route.request().method() === "PATCH") await held.promise;
			await route.continue();
		});
		await save(page);
		expect((await sent).postDataJSON()).toEqual({ branding: { colour: "#112233" } });
		await page.getByLabel("Colour", { exact: true }).fill("#445566");
		held.resolve();
		await page.getByText("Settings saved.").waitFor();
		await expect
			.poll(() => page.getByLabel("Name", { exact: true }).inputValue(), patience)
			.toBe("Soko la Usiku");
		expect(await page.getByLabel("Currency").inputValue()).toBe("UGX");
		expect(await page.getByLabel("Colour", { exact: true }).inputValue()).toBe("#445566");
		await page.getByRole("banner").getByText("Soko la Usiku").waitFor();
	}));

/** The tab is looked at again after a while, when what it shows is asked for again. */
async function asItComesToTheFront(page: Page): Promise<void> {
	await page.clock.install();
	await page.clock.fastForward(60_000);
	await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
}

test("without permission for settings there is no link to them, and the address says so", () =>
	stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}/kahawa`);
		await signIn(page, "cashier@kahawa.example");
		await heading(page, "Overview").waitFor();
		expect(await page.getByRole("link", { name: "Settings", exact: true }).count()).toBe(0);
		await page.goto(`${stand.urls.console}/kahawa/settings`);
		await heading(page, "You don’t have access").waitFor();
	}));

test("a member of a suspended tenant sees that and a link to their own, and the same when that is suspended, too", async () => {
	const owner = await registerTenant(stand);
	await owner.paysFor("STARTER");
	const other = await owner.adds("Soko la Kando");
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}/${owner.slug}`);
		await signIn(page, owner.email);
		await heading(page, "Overview").waitFor();
		await owner.suspends(other);
		await page.goto(`${stand.urls.console}/${other}`);
		await heading(page, "Soko la Kando is suspended").waitFor();
		await page.getByText("Its administrators can contact the platform owner.").waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await page.getByRole("link", { name: /^Go to Soko/ }).click();
		await heading(page, "Overview").waitFor();

		await owner.suspends(owner.slug);
		await page.goto(`${stand.urls.console}/${owner.slug}`);
		await heading(page, /^Soko \d+ is suspended$/).waitFor();
		await page.getByRole("button", { name: "Sign in with another account" }).click();
		await page.getByLabel("Password", { exact: true }).waitFor();
	});
});
