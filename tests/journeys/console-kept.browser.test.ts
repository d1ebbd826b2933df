import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience, untilKept } from "./browser.ts";
import { endSessions, open } from "./console-people-visit.ts";
import { registerTenant } from "./console-tenant.ts";
import { enter, faultsOf, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");
const question = (page: Page, title: string) => page.getByRole("dialog", { name: title });
const stay = (page: Page) => page.getByRole("button", { name: "Continue editing" }).click();
const entered = (page: Page) => dialog(page).getByLabel("E-mail address").inputValue();

/** Whether an element is completely in the window. */
async function isInView(element: Locator): Promise<boolean> {
	const box = await element.boundingBox();
	return box !== null && box.y >= 0 && box.y + box.height <= (element.page().viewportSize()?.height ?? 0);
}

/** Answers the browser's own question before a page is left with "stay". */
async function stayAtReload(page: Page): Promise<void> {
	const asked = page.waitForEvent("dialog");
	const reloading = page.reload().catch(() => undefined);
	expect((await asked).type()).toBe("beforeunload");
	await (await asked).dismiss();
	await reloading;
}

test("what was typed stays until it is discarded: Escape, links, back and reload ask first", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		const invite = page.getByRole("button", { name: "Invite", exact: true }).first();
		await invite.click();
		await page.keyboard.press("Escape");
		await expect.poll(() => dialog(page).count(), patience).toBe(0);

		await invite.click();
		await dialog(page).getByLabel("E-mail address").fill("amina@example.com");
		await page.keyboard.press("Escape");
		await question(page, "Discard what you entered?").waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await page.keyboard.press("Escape");
		expect(await entered(page)).toBe("amina@example.com");
		await page.goBack();
		await question(page, "Leave without saving?").waitFor();
		expect(await faultsOf(page)).toEqual([]);
		await stay(page);
		await stayAtReload(page);
		expect(await entered(page)).toBe("amina@example.com");
		expect(page.url()).toBe(at("/uhai/people"));
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Discard", exact: true }).click();
		await expect.poll(() => dialog(page).count(), patience).toBe(0);

		await open(page, "Settings");
		await page.getByLabel("Name", { exact: true }).fill("Uhai Hospital Nairobi");
		await open(page, "Outlets");
		await stay(page);
		const named = () => page.getByLabel("Name", { exact: true }).inputValue();
		expect(await named()).toBe("Uhai Hospital Nairobi");
		page.once("dialog", (asked) => void asked.accept());
		await page.reload();
		await heading(page, "Settings").waitFor();
		await expect.poll(named, patience).toBe("Uhai Hospital Nairobi");
		await open(page, "Outlets");
		await page.getByRole("button", { name: "Leave the page" }).click();
		await heading(page, "Outlets").waitFor();
	}));

test("signing out with unsaved entries asks first, beside the page and in the menu of a phone", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Settings");
		const name = page.getByLabel("Name", { exact: true });
		await name.fill("Uhai Hospital Nairobi");
		const signOut = page.getByRole("button", { name: "Sign out", exact: true });
		for (const width of [1280, 390]) {
			await page.setViewportSize({ width, height: 844 });
			if (width === 390) await page.getByRole("button", { name: "Menu", exact: true }).click();
			await signOut.click();
			await question(page, "Leave without saving?").waitFor();
			expect(await faultsOf(page)).toEqual([]);
			await stay(page);
			expect(await name.inputValue()).toBe("Uhai Hospital Nairobi");
		}
		await signOut.click();
		await page.getByRole("button", { name: "Leave the page" }).click();
		await heading(page, "You are signed out").waitFor();
	}));

test("on a phone a dialog fills the screen, and all errors of its form are at their fields and in a summary", () =>
	visit(
		async (page) => {
			await enter(page, at("/uhai"), admin);
			await open(page, "People");
			await page.getByRole("button", { name: "Invite", exact: true }).first().click();
			expect(await dialog(page).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
			await page.getByRole("checkbox").last().scrollIntoViewIfNeeded();
			for (const name of ["Send invitation", "Cancel"])
				expect(await isInView(dialog(page).getByRole("button", { name }))).toBe(true);
			await dialog(page).getByRole("button", { name: "Send invitation" }).click();
			const summary = dialog(page).getByRole("alert");
			await summary.getByText("2 fields need attention.").waitFor();
			await expect.poll(() => isInView(page.locator("#email-error")), patience).toBe(true);
			expect(await page.evaluate("document.activeElement.name")).toBe("email");
			expect(await faultsOf(page)).toEqual([]);
			await summary.getByRole("button", { name: "Choose at least one role." }).click();
			expect(await page.evaluate("document.activeElement.name")).toBe("roles");
			await dialog(page).getByLabel("E-mail address").fill("amina");
			await dialog(page).getByRole("checkbox").first().check();
			await dialog(page).getByRole("button", { name: "Send invitation" }).click();
			await expect
				.poll(() => page.locator("#email-error").textContent(), patience)
				.toContain("like amina@example.com");
		},
		{ width: 390, height: 844, touch: true },
	));

test("without a network the console stays, says so and continues by itself", () =>
	visit(
		async (page, window) => {
			await enter(page, at("/uhai"), admin);
			await untilKept(page);
			await window.setOffline(true);
			await page.getByText("You are offline").waitFor();
			await open(page, "Outlets");
			await page.getByText("You are offline").waitFor();
			// The page may first be the one before, then loading, then one that says that it cannot be shown.
			await expect.poll(() => faultsOf(page), patience).toEqual([]);
			await window.setOffline(false);
			await heading(page, "Outlets").waitFor();
			await expect.poll(() => page.getByText("You are offline").count(), patience).toBe(0);

			await window.setOffline(true);
			await page.reload();
			await heading(page, "You are offline").waitFor();
			await window.setOffline(false);
			await heading(page, "Outlets").waitFor();
		},
		{ isKept: true },
	));

test("an expired session is renewed over the page: the form stays and can be sent", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	await visit(async (page) => {
		await page.clock.install();
		await enter(page, at(`/${tenant.slug}`), tenant);
		await open(page, "People");
		await page.getByRole("button", { name: "Invite", exact: true }).first().click();
		await dialog(page).getByLabel("E-mail address").fill("amina@example.com");
		await dialog(page)
			.getByRole("checkbox", { name: /^Cashier/ })
			.check();
		await endSessions(stand, tenant.email);
		// Services may learn of a new session with a delay: it is refused only some time after the sign-in.
		await page.clock.fastForward(16_000);
		await dialog(page).getByRole("button", { name: "Send invitation" }).click();
		const expired = question(page, "Your session has ended");
		await expired.waitFor();
		expect(await faultsOf(page)).toEqual([]);
		const opened = page.waitForEvent("popup");
		await expired.getByRole("button", { name: "Sign in" }).click();
		const popup = await opened;
		await signIn(popup, tenant.email);
		await expired.waitFor({ state: "detached" });
		await expect.poll(() => popup.isClosed(), patience).toBe(true);
		expect(await entered(page)).toBe("amina@example.com");
		await dialog(page).getByRole("button", { name: "Send invitation" }).click();
		await question(page, "Invitation sent").waitFor();
	});
});

test("what was typed stays when the service fails and when the network is gone, and can then be sent", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	await visit(async (page, window) => {
		await enter(page, at(`/${tenant.slug}`), tenant);
		await open(page, "People");
		await page.getByRole("button", { name: "Invite", exact: true }).first().click();
		await dialog(page).getByLabel("E-mail address").fill("amina@example.com");
		const role = dialog(page).getByRole("checkbox", { name: /^Cashier/ });
		await role.check();
		const send = () => dialog(page).getByRole("button", { name: "Send invitation" }).click();
		const expectKept = async (says: string) => {
			await dialog(page).getByRole("alert").getByText(says).waitFor();
			expect(await entered(page)).toBe("amina@example.com");
			expect(await role.isChecked()).toBe(true);
		};
		await page.route("**/invitations", (route) => {
			if (route.request().method() !== "POST") return route.fallback();
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 500, headers, json: { error: "broken", code: "internal" } });
		});
		await send();
		await expectKept("The service is temporarily unavailable.");
		await page.unroute("**/invitations");
		await window.setOffline(true);
		await send();
		await expectKept("The service cannot be reached. Check your connection");
		await window.setOffline(false);
		await send();
		await question(page, "Invitation sent").waitFor();
	});
});
