import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enterAsOwner } from "./console-owner-visit.ts";
import { open, openOutlet } from "./console-people-visit.ts";
import { enter, faultsOf, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/**
 * Holds back what is sent to an address with a method until it is let go; what is answered then is the
 * service's own.
 */
async function holdBack(page: Page, address: RegExp, method: string): Promise<{ letGo: () => void }> {
	const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
	await page.route(address, async (route) => {
		if (route.request().method() === method) await isLetGo;
		await route.continue();
	});
	return { letGo };
}

/**
 * Whether the dialog is blocked during its action: it can neither be cancelled nor left by Escape,
 * pressed once or twice.
 */
async function expectKept(page: Page, busyText: string): Promise<void> {
	await dialog(page).getByRole("button", { name: busyText }).waitFor();
	expect(await dialog(page).getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
	for (const _press of [1, 2, 3]) await page.keyboard.press("Escape");
	await dialog(page).getByRole("button", { name: busyText }).waitFor();
	expect(await faultsOf(page)).toEqual([]);
}

test("while a form over the page is sent it stays, and what follows is shown when the answer has come", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await page.getByRole("button", { name: "Change Peter Barasa" }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Receptionist/ })
			.check();
		const { letGo } = await holdBack(page, /\/members\//, "PUT");
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await expectKept(page, "Saving…");
		letGo();
		await page.getByText("Peter Barasa was changed.").waitFor();
		await expect.poll(() => dialog(page).count(), patience).toBe(0);
		await rowOf(page, "Peter Barasa").getByText("Staff, Receptionist").waitFor();
	}));

test("while what was asked about is done the question stays, and what follows is shown when the answer has come", () =>
	visit(async (page) => {
		await openOutlet(stand, { code: "NIGHT", name: "Night Ward" });
		await enter(page, at("/uhai"), admin);
		await open(page, "Outlets");
		await page.getByRole("button", { name: "Archive Night Ward" }).click();
		const { letGo } = await holdBack(page, /\/outlets\//, "DELETE");
		await dialog(page).getByRole("button", { name: "Archive" }).click();
		await expectKept(page, "Archiving…");
		letGo();
		await page.getByText("Night Ward was archived.").waitFor();
		await expect.poll(() => dialog(page).count(), patience).toBe(0);
	}));

test("the result of an action is shown even when its page is left before the response", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "People");
		await page.getByRole("button", { name: "Change Peter Barasa" }).click();
		await dialog(page)
			.getByRole("checkbox", { name: /^Cashier/ })
			.check();
		const { letGo } = await holdBack(page, /\/members\//, "PUT");
		await dialog(page).getByRole("button", { name: "Save" }).click();
		await dialog(page).getByRole("button", { name: "Saving…" }).waitFor();
		await page.goBack();
		await heading(page, "Overview").waitFor();
		letGo();
		await page.getByText("Peter Barasa was changed.").waitFor();
		await open(page, "People");
		await rowOf(page, "Peter Barasa").getByText("Cashier").waitFor();
	}));

test("what was sent from a page that was left meanwhile is said and kept if it fails, and forgotten once it is saved", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Settings");
		const name = page.getByLabel("Name", { exact: true });
		await name.fill("Uhai Hospital Nairobi");
		const answer = Promise.withResolvers<void>();
		await page.route(/\/settings$/, async (route) => {
			if (route.request().method() !== "PATCH") return route.fallback();
			await answer.promise;
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 500, headers, json: { error: "broken", code: "internal" } });
		});
		const save = () => page.getByRole("button", { name: "Save settings" }).click();
		const isBusy = () => page.getByRole("button", { name: "Saving…" }).waitFor();
		await save();
		await isBusy();
		await open(page, "People");
		await heading(page, "People").waitFor();
		answer.resolve();
		const notices = page.getByRole("region", { name: "Notices" });
		await notices.getByText("was not saved. The service is temporarily unavailable.").waitFor();
		await open(page, "Settings");
		await expect.poll(() => name.inputValue(), patience).toBe("Uhai Hospital Nairobi");

		await page.unroute(/\/settings$/);
		await name.fill("Uhai Hospital");
		await page.getByLabel("Colour", { exact: true }).fill("#0a7f3f");
		const { letGo } = await holdBack(page, /\/settings$/, "PATCH");
		await save();
		await isBusy();
		await open(page, "People");
		await heading(page, "People").waitFor();
		const kept = "Object.keys(sessionStorage).filter((key) => key.startsWith('lango-entries'))";
		expect(await page.evaluate(kept)).toHaveLength(1);
		letGo();
		await expect.poll(() => page.evaluate(kept), patience).toEqual([]);
	}));

test("while a short form behind a button is sent it stays, and leads on when the answer has come", () =>
	visit(async (page) => {
		await enterAsOwner(page, stand, "Plans and add-ons");
		await page.getByRole("button", { name: "Create a plan" }).click();
		await dialog(page).getByLabel("Name").fill("Market stall");
		await dialog(page).getByLabel("Code").fill("MARKET_STALL");
		await dialog(page).getByLabel("Position in the list of plans").fill("90");
		const { letGo } = await holdBack(page, /\/admin\/plans$/, "POST");
		await dialog(page).getByRole("button", { name: "Create a plan" }).click();
		await expectKept(page, "Creating…");
		letGo();
		await heading(page, "Market stall").waitFor();
	}));
