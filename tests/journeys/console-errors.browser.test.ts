import type { BrowserContext } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enter, openPath, openSharedConsole, type SharedConsole } from "./console-visit.ts";

// A browser logs each refused request as an error: pages do not ask for what they expect to be missing.

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

/** Collects what the pages of a window log as errors, each with the address that it is about. */
function watchErrors(window: BrowserContext): string[] {
	const errors: string[] = [];
	window.on("console", (message) => {
		if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
	});
	return errors;
}

const people = [
	{
		email: "admin@uhai.example",
		slug: "uhai",
		paths: [
			...["inbox", "sessions", "profile", "subscribe", "people", "people/invitations", "people/waiting"],
			...["outlets", "settings", "access/hospital", "riders", "audit", "messages", "templates", "triggers"],
			...["providers", "limits", "credits", "preferences", "payment-settings", "payments", "receipts"],
			...["payouts", "bills", "statement", "payment-pages", "standing-orders"],
		],
	},
	{
		email: "root@lango.example",
		slug: "lango",
		paths: ["tenants", "plans", "failures", "clients", "providers", "gateways", "keys"].map(
			(name) => `platform/${name}`,
		),
	},
	{ email: "pharm@uhai.example", slug: "uhai", paths: ["inbox", "receipts", "profile", "sessions"] },
];

test.each(people)("no page that $email opens logs an error", ({ email, slug, paths }) =>
	stand.visit(
		async (page, window) => {
			const errors = watchErrors(window);
			await enter(page, `${stand.urls.console}/${slug}`, { email });
			for (const path of paths) {
				await openPath(page, `/${slug}/${path}`);
				await page.locator("h1").first().waitFor();
				await expect.poll(() => page.getByText("Loading…").count(), patience).toBe(0);
			}
			expect(errors).toEqual([]);
		},
		{ isLive: true },
	),
);

test("no page of the sign-in that a visitor opens logs an error", () =>
	stand.visit(async (page, window) => {
		const errors = watchErrors(window);
		for (const path of ["login?tenant=uhai", "register", "forgot-password", "profile", "signed-out"]) {
			await page.goto(`${stand.urls.accounts}/${path}`);
			await page.locator("h1").first().waitFor();
			await page.waitForLoadState("networkidle");
		}
		expect(errors).toEqual([]);
	}));
