import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { endSessions, open } from "./console-people-visit.ts";
import { registerTenant } from "./console-tenant.ts";
import { enter, heading, openPath, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const named = (page: Page, name: string) => page.locator(`[name="${name}"]`);

/** What is in the form of the settings. */
async function typedIn(page: Page): Promise<unknown[]> {
	if ((await named(page, "time_zone").count()) === 0) return [];
	const texts = ["name", "colour", "time_zone"].map((name) => named(page, name).inputValue());
	return [
		...(await Promise.all(texts)),
		await page.locator('[name="join_policy"][value="invite"]').isChecked(),
	];
}

test("a long form keeps what was typed: Escape, back, reload, a failure, no network and an expired session", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	await stand.visit(async (page, window) => {
		await page.clock.install();
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await open(page, "Settings");
		await named(page, "name").fill("Soko Kuu");
		await named(page, "colour").fill("#0a7f3f");
		await named(page, "time_zone").selectOption("Africa/Kampala");
		await page.locator('[name="join_policy"][value="invite"]').check();
		const typed = ["Soko Kuu", "#0a7f3f", "Africa/Kampala", true];
		const expectTyped = () => expect.poll(() => typedIn(page), patience).toEqual(typed);
		const submit = () => page.getByRole("button", { name: "Save settings", exact: true }).click();
		await page.keyboard.press("Escape");
		await expectTyped();
		await page.goBack();
		await page.getByRole("button", { name: "Continue editing" }).click();
		await expectTyped();
		page.once("dialog", (asked) => void asked.accept());
		await page.reload();
		await expectTyped();

		await page.route("**/settings", (route) => {
			if (route.request().method() !== "PATCH") return route.fallback();
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 500, headers, json: { error: "broken", code: "internal" } });
		});
		await submit();
		await page.getByRole("alert").getByText("The service is temporarily unavailable.").waitFor();
		await expectTyped();
		await page.unroute("**/settings");
		await window.setOffline(true);
		await submit();
		await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await expectTyped();
		await window.setOffline(false);

		await endSessions(stand, tenant.email);
		// Services may learn of a new session with a delay: it is refused only some time after the sign-in.
		await page.clock.fastForward(16_000);
		await submit();
		const expired = page.getByRole("dialog", { name: "Your session has ended" });
		const opened = page.waitForEvent("popup");
		await expired.getByRole("button", { name: "Sign in" }).click();
		await signIn(await opened, tenant.email);
		await expired.waitFor({ state: "detached" });
		await expectTyped();
		await submit();
		await page.getByText("Settings saved.").waitFor();
		const kept = "Object.keys(sessionStorage).filter((key) => key.startsWith('lango-entries'))";
		expect(await page.evaluate(kept)).toEqual([]);
	});
});

test("what was kept of a form is gone from every tab of the browser after a sign-out", () =>
	stand.visit(async (page, window) => {
		await enter(page, `${stand.urls.console}/uhai`, { email: "admin@uhai.example" });
		const second = await window.newPage();
		await second.goto(`${stand.urls.console}/uhai`);
		await heading(second, "Overview").waitFor();
		const keptIn = (tab: Page) => tab.evaluate("JSON.stringify(sessionStorage)");
		for (const tab of [page, second]) {
			tab.on("dialog", (asked) => void asked.accept());
			await openPath(tab, "/uhai/suppressions");
			await tab.getByRole("button", { name: "Suppress an address", exact: true }).click();
			await named(tab, "address").fill("amina@private.example");
			await expect.poll(() => keptIn(tab), patience).toContain("amina@private.example");
			await tab.reload();
			await heading(tab, "Suppressed addresses").waitFor();
			expect(await keptIn(tab)).toContain("amina@private.example");
		}
		await page.getByRole("button", { name: "Sign out", exact: true }).click();
		for (const tab of [page, second]) {
			await heading(tab, "You are signed out").waitFor();
			expect(await keptIn(tab)).not.toContain("lango-entries");
		}
	}));

test("how long one must wait is said in words and counted down", () =>
	stand.visit(async (page) => {
		await page.clock.install();
		await enter(page, `${stand.urls.console}/uhai`, { email: "admin@uhai.example" });
		await openPath(page, "/uhai/suppressions");
		await page.getByRole("button", { name: "Suppress an address", exact: true }).click();
		await page.route("**/suppressions", (route) => {
			if (route.request().method() !== "POST") return route.fallback();
			const headers = {
				"access-control-allow-origin": stand.urls.console,
				...{ "access-control-expose-headers": "retry-after", "retry-after": "90" },
			};
			return route.fulfill({ status: 429, headers, json: { error: "Too many.", code: "rate_limited" } });
		});
		await named(page, "address").fill("a@b.example");
		await page.locator("dialog button[type=submit]").click();
		const timer = page.getByRole("timer");
		await timer.getByText("Try again in 2 minutes.").waitFor();
		expect(await page.locator("dialog").getByRole("alert").textContent()).toMatch(
			/^Too many requests\. Try again in 2 minutes\.\s*$/,
		);
		await page.clock.runFor(45_000);
		await timer.getByText(/Try again in \d+ seconds\./).waitFor();
		await page.clock.runFor(60_000);
		await timer.getByText("You can try again now.").waitFor();
	}));

test("rows of many payouts are kept over a reload, and a secret never is", () =>
	stand.visit(async (page) => {
		page.on("dialog", (asked) => void asked.accept());
		await enter(page, `${stand.urls.console}/uhai`, { email: "admin@uhai.example" });
		await openPath(page, "/uhai/payouts/bulk");
		await named(page, "rail").selectOption("mobile_money");
		await page.getByRole("button", { name: "Add a payout" }).click();
		const amounts = page.locator('[name^="amount_minor-"]');
		await amounts.nth(1).fill("300");
		await page.locator('[name^="to-"]').nth(1).fill("0712345678");
		await page.reload();
		await expect.poll(() => amounts.count(), patience).toBe(2);
		await expect.poll(() => amounts.nth(1).inputValue(), patience).toBe("300");
		expect(await page.locator('[name^="to-"]').nth(1).inputValue()).toBe("0712345678");
		await open(page, "Providers");
		await page.getByRole("button", { name: "Leave the page" }).click();
		await heading(page, "Providers").waitFor();
		expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("0712345678");

		await page.getByRole("button", { name: "Add a provider", exact: true }).click();
		await named(page, "credentials.host").fill("mail.uhai.example");
		await named(page, "credentials.password").fill("a-secret");
		await page.getByRole("button", { name: "Show password" }).first().click();
		await named(page, "credentials.password").fill("another-secret");
		await named(page, "credentials.dkim.privateKey").fill("a-private-key");
		await expect
			.poll(() => page.evaluate("JSON.stringify(sessionStorage)"), patience)
			.toContain("mail.uhai.example");
		const kept = String(await page.evaluate("JSON.stringify(sessionStorage)"));
		for (const secret of ["a-secret", "another-secret", "a-private-key"]) expect(kept).not.toContain(secret);
	}));

test("a dialog that was open at a reload is filled in again, also with ticks that its search hid", () =>
	stand.visit(async (page) => {
		page.on("dialog", (asked) => void asked.accept());
		await enter(page, `${stand.urls.console}/kahawa`, { email: "owner@kahawa.example" });
		await openPath(page, "/kahawa/access/ordering");
		const dialog = page.getByRole("dialog");
		const openDialog = () => page.getByRole("button", { name: "Create a role", exact: true }).click();
		const permission = dialog.getByRole("checkbox", { name: /^Settings: see/ });
		await openDialog();
		await dialog.getByLabel("Name").fill("Night pharmacist");
		await permission.check();
		await dialog.getByRole("searchbox").fill("audit");
		await permission.waitFor({ state: "detached" });
		await page.reload();
		await openDialog();
		await expect.poll(() => permission.isChecked(), patience).toBe(true);
		expect(await dialog.getByLabel("Name").inputValue()).toBe("Night pharmacist");
		await dialog.getByText("Its code is night_pharmacist.").waitFor();
	}));
