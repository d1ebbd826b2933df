import { readdirSync, rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../journeys/browser.ts";
import { registerTenant } from "../journeys/console-tenant.ts";
import { heading, signIn } from "../journeys/console-visit.ts";
import { type RunningPlatform, startPlatform } from "../journeys/running-platform.ts";
import { type Camera, openCamera, picturesFolder, windows } from "./camera.ts";

let platform: RunningPlatform;
let browser: Browser;
beforeAll(async () => {
	rmSync(picturesFolder, { recursive: true, force: true });
	[platform, browser] = await Promise.all([startPlatform(), startBrowser()]);
});
afterAll(async () => {
	await browser?.close();
	await platform?.stop();
});

/** Runs a round of pictures in a window of its own, and says how many there are then. */
async function album(
	name: string,
	window: (typeof windows)[number],
	round: (camera: Camera) => Promise<void>,
) {
	const camera = await openCamera(browser, name, window);
	try {
		await round(camera);
	} finally {
		await camera.close();
	}
	return readdirSync(`${picturesFolder}/${name}`).filter((file) => file.includes(`-${window.width}-`)).length;
}

/** Pages of the sign-in that need no session. */
const open = {
	"sign-in": "/login",
	"sign-in-to-a-tenant": "/login?tenant=uhai",
	"sign-in-to-nowhere": "/login?tenant=nowhere",
	"sign-in-bad-link": "/login?return_to=%2F%2Fevil.example",
	register: "/register",
	"register-to-join": "/register?tenant=uhai",
	"register-invited": "/register#invitation=a-secret",
	"forgot-password": "/forgot-password",
	"reset-password": "/reset-password#token=a-secret",
	"reset-password-without-link": "/reset-password",
	"verify-email": "/verify-email#token=a-secret",
	"verify-email-without-link": "/verify-email",
	"signed-out": "/signed-out",
	unknown: "/no/such/page",
};

test.each(windows)("the sign-in pages at $width px", async (window) => {
	const taken = await album("accounts", window, async ({ page, take, shoot }) => {
		const at = (path: string) => `${platform.urls.accounts}${path}`;
		for (const [name, path] of Object.entries(open)) await take(name, at(path));
		await page.goto(at("/login"));
		await signIn(page, "unknown@uhai.example");
		await page.getByRole("alert").first().waitFor();
		await shoot("sign-in-refused");
		await page.goto(at("/login"));
		await signIn(page, "admin@uhai.example");
		await heading(page, "You are signed in").waitFor();
		await shoot("signed-in");
		for (const path of ["profile", "new-organisation", "join"]) await take(path, at(`/${path}`));
		await page.goto(at("/profile"));
		await page.getByRole("button", { name: "Sign out everywhere else" }).click();
		await page.getByRole("dialog").waitFor();
		await shoot("profile-question");
	});
	expect(taken).toBe(2 * (Object.keys(open).length + 6));
});

/** Every page the way through the console leads to, as its reader sees it. */
async function takeNavigation({ page, width, take }: Camera, who: string): Promise<void> {
	if (width < 1024) await page.getByRole("button", { name: "Menu", exact: true }).click();
	const links = page.getByRole("navigation").getByRole("link");
	const found: [string, string][] = [];
	for (const link of await links.all())
		found.push([(await link.textContent()) ?? "", (await link.getAttribute("href")) ?? ""]);
	for (const [label, path] of found)
		await take(`${who}-${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`, platform.urls.console + path);
}

/** What the platform's owner sees. */
async function takePlatform(camera: Camera): Promise<void> {
	const { page, take, shoot } = camera;
	await takeNavigation(camera, "owner");
	const at = (path: string) => `${platform.urls.console}/lango/platform/${path}`;
	for (const path of behindPlatform) await take(`owner-${nameOf(path)}`, at(path));
	await page.goto(at("tenants"));
	await page.getByRole("link", { name: "Duka Mart" }).click();
	await heading(page, "Duka Mart").waitFor();
	await shoot("owner-tenant");
	await page.goto(`${page.url()}/entitlements`);
	await shoot("owner-tenant-entitlements");
	await page.goto(at("providers"));
	await page.getByRole("button", { name: "Add a provider" }).click();
	await page.getByRole("dialog").waitFor();
	await shoot("owner-new-provider");
	await page.goto(at("providers"));
	await page.getByRole("link", { name: "sandbox", exact: true }).click();
	await heading(page, "sandbox").waitFor();
	await shoot("owner-provider");
}

const enter = async ({ page }: Camera, at: string, [email, outlet]: readonly [string, string?]) => {
	await page.goto(at);
	await signIn(page, email);
	if (outlet !== undefined) await page.getByRole("button", { name: outlet }).click();
	// The sign-in has a heading, too.
	await page.waitForURL((url) => url.origin === platform.urls.console && !url.pathname.includes("/auth/c"));
	await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
};

/** Pages of an administrator that another page leads to. */
const behindPages = [
	...[
		"people/invitations",
		"people/waiting",
		"access/hospital",
		"access/hospital/people",
		"access/hospital/keys",
		"templates/new",
		"templates/cafe/cafe_contact_form",
	],
	...["messages/statistics", "messages/redrives", "triggers/new", "triggers/digests"],
	...[
		"access/hospital/roles/hospital_admin",
		"subscribe/change?plan=STARTER",
		"select-outlet",
		"no/such/page",
	],
];
/** And of the platform's owner. */
const behindPlatform = [
	...["plans/GROWTH", "plans/GROWTH/next", "add-ons/pos", "clients/console-ui", "clients/demo-backend"],
	...["new-client", "failures?service=hospital", "failures?service=notifications"],
	...[
		"templates/new",
		"templates/cafe/cafe_contact_form",
		"deliverability?state=paused",
		"deliverability/uhai",
	],
];
const nameOf = (path: string) => path.toLowerCase().replaceAll(/[^a-z]+/g, "-");

test.each(windows)("the console of an administrator at $width px", async (window) => {
	const taken = await album("console", window, async (camera) => {
		const { page, take, shoot } = camera;
		const at = (path: string) => `${platform.urls.console}${path}`;
		await take("no-such-organisation", at("/nowhere"));
		await take("callback-refused", at("/uhai/auth/callback?code=stolen&state=00ff"));
		await enter(camera, at("/uhai"), ["admin@uhai.example"]);
		await takeNavigation(camera, "admin");
		for (const path of behindPages) await take(`admin-${nameOf(path)}`, at(`/uhai/${path}`));
		await take("unauthorized", at("/unauthorized"));
		await take("other-organisation", at("/kahawa"));
		await page.goto(at("/uhai"));
		await heading(page, "Overview").waitFor();
		if (window.width < 1024) {
			await page.getByRole("button", { name: "Menu", exact: true }).click();
			await shoot("menu");
		}
		await page.getByRole("button", { name: "Sign out", exact: true }).last().click();
		await heading(page, "You are signed out").waitFor();
		await shoot("signed-out");
	});
	expect(taken).toBeGreaterThan(2 * 9);
});

const people = [
	["owner", "/lango", "root@lango.example"],
	["trial", "/kahawa/subscribe", "owner@kahawa.example"],
	["expired", "/duka/subscribe", "owner@duka.example"],
	["cashier", "/kahawa", "cashier@kahawa.example"],
] as const;

test.each(windows)("the console as others see it at $width px", async (window) => {
	for (const [who, path, email] of people)
		await album("console", window, async (camera) => {
			await enter(camera, `${platform.urls.console}${path}`, [email]);
			await camera.shoot(`${who}-first`);
			if (who === "owner") await takePlatform(camera);
			if (who === "trial")
				await camera.take("trial-pay", `${platform.urls.console}/kahawa/subscribe/change?plan=STARTER`);
		});
	const taken = await album("console", window, async (camera) => {
		await enter(camera, `${platform.urls.console}/uhai`, ["nurse@uhai.example"]);
		await camera.shoot("nurse-session-outlet");
	});
	expect(taken).toBeGreaterThan(0);
});

test.each(windows)("how payments turn out at $width px", async (window) => {
	const tenant = await registerTenant(platform);
	const taken = await album("payments", window, async (camera) => {
		const { page, take, shoot } = camera;
		const at = (path = "") => `${platform.urls.console}/${tenant.slug}/subscribe${path}`;
		await enter(camera, at(), [tenant.email]);
		await shoot("no-plan");
		await tenant.paysFor("GROWTH");
		await tenant.uses("rider_count", 4);
		await take("active", at());
		await take("upgrade", at("/change?plan=PROFESSIONAL"));
		await take("downgrade", at("/change?plan=STARTER"));
		await take("add-on", at("/change?add=pos"));
		await page.goto(at());
		await page.getByRole("button", { name: "Cancel subscription" }).click();
		await page.getByRole("dialog").waitFor();
		await shoot("cancel-question");
		await tenant.answers("refuses");
		await buy(camera, at("/change?plan=PROFESSIONAL"));
		await page.getByRole("alert").getByText("Nothing has changed.").waitFor();
		await shoot("refused");
		await tenant.answers("silent");
		await buy(camera, at("/change?plan=PROFESSIONAL"));
		await page.getByRole("progressbar").waitFor();
		await shoot("waiting");
		await tenant.ask("DELETE", "/pending-change");
		const { body } = await tenant.ask("POST", "/quote", { plan: "STARTER" });
		await tenant.ask("POST", "/change", {
			quote_id: body["quote_id"],
			mode: "period_end",
			acknowledge: true,
		});
		await take("scheduled", at());
		await tenant.answers("refuses");
		await tenant.daysPass(31);
		await take("due", at());
		await tenant.daysPass(14);
		await take("grace", at());
	});
	expect(taken).toBe(2 * 11);
});

async function buy({ page }: Camera, address: string): Promise<void> {
	await page.goto(address);
	await page.getByRole("button", { name: /^Pay Ksh/ }).click();
}
